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

/// The transaction of a request: the first parameter of most functions above.
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
mod outbound;

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
pub use outbound::FunctionCall;
pub use passwords::{hash_of_password, hashing_threads, is_password_of};
pub use service::{State, handle};
