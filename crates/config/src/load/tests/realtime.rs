//! The section `[realtime]`.

use std::time::Duration;

use secrecy::ExposeSecret as _;

use super::*;

fn realtime(config: &str, banyan: &str) -> Realtime {
    load_text(config, banyan, &[]).expect("loads").config.realtime
}

// rows: CFG-REALTIME CFG-REALTIME-LIMITS
#[test]
fn the_realtime_section_of_an_empty_file_gives_the_documented_defaults() {
    let Realtime { enabled, private_only, limits, refusal_delay, nats_servers, presence_delay, node_beat } =
        realtime("", "");
    assert!(enabled && !private_only && nats_servers.is_empty());
    assert_eq!(refusal_delay, Duration::from_millis(100));
    assert_eq!((presence_delay, node_beat), (Duration::from_millis(20), Duration::from_millis(1500)));
    assert_eq!((limits.connections, limits.channels_per_connection), (10_000, 100));
    assert_eq!((limits.joins_per_second, limits.messages_per_second), (1_000, 500_000));
    assert_eq!((limits.presence_messages_per_second, limits.presence_calls), (10_000, 5));
    assert_eq!(limits.presence_window, Duration::from_secs(30));
    assert_eq!((limits.payload, limits.outbox, limits.header_length), (3_000_500, 4 << 20, 4096));
}

// rows: CFG-REALTIME CFG-REALTIME-LIMITS
#[test]
fn limits_of_realtime_are_read_and_none_may_be_nothing() {
    let read = realtime(
        "[realtime]\nenabled = false\nmax_header_length = 8192\n",
        "[realtime]\nprivate_only = true\nmax_connections = 7\nmax_payload = \"1MiB\"\nrefusal_delay = \"2s\"\n",
    );
    assert!(!read.enabled && read.private_only);
    assert_eq!((read.limits.connections, read.limits.payload), (7, 1 << 20));
    assert_eq!((read.limits.header_length, read.refusal_delay), (8192, Duration::from_secs(2)));
    for (banyan, refusal) in [
        ("max_connections = 0", "realtime.max_connections: must be 1 or more"),
        ("max_channels_per_connection = 0", "realtime.max_channels_per_connection: must be"),
        ("max_joins_per_second = 0", "realtime.max_joins_per_second: must be"),
        ("max_messages_per_second = 0", "realtime.max_messages_per_second: must be"),
        ("max_presence_messages_per_second = 0", "realtime.max_presence_messages_per_second: must be"),
        ("max_presence_calls = 0", "realtime.max_presence_calls: must be"),
        ("presence_window = \"soon\"", "realtime.presence_window: `soon`"),
        ("presence_delay = \"soon\"", "realtime.presence_delay: `soon`"),
        ("node_beat = \"0s\"", "realtime.node_beat: must be more than nothing"),
        ("max_payload = \"0\"", "realtime.max_payload: must be"),
        ("max_outbox = \"large\"", "realtime.max_outbox: `large`"),
        ("refusal_delay = \"never\"", "realtime.refusal_delay: `never`"),
    ] {
        let error = load_text("", &format!("[realtime]\n{banyan}\n"), &[]).expect_err(banyan).to_string();
        assert!(error.starts_with(refusal), "{error}");
    }
    let short = load_text("[realtime]\nmax_header_length = 100\n", "", &[]).expect_err("too short");
    assert!(short.to_string().starts_with("realtime.max_header_length: must be 512"), "{short}");
}

// rows: CFG-REALTIME-NODES
#[test]
fn servers_of_nats_are_addresses_and_a_wrong_one_is_not_shown() {
    let banyan =
        "[realtime]\nnats_servers = [\"nats://10.0.0.5:4222\", \"tls://banyan:secret@nats.example.com\"]\n";
    let servers = realtime("", banyan).nats_servers;
    let servers: Vec<_> = servers.iter().map(|server| server.expose_secret()).collect();
    assert_eq!(servers, ["nats://10.0.0.5:4222", "tls://banyan:secret@nats.example.com"]);
    for wrong in ["http://a.example", "10.0.0.5:4222", "nats:", "secret"] {
        let banyan = format!("[realtime]\nnats_servers = [\"{wrong}\"]\n");
        let error = load_text("", &banyan, &[]).expect_err(wrong).to_string();
        assert!(
            error.starts_with("realtime.nats_servers: must be addresses") && !error.contains("secret\""),
            "{error}"
        );
    }
}
