//! `[realtime]` of config.toml and banyan.toml.

use std::time::Duration;

use secrecy::SecretString;

use crate::{
    ConfigError,
    error::together,
    raw::{RawBanyanRealtime, RawRealtime},
};

/// Settings of the realtime service. What they do on the wire is `realtime/CONTRACT.md`, section
/// Limits.
#[derive(Debug, Clone)]
pub struct Realtime {
    /// `true`: `/realtime/v1` answers.
    pub enabled: bool,
    /// `true`: every channel must be private (realtime/CONTRACT.md A1).
    pub private_only: bool,
    /// How much there may be.
    pub limits: RealtimeLimits,
    /// How long a refused connection or join waits for its answer (realtime/CONTRACT.md C8).
    pub refusal_delay: Duration,
    /// Addresses of NATS servers, by which nodes pass messages on; they may hold a user and a
    /// password. Empty where there is one node.
    pub nats_servers: Vec<SecretString>,
    /// How long changes of presence are collected before they are told together.
    pub presence_delay: Duration,
    /// How often a node tells the others that it is alive (realtime/CONTRACT.md N3).
    pub node_beat: Duration,
}

/// Limits of the realtime service, for one node. Rates are averages.
#[derive(Debug, Clone)]
pub struct RealtimeLimits {
    /// Sockets.
    pub connections: u32,
    /// Channels of a socket.
    pub channels_per_connection: u32,
    /// Joins of all sockets.
    pub joins_per_second: u32,
    /// Messages that are sent and delivered.
    pub messages_per_second: u32,
    /// Messages of presence that are sent.
    pub presence_messages_per_second: u32,
    /// Calls of presence that one channel may make in `presence_window`.
    pub presence_calls: u32,
    /// What `presence_calls` are counted in.
    pub presence_window: Duration,
    /// Bytes of a payload.
    pub payload: usize,
    /// Bytes that wait for a reader, before it is closed as too slow.
    pub outbox: usize,
    /// Bytes of the headers of an upgrade.
    pub header_length: u32,
}

impl Realtime {
    pub(crate) fn check(raw: &RawRealtime, banyan: RawBanyanRealtime) -> Result<Self, ConfigError> {
        let refusal_delay = super::duration("realtime.refusal_delay", &banyan.refusal_delay);
        let nats_servers = nats_servers(&banyan);
        let presence_delay = super::duration("realtime.presence_delay", &banyan.presence_delay);
        let node_beat = super::duration("realtime.node_beat", &banyan.node_beat).and_then(not_nothing);
        let limits = RealtimeLimits::check(raw, &banyan);
        together!(refusal_delay, nats_servers, presence_delay, node_beat, limits);
        let (enabled, private_only) = (raw.enabled, banyan.private_only);
        Ok(Self { enabled, private_only, limits, refusal_delay, nats_servers, presence_delay, node_beat })
    }
}

impl RealtimeLimits {
    fn check(raw: &RawRealtime, banyan: &RawBanyanRealtime) -> Result<Self, ConfigError> {
        let at_least = |key: &str, least: u32, value: u32| match value >= least {
            true => Ok(value),
            false => Err(ConfigError::value(&format!("realtime.{key}"), format!("must be {least} or more"))),
        };
        let size = |key: &str, value: &str| -> Result<usize, ConfigError> {
            let bytes = super::bytes(&format!("realtime.{key}"), value)?;
            Ok(at_least(key, 1, u32::try_from(bytes).unwrap_or(u32::MAX))? as usize)
        };
        let connections = at_least("max_connections", 1, banyan.max_connections);
        let channels = at_least("max_channels_per_connection", 1, banyan.max_channels_per_connection);
        let joins = at_least("max_joins_per_second", 1, banyan.max_joins_per_second);
        let messages = at_least("max_messages_per_second", 1, banyan.max_messages_per_second);
        let presence =
            at_least("max_presence_messages_per_second", 1, banyan.max_presence_messages_per_second);
        let calls = at_least("max_presence_calls", 1, banyan.max_presence_calls);
        let presence_window = super::duration("realtime.presence_window", &banyan.presence_window);
        let payload = size("max_payload", &banyan.max_payload);
        let outbox = size("max_outbox", &banyan.max_outbox);
        let header_length = at_least("max_header_length", 512, raw.max_header_length);
        together!(
            connections,
            channels,
            joins,
            messages,
            presence,
            calls,
            presence_window,
            payload,
            outbox,
            header_length
        );
        Ok(Self {
            connections,
            channels_per_connection: channels,
            joins_per_second: joins,
            messages_per_second: messages,
            presence_messages_per_second: presence,
            presence_calls: calls,
            presence_window,
            payload,
            outbox,
            header_length,
        })
    }
}

fn not_nothing(beat: Duration) -> Result<Duration, ConfigError> {
    if beat.is_zero() {
        Err(ConfigError::value("realtime.node_beat", "must be more than nothing"))
    } else {
        Ok(beat)
    }
}

/// An address that is no URL of NATS ends the start; it may hold a password, so it is not shown.
fn nats_servers(banyan: &RawBanyanRealtime) -> Result<Vec<SecretString>, ConfigError> {
    let is_nats = |server: &String| {
        let url = url::Url::parse(server);
        url.is_ok_and(|url| matches!(url.scheme(), "nats" | "tls") && url.has_host())
    };
    if !banyan.nats_servers.iter().all(is_nats) {
        let message =
            "must be addresses such as nats://10.0.0.5:4222 or tls://user:password@nats.example.com";
        return Err(ConfigError::value("realtime.nats_servers", message));
    }
    Ok(banyan.nats_servers.iter().cloned().map(Into::into).collect())
}
