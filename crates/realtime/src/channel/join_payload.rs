//! What a client asks for when it joins.

use serde_json::{Map, Value};

/// The payload of `phx_join` (CONTRACT.md L1). What is missing or of another shape is as the
/// default says.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct JoinPayload {
    pub(crate) is_private: bool,
    pub(crate) broadcast: BroadcastConfig,
    pub(crate) presence: PresenceConfig,
    /// Entries of `postgres_changes`, as they came.
    pub(crate) changes: Vec<Map<String, Value>>,
    /// The token, unless it is an opaque key (CONTRACT.md T1).
    pub(crate) token: Option<String>,
    /// What is of another shape (CONTRACT.md L2).
    pub(crate) problems: Vec<&'static str>,
}

/// How broadcasts are sent and received.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct BroadcastConfig {
    /// Whether the sender receives its own.
    pub(crate) includes_self: bool,
    /// Whether each is answered.
    pub(crate) is_acknowledged: bool,
    /// Which are sent again, as it came.
    pub(crate) replay: Option<Value>,
    /// Whether the client waits for the log.
    pub(crate) replication_ready: bool,
}

/// How the client takes part in presence.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct PresenceConfig {
    /// None for a random one (CONTRACT.md R2).
    pub(crate) key: Option<String>,
    pub(crate) is_enabled: bool,
}

impl JoinPayload {
    /// Reads a payload.
    pub(crate) fn read(payload: &[u8]) -> Self {
        let mut read = Self::default();
        let Ok(Value::Object(mut payload)) = serde_json::from_slice(payload) else {
            read.problems.push("payload");
            return read;
        };
        read.token = token(&payload);
        if let Some(config) = read.object(payload.remove("config"), "config") {
            read.read_config(config);
        }
        read
    }

    fn read_config(&mut self, mut config: Map<String, Value>) {
        self.is_private = self.boolean(config.get("private"), "private");
        if let Some(mut broadcast) = self.object(config.remove("broadcast"), "broadcast") {
            self.broadcast = BroadcastConfig {
                includes_self: self.boolean(broadcast.get("self"), "broadcast.self"),
                is_acknowledged: self.boolean(broadcast.get("ack"), "broadcast.ack"),
                replication_ready: self.boolean(broadcast.get("replication_ready"), "replication_ready"),
                replay: broadcast.remove("replay"),
            };
        }
        if let Some(mut presence) = self.object(config.remove("presence"), "presence") {
            let is_enabled = self.boolean(presence.get("enabled"), "presence.enabled");
            self.presence = PresenceConfig { key: presence.remove("key").and_then(presence_key), is_enabled };
        }
        self.read_changes(config.remove("postgres_changes"));
    }

    fn read_changes(&mut self, changes: Option<Value>) {
        let entries = match changes {
            Some(Value::Array(entries)) => entries,
            None | Some(Value::Null) => return,
            Some(_) => return self.problems.push("postgres_changes"),
        };
        for entry in entries.into_iter().filter(|entry| !entry.is_null()) {
            let entry = self.object(Some(entry), "postgres_changes");
            self.changes.extend(entry);
        }
    }

    fn object(&mut self, value: Option<Value>, name: &'static str) -> Option<Map<String, Value>> {
        match value? {
            Value::Object(object) => return Some(object),
            Value::Null => {}
            _ => self.problems.push(name),
        }
        None
    }

    fn boolean(&mut self, value: Option<&Value>, name: &'static str) -> bool {
        match value {
            None | Some(Value::Null) => return false,
            Some(Value::Bool(value)) => return *value,
            Some(Value::String(text)) if text.eq_ignore_ascii_case("true") => return true,
            Some(Value::String(text)) if text.eq_ignore_ascii_case("false") => return false,
            Some(_) => self.problems.push(name),
        }
        false
    }
}

/// The token of a join: `user_token` is its older name, and comes first.
fn token(payload: &Map<String, Value>) -> Option<String> {
    let text = |name: &str| payload.get(name).and_then(Value::as_str);
    let token = text("user_token").or_else(|| text("access_token"))?;
    (!token.starts_with("sb_")).then(|| token.to_owned())
}

fn presence_key(key: Value) -> Option<String> {
    match key {
        Value::Null => None,
        Value::String(key) => (!key.is_empty()).then_some(key),
        other => Some(other.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn read(payload: Value) -> JoinPayload {
        JoinPayload::read(payload.to_string().as_bytes())
    }

    // rows: L1
    #[test]
    fn everything_may_be_left_out_and_booleans_may_be_text() {
        for nothing in
            [json!({}), json!({"config": null}), json!({"config": {"postgres_changes": null, "x": 1}})]
        {
            assert_eq!(read(nothing), JoinPayload::default());
        }
        let all = read(json!({"config": {
            "private": "TRUE",
            "broadcast": {"self": "True", "ack": "false", "replay": {"since": 1}, "replication_ready": true},
            "presence": {"key": 7, "enabled": "true"},
            "postgres_changes": [null, {"event": "*"}, null],
        }, "access_token": "t", "version": "x"}));
        assert!(all.is_private && all.broadcast.includes_self && all.broadcast.replication_ready);
        assert!(!all.broadcast.is_acknowledged && all.presence.is_enabled);
        assert_eq!(all.broadcast.replay, Some(json!({"since": 1})));
        assert_eq!(all.presence.key.as_deref(), Some("7"));
        assert_eq!(json!(all.changes), json!([{"event": "*"}]));
        assert_eq!((all.token.as_deref(), all.problems), (Some("t"), vec![]));
    }

    // rows: L2
    #[test]
    fn what_has_another_shape_is_as_if_it_was_not_there() {
        assert_eq!(JoinPayload::read(b"[]").problems, ["payload"]);
        assert_eq!(read(json!({"config": []})).problems, ["config"]);
        let read = read(json!({"config": {
            "private": 1, "broadcast": "x", "presence": {"enabled": "maybe", "key": ""},
            "postgres_changes": [1, {"table": "t"}],
        }}));
        assert_eq!(read.problems, ["private", "broadcast", "presence.enabled", "postgres_changes"]);
        assert_eq!(read.presence, PresenceConfig::default());
        assert_eq!(json!(read.changes), json!([{"table": "t"}]));
    }

    // rows: T1
    #[test]
    fn an_opaque_key_is_no_token_and_the_older_name_comes_first() {
        let token = |payload| read(payload).token;
        assert_eq!(token(json!({"access_token": "a", "user_token": "u"})).as_deref(), Some("u"));
        assert_eq!(token(json!({"access_token": "sb_publishable_x"})), None);
        assert_eq!(token(json!({"access_token": null})), None);
        assert_eq!(token(json!({"access_token": ""})).as_deref(), Some(""), "which is malformed");
    }
}
