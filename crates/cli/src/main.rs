//! The `banyan` binary: one file per command in `commands/`, in the words and flags of the supabase
//! CLI (CONTRACT.md).

/// The command line as types.
mod arguments;

/// One file per command.
mod commands;

/// The project that a command works on.
mod project;

/// What a running stack tells other commands about itself.
mod instance;

/// The note that a reset did not come to its end.
mod reset_mark;

/// The token of management commands.
mod access_token;

/// What a running stack is asked by management commands.
mod management;

/// `gen types`: the types of an API, from its catalog.
mod gen_types;

/// How to reach the project's database.
mod database;

/// When what a command changed is seen by who asks the running stack.
mod shown;

/// The names and values of `status`.
mod values;

/// The one place that prints.
mod output;

use std::process::ExitCode;

use clap::Parser;

use crate::arguments::Arguments;

#[global_allocator]
static ALLOCATOR: banyan_edge::Allocator = banyan_edge::Allocator;

fn main() -> ExitCode {
    if let Some(done) = banyan_edge::compile_if_asked() {
        return done;
    }
    let arguments = Arguments::parse();
    let runtime = match tokio::runtime::Builder::new_multi_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => return output::failure(&error.into()),
    };
    let result = runtime.block_on(commands::run(arguments));
    // Blocking work that nobody waits for, such as a flush to a slow disk, does not hold up the end.
    runtime.shutdown_timeout(std::time::Duration::from_secs(5));
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => output::failure(&error),
    }
}
