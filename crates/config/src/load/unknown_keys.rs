//! Warnings and errors about keys that nothing reads. A key that was likely meant to be another one
//! must be reported, above all in `[auth]`: only an attacker would notice a misspelt hook, CAPTCHA
//! or closed sign-up. The same holds in banyan.toml, which no other tool reads, for the listener
//! and for the callers of functions.

use super::file::File;
use crate::{ConfigError, nearest, raw::shape::Shape};

/// Sections and keys of the supabase CLI's config.toml for which this version has no use; `*` is
/// any name.
const UNUSED: [&str; 26] = [
    "analytics",
    "api.tls",
    "db.health_timeout",
    "db.migrations.schema_paths",
    "db.network_restrictions",
    "db.orioledb_version",
    "db.pooler",
    "db.root_key",
    "db.settings",
    "db.shadow_port",
    "db.ssl_enforcement",
    "db.vault",
    "edge_runtime.deno_version",
    "edge_runtime.inspector_port",
    "edge_runtime.policy",
    "experimental",
    "functions.*.import_map",
    "functions.*.static_files",
    "inbucket.pop3_port",
    "local",
    "local_smtp.pop3_port",
    "realtime.ip_version",
    "remotes",
    "storage.analytics",
    "storage.vector",
    "studio",
];

/// The key that only the supabase CLI reads: its `functions deploy` also uploads the component that
/// the key names.
const ENTRYPOINT: &str = "functions.*.entrypoint";

/// Keys that the supabase CLI refuses as well, and what is wanted in their place.
const INSTEAD: [(&str, &str); 2] =
    [("auth.email.template.*.content", TEMPLATE_FILE), ("auth.email.notification.*.content", TEMPLATE_FILE)];
const TEMPLATE_FILE: &str = "is read from a file alone: name that in `content_path`, from the project's folder, such as \
    \"./supabase/templates/mail.html\"";

/// Judges a key at `path` that its section does not have: a warning, or the error that ends the
/// start.
pub(super) fn judge(file: File, section: Shape, path: &[&str]) -> Result<String, ConfigError> {
    let (place, name) = (path.join("."), file.name());
    if let Some((_, instead)) = INSTEAD.iter().find(|(pattern, _)| fits(pattern, path)) {
        return Err(ConfigError::value(&place, *instead));
    }
    if file == File::Official && fits(ENTRYPOINT, path) {
        return Ok(format!(
            "{name}: `{place}` is read by `supabase functions deploy` alone; for this stack a finished .wasm is named by `component` of [functions.{}] in banyan.toml",
            path[1]
        ));
    }
    if file == File::Official && UNUSED.iter().any(|pattern| fits(pattern, path)) {
        return Ok(format!("{name}: `{place}` is not used by this version"));
    }
    let is_of_auth = path[0] == "auth";
    let meant = path.last().and_then(|key| nearest(key, spellings(section)));
    // Under names that a project chooses, every key stands in the other file: a slip of the pen is
    // likelier.
    if meant.is_none() && stands_in(file.other(), path) {
        let other = file.other().name();
        return if is_of_auth {
            Err(ConfigError::value(&place, format!("belongs into {other}; in {name} nothing reads it")))
        } else {
            Ok(format!("{name}: `{place}` belongs into {other}; here nothing reads it"))
        };
    }
    match meant {
        _ if is_below_auth(file, path, meant) => {
            Err(ConfigError::value(&place, format!("belongs below [auth]; here nothing of {name} reads it")))
        }
        _ if matches!(path, ["auth", "hook", _]) => {
            Err(ConfigError::no_such(&place, "hook", meant, spellings(section)))
        }
        Some(meant) if is_of_auth || meant == "auth" || opens(file, path, meant) => Err(ConfigError::value(
            &place,
            format!("there is no such key in {name}; did you mean `{meant}`?"),
        )),
        Some(meant) => Ok(format!("{name}: unknown key `{place}`; did you mean `{meant}`?")),
        None => Ok(format!("{name}: unknown key `{place}`")),
    }
}

/// Returns whether a name at the top of a file belongs to `[auth]`, or is close to such a name and
/// to no name at the top.
fn is_below_auth(file: File, path: &[&str], meant: Option<&str>) -> bool {
    let ([name], Some(auth)) = (path, file.shape().under("auth")) else { return false };
    auth.key(name).is_some() || meant.is_none() && nearest(name, spellings(auth)).is_some()
}

/// Returns whether a misspelt key of banyan.toml may let others in, at the listener or to a
/// function.
fn opens(file: File, path: &[&str], meant: &str) -> bool {
    file == File::Ours
        && matches!((path, meant), (["server", _], _) | (["functions", _, _], "roles" | "enabled"))
}

fn spellings(section: Shape) -> impl Iterator<Item = &'static str> {
    let keys = match section {
        Shape::Section(keys) => keys,
        _ => &[],
    };
    keys.iter().flat_map(|key| key.spellings())
}

/// Returns whether a file has such a key.
fn stands_in(file: File, path: &[&str]) -> bool {
    path.iter().try_fold(file.shape(), |section, name| section.under(name)).is_some()
}

/// Returns whether a path fits a pattern, or lies below one that does.
pub(super) fn fits(pattern: &str, path: &[&str]) -> bool {
    let parts: Vec<&str> = pattern.split('.').collect();
    parts.len() <= path.len() && parts.iter().zip(path).all(|(part, name)| *part == "*" || part == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(file: File, path: &str) -> String {
        let path: Vec<&str> = path.split('.').collect();
        let (_, above) = path.split_last().expect("a path");
        let section = above.iter().try_fold(file.shape(), |section, name| section.under(name));
        match judge(file, section.expect("a section"), &path) {
            Ok(warning) => format!("WARN {warning}"),
            Err(error) => error.to_string(),
        }
    }

    // rows: CFG-UNUSED
    #[test]
    fn what_the_supabase_cli_knows_and_this_version_does_not_use_is_said_so() {
        for path in ["studio", "analytics", "db.pooler", "functions.hello.import_map", "edge_runtime.policy"]
        {
            let said = said(File::Official, path);
            assert_eq!(said, format!("WARN config.toml: `{path}` is not used by this version"));
        }
        assert_eq!(said(File::Ours, "studio"), "WARN banyan.toml: unknown key `studio`");
    }

    #[test]
    fn where_an_entrypoint_is_written_the_key_that_names_a_component_is_told() {
        let said = said(File::Official, "functions.js.entrypoint");
        assert!(said.contains("`component` of [functions.js] in banyan.toml"), "{said}");
    }

    // rows: CFG-UNKNOWN
    #[test]
    fn a_slip_of_the_pen_is_a_warning_and_in_auth_an_error() {
        for (file, path, expected) in [
            (File::Official, "api.prot", "WARN config.toml: unknown key `api.prot`; did you mean `port`?"),
            (File::Official, "school", "WARN config.toml: unknown key `school`"),
            (
                File::Official,
                "functions.y.role",
                "WARN config.toml: unknown key `functions.y.role`; did you mean `roles`?",
            ),
            (
                File::Ours,
                "functions.y.max_bodi",
                "WARN banyan.toml: unknown key `functions.y.max_bodi`; did you mean `max_body`?",
            ),
            (
                File::Ours,
                "server.require_apikey",
                "server.require_apikey: there is no such key in banyan.toml; did you mean `require_api_key`?",
            ),
            (
                File::Ours,
                "functions.y.role",
                "functions.y.role: there is no such key in banyan.toml; did you mean `roles`?",
            ),
            (File::Official, "atuh", "atuh: there is no such key in config.toml; did you mean `auth`?"),
            (
                File::Official,
                "auth.captca",
                "auth.captca: there is no such key in config.toml; did you mean `captcha`?",
            ),
            (
                File::Official,
                "auth.email.template.invite.subjct",
                "auth.email.template.invite.subjct: there is no such key in config.toml; did you mean `subject`?",
            ),
            (
                File::Official,
                "auth.external.google.client_ids",
                "auth.external.google.client_ids: there is no such key in config.toml; did you mean `client_id`?",
            ),
            (
                File::Ours,
                "auth.client_adress_header",
                "auth.client_adress_header: there is no such key in banyan.toml; did you mean `client_address_header`?",
            ),
            (File::Official, "auth.school", "WARN config.toml: unknown key `auth.school`"),
        ] {
            assert_eq!(said(file, path), expected);
        }
    }

    #[test]
    fn a_section_of_auth_one_level_too_high_is_sent_below_it() {
        for name in [
            "hook",
            "captcha",
            "mfa",
            "rate_limit",
            "email",
            "external",
            "enable_signup",
            "jwt_secret",
            "captca",
        ] {
            let expected = format!("{name}: belongs below [auth]; here nothing of config.toml reads it");
            assert_eq!(said(File::Official, name), expected);
        }
        let expected = "hide_unknown_user: belongs below [auth]; here nothing of banyan.toml reads it";
        assert_eq!(said(File::Ours, "hide_unknown_user"), expected);
    }

    // rows: CFG-HOOKS
    #[test]
    fn hooks_are_a_closed_set() {
        let near = said(File::Official, "auth.hook.custom_acess_token");
        assert_eq!(
            near,
            "auth.hook.custom_acess_token: there is no such hook; did you mean custom_access_token?"
        );
        let far = said(File::Official, "auth.hook.school");
        assert!(
            far.starts_with("auth.hook.school: there is no such hook. There are custom_access_token, "),
            "{far}"
        );
    }

    #[test]
    fn a_key_of_the_other_file_is_sent_there() {
        for (file, path, expected) in [
            (
                File::Official,
                "auth.hide_unknown_users",
                "auth.hide_unknown_users: belongs into banyan.toml; in config.toml nothing reads it",
            ),
            (
                File::Ours,
                "auth.jwt_expiry",
                "auth.jwt_expiry: belongs into config.toml; in banyan.toml nothing reads it",
            ),
            (
                File::Official,
                "server",
                "WARN config.toml: `server` belongs into banyan.toml; here nothing reads it",
            ),
        ] {
            assert_eq!(said(file, path), expected);
        }
    }
}
