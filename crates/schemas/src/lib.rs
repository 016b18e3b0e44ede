//! The schemas of the stack's services, registered once: a start applies them, and so do tests.
//!
//! The SQL lies in the folder `migrations` of the service that reads its tables. It is registered
//! apart from the service's code, since `sqlx::query!` checks that code against these schemas:
//! `scripts/prepare-queries` needs them before the code compiles.

use banyan_db::{Login, Migration, ServiceSchema};

/// Migrations of a crate by version and name, embedded from its folder `migrations`.
macro_rules! migrations {
    ($service:literal: $($version:literal $name:literal),+ $(,)?) => {
        &[$(Migration {
            version: $version,
            name: $name,
            sql: include_str!(concat!(
                "../../", $service, "/migrations/", stringify!($version), "_", $name, ".sql"
            )),
        }),+]
    };
}

/// Every schema, in the order in which they are applied. A new service is one entry here.
pub const SERVICES: &[ServiceSchema] = &[
    ServiceSchema {
        name: "db",
        owner: Login::Admin,
        migrations: migrations!("db":
            20260101001700 "turns",
            20260101003000 "ended_sessions",
        ),
    },
    ServiceSchema {
        name: "mail",
        owner: Login::Admin,
        migrations: migrations!("mail":
            20260101000100 "mail_queue",
            20260101000600 "message_headers",
            20260101001400 "no_notification",
            20260101001800 "codes_before_letters",
            20260101002000 "claims_that_are_renewed",
        ),
    },
    ServiceSchema {
        name: "auth",
        owner: Login::AuthAdmin,
        migrations: migrations!("auth":
            20260101000200 "users_and_sessions",
            20260101000300 "factors_and_passkeys",
            20260101000400 "sso_and_oauth",
            20260101000500 "grants_history_and_code_tries",
            20260101000800 "factor_tries",
            20260101000900 "own_tables_alone",
            20260101001000 "first_hands",
            20260101001010 "pending_links",
            20260101001100 "addresses_of_codes",
            20260101001101 "clients_of_factors",
            20260101001300 "clients_of_codes",
            20260101001500 "known_for_a_while",
            20260101001600 "first_hands_by_challenge",
            20260101002100 "pause_of_addresses",
            20260101003010 "ended_sessions",
        ),
    },
    ServiceSchema {
        name: "storage_state",
        owner: Login::Admin,
        migrations: migrations!("storage":
            20260101002200 "storage_state",
            20260101002210 "storage_triggers",
        ),
    },
    ServiceSchema {
        name: "storage",
        owner: Login::StorageAdmin,
        migrations: migrations!("storage":
            20260101002300 "buckets_and_objects",
            20260101002310 "analytics_and_vectors",
            20260101002320 "policy_helpers",
            20260101002400 "lists",
            20260101002500 "history_of_the_reference",
            20260101002600 "triggers",
        ),
    },
    ServiceSchema {
        name: "realtime_state",
        owner: Login::Admin,
        migrations: migrations!("realtime": 20260101003020 "realtime_state"),
    },
    ServiceSchema {
        name: "realtime",
        owner: Login::RealtimeAdmin,
        migrations: migrations!("realtime":
            20260101003030 "messages",
            20260101003040 "history_of_the_reference",
        ),
    },
];

#[cfg(test)]
mod tests {
    use std::{collections::BTreeSet, fs, path::Path};

    use super::*;

    #[test]
    fn every_file_of_migrations_of_a_crate_is_registered() {
        let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let folders = fs::read_dir(crates).expect("the crates").map(|entry| entry.expect("an entry").path());
        let files = folders.flat_map(|folder| fs::read_dir(folder.join("migrations")).into_iter().flatten());
        let found: BTreeSet<_> =
            files.map(|entry| entry.expect("an entry").file_name().into_string().expect("UTF-8")).collect();
        let all = SERVICES.iter().flat_map(|schema| schema.migrations);
        let registered = all.map(|Migration { version, name, .. }| format!("{version}_{name}.sql"));
        assert_eq!(registered.collect::<BTreeSet<_>>(), found);
    }

    #[test]
    fn the_versions_of_a_service_go_up() {
        for schema in SERVICES {
            assert!(schema.migrations.is_sorted_by(|a, b| a.version < b.version), "{}", schema.name);
        }
    }
}
