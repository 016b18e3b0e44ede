use std::{fs::OpenOptions, io::Write, os::unix::fs::OpenOptionsExt, path::Path, process::Stdio};

use secrecy::ExposeSecret;
use tokio::process::Command;

use super::{
    PostgresSettings, Progress, Purpose, SUPERUSER, Step, layout::Layout, owner::Owner, programs::Programs,
    ready,
};
use crate::LocalError;

/// Everybody proves a password, over the socket as well: its folder is closed to other users, yet under root it belongs
/// to `nobody`, whom other services may share. No line lets anyone in from another machine.
const ACCESS: &str = "\
# Written by banyan at every start.
local all         all                scram-sha-256
host  all         all 127.0.0.1/32   scram-sha-256
host  all         all ::1/128        scram-sha-256
local replication all                scram-sha-256
host  replication all 127.0.0.1/32   scram-sha-256
host  replication all ::1/128        scram-sha-256
";

/// Major version of the data; none when there are none yet.
pub(super) fn major_version(layout: &Layout) -> Result<Option<u32>, LocalError> {
    let file = layout.data.join("PG_VERSION");
    match std::fs::read_to_string(&file) {
        Ok(text) => Ok(text.trim().parse().ok()),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(source) => Err(LocalError::File { action: "read", path: file, source }),
    }
}

/// Makes the data if there are none, and the files of ours that the server reads.
///
/// `initdb` works in `data.new`, which becomes `data` in one step when it is whole; a half-made one is thrown away.
pub(super) async fn make(
    programs: &Programs,
    layout: &Layout,
    settings: &PostgresSettings,
    owner: Owner,
    progress: Progress<'_>,
) -> Result<(), LocalError> {
    if !layout.data.join("PG_VERSION").exists() {
        progress(&Step::Initialising { version: programs.version.clone() });
        let new = layout.root.join("data.new");
        if new.exists() {
            std::fs::remove_dir_all(&new).map_err(LocalError::file("remove", &new))?;
        }
        initdb(programs, layout, &new, settings, owner).await?;
        std::fs::rename(&new, &layout.data).map_err(LocalError::file("make", &layout.data))?;
    }
    if !layout.certificate.exists() {
        write_certificate(layout, owner)?;
    }
    write(&layout.access, ACCESS.as_bytes(), owner)
}

/// stack.md 7.3: text sorts by language (ICU en_US), as on Supabase.
async fn initdb(
    programs: &Programs,
    layout: &Layout,
    data: &Path,
    settings: &PostgresSettings,
    owner: Owner,
) -> Result<(), LocalError> {
    let password = &layout.password;
    write(password, settings.password.expose_secret().as_bytes(), owner)?;
    let mut command = Command::new(programs.program("initdb"));
    command
        .arg("-D")
        .arg(data)
        .args(["-U", SUPERUSER, "-E", "UTF8", "--locale-provider=icu", "--icu-locale=en_US.UTF-8"])
        .args(["--auth=scram-sha-256", "--no-sync", "--no-instructions"])
        .arg(format!("--pwfile={}", password.display()));
    owner.apply(&mut command);
    command.env_clear().env("LC_ALL", "C.UTF-8").current_dir(&layout.root).stdin(Stdio::null());
    command.kill_on_drop(true);
    let output = command.output().await;
    std::fs::remove_file(password).map_err(LocalError::file("remove", password))?;
    let output =
        output.map_err(|source| LocalError::Spawn { program: programs.program("initdb"), source })?;
    if output.status.success() {
        return Ok(());
    }
    let text = [output.stdout, output.stderr].concat();
    Err(LocalError::Failed {
        program: "initdb".to_owned(),
        output: ready::last_lines(&String::from_utf8_lossy(&text), 8),
    })
}

/// A self-signed P-256 certificate for this machine's names: it keeps TLS clients working, it proves nothing.
fn write_certificate(layout: &Layout, owner: Owner) -> Result<(), LocalError> {
    let key = rcgen::KeyPair::generate_for(&rcgen::PKCS_ECDSA_P256_SHA256)?;
    let names = vec!["localhost".to_owned(), "127.0.0.1".to_owned(), "::1".to_owned()];
    let certificate = rcgen::CertificateParams::new(names)?.self_signed(&key)?;
    write(&layout.key, key.serialize_pem().as_bytes(), owner)?;
    write(&layout.certificate, certificate.pem().as_bytes(), owner)
}

/// Writes a file that only the server's user may read.
fn write(path: &Path, content: &[u8], owner: Owner) -> Result<(), LocalError> {
    let mut file = OpenOptions::new()
        .create(true)
        .truncate(true)
        .write(true)
        .mode(0o600)
        .open(path)
        .map_err(LocalError::file("write", path))?;
    file.write_all(content).map_err(LocalError::file("write", path))?;
    owner.own(path)
}

/// `initdb` does not wait for the disk; this makes up for it without holding up the start. Commits wait by themselves.
pub(super) fn flush_in_background(layout: &Layout, purpose: Purpose) {
    if purpose == Purpose::Tests {
        return;
    }
    if let Ok(folder) = std::fs::File::open(&layout.data) {
        tokio::task::spawn_blocking(move || {
            if let Err(error) = rustix::fs::syncfs(&folder) {
                tracing::warn!(%error, "the new database could not be flushed to disk");
            }
        });
    }
}
