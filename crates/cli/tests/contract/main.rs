//! Contract tests: the built binary on ports that the system chooses, spoken to by unmodified
//! official clients only.
//!
//! The stack is started once and stopped at the end, which is why this binary has a harness of its
//! own.

/// The running binary.
mod stack;

/// The published `@supabase/supabase-js`, as a process.
mod supabase_js;

/// Clients of S3 as they are published.
mod s3_clients;

/// The checked-in sets of requests, made by the built-in generator.
mod generation;

/// Documents that a language model writes, or does not.
mod model;

/// Documents read strictly.
#[path = "../../../../functions/_shared/tests/support/files.rs"]
mod files;

/// Documents in a real word processor.
#[path = "../../../../functions/_shared/tests/support/office.rs"]
mod office;

/// The types of the app against the schema they were generated from.
mod generated_types;

/// The published Rust crates `supabase-auth` and `postgrest`.
mod rust_clients;

use std::{process::ExitCode, sync::Arc};

use libtest_mimic::{Arguments, Trial};

/// Name of a trial and what it does with the running stack.
type NamedTrial = (&'static str, fn(&stack::Stack) -> anyhow::Result<()>);

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    if arguments.list {
        return libtest_mimic::run(&arguments, trials(None)).exit_code();
    }
    let stack = Arc::new(stack::Stack::start("contract", stack::Generator::BuiltIn));
    let conclusion = libtest_mimic::run(&arguments, trials(Some(&stack)));
    stack.stop();
    conclusion.exit_code()
}

fn trials(stack: Option<&Arc<stack::Stack>>) -> Vec<Trial> {
    let commands = s3_clients::COMMANDS
        .iter()
        .map(|(command, named)| trial(named, stack).with_ignored_flag(!s3_clients::is_there(command)));
    supabase_js::TRIALS
        .iter()
        .chain(s3_clients::TRIALS)
        .chain(rust_clients::TRIALS)
        .chain(generation::TRIALS)
        .chain(model::TRIALS)
        .chain(generated_types::TRIALS)
        .map(|named| trial(named, stack))
        .chain(commands)
        .collect()
}

fn trial(&(name, run): &NamedTrial, stack: Option<&Arc<stack::Stack>>) -> Trial {
    let stack = stack.cloned();
    Trial::test(name, move || {
        let stack = stack.as_ref().ok_or("the stack is not started for a list")?;
        run(stack).map_err(|error| format!("{error:#}").into())
    })
}
