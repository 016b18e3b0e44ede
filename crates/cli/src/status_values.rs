//! The names and values of `status` (CONTRACT.md CLI-STATUS). What this version has no service for
//! is left out.

use std::collections::BTreeMap;

use anyhow::{Context, bail};
use banyan_config::{Config, S3Protocol};
use secrecy::ExposeSecret;

use crate::running_stack::Record;

/// Group of a value in the pretty form.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Group {
    Tools,
    Apis,
    Database,
    Keys,
    Storage,
}

/// One value of the running stack.
#[derive(Debug, Clone)]
pub(crate) struct Value {
    /// Key of `--override-name`.
    pub(crate) key: &'static str,
    /// Name of the variable.
    pub(crate) name: String,
    /// Words of the pretty form; empty when it is not shown there.
    pub(crate) label: &'static str,
    /// Its group in the pretty form.
    pub(crate) group: Group,
    /// The value itself.
    pub(crate) value: String,
}

/// Every value of a running stack.
pub(crate) fn of(config: &Config, record: &Record) -> Vec<Value> {
    let api = &record.api_url;
    let keys = &config.keys;
    let mut values = Values(Vec::new());
    if let Some(mail) = &record.mail_url {
        values.add("mailpit.url", "MAILPIT_URL", "", Group::Tools, mail.clone());
        values.add("inbucket.url", "INBUCKET_URL", "", Group::Tools, mail.clone());
    }
    values.add("banyan.admin_url", "BANYAN_ADMIN_URL", "Admin", Group::Tools, record.admin_url.clone());
    values.add("api.url", "API_URL", "Project URL", Group::Apis, api.clone());
    if config.api.enabled {
        values.add("api.rest_url", "REST_URL", "REST", Group::Apis, format!("{api}/rest/v1"));
    }
    if config.auth.enabled {
        values.add("banyan.auth_url", "BANYAN_AUTH_URL", "Auth", Group::Apis, format!("{api}/auth/v1"));
    }
    if config.edge_runtime.enabled {
        let url = format!("{api}/functions/v1");
        values.add("api.functions_url", "FUNCTIONS_URL", "Edge Functions", Group::Apis, url);
    }
    values.add("db.url", "DB_URL", "URL", Group::Database, database_url(config, record));
    for (key, name, label, value) in [
        ("auth.publishable_key", "PUBLISHABLE_KEY", "Publishable", keys.publishable_key.as_str()),
        ("auth.secret_key", "SECRET_KEY", "Secret", keys.secret_key.expose_secret()),
        ("auth.anon_key", "ANON_KEY", "", keys.anon_key.as_str()),
        ("auth.service_role_key", "SERVICE_ROLE_KEY", "", keys.service_role_key.expose_secret()),
        ("auth.jwt_secret", "JWT_SECRET", "", keys.jwt_secret.expose_secret()),
    ] {
        values.add(key, name, label, Group::Keys, value.to_owned());
    }
    if config.storage.enabled && config.storage.s3_protocol.enabled {
        values.add_s3(&config.storage.s3_protocol, api);
    }
    values.0
}

/// The database as people reach it; an external one as it was given.
fn database_url(config: &Config, record: &Record) -> String {
    match (record.db_port, &config.database.url) {
        (Some(port), _) => {
            let password = config.database.password.expose_secret();
            format!("postgresql://postgres:{password}@127.0.0.1:{port}/postgres")
        }
        (None, Some(url)) => url.expose_secret().to_owned(),
        (None, None) => String::new(),
    }
}

struct Values(Vec<Value>);

impl Values {
    fn add(&mut self, key: &'static str, name: &str, label: &'static str, group: Group, value: String) {
        self.0.push(Value { key, name: name.to_owned(), label, group, value });
    }

    fn add_s3(&mut self, s3: &S3Protocol, api: &str) {
        let id = s3.access_key_id.clone();
        let secret = s3.secret_access_key.expose_secret().to_owned();
        for (key, name, label, value) in [
            ("api.storage_s3_url", "STORAGE_S3_URL", "URL", format!("{api}/storage/v1/s3")),
            ("storage.s3_access_key_id", "S3_PROTOCOL_ACCESS_KEY_ID", "Access Key", id),
            ("storage.s3_secret_access_key", "S3_PROTOCOL_ACCESS_KEY_SECRET", "Secret Key", secret),
            ("storage.s3_region", "S3_PROTOCOL_REGION", "Region", s3.region.clone()),
        ] {
            self.add(key, name, label, Group::Storage, value);
        }
    }
}

/// Applies `--override-name key=NAME`.
pub(crate) fn rename(values: &mut [Value], overrides: &[String]) -> anyhow::Result<()> {
    for text in overrides {
        let (key, name) =
            text.split_once('=').with_context(|| format!("--override-name {text}: KEY=NAME is wanted"))?;
        let Some(value) = values.iter_mut().find(|value| value.key == key) else {
            bail!("--override-name {text}: there is no value {key}");
        };
        name.clone_into(&mut value.name);
    }
    Ok(())
}

/// `NAME="value"`, sorted by name.
pub(crate) fn as_env(values: &[Value]) -> String {
    let lines: BTreeMap<&str, &str> =
        values.iter().map(|value| (value.name.as_str(), value.value.as_str())).collect();
    let quote =
        |text: &str| text.replace('\\', "\\\\").replace('"', "\\\"").replace('$', "\\$").replace('`', "\\`");
    lines.iter().map(|(name, value)| format!("{name}=\"{}\"\n", quote(value))).collect()
}

/// One flat object, sorted by name.
pub(crate) fn as_json(values: &[Value]) -> String {
    let object: BTreeMap<&str, &str> =
        values.iter().map(|value| (value.name.as_str(), value.value.as_str())).collect();
    let text = serde_json::to_string_pretty(&object).expect("texts are always JSON");
    format!("{text}\n")
}

/// Boxed groups, as `status` shows them to a person.
pub(crate) fn as_boxes(values: &[Value]) -> String {
    [
        (Group::Tools, "Development Tools"),
        (Group::Apis, "APIs"),
        (Group::Database, "Database"),
        (Group::Keys, "Authentication Keys"),
        (Group::Storage, "Storage (S3)"),
    ]
    .into_iter()
    .map(|(group, title)| {
        let rows: Vec<(&str, &str)> = values
            .iter()
            .filter(|value| value.group == group && !value.label.is_empty())
            .map(|value| (value.label, value.value.as_str()))
            .collect();
        if rows.is_empty() { String::new() } else { boxed(title, &rows) }
    })
    .collect()
}

/// A box with a title and two columns.
pub(crate) fn boxed(title: &str, rows: &[(&str, &str)]) -> String {
    let width = |text: &str| text.chars().count();
    let left = rows.iter().map(|(label, _)| width(label)).max().unwrap_or(0);
    let right = rows
        .iter()
        .map(|(_, value)| width(value))
        .max()
        .unwrap_or(0)
        .max(width(title).saturating_sub(left + 3));
    let inner = left + right + 5;
    let mut text = format!("╭{}╮\n│ {title:<rest$} │\n", "─".repeat(inner), rest = inner - 2);
    text += &format!("├{}┬{}┤\n", "─".repeat(left + 2), "─".repeat(right + 2));
    for (label, value) in rows {
        text += &format!("│ {label:<left$} │ {value:<right$} │\n");
    }
    text + &format!("╰{}┴{}╯\n", "─".repeat(left + 2), "─".repeat(right + 2))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(key: &'static str, name: &str, text: &str) -> Value {
        Value { key, name: name.to_owned(), label: "Label", group: Group::Apis, value: text.to_owned() }
    }

    // rows: CLI-STATUS-ENV
    #[test]
    fn env_lines_are_sorted_and_quoted() {
        let mut values = [value("db.url", "DB_URL", "a$b\"c"), value("api.url", "API_URL", "http://x")];
        assert_eq!(as_env(&values), "API_URL=\"http://x\"\nDB_URL=\"a\\$b\\\"c\"\n");
        rename(&mut values, &["api.url=Z".to_owned()]).expect("renamed");
        assert_eq!(as_env(&values), "DB_URL=\"a\\$b\\\"c\"\nZ=\"http://x\"\n");
        assert!(rename(&mut values, &["nothing=Z".to_owned()]).is_err());
        assert!(rename(&mut values, &["api.url".to_owned()]).is_err());
    }

    // rows: CLI-STATUS-JSON
    #[test]
    fn json_is_one_flat_object() {
        let text = as_json(&[value("api.url", "API_URL", "http://x")]);
        assert_eq!(text, "{\n  \"API_URL\": \"http://x\"\n}\n");
    }

    #[test]
    fn boxes_are_as_wide_as_their_longest_line() {
        let text = boxed("A title that is long", &[("a", "1"), ("bb", "22")]);
        let widths: Vec<usize> = text.lines().map(|line| line.chars().count()).collect();
        assert!(widths.iter().all(|width| *width == widths[0]), "{text}");
    }
}
