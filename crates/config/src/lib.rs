//! Turns `supabase/config.toml`, `supabase/banyan.toml`, the `.env` files and the environment into
//! one checked [`Config`], once, at start. Nothing else in the stack reads the environment or a
//! configuration file.
//!
//! `CONTRACT.md` lists what it promises.

/// Environment variables and `.env` files of the process.
pub mod environment;

/// The grammar of `.env` files.
mod env_file;

/// `env(NAME)` in place of a value.
mod env_reference;

/// Text files as editors write them.
mod text_file;

/// The files as written: every key optional, nothing judged.
pub mod raw;

/// The checked sections, one file each.
pub mod sections;

/// Folders and files of the stack: data, sockets, caches.
pub mod paths;

/// Loads the files and checks them.
mod load;

/// The data API's options in PostgREST's own words.
pub mod postgrest;

/// The machine that the stack runs on.
pub mod machine;

/// Finds the name that a misspelt name was likely meant to be.
mod similar_name;

/// Errors of a configuration.
mod error;

pub use environment::Environment;
pub use error::ConfigError;
pub use load::{LeftData, Loaded, Stopping, keys_so_far, load, signing_keys_file, stopping};
pub use paths::Paths;
pub use sections::{
    api::Api,
    auth::{
        AuditLog, Auth,
        captcha::{Captcha, CaptchaProvider},
        email::{EmailTemplate, OtpLimits},
        external::{PROVIDERS, Provider, known_issuer},
        hooks::{Hook, Hooks},
        mfa::{FactorSwitches, Mfa, PhoneCode, RelyingParty},
        passwords::{LeakedPasswords, Passwords},
        rate_limits::{ClientAddress, Network, RateLimits},
        sessions::SessionLimits,
        sms::Sms,
    },
    database::{Database, Seed},
    duration,
    functions::{
        EdgeRuntime, Function, LONGEST_SECRET, LONGEST_SECRET_NAME, MOST_SECRETS, OutboundHost, Schedule,
    },
    keys::{DEMO_JWT_SECRET, DEMO_SIGNING_KEY, Keys, read_signing_keys},
    mail::{LocalSmtp, Smtp, SmtpTls},
    realtime::{Realtime, RealtimeLimits},
    server::Server,
    storage::{S3Protocol, SeedBucket, Storage, StorageBackend, StorageS3},
};
pub use similar_name::nearest;

/// Everything asked for at start, checked.
#[derive(Debug, Clone)]
pub struct Config {
    /// Name of the project: `project_id` of config.toml, at most 40 characters of `[A-Za-z0-9_.-]`.
    pub project_id: String,
    /// Folders and files.
    pub paths: Paths,
    /// The listener and what `[api]` says of it.
    pub api: Api,
    /// Settings that only Banyan has: bind address, static site, limits (`banyan.toml` `[server]`).
    pub server: Server,
    /// PostgreSQL.
    pub database: Database,
    /// Auth service.
    pub auth: Auth,
    /// API keys and token keys.
    pub keys: Keys,
    /// Local mail inbox.
    pub local_smtp: LocalSmtp,
    /// Storage service.
    pub storage: Storage,
    /// Realtime service.
    pub realtime: Realtime,
    /// Function host.
    pub edge_runtime: EdgeRuntime,
    /// One entry for each function named in config.toml or banyan.toml; others get
    /// [`Function::default`].
    pub functions: std::collections::BTreeMap<String, Function>,
}

impl Config {
    /// Returns whether the project is used on this machine only: its listener is on loopback, and
    /// so is every address that it gives out. The listener alone does not decide, since a public
    /// server often stands in front of it.
    #[must_use]
    pub fn is_for_this_machine(&self) -> bool {
        let addresses = [&self.api.external_url, &self.auth.external_url, &self.auth.site_url];
        self.server.host.is_loopback() && addresses.into_iter().all(|url| is_of_this_machine(url))
    }

    /// Returns a warning if others can sign up with addresses that nobody has to prove. With the
    /// demo keys there is no such warning: they allow everything, and a warning of their own says
    /// so.
    fn doubt_of_addresses(&self) -> Option<String> {
        let auth = &self.auth;
        let unproven =
            auth.enable_signup && auth.email_enabled && auth.passwords.enabled && !auth.confirm_email;
        (unproven && !self.server.demo_keys && !self.is_for_this_machine()).then(|| {
            "config.toml: `auth.email.enable_confirmations` is off, and others reach this stack: whoever signs up first with an \
             address that is somebody else's keeps a password to the account, also when its owner signs in by code or provider"
                .to_owned()
        })
    }

    /// The origin under which clients reach the stack, without a trailing slash:
    /// `http://127.0.0.1:54321`, or the address that `server.host` names.
    #[must_use]
    pub fn api_url(&self) -> &str {
        &self.api.external_url
    }

    /// Tells the configuration which port the system chose, where `api.port` is 0: every address
    /// that was derived from the port follows.
    pub fn listening_on(&mut self, port: u16) {
        let [asked, chosen] = [self.api.port, port].map(|port| sections::api::origin(self.server.host, port));
        for text in [
            &mut self.api.external_url,
            &mut self.auth.external_url,
            &mut self.auth.jwt_issuer,
            &mut self.auth.site_url,
        ] {
            if let Some(rest) =
                text.strip_prefix(&asked).filter(|rest| rest.is_empty() || rest.starts_with('/'))
            {
                *text = format!("{chosen}{rest}");
            }
        }
        self.api.port = port;
    }
}

/// Returns whether an address leads to this machine for every client.
#[must_use]
pub fn is_of_this_machine(address: &str) -> bool {
    let Ok(url) = url::Url::parse(address) else { return false };
    match url.host() {
        Some(url::Host::Domain(name)) => name == "localhost" || name.ends_with(".localhost"),
        Some(url::Host::Ipv4(address)) => address.is_loopback(),
        Some(url::Host::Ipv6(address)) => address.is_loopback(),
        None => false,
    }
}
