use std::{fs::OpenOptions, io::Write, os::unix::fs::OpenOptionsExt, path::Path, process::Stdio};

use postgres_protocol::password::scram_sha_256;
use secrecy::{ExposeSecret, SecretString};
use tokio::{io::AsyncWriteExt as _, process::Command};

use super::{
    OWNER, Passwords, PostgresSettings, Progress, Purpose, SUPERUSER, Step, layout::Layout, owner::Owner,
    process, programs::Programs, ready,
};
use crate::LocalError;

/// Everybody proves a password, over the socket as well: its folder is closed to other users, yet
/// under root it belongs to `nobody`, whom other services may share. No line lets anyone in from
/// another machine.
const ACCESS: &str = "\
local all         all                scram-sha-256
host  all         all 127.0.0.1/32   scram-sha-256
host  all         all ::1/128        scram-sha-256
local replication all                scram-sha-256
host  replication all 127.0.0.1/32   scram-sha-256
host  replication all ::1/128        scram-sha-256
";

/// Returns the rules of who may connect, and how. The stack's own logins may use the socket only:
/// over TCP every user of the machine could try their passwords.
fn access(settings: &PostgresSettings) -> String {
    let head = "# Written by banyan at every start.\n";
    match settings.purpose {
        Purpose::Tests => format!("{head}{ACCESS}"),
        Purpose::Stack => {
            let own = [&[SUPERUSER], settings.logins].concat().join(",");
            format!("{head}host  all,replication {own} all reject\n{ACCESS}")
        }
    }
}

/// Returns whether our files hold what this start would write. A server that was started with other
/// files must not continue.
pub(super) fn is_current(layout: &Layout, settings: &PostgresSettings) -> Result<bool, LocalError> {
    let has_access = std::fs::read_to_string(&layout.access).is_ok_and(|found| found == access(settings));
    let found = Passwords::read(&layout.state)?;
    Ok(has_access && found.is_some_and(|found| found.equals(&found.completed(settings))))
}

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
/// `initdb` works in `data.new`, which becomes `data` in one step when it is whole; a half-made one
/// is thrown away.
pub(super) async fn make(
    programs: &Programs,
    layout: &Layout,
    settings: &PostgresSettings,
    owner: Owner,
    progress: Progress<'_>,
) -> Result<Passwords, LocalError> {
    let passwords = make_data(programs, layout, settings, owner, progress).await?;
    if !layout.certificate.exists() {
        write_certificate(layout, owner)?;
    }
    write(&layout.access, access(settings).as_bytes(), owner)?;
    Ok(passwords)
}

/// Makes the data and the list of passwords, where they are missing. The list is on disk before the
/// data that it opens; of data that were there before, the roles have new passwords before the list
/// is.
async fn make_data(
    programs: &Programs,
    layout: &Layout,
    settings: &PostgresSettings,
    owner: Owner,
    progress: Progress<'_>,
) -> Result<Passwords, LocalError> {
    let found = Passwords::read(&layout.state)?.unwrap_or_default();
    let passwords = found.completed(settings);
    if layout.data.join("PG_VERSION").exists() {
        let stale: Vec<&str> =
            [SUPERUSER, OWNER].into_iter().filter(|role| !passwords.gives_same(&found, role)).collect();
        if !stale.is_empty() {
            progress(&Step::RenewingPasswords);
            renew(programs, layout, (settings, &passwords, &stale), owner).await?;
        }
        if !found.equals(&passwords) {
            passwords.write(&layout.state)?;
        }
        return Ok(passwords);
    }
    passwords.write(&layout.state)?;
    progress(&Step::Initialising { version: programs.version.clone() });
    let new = layout.root.join("data.new");
    if new.exists() {
        std::fs::remove_dir_all(&new).map_err(LocalError::file("remove", &new))?;
    }
    initdb(programs, layout, &new, &passwords, owner).await?;
    std::fs::rename(&new, &layout.data).map_err(LocalError::file("make", &layout.data))?;
    Ok(passwords)
}

/// Gives roles new passwords while nobody can connect: PostgreSQL reads one statement per role from
/// standard input, as a single process without sockets. The statement holds a verifier, so no log
/// can hold a password.
async fn renew(
    programs: &Programs,
    layout: &Layout,
    (settings, passwords, roles): (&PostgresSettings, &Passwords, &[&str]),
    owner: Owner,
) -> Result<(), LocalError> {
    let program = programs.program("postgres");
    let mut command = Command::new(&program);
    command.arg("--single").arg("-D").arg(&layout.data).args(["-c", "exit_on_error=on"]);
    for setting in process::settings(settings) {
        command.arg("-c").arg(setting);
    }
    command.args(["-c", "ssl=off", "-c", "shared_preload_libraries="]);
    // Errors are logged without the statement.
    command.args(["-c", "log_min_error_statement=panic", "template1"]);
    owner.apply(&mut command);
    command.env_clear().env("LC_ALL", "C.UTF-8").current_dir(&layout.root).kill_on_drop(true);
    command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::piped());
    let failed = |source| LocalError::Spawn { program: program.clone(), source };
    let mut child = command.spawn().map_err(failed)?;
    let statements: String =
        roles.iter().filter_map(|role| Some(renewal(role, passwords.of(role)?))).collect();
    let mut input = child.stdin.take().expect("its input is a pipe");
    // If the process does not read, its output says why.
    let _ = input.write_all(statements.as_bytes()).await;
    drop(input);
    let output = child.wait_with_output().await.map_err(failed)?;
    if output.status.success() {
        return Ok(());
    }
    Err(LocalError::Failed {
        program: "postgres --single".to_owned(),
        output: ready::last_lines(&String::from_utf8_lossy(&output.stderr), 8),
    })
}

/// The statement on a line of its own. The platform makes the owner, so data of a start that was
/// broken off have none.
fn renewal(role: &str, password: &SecretString) -> String {
    let verifier = scram_sha_256(password.expose_secret().as_bytes());
    format!(
        "do $do$ begin if exists (select from pg_catalog.pg_roles where rolname = '{role}') then \
         alter role {role} password '{verifier}'; end if; end $do$\n"
    )
}

/// CONTRACT.md LOC-INITDB: text sorts by language (ICU en_US), as on Supabase.
async fn initdb(
    programs: &Programs,
    layout: &Layout,
    data: &Path,
    passwords: &Passwords,
    owner: Owner,
) -> Result<(), LocalError> {
    let password = &layout.password;
    write(password, passwords.of_superuser().expose_secret().as_bytes(), owner)?;
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

/// A self-signed P-256 certificate for this machine's names: it keeps TLS clients working, it
/// proves nothing.
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

/// `initdb` does not wait for the disk; this makes up for it without holding up the start. Commits
/// wait by themselves.
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
