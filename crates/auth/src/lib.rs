//! Answers `/auth/v1` like GoTrue: users, sign-in by e-mail code, sessions and their tokens.
//!
//! An endpoint is found by its URL: `POST /factors/{id}/verify` is `endpoints/factors/verify.rs`.
//! The crate deliberately does not know how mail is delivered (it queues) nor how tokens are signed
//! (it has `identity` sign). The contract is CONTRACT.md; docs cite its row ids.
//!
//! The modules stand in reading order: each knows only those below it (`crates/cli/tests/tidy`).

/// Background removal of what has ended.
mod housekeeping;

/// The service: put together, and asked.
mod service;

/// The routes, in one table.
mod router;

/// The endpoints: one file per URL, folders as in the URL.
mod endpoints;

/// What a request passes before its endpoint: the bearer check, the captcha.
mod guards;

/// The rules about accounts, codes, sessions and limits. No routes, no SQL.
mod domain;

/// Hooks: functions and addresses of the project that are asked before something is done.
mod hooks;

/// A request at work on the database: the first parameter of most functions above.
mod tx;

/// What every request works with: settings, pool, keys, queues.
mod context;

/// Mails and their templates.
mod mails;

/// Passwords: checked, hashed and verified.
mod passwords;

/// OpenID Connect providers.
mod providers;

/// Ceremonies of security keys and passkeys.
mod webauthn;

/// Rate limits of requests and mails, in the memory of this node.
mod rate_limit;

/// HTTP calls to other services.
mod outgoing;

/// The SQL of schema `auth`, a file for each table.
mod store;

/// The wire: reading requests, cookies, errors, redirects and pages.
mod wire;

/// Plain values that the layers above hand to each other.
mod model;

pub use domain::redirects::is_page_of_project;
pub use hooks::unreachable_hooks;
pub use housekeeping::{clean, housekeep};
pub use mails::{TemplateError, template_warnings};
pub use outgoing::FunctionCall;
pub use passwords::{hash_of_password, hashing_threads, is_password_of};
pub use service::{State, handle};

/// Error of a body.
pub type BoxError = Box<dyn std::error::Error + Send + Sync>;
/// Body of a request or an answer.
pub type Body = http_body_util::combinators::UnsyncBoxBody<bytes::Bytes, BoxError>;

macro_rules! migration {
    ($version:literal, $name:literal) => {
        banyan_db::migrations::Migration {
            version: $version,
            name: $name,
            sql: include_str!(concat!("../migrations/", stringify!($version), "_", $name, ".sql")),
        }
    };
}

/// The tables of schema `auth`, applied at start as `supabase_auth_admin`.
pub const MIGRATIONS: &[banyan_db::migrations::Migration] = &[
    migration!(20260101000200, "users_and_sessions"),
    migration!(20260101000300, "factors_and_passkeys"),
    migration!(20260101000400, "sso_and_oauth"),
    migration!(20260101000500, "grants_history_and_code_tries"),
    migration!(20260101000800, "factor_tries"),
    migration!(20260101000900, "own_tables_alone"),
    migration!(20260101001000, "first_hands"),
    migration!(20260101001010, "pending_links"),
    migration!(20260101001100, "addresses_of_codes"),
    migration!(20260101001101, "clients_of_factors"),
    migration!(20260101001300, "clients_of_codes"),
    migration!(20260101001500, "known_for_a_while"),
    migration!(20260101001600, "first_hands_by_challenge"),
    migration!(20260101002100, "pause_of_addresses"),
];
