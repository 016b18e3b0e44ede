//! The `banyan` binary: one file per command in `commands/`, in the words and flags of the supabase
//! CLI (CONTRACT.md).

/// The command line as types.
mod arguments;

/// One file per command.
mod commands;

/// The project that a command works on.
mod project;

/// The lock and the record of a running stack.
mod running_stack;

/// The note that a reset did not come to its end.
mod reset_marker;

/// The token of management commands.
mod access_token;

/// The HTTP client of management commands.
mod management;

/// The buckets of config.toml, made in a running stack.
mod bucket_seeds;

/// Several transfers at a time.
mod jobs;

/// The HTTP client of the storage service.
mod storage_client;

/// The MIME type of a file that is uploaded.
mod content_types;

/// `gen types`: the types of an API, from its catalog.
mod gen_types;

/// How to reach the project's database.
mod database;

/// Waits until the running stack has seen a change of the schema.
mod schema_reload;

/// The names and values of `status`.
mod status_values;

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
    // Blocking work that nobody waits for, such as a flush to a slow disk, does not hold up the
    // end.
    runtime.shutdown_timeout(std::time::Duration::from_secs(5));
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => output::failure(&error),
    }
}
