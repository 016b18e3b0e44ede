//! Answers `/auth/v1` like GoTrue: users, sign-in by e-mail code, sessions and their tokens.
//!
//! One file per endpoint, named as its URL. The crate deliberately does not know how mail is delivered (it queues) nor
//! how tokens are signed (it has `identity` sign). Source: CONTRACT.md, row ids in the docs of each
//! item.

// The composition: what the server starts and asks.

/// What is removed in the background.
mod housekeeping;

/// The service: put together, and asked.
mod service;

/// The routes, in one table.
mod router;

// The endpoints, a module for each path.

/// `POST /signup`: accounts with a password, and anonymous ones.
mod signup;

/// `POST /otp`: sends a sign-in code.
mod otp;

/// `POST /recover`: sends a code to who forgot the password.
mod recover;

/// `POST /resend`: sends a pending code again.
mod resend;

/// `/verify`: turns a code or a link into a session.
mod verify;

/// `POST /token`: grants.
mod token;

/// `/user`: the caller's own account.
mod user;

/// `/admin/users`: accounts, for the holder of a service key.
mod admin;

/// `POST /invite`: asks somebody to join.
mod invite;

/// `/passkeys`: credentials that sign in by themselves.
mod passkeys;

/// `/factors`: second factors.
mod factors;

/// `/callback`: where a provider sends it back to.
mod callback;

/// `GET /authorize`: sends a browser to a provider.
mod authorize;

/// `POST /logout`.
mod logout;

/// `GET /reauthenticate`: sends a code to who changes the password.
mod reauthenticate;

/// `GET /settings`.
mod settings;

/// `GET /health`.
mod health;

/// `GET /.well-known/jwks.json`.
mod jwks;

/// `GET /.well-known/openid-configuration`.
mod openid_configuration;

/// Servers that are kept off.
mod not_offered;

// What a request passes before its endpoint.

/// Proof that a person asks.
mod captcha;

/// Who calls: the bearer check.
mod bearer;

// What the service does about accounts, their codes and their sessions.

/// Which account somebody at a provider has.
mod linking;

/// The first proof that somebody owns an address, and what it takes from an account.
mod ownership_proof;

/// Changes of address and number.
mod address_changes;

/// Codes by text message.
mod sms;

/// One-time codes: made, hashed, sent and checked.
mod codes;

/// Sessions and the answer that carries their tokens.
mod sessions;

/// Access tokens.
mod access_token;

/// Refresh tokens.
mod refresh_token;

/// How long a session goes on.
mod session_limits;

/// Notices of changes that were made.
mod notices;

/// Mails on their way.
mod mail_dispatch;

/// Accounts: made, confirmed, shown.
mod accounts;

/// Whose hand made an account that nobody proved to own yet.
mod account_origin;

/// The audit log.
mod audit;

/// The transaction of a request, and what is done after it.
mod transaction;

/// Where the service asks before it acts.
mod hooks;

/// How often a password may be guessed.
mod password_attempts;

/// How often a code may be guessed.
mod otp_attempts;

/// Where a browser may be sent.
mod redirects;

/// Answers that must not tell whether somebody has an address.
mod enumeration_guard;

// What requests share, and the parts that it is made of.

/// What every request works with.
mod context;

/// Mails and their templates.
mod mails;

/// Passwords: checked, hashed and verified.
mod passwords;

/// Providers that say who somebody is.
mod providers;

/// Signatures of security keys and passkeys.
mod webauthn;

/// A page for a browser that has nowhere to go back to.
mod page;

// The tables.

/// The SQL of schema `auth`.
mod store;

// Plain parts, which know nothing of the others.

/// What is read from a request before its endpoint sees it.
mod request;

/// What is to be done once the transaction of a request is committed.
mod after_commit;

/// What the log is told.
mod audit_event;

/// The mark by which a browser is known again at an address.
mod device_cookie;

/// How often a client may ask.
mod rate_limit;

/// Where a request comes from.
mod client_address;

/// Calls to other services.
mod outgoing;

/// Proof keys for codes that travel through a browser.
mod pkce;

/// Addresses that mail can go to.
mod email;

/// Phone numbers.
mod phone;

/// Keyed hashes.
mod keyed_hash;

/// Bytes as text.
mod hex;

/// What can go wrong, and its wire form.
mod error;

/// What a request knows of the accounts that it makes.
mod created_accounts;

/// Kinds of second factors.
mod factor_kind;

pub use hooks::unreachable_hooks;
pub use housekeeping::{clean, housekeep};
pub use mails::{TemplateError, template_warnings};
pub use outgoing::FunctionCall;
pub use passwords::{hash_of_password, hashing_threads, is_password_of};
pub use redirects::is_page_of_project;
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
