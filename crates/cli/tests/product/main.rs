//! The product's schema met as its owner, as the wrong user, and by many at once.

/// A database per test, with the product's migrations applied.
mod database;

/// Statements run as one of the roles of the API.
mod callers;

/// The calls the app and the functions make on a wallet, and what must always hold for it.
mod wallet_calls;

mod access;
mod admin;
mod blogs;
mod history;
mod hostile;
mod live_updates;
mod mails;
mod payments;
mod policies;
mod profiles;
mod races;
mod roles;
mod samples;
mod seed;
mod tabs;
mod wallet;
