//! The files as written. Nothing is judged here. What is in banyan.toml stands key by key in this
//! crate's README.md.

use std::collections::BTreeMap;

use serde::Deserialize;

/// Types of values, by key.
pub(crate) mod shape;

/// A section: `key: type = default`, and `key or "spelling"` where the supabase CLI has another one
/// as well.
macro_rules! section {
    ($(#[$doc:meta])* $name:ident {
        $($key:ident $(or $alias:literal)? : $type:ty = $default:expr),* $(,)?
    }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Deserialize)]
        #[cfg_attr(test, derive(serde::Serialize))]
        #[serde(default, deny_unknown_fields)]
        #[expect(missing_docs, reason = "the keys of banyan.toml are documented in README.md, the others by the supabase CLI")]
        pub struct $name { $(pub $key: $type),* }
        impl Default for $name {
            fn default() -> Self { Self { $($key: $default),* } }
        }
        impl $crate::raw::shape::Shaped for $name {
            const SHAPE: $crate::raw::shape::Shape = $crate::raw::shape::Shape::Section(&[$($crate::raw::shape::Key {
                name: stringify!($key),
                aliases: &[$($alias)?],
                shape: <$type as $crate::raw::shape::Shaped>::SHAPE,
            }),*]);
        }
    };
}

/// `[auth]` of both files.
mod auth;

pub use auth::*;

section! {
    /// `config.toml`.
    RawConfig {
        project_id: String = String::new(),
        api: RawApi = RawApi::default(),
        db: RawDb = RawDb::default(),
        local_smtp or "inbucket": RawLocalSmtp = RawLocalSmtp::default(),
        auth: RawAuth = RawAuth::default(),
        storage: RawStorage = RawStorage::default(),
        realtime: RawRealtime = RawRealtime::default(),
        edge_runtime: RawEdgeRuntime = RawEdgeRuntime::default(),
        functions: BTreeMap<String, RawFunction> = BTreeMap::new(),
    }
}

section! {
    /// `[api]`.
    RawApi {
        enabled: bool = true,
        port: u16 = 54321,
        schemas: Vec<String> = vec!["public".into(), "graphql_public".into()],
        extra_search_path: Vec<String> = vec!["public".into(), "extensions".into()],
        max_rows: u64 = 1000,
        external_url: Option<String> = None,
        auto_expose_new_tables: Option<bool> = None,
    }
}

section! {
    /// `[db]`.
    RawDb {
        port: u16 = 54322,
        major_version: u32 = 17,
        migrations: RawMigrations = RawMigrations::default(),
        seed: RawSeed = RawSeed::default(),
    }
}

section! {
    /// `[db.migrations]`.
    RawMigrations { enabled: bool = true }
}

section! {
    /// `[db.seed]`.
    RawSeed {
        enabled: bool = true,
        sql_paths: Vec<String> = vec!["./seed.sql".into()],
    }
}

section! {
    /// `[local_smtp]`, in the 2.x line `[inbucket]`.
    RawLocalSmtp {
        enabled: bool = true,
        port: u16 = 54324,
        smtp_port: Option<u16> = None,
        admin_email: String = "admin@email.com".into(),
        sender_name: String = "Admin".into(),
    }
}

section! {
    /// `[storage]`.
    RawStorage {
        enabled: bool = true,
        file_size_limit: String = "50MiB".into(),
        buckets: BTreeMap<String, RawBucket> = BTreeMap::new(),
        s3_protocol: RawS3Protocol = RawS3Protocol::default(),
        image_transformation: RawImageTransformation = RawImageTransformation::default(),
    }
}

section! {
    /// `[realtime]`.
    RawRealtime {
        enabled: bool = true,
        max_header_length: u32 = 4096,
    }
}

section! {
    /// `[storage.buckets.<id>]`.
    RawBucket {
        public: bool = false,
        file_size_limit: Option<String> = None,
        allowed_mime_types: Vec<String> = Vec::new(),
        objects_path: Option<String> = None,
    }
}

section! {
    /// `[storage.s3_protocol]`.
    RawS3Protocol { enabled: bool = true }
}

section! {
    /// `[storage.image_transformation]`.
    RawImageTransformation { enabled: bool = false }
}

section! {
    /// `[storage]` of banyan.toml.
    RawBanyanStorage {
        folder: Option<String> = None,
        s3: Option<RawStorageS3> = None,
        s3_region: Option<String> = None,
        s3_access_key_id: Option<String> = None,
        s3_secret_access_key: Option<String> = None,
        unicode_names: bool = false,
        signed_upload_life: String = "2h".into(),
        resumable_upload_life: String = "1h".into(),
        webhook_url: Option<String> = None,
        webhook_secret: Option<String> = None,
        renders_per_second: Option<u32> = None,
        quota_per_user: Option<String> = None,
        content_sniffing: bool = false,
        real_status_codes: bool = false,
    }
}

section! {
    /// `[realtime]` of banyan.toml.
    RawBanyanRealtime {
        private_only: bool = false,
        max_connections: u32 = 10_000,
        max_channels_per_connection: u32 = 100,
        max_joins_per_second: u32 = 1_000,
        max_messages_per_second: u32 = 500_000,
        max_presence_messages_per_second: u32 = 10_000,
        max_presence_calls: u32 = 5,
        presence_window: String = "30s".into(),
        presence_delay: String = "20ms".into(),
        node_beat: String = "1500ms".into(),
        max_payload: String = "3000500".into(),
        max_outbox: String = "4MiB".into(),
        refusal_delay: String = "100ms".into(),
        nats_servers: Vec<String> = Vec::new(),
    }
}

section! {
    /// `[storage.s3]` of banyan.toml.
    RawStorageS3 {
        endpoint: Option<String> = None,
        region: String = "us-east-1".into(),
        bucket: Option<String> = None,
        prefix: String = String::new(),
        access_key_id: Option<String> = None,
        secret_access_key: Option<String> = None,
        path_style: bool = true,
        upload_memory: String = "256MiB".into(),
    }
}

section! {
    /// `[edge_runtime]`.
    RawEdgeRuntime {
        enabled: bool = true,
        secrets: BTreeMap<String, String> = BTreeMap::new(),
    }
}

section! {
    /// `[functions.<name>]` of config.toml, joined with the same section of banyan.toml.
    RawFunction {
        enabled: bool = true,
        verify_jwt: bool = true,
        env: BTreeMap<String, String> = BTreeMap::new(),
        component: Option<String> = None,
        roles: Option<Vec<String>> = None,
        outbound_hosts: Option<Vec<String>> = None,
        memory_mb: Option<u32> = None,
        cpu_ms: Option<u64> = None,
        wall_clock: Option<String> = None,
        concurrency: Option<u32> = None,
        max_body: Option<String> = None,
        body_idle: Option<String> = None,
        outbound_requests: Option<u32> = None,
        reuse: bool = false,
        preflight: Option<String> = None,
        schedule: Option<String> = None,
    }
}

section! {
    /// `banyan.toml`: settings for which the official file has no key (CONTRACT.md CFG-BANYAN). Its
    /// settings of functions are merged into those of config.toml, key by key, before either is
    /// read.
    RawBanyan {
        server: RawServer = RawServer::default(),
        api: RawBanyanApi = RawBanyanApi::default(),
        auth: RawBanyanAuth = RawBanyanAuth::default(),
        storage: RawBanyanStorage = RawBanyanStorage::default(),
        realtime: RawBanyanRealtime = RawBanyanRealtime::default(),
        edge_runtime: RawBanyanEdgeRuntime = RawBanyanEdgeRuntime::default(),
        functions: BTreeMap<String, RawFunction> = BTreeMap::new(),
    }
}

section! {
    /// `[api]` of banyan.toml.
    RawBanyanApi { unfiltered_writes: bool = false }
}

section! {
    /// `[edge_runtime]` of banyan.toml.
    RawBanyanEdgeRuntime { memory: Option<String> = None }
}

section! {
    /// `[server]` of banyan.toml.
    RawServer {
        host: String = "127.0.0.1".into(),
        admin_port: u16 = 54328,
        site: Option<String> = None,
        require_api_key: Option<bool> = None,
        demo_keys: bool = false,
        max_body: String = "50MiB".into(),
        connections_per_address: u32 = 1000,
        request_timeout: String = "150s".into(),
        drain: String = "15s".into(),
    }
}

#[cfg(test)]
mod tests;
