//! The checked sections, one file each.

/// `[api]`.
pub mod api;

/// `[server]` of banyan.toml.
pub mod server;

/// `[db]`.
pub mod database;

/// Whether others can reach the stack.
pub(crate) mod reachability;

/// API keys and token keys.
pub mod keys;

/// `[auth]`.
pub mod auth;

/// `[local_smtp]` and `[auth.email.smtp]`.
pub mod mail;

/// `[storage]`.
pub mod storage;

/// `[realtime]`.
pub mod realtime;

/// `[edge_runtime]` and `[functions.*]`.
pub mod functions;

use crate::ConfigError;

/// Moves a port by `--port-offset` (CONTRACT.md CFG-PORT-OFFSET).
pub(crate) fn offset(key: &str, port: u16, by: u16) -> Result<u16, ConfigError> {
    port.checked_add(by).ok_or_else(|| ConfigError::value(key, format!("{port} plus {by} is above 65535")))
}

/// Parses a Go-style duration such as `1s`, `2m`, `24h`, `1h30m`, the value of `key`.
///
/// # Errors
/// [`ConfigError`] naming `key` when it is none.
pub fn duration(key: &str, text: &str) -> Result<std::time::Duration, ConfigError> {
    humantime::parse_duration(text)
        .map_err(|_| ConfigError::value(key, format!("`{text}` is no duration such as 1s, 2m or 24h")))
}

/// Parses a size such as `50MiB`, `5MB`, `1024`, in bytes.
pub(crate) fn bytes(key: &str, text: &str) -> Result<u64, ConfigError> {
    let digits = text.trim_end_matches(|c: char| !c.is_ascii_digit());
    let unit = match text[digits.len()..].trim().to_ascii_lowercase().as_str() {
        "" | "b" => 1,
        "kb" | "kib" => 1 << 10,
        "mb" | "mib" => 1 << 20,
        "gb" | "gib" => 1 << 30,
        _ => return Err(ConfigError::value(key, format!("`{text}` is no size such as 50MiB or 5MB"))),
    };
    let number: u64 = digits
        .parse()
        .map_err(|_| ConfigError::value(key, format!("`{text}` is no size such as 50MiB or 5MB")))?;
    number.checked_mul(unit).ok_or_else(|| ConfigError::value(key, "is too large"))
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    // rows: CFG-DURATIONS
    #[test]
    fn durations_are_written_as_in_go_and_sizes_in_either_unit() {
        let read = |text| duration("key", text).ok().map(|duration| duration.as_secs());
        for (text, seconds) in [("1s", 1), ("2m", 120), ("24h", 86_400), ("1h30m", 5_400), ("0s", 0)] {
            assert_eq!(read(text), Some(seconds), "{text}");
        }
        assert_eq!(duration("key", "250ms").ok(), Some(Duration::from_millis(250)));
        assert!(["", "soon", "-1s", "5"].iter().all(|text| read(text).is_none()));
        let size = |text| bytes("key", text).ok();
        for (text, bytes) in [("50MiB", 50 << 20), ("5MB", 5 << 20), ("1 GiB", 1 << 30), ("1024", 1024)] {
            assert_eq!(size(text), Some(bytes), "{text}");
        }
        assert!(["", "MB", "-1", "1.5MB", "5TB", "99999999999GiB"].iter().all(|text| size(text).is_none()));
    }
}
