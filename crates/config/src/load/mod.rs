use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

use crate::{
    Api, Auth, Config, ConfigError, Database, EdgeRuntime, Environment, Function, Keys, LocalSmtp, Paths,
    Server,
    paths::join,
    raw::{RawBanyan, RawConfig, RawFunction},
};

/// A checked configuration and what in it looks like a mistake.
#[derive(Debug)]
pub struct Loaded {
    /// The configuration.
    pub config: Config,
    /// Keys that nothing reads, one sentence each.
    pub warnings: Vec<String>,
}

/// Reads and checks the configuration of the project at or above `start`.
///
/// Order, later wins: defaults, config.toml, banyan.toml, `SUPABASE_<SECTION>_<KEY>` of the environment.
/// `port_offset` moves every port that is not 0 (decisions P16).
///
/// # Errors
/// [`ConfigError`] for a missing project, an unreadable file, wrong TOML, or a value out of bounds.
pub fn load(start: &Path, mut environment: Environment, port_offset: u16) -> Result<Loaded, ConfigError> {
    let project = Paths::find_project(start).ok_or_else(|| ConfigError::NoProject(start.to_owned()))?;
    let folder = project.join("supabase");
    for env_folder in [&folder, &project] {
        environment.add_files(env_folder)?;
    }
    let mut warnings = Vec::new();
    let mut raw: RawConfig = read(&folder.join("config.toml"), &environment, &mut warnings)?;
    let mut banyan: RawBanyan = read(&folder.join("banyan.toml"), &environment, &mut warnings)?;
    let ours = std::mem::take(&mut banyan.functions);
    raw.functions = join_functions(raw.functions, ours, &folder, &mut warnings)?;
    warnings.extend(Auth::not_offered(&raw.auth));
    warnings.extend(Auth::unknown_mails(&raw.auth, &banyan.auth));
    let config = check(raw, banyan, project, &environment, port_offset)?;
    warnings.extend(config.keys.everybody_knows().filter(|_| config.server.demo_keys).map(|key| {
        format!(
            "banyan.toml: `server.demo_keys` lets others reach a stack whose `{key}` everybody knows: whoever does so can read and change all that it holds"
        )
    }));
    Ok(Loaded { config, warnings })
}

/// The file of `auth.signing_keys_path`, whether or not it exists yet.
///
/// # Errors
/// [`ConfigError`] for a missing project or a config.toml that cannot be read.
pub fn signing_keys_file(start: &Path, mut environment: Environment) -> Result<Option<PathBuf>, ConfigError> {
    let project = Paths::find_project(start).ok_or_else(|| ConfigError::NoProject(start.to_owned()))?;
    let folder = project.join("supabase");
    for env_folder in [&folder, &project] {
        environment.add_files(env_folder)?;
    }
    let raw: RawConfig = read(&folder.join("config.toml"), &environment, &mut Vec::new())?;
    Ok(raw.auth.signing_keys_path.map(|path| join(&folder, path)))
}

fn check(
    raw: RawConfig,
    banyan: RawBanyan,
    project: PathBuf,
    environment: &Environment,
    port_offset: u16,
) -> Result<Config, ConfigError> {
    let folder = project.join("supabase");
    let project_id = project_id(&raw.project_id, &project);
    let api = Api::check(raw.api, port_offset)?;
    let server = Server::check(banyan.server, &folder, port_offset)?;
    let keys = Keys::check(&raw.auth, &folder)?;
    let functions = raw
        .functions
        .into_iter()
        .map(|(name, raw)| Ok((name.clone(), Function::check(&name, raw, &folder, environment)?)))
        .collect::<Result<_, ConfigError>>()?;
    let auth = Auth::check(raw.auth, banyan.auth, environment, &api.external_url, &project)?;
    let addresses = [api.external_url.as_str(), &auth.external_url, &auth.site_url];
    if !server.demo_keys {
        keys.check_audience(server.host, &addresses)?;
    }
    auth.client_address.check_audience(server.host, &addresses)?;
    Ok(Config {
        auth,
        database: Database::check(raw.db, environment, port_offset)?,
        local_smtp: LocalSmtp::check(raw.local_smtp, port_offset)?,
        edge_runtime: EdgeRuntime::check(raw.edge_runtime, &banyan.edge_runtime, &folder)?,
        paths: paths(project, &project_id, environment),
        project_id,
        api,
        server,
        keys,
        functions,
    })
}

/// `project_id`, or the folder's name, as the supabase CLI sanitises it (stack.md 1.3 `init`).
fn project_id(raw: &str, project: &Path) -> String {
    let name = match raw {
        "" => project.file_name().and_then(|name| name.to_str()).unwrap_or("project"),
        name => name,
    };
    let clean: String =
        name.chars().map(|c| if c.is_ascii_alphanumeric() || "_.-".contains(c) { c } else { '_' }).collect();
    clean.trim_start_matches(['_', '.', '-']).chars().take(40).collect()
}

fn paths(project: PathBuf, project_id: &str, environment: &Environment) -> Paths {
    let root = rustix::process::geteuid().is_root();
    let state = match environment.get("BANYAN_HOME") {
        Some(home) => home.into(),
        None if root => {
            Path::new("/var/lib/banyan").join(format!("{project_id}-{:08x}", fingerprint(&project)))
        }
        None => project.join("supabase/.banyan"),
    };
    let cache =
        match (environment.get("BANYAN_CACHE"), environment.get("XDG_CACHE_HOME"), environment.get("HOME")) {
            (Some(cache), _, _) => cache.into(),
            _ if root => "/var/lib/banyan/cache".into(),
            (None, Some(cache), _) => Path::new(cache).join("banyan"),
            (None, None, Some(home)) => Path::new(home).join(".cache/banyan"),
            (None, None, None) => state.join("cache"),
        };
    Paths { project, state, cache }
}

/// FNV-1a of the folder's path: tells two checkouts of one project apart, nothing more.
fn fingerprint(path: &Path) -> u32 {
    path.as_os_str()
        .as_encoded_bytes()
        .iter()
        .fold(0x811c_9dc5, |hash: u32, byte| (hash ^ u32::from(*byte)).wrapping_mul(0x0100_0193))
}

/// Joins `[functions.<name>]` of both files: banyan.toml wins, key by key. A key of banyan.toml that nothing reads shows only
/// here, where its table becomes a section.
fn join_functions(
    official: BTreeMap<String, RawFunction>,
    ours: BTreeMap<String, toml::Table>,
    folder: &Path,
    warnings: &mut Vec<String>,
) -> Result<BTreeMap<String, RawFunction>, ConfigError> {
    let syntax = |message: String| ConfigError::Syntax { path: folder.join("banyan.toml"), message };
    let mut joined = official;
    for (name, table) in ours {
        let base = joined.remove(&name).unwrap_or_default();
        let mut merged = toml::Table::try_from(&base).map_err(|error| syntax(error.to_string()))?;
        merged.extend(table);
        let function = serde_ignored::deserialize(toml::Value::Table(merged), |key| {
            warnings.push(unused("banyan.toml", format_args!("functions.{name}.{key}")));
        })
        .map_err(|error: toml::de::Error| syntax(error.to_string()))?;
        joined.insert(name, function);
    }
    Ok(joined)
}

/// Reads one TOML file, a missing one as empty, replaces `env(NAME)`, applies `SUPABASE_…` overrides, and notes keys that nothing reads.
fn read<T>(path: &Path, environment: &Environment, warnings: &mut Vec<String>) -> Result<T, ConfigError>
where
    T: serde::de::DeserializeOwned + serde::Serialize + Default,
{
    let text = match std::fs::read_to_string(path) {
        Ok(text) => text,
        // The environment may still say something.
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => String::new(),
        Err(source) => return Err(ConfigError::Read { path: path.to_owned(), source }),
    };
    let syntax = |message: String| ConfigError::Syntax { path: path.to_owned(), message };
    let mut table: toml::Table = toml::from_str(&text).map_err(|error| syntax(error.to_string()))?;
    substitute(&mut table, environment);
    let known = toml::Table::try_from(T::default()).map_err(|error| syntax(error.to_string()))?;
    override_from_environment(&mut table, &known, environment);
    tell_unset(&table, &[], warnings);
    let value = toml::Value::Table(table);
    let mut unread = Vec::new();
    let parsed = serde_ignored::deserialize(value, |key| unread.push(key.to_string()))
        .map_err(|error: toml::de::Error| syntax(error.to_string()))?;
    let file = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    warnings.extend(unread.into_iter().map(|key| unused(&file, key)));
    Ok(parsed)
}

/// The sentence about a key that nothing reads.
pub(crate) fn unused(file: &str, key: impl std::fmt::Display) -> String {
    format!("{file}: `{key}` is not used by this version")
}

fn substitute(table: &mut toml::Table, environment: &Environment) {
    for value in table.iter_mut().map(|(_, value)| value) {
        match value {
            toml::Value::Table(inner) => substitute(inner, environment),
            toml::Value::String(text) => {
                if let Some(found) = variable(text).and_then(|name| environment.get(name)) {
                    *text = found.to_owned();
                }
            }
            _ => {}
        }
    }
}

/// The name in `env(NAME)`: of a variable that is not set, once those that are stand in its place.
pub(crate) fn variable(text: &str) -> Option<&str> {
    text.strip_prefix("env(").and_then(|rest| rest.strip_suffix(')'))
}

/// Warns of variables that are not set in a table at `path`, which is likely a mistake. Some sections are read only when they are
/// on, and a secret of functions that is not set is simply not there.
fn tell_unset(table: &toml::Table, path: &[&str], warnings: &mut Vec<String>) {
    if matches!(path, [.., "secrets" | "env"]) || is_unread(table, path) {
        return;
    }
    for (key, value) in table {
        match value {
            toml::Value::Table(inner) => tell_unset(inner, &[path, &[key.as_str()]].concat(), warnings),
            toml::Value::String(text) => {
                let unset = variable(text).map(|name| format!("environment variable {name} is not set"));
                warnings.extend(unset);
            }
            _ => {}
        }
    }
}

/// Whether nothing reads the keys of a section, since it is off. Others are read all the same: `[auth] enabled = false` keeps
/// nobody from signing tokens with its secret.
fn is_unread(section: &toml::Table, path: &[&str]) -> bool {
    let default = match path {
        ["auth", "sms", "test_otp"] => return false,
        ["auth", "captcha"]
        | ["auth", "external" | "hook" | "sms" | "third_party", _]
        | ["auth", "email", "notification", _] => false,
        ["auth", "email", "smtp"] => true,
        _ => return false,
    };
    !section.get("enabled").and_then(toml::Value::as_bool).unwrap_or(default)
}

/// Applies `SUPABASE_<SECTION>_<KEY>`: the key's place is found by walking the known sections, since `_` separates both.
fn override_from_environment(table: &mut toml::Table, known: &toml::Table, environment: &Environment) {
    let overrides: Vec<(String, String)> = environment
        .with_prefix("SUPABASE_")
        .map(|(name, value)| (name["SUPABASE_".len()..].to_ascii_lowercase(), value.to_owned()))
        .collect();
    for (name, value) in overrides {
        set(table, known, &name, &value);
    }
}

fn set(table: &mut toml::Table, known: &toml::Table, name: &str, text: &str) {
    for (key, default) in known {
        if let toml::Value::Table(inner) = default {
            let Some(rest) = name.strip_prefix(key.as_str()).and_then(|rest| rest.strip_prefix('_')) else {
                continue;
            };
            let section = table.entry(key.clone()).or_insert_with(|| toml::Value::Table(toml::Table::new()));
            if let toml::Value::Table(section) = section {
                set(section, inner, rest, text);
            }
        } else if key == name
            && let Some(value) = typed(default, text)
        {
            table.insert(key.clone(), value);
        }
    }
}

fn typed(default: &toml::Value, text: &str) -> Option<toml::Value> {
    match default {
        toml::Value::String(_) => Some(toml::Value::String(text.to_owned())),
        toml::Value::Integer(_) => text.parse().ok().map(toml::Value::Integer),
        toml::Value::Boolean(_) => text.parse().ok().map(toml::Value::Boolean),
        toml::Value::Array(_) => {
            Some(text.split(',').map(|item| item.trim().to_owned()).collect::<Vec<_>>().into())
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests;
