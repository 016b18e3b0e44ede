use std::path::{Path, PathBuf};

use tokio::process::Command;

use super::{Programs, run};
use crate::{
    LocalError,
    postgres::{Progress, Step},
};

/// Every installed PostgreSQL, that of the wanted major version first, then the newest.
pub(super) async fn installed(wanted: u32) -> Vec<Programs> {
    let mut folders: Vec<PathBuf> = std::fs::read_dir("/usr/lib/postgresql")
        .map(|entries| entries.flatten().map(|entry| entry.path().join("bin")).collect())
        .unwrap_or_default();
    if let Ok(named) = run("pg_config", Command::new("pg_config").arg("--bindir")).await {
        folders.push(PathBuf::from(named.trim()));
    }
    folders.sort();
    folders.dedup();
    let mut found = Vec::new();
    for folder in folders {
        found.extend(Programs::probe(&folder).await);
    }
    found.sort_by_key(|programs| (programs.major != wanted, std::cmp::Reverse(programs.major)));
    found
}

/// Installs Debian's own version as root, without the cluster that the package would start.
pub(super) async fn install(wanted: u32, progress: Progress<'_>) -> Result<Programs, LocalError> {
    progress(&Step::InstallingPackages);
    let folder = Path::new("/etc/postgresql-common");
    std::fs::create_dir_all(folder).map_err(LocalError::file("make", folder))?;
    let file = folder.join("createcluster.conf");
    if !file.exists() {
        std::fs::write(&file, "create_main_cluster = false\n").map_err(LocalError::file("write", &file))?;
    }
    apt(&["update"]).await?;
    apt(&["install", "-y", "--no-install-recommends", "postgresql", "postgresql-contrib"]).await?;
    installed(wanted).await.into_iter().next().ok_or_else(|| LocalError::Failed {
        program: "apt-get install postgresql".to_owned(),
        output: "it installed no server".to_owned(),
    })
}

async fn apt(arguments: &[&str]) -> Result<String, LocalError> {
    run("apt-get", Command::new("apt-get").args(arguments).env("DEBIAN_FRONTEND", "noninteractive")).await
}
