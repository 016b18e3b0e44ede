//! The types of the app against the schema they were generated from.

use anyhow::ensure;

use crate::{NamedTrial, stack::Stack};

/// Name and body of each trial.
pub(crate) const TRIALS: &[NamedTrial] =
    &[("generated_types::are_those_of_the_schema", are_those_of_the_schema)];

fn are_those_of_the_schema(stack: &Stack) -> anyhow::Result<()> {
    let output = stack.command().args(["gen", "types", "typescript"]).output()?;
    ensure!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let committed = include_str!("../../../../app/src/types/database.gen.ts");
    ensure!(String::from_utf8(output.stdout)? == committed, "the types are stale: run scripts/generate");
    Ok(())
}
