//! Variables of the environment: `SUPABASE_<SECTION>_<KEY>` overrules a key, `env(NAME)` stands for
//! a value.

use std::collections::{BTreeMap, BTreeSet};

use toml::{Table, Value};

use super::{Findings, file::File, unknown_keys};
use crate::{
    ConfigError, Environment, env_reference, known_issuer, nearest,
    raw::shape::{Key, Shape},
    sections::keys::KEYS,
};

const PREFIX: &str = "SUPABASE_";

/// A key that a variable overrules.
struct ConfigKey {
    file: File,
    path: Vec<String>,
    shape: Shape,
}

/// Puts the values of variables over those of the files. A variable that cannot be read is an
/// error. A variable whose name is close to that of a key is a warning, unless the files name that
/// variable (`named`). The variable of a key overrules it even if the files name it.
pub(super) fn overrule(
    (config, banyan): (&mut Table, &mut Table),
    environment: &Environment,
    named: &BTreeSet<String>,
    findings: &mut Findings,
) {
    let mut known = Known::default();
    for (file, table) in [(File::Official, &*config), (File::Ours, &*banyan)] {
        known.collect(ConfigKey { file, path: Vec::new(), shape: file.shape() }, "SUPABASE", table);
    }
    findings.warnings.extend(environment.with_prefix("BANYAN_").filter_map(|(name, _)| doubt_of_ours(name)));
    for (name, text) in environment.with_prefix(PREFIX).filter(|(_, value)| !value.is_empty()) {
        let Some(place) = known.places.get(name) else {
            findings.warnings.extend(known.doubt(name).filter(|_| !named.contains(name)));
            continue;
        };
        let Some(value) = place.shape.read(text) else {
            if is_of_a_link(place.shape, text) {
                findings.warnings.push(format!(
                    "environment variable {name} overrules nothing: it holds an address, as orchestrators set them for a service \
                     of that name"
                ));
                continue;
            }
            let message = format!("environment variable {name} must be {}", place.shape.words());
            findings.errors.push(ConfigError::value(&place.path.join("."), message));
            continue;
        };
        let table = match place.file {
            File::Official => &mut *config,
            File::Ours => &mut *banyan,
        };
        set(table, &place.path, value);
    }
}

/// Returns whether a variable that should hold a port is one that Kubernetes and links of Docker
/// set for other services.
fn is_of_a_link(shape: Shape, text: &str) -> bool {
    matches!(shape, Shape::Number(_)) && ["tcp://", "udp://"].iter().any(|scheme| text.starts_with(scheme))
}

/// Returns whether each word of a name is close to the word of the other at the same position:
/// `DB_HOST` is no slip of `DB_PORT`.
fn are_near_by_word(name: &str, key: &str) -> bool {
    name.matches('_').count() != key.matches('_').count()
        || name.split('_').zip(key.split('_')).all(|(word, of_key)| nearest(word, [of_key]).is_some())
}

/// The variables that overrule keys.
#[derive(Default)]
struct Known {
    /// Every key by its variable.
    places: BTreeMap<String, ConfigKey>,
    /// How the variables begin of sections whose names the project chooses, the section of them
    /// all, and their keys.
    named: Vec<(String, String, &'static [Key])>,
}

impl Known {
    /// Adds every key at or below a place. Names that a project chooses count where its files have
    /// them.
    fn collect(&mut self, at: ConfigKey, variable: &str, written: &Table) {
        let ConfigKey { file, path, shape } = at;
        let mut below = |name: &str, spelling: &str, shape: Shape| {
            let path = [path.as_slice(), &[name.to_owned()]].concat();
            let variable = format!("{variable}_{}", spelling.to_ascii_uppercase());
            let empty = Table::new();
            let written = written.get(name).and_then(Value::as_table).unwrap_or(&empty);
            self.collect(ConfigKey { file, path, shape }, &variable, written);
        };
        match shape {
            Shape::Section(keys) => {
                for key in keys {
                    key.spellings().for_each(|spelling| below(key.name, spelling, key.shape));
                }
            }
            Shape::Named(each) => {
                written.keys().for_each(|name| below(name, name, *each));
                if let Shape::Section(keys) = *each {
                    self.named.push((format!("{variable}_"), path.join("."), keys));
                }
            }
            _ => drop(self.places.insert(variable.to_owned(), ConfigKey { file, path, shape })),
        }
    }

    /// The section that the first word of a name is nearly the name of; short ones are near too
    /// much.
    fn section_near(&self, bare: &str) -> Option<&str> {
        let (word, _) = bare.split_once('_')?;
        let keys = self.places.keys().filter_map(|key| key.strip_prefix(PREFIX));
        let sections: BTreeSet<&str> = keys.filter_map(|key| Some(key.split_once('_')?.0)).collect();
        let long = sections.iter().copied().filter(|section| section.len() > 3);
        nearest(word, long).filter(|_| !sections.contains(word))
    }

    /// Warns of a variable whose name is close to that of a key, or to that of a section which the
    /// files do not have.
    fn doubt(&self, name: &str) -> Option<String> {
        let bare = name.strip_prefix(PREFIX)?;
        let names = self.places.keys().filter_map(|key| key.strip_prefix(PREFIX));
        if let Some(meant) = nearest(bare, names.filter(|key| are_near_by_word(bare, key))) {
            return Some(format!(
                "environment variable {name} overrules no key; did you mean {PREFIX}{meant}?"
            ));
        }
        if let Some(meant) = self.section_near(bare) {
            return Some(format!(
                "environment variable {name} overrules no key; did you mean {PREFIX}{meant}_…?"
            ));
        }
        let is_of = |(start, _, keys): &&(String, String, &[Key])| {
            let rest = name.strip_prefix(start.as_str());
            let ends = |rest: &str, key: &Key| rest.ends_with(&format!("_{}", key.name.to_ascii_uppercase()));
            rest.is_some_and(|rest| keys.iter().any(|key| ends(rest, key)))
        };
        let (_, section, _) = self.named.iter().find(is_of)?;
        Some(format!("environment variable {name} overrules no key: the files have no such [{section}.…]"))
    }
}

/// Variables of our own, for what has no key.
const OURS: [&str; 4] = ["BANYAN_CACHE", "BANYAN_DATABASE_POOL", "BANYAN_DATABASE_URL", "BANYAN_HOME"];

/// Warns of a variable whose name is close to one of ours.
fn doubt_of_ours(name: &str) -> Option<String> {
    let meant = nearest(name, OURS).filter(|meant| *meant != name && are_near_by_word(name, meant))?;
    Some(format!("environment variable {name} says nothing; did you mean {meant}?"))
}

fn set(table: &mut Table, path: &[String], value: Value) {
    match path {
        [] => {}
        [key] => drop(table.insert(key.clone(), value)),
        [section, rest @ ..] => {
            let section = table.entry(section.clone()).or_insert_with(|| Value::Table(Table::new()));
            if let Value::Table(section) = section {
                set(section, rest, value);
            }
        }
    }
}

/// Settings for which an unresolved `env(NAME)` is dangerous: addresses say who can reach the
/// stack, and a switched-on feature would refuse everybody.
const NEEDED: [&str; 16] = [
    "api.external_url",
    "auth.captcha.secret",
    "auth.email.smtp.admin_email",
    "auth.email.smtp.host",
    "auth.email.smtp.pass",
    "auth.email.smtp.user",
    "auth.external.*.client_id",
    "auth.external.*.secret",
    "auth.external_url",
    "auth.site_url",
    "realtime.nats_servers",
    "storage.s3.access_key_id",
    "storage.s3.bucket",
    "storage.s3.secret_access_key",
    "storage.s3_access_key_id",
    "storage.s3_secret_access_key",
];

/// Reports unset variables of a section at `path`: as an error if the setting is needed, else as a
/// warning, since it is likely a mistake. Some sections are read only if they are on. An unset
/// secret or host of a function is simply absent.
pub(super) fn tell_unset(file: File, section: &Table, path: &[&str], findings: &mut Findings) {
    if is_unread(section, path) {
        return;
    }
    for (key, value) in section {
        let place = [path, &[key.as_str()]].concat();
        if matches!(*place, [.., "secrets" | "env", _] | ["functions", _, "outbound_hosts"]) {
            continue;
        }
        // `Keys::check` reports missing keys, and how to make them.
        if matches!(*place, ["auth", name] if KEYS.contains(&name)) {
            continue;
        }
        let texts = match value {
            Value::Table(below) => {
                tell_unset(file, below, &place, findings);
                continue;
            }
            Value::Array(items) => items.as_slice(),
            value => std::slice::from_ref(value),
        };
        for unset in
            texts.iter().filter_map(|text| env_reference::variable(text.as_str()?)).map(env_reference::unset)
        {
            let key = place.join(".");
            if is_needed(&place, section) {
                findings.unset.push(ConfigError::value(&key, unset));
            } else {
                findings.warnings.push(format!("{}: `{key}`: {unset}", file.name()));
            }
        }
    }
}

/// Returns whether a setting needs a value. A provider that is not offered stays off whatever its
/// keys are.
fn is_needed(place: &[&str], section: &Table) -> bool {
    let is_offered = match place {
        ["auth", "external", name, _] => known_issuer(name).is_some() || section.contains_key("url"),
        _ => true,
    };
    is_offered && NEEDED.iter().any(|pattern| unknown_keys::fits(pattern, place))
}

/// Returns whether nothing reads the keys of a section because it is off. Some sections are read
/// even then: `[auth] enabled = false` does not stop the secret from signing tokens.
fn is_unread(section: &Table, path: &[&str]) -> bool {
    let default = match path {
        ["auth", "sms", "test_otp"] => return false,
        ["auth", "captcha"]
        | ["auth", "external" | "hook" | "sms" | "third_party", _]
        | ["auth", "email", "notification", _] => false,
        ["auth", "email", "smtp"] => true,
        _ => return false,
    };
    !section.get("enabled").and_then(Value::as_bool).unwrap_or(default)
}
