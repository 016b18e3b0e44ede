//! Answers `/auth/v1` like GoTrue: users, sign-in by e-mail code, sessions and their tokens.
//!
//! One file per endpoint, named as its URL. The crate deliberately does not know how mail is delivered (it queues) nor
//! how tokens are signed (it has `identity` sign). Source: auth.md, row ids in the docs of each item.

/// The routes, in one table.
mod router;

/// What every endpoint works with.
mod state;

/// What is read from a request before its endpoint sees it.
mod request;

/// Who calls: the bearer check.
mod bearer;

/// `POST /signup`: accounts with a password, and anonymous ones.
mod signup;

/// `POST /otp`: sends a sign-in code.
mod otp;

/// `POST /recover`: sends a code to who forgot the password.
mod recover;

/// `POST /invite`: asks somebody to join.
mod invite;

/// `GET /reauthenticate`: sends a code to who changes the password.
mod reauthenticate;

/// `POST /resend`: sends a pending code again.
mod resend;

/// `/verify`: turns a code or a link into a session.
mod verify;

/// `POST /token`: grants.
mod token;

/// `/user`: the caller's own account.
mod user;

/// `/factors`: second factors.
mod factors;

/// `/passkeys`: credentials that sign in by themselves.
mod passkeys;

/// `POST /logout`.
mod logout;

/// `/admin/users`: accounts, for the holder of a service key.
mod admin;

/// `GET /authorize`: sends a browser to a provider.
mod authorize;

/// `/callback`: where a provider sends it back to.
mod callback;

/// Servers that are kept off.
mod switched_off;

/// `GET /settings`.
mod settings;

/// `GET /health`.
mod health;

/// `GET /.well-known/jwks.json`.
mod jwks;

/// `GET /.well-known/openid-configuration`.
mod openid_configuration;

/// Addresses that mail can go to.
mod email;

/// Phone numbers.
mod phone;

/// Passwords: checked, hashed and verified.
mod passwords;

/// Calls to other services.
mod outgoing;

/// One-time codes: made, hashed, sent and checked.
mod codes;

/// How often a code may be guessed.
mod code_tries;

/// The mark by which a browser is known again at an address.
mod mark;

/// Accounts: made, confirmed, shown.
mod accounts;

/// The first proof that somebody owns an address, and what it takes from an account.
mod first_proof;

/// Providers that say who somebody is.
mod providers;

/// Which account somebody at a provider has.
mod linking;

/// Sessions and the answer that carries their tokens.
mod sessions;

/// How long a session goes on.
mod session_limits;

/// Access tokens.
mod access_token;

/// Refresh tokens.
mod refresh_token;

/// Proof keys for codes that travel through a browser.
mod pkce;

/// Where a browser may be sent.
mod redirects;

/// A page for a browser that has nowhere to go back to.
mod page;

/// Mails and their templates.
mod mails;

/// Notices of changes that were made.
mod notices;

/// Codes by text message.
mod sms;

/// Signatures of security keys and passkeys.
mod webauthn;

/// Where the service asks before it acts.
mod hooks;

/// Proof that a person asks.
mod captcha;

/// Where a request comes from.
mod client_address;

/// How often a client may ask.
mod rate_limit;

/// Answers that must not tell whether somebody has an address.
mod quiet;

/// What the log is told of what users did.
mod journal;

/// The audit log.
mod audit;

/// The transaction of a request, and what is done after it.
mod work;

/// Bytes as text.
mod hex;

/// What is removed in the background.
mod housekeeping;

/// The SQL of schema `auth`.
mod store;

/// What can go wrong, and its wire form.
mod error;

pub use hooks::{FunctionCall, hooks_out_of_reach};
pub use housekeeping::{clean, housekeep};
pub use mails::{TemplateError, doubtful_templates};
pub use passwords::{hash_of_password, hashing_threads, is_password_of};
pub use router::handle;
pub use state::State;

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
];
