//! Functions of the built binary as a person and a browser meet them: the gateway before them, the
//! commands behind.

/// A project and the commands run in it.
#[path = "../commands/project.rs"]
#[expect(dead_code, reason = "what the other commands' tests need besides")]
mod project;

/// A project whose functions are those of `crates/edge/tests/guests`.
mod support;

/// What these tests take from npm.
mod npm;

mod client;
mod deploying;
mod elsewhere;
mod gateway;
mod javascript;
mod keys;
mod lines;
mod schedules;
mod shared_code;
mod starting;
mod supabase_cli;
mod writing;
