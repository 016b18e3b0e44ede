use std::{fs::OpenOptions, os::unix::fs::OpenOptionsExt, path::PathBuf, process::Stdio, time::Duration};

use rustix::process::{Pid, Signal, kill_process};
use tokio::{
    process::{Child, Command},
    time::{Instant, sleep},
};

use super::{PostgresSettings, Purpose, layout::Layout, owner::Owner, programs::Programs};
use crate::{LocalError, logs};

/// The server's first process: our child, or one that outlived the process that started it.
#[derive(Debug)]
pub(super) struct Process {
    pid: u32,
    child: Option<Child>,
}

impl Process {
    /// Spawns the server in a process group of its own, so that Ctrl-C at the terminal reaches us
    /// and not it.
    pub(super) fn spawn(
        programs: &Programs,
        layout: &Layout,
        owner: Owner,
        port: u16,
        wanted: &PostgresSettings,
    ) -> Result<Self, LocalError> {
        let program = programs.program("postgres");
        let log = open_log(layout)?;
        let errors = log.try_clone().map_err(LocalError::file("open", &layout.log))?;
        let mut command = Command::new(&program);
        command.arg("-D").arg(&layout.data).arg("-p").arg(port.to_string()).arg("-k").arg(&layout.socket);
        for setting in settings(wanted) {
            command.arg("-c").arg(setting);
        }
        for (setting, file) in [
            ("hba_file", &layout.access),
            ("ssl_cert_file", &layout.certificate),
            ("ssl_key_file", &layout.key),
        ] {
            command.arg("-c").arg(format!("{setting}={}", file.display()));
        }
        owner.apply(&mut command);
        command
            .env_clear()
            .env("LC_ALL", "C.UTF-8")
            .current_dir(&layout.root)
            .process_group(0)
            .stdin(Stdio::null())
            .stdout(log)
            .stderr(errors);
        let child = command.spawn().map_err(|source| LocalError::Spawn { program, source })?;
        let pid = child.id().expect("the child was not waited for yet");
        Ok(Self { pid, child: Some(child) })
    }

    pub(super) fn adopted(pid: u32) -> Self {
        Self { pid, child: None }
    }

    pub(super) fn pid(&self) -> u32 {
        self.pid
    }

    pub(super) fn has_ended(&mut self) -> bool {
        match &mut self.child {
            Some(child) => !matches!(child.try_wait(), Ok(None)),
            None => !lives(self.pid),
        }
    }

    pub(super) async fn ended(&mut self) {
        while !self.has_ended() {
            sleep(Duration::from_millis(20)).await;
        }
    }

    /// SIGINT, PostgreSQL's "fast" stop: SIGTERM would wait for its clients (CONTRACT.md LOC-STOP).
    pub(super) async fn stop(&mut self, limit: Duration) -> Result<(), LocalError> {
        if self.has_ended() {
            return Ok(());
        }
        // It may end between the look and the signal, which is as good.
        let _ = kill_process(self.id(), Signal::INT);
        let end = Instant::now() + limit;
        while !self.has_ended() {
            if Instant::now() >= end {
                return Err(LocalError::NotStopped { pid: self.pid, seconds: limit.as_secs() });
            }
            sleep(Duration::from_millis(2)).await;
        }
        Ok(())
    }

    fn id(&self) -> Pid {
        i32::try_from(self.pid).ok().and_then(Pid::from_raw).expect("a process id is a positive i32")
    }
}

/// CONTRACT.md LOC-SETTINGS.
pub(super) fn settings(wanted: &PostgresSettings) -> Vec<String> {
    let mut settings = vec![
        "listen_addresses=127.0.0.1",
        "unix_socket_permissions=0700",
        "ssl=on",
        "wal_level=logical",
        "shared_preload_libraries=pg_stat_statements",
        // The value of the platform's smallest machine; query plans that clients request show it.
        "effective_cache_size=128MB",
        "max_wal_senders=10",
        "max_slot_wal_keep_size=4096MB",
        "password_encryption=scram-sha-256",
        "timezone=UTC",
        "log_timezone=UTC",
        "logging_collector=off",
    ];
    let (least, others) = match wanted.purpose {
        Purpose::Stack => (100, &["max_replication_slots=5"][..]),
        Purpose::Tests => (
            300,
            &[
                "max_replication_slots=40",
                "max_wal_senders=40",
                "fsync=off",
                "synchronous_commit=off",
                "full_page_writes=off",
            ][..],
        ),
    };
    settings.extend(others);
    let connections = format!("max_connections={}", wanted.connections.max(least));
    settings.into_iter().map(str::to_owned).chain([connections]).collect()
}

fn open_log(layout: &Layout) -> Result<std::fs::File, LocalError> {
    let aside = logs::put_aside_unopened(&layout.log, logs::LARGEST);
    aside.map_err(LocalError::file("put aside", &layout.log))?;
    OpenOptions::new()
        .create(true)
        .append(true)
        .mode(0o600)
        .open(&layout.log)
        .map_err(LocalError::file("open", &layout.log))
}

/// A server that runs on our data, as `postmaster.pid` describes it.
#[derive(Debug)]
pub(super) struct Living {
    pub(super) pid: u32,
    pub(super) port: u16,
    pub(super) socket_dir: PathBuf,
}

/// Reads `postmaster.pid` and believes it only when that process was started on our data folder:
/// the file outlives a crash, and its process id may be somebody else's by now.
pub(super) fn find_living(layout: &Layout) -> Option<Living> {
    let text = std::fs::read_to_string(layout.data.join("postmaster.pid")).ok()?;
    let living = parse_pid_file(&text)?;
    let command = std::fs::read(format!("/proc/{}/cmdline", living.pid)).ok()?;
    let data = layout.data.as_os_str().as_encoded_bytes();
    let ours = command.split(|byte| *byte == 0).any(|word| word == data);
    (ours && lives(living.pid)).then_some(living)
}

/// Returns whether the process exists and is no zombie.
fn lives(pid: u32) -> bool {
    let Ok(stat) = std::fs::read_to_string(format!("/proc/{pid}/stat")) else { return false };
    let state = stat.rsplit_once(") ").and_then(|(_, rest)| rest.chars().next());
    !matches!(state, None | Some('Z' | 'X'))
}

/// Lines: pid, data folder, start time, port, socket folder, listen address, shared memory, state.
fn parse_pid_file(text: &str) -> Option<Living> {
    let lines: Vec<&str> = text.lines().map(str::trim).collect();
    Some(Living {
        pid: lines.first()?.parse().ok()?,
        port: lines.get(3)?.parse().ok()?,
        socket_dir: PathBuf::from(lines.get(4)?),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    // rows: LOC-SETTINGS
    #[test]
    fn a_server_takes_as_many_connections_as_are_wanted_and_100_at_least() {
        let mut wanted = crate::PostgresSettings {
            state: PathBuf::new(),
            cache: PathBuf::new(),
            port: 0,
            major_version: 17,
            logins: &[],
            published_password: true,
            purpose: Purpose::Stack,
            connections: 0,
            install: crate::Install::OwnCache,
        };
        for (connections, given) in [(0, 100), (100, 100), (457, 457)] {
            wanted.connections = connections;
            let expected = format!("max_connections={given}");
            assert!(settings(&wanted).contains(&expected), "{expected}");
        }
    }

    #[test]
    fn a_pid_file_gives_process_port_and_socket() {
        let living = parse_pid_file("4711\n/d\n1700000000\n54322\n/s\n127.0.0.1\n  1  2\nready   \n")
            .expect("a whole file");
        assert_eq!((living.pid, living.port), (4711, 54322));
        assert_eq!(living.socket_dir, PathBuf::from("/s"));
    }

    #[test]
    fn a_pid_file_cut_short_is_not_believed() {
        assert!(parse_pid_file("4711\n/d\n").is_none());
        assert!(parse_pid_file("").is_none());
    }
}
