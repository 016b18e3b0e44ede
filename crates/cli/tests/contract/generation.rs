//! The checked-in sets of requests through the running stack with the built-in generator: wallet,
//! components and all.

use std::{fs, io::Write as _, path::Path};

use anyhow::{Context, ensure};

use crate::{
    NamedTrial, files,
    office::{self, Printed},
    stack::Stack,
    supabase_js,
};

/// Name and body of each trial.
pub(crate) const TRIALS: &[NamedTrial] = &[
    ("generation::v04_v22_every_request_gives_what_its_text_says", every_request_gives_what_its_text_says),
    ("generation::gen_5_3_samples_are_read", samples_are_read),
    ("generation::d22_components_are_small", components_are_small),
];

/// The functions that make documents.
const TOOLS: [&str; 4] =
    ["generate-lesson-plan", "generate-question-paper", "generate-teaching-aids", "generate-communication"];

/// Largest component, in bytes, and the largest of one that reads samples
/// (functions/SPECIFICATION.md GEN-10.1).
const COMPONENT: u64 = 2_500_000;
const COMPONENT_WITH_READER: u64 = 3_000_000;

/// Most memory of an instance, in bytes, and of one that may read a sample
/// (functions/SPECIFICATION.md D22).
const MEMORY: u64 = 64 << 20;
const MEMORY_WITH_SAMPLE: u64 = 128 << 20;

/// The functions that read samples.
const READERS: [&str; 2] = ["generate-lesson-plan", "generate-question-paper"];

fn every_request_gives_what_its_text_says(stack: &Stack) -> anyhow::Result<()> {
    let folder = tempfile::tempdir()?;
    supabase_js::run_with(stack, "generation.test.mjs", &[("DOCUMENTS", folder.path())])?;
    let documents = documents(folder.path())?;
    ensure!(documents.len() >= 140, "{} documents", documents.len());
    for document in &documents {
        files::assert_says(&document.file, &document.text, &document.filename);
    }
    office::assert_office_reads(&documents);
    // Times are shown and not judged: this machine does other things meanwhile. `scripts/bench
    // generation` measures.
    let mut shown = fs::read_to_string(folder.path().join("figures"))?;
    for tool in TOOLS {
        let memory = stack.largest_memory(tool).with_context(|| format!("no instance of {tool} ended"))?;
        let most = if READERS.contains(&tool) { MEMORY_WITH_SAMPLE } else { MEMORY };
        ensure!(memory <= most, "{tool} took {memory} bytes");
        shown += &format!("{tool}: at most {:.1} MB of memory\n", memory as f64 / 1_048_576.0);
    }
    // Past the harness, which shows nothing of what passes.
    write!(std::io::stderr(), "{shown}")?;
    Ok(())
}

// rows: GEN-5.3.1 GEN-5.3.2 GEN-5.3.6 GEN-5.3.11 GEN-5.3.12
fn samples_are_read(stack: &Stack) -> anyhow::Result<()> {
    supabase_js::run(stack, "samples.test.mjs")?;
    for tool in READERS {
        let memory = stack.largest_memory(tool).with_context(|| format!("no instance of {tool} ended"))?;
        ensure!(memory <= MEMORY_WITH_SAMPLE, "{tool} took {memory} bytes");
    }
    Ok(())
}

/// What the client left in the folder: each file, and its text beside it.
fn documents(folder: &Path) -> anyhow::Result<Vec<Printed>> {
    let mut names = Vec::new();
    for entry in fs::read_dir(folder)? {
        names.push(entry?.file_name().into_string().ok().context("a name of ASCII")?);
    }
    names.retain(|name| name.ends_with(".rtf") || name.ends_with(".docx") || name.ends_with(".doc"));
    names.sort();
    let document = |filename: String| {
        let path = folder.join(&filename);
        let text = fs::read_to_string(path.with_extension("txt"))?;
        Ok(Printed { file: fs::read(path)?, text, filename })
    };
    names.into_iter().map(document).collect()
}

fn components_are_small(stack: &Stack) -> anyhow::Result<()> {
    let mut sizes = Vec::new();
    for entry in fs::read_dir(stack.components())? {
        let entry = entry?;
        sizes.push((
            entry.file_name().into_string().ok().context("a name of ASCII")?,
            entry.metadata()?.len(),
        ));
    }
    for tool in TOOLS {
        ensure!(sizes.iter().any(|(name, _)| *name == format!("{tool}.wasm")), "{tool} is not built");
    }
    let most = |name: &str| match READERS.iter().any(|tool| name == format!("{tool}.wasm")) {
        true => COMPONENT_WITH_READER,
        false => COMPONENT,
    };
    let large: Vec<_> = sizes.iter().filter(|(name, size)| *size > most(name)).collect();
    ensure!(large.is_empty(), "larger than GEN-10.1 allows, in bytes: {large:?}");
    Ok(())
}
