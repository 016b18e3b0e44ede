use std::{
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
    process::{Command, Output},
};

use serde_json::Value;
use tempfile::TempDir;

/// A project whose stack is stopped and forgotten at the end of its test.
pub(crate) struct Project {
    folder: TempDir,
}

/// What a command said.
pub(crate) struct Said {
    pub(crate) code: i32,
    pub(crate) out: String,
    pub(crate) notes: String,
}

impl Project {
    /// A fresh `banyan init` without seeds.
    pub(crate) fn new() -> Self {
        let folder = tempfile::Builder::new().prefix("cli").tempdir().expect("a folder");
        // Under root PostgreSQL runs as another user, who must be able to enter.
        std::fs::set_permissions(folder.path(), std::fs::Permissions::from_mode(0o755)).expect("opened");
        let project = Self { folder };
        project.succeed(&["init"]);
        project
    }

    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }

    /// A command in this project.
    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_banyan"));
        command.args(arguments).current_dir(self.path()).stdin(std::process::Stdio::null());
        command.env("BANYAN_HOME", self.path().join("state")).env("BANYAN_CACHE", cache());
        for port in ["API_PORT", "DB_PORT", "LOCAL_SMTP_PORT", "SERVER_ADMIN_PORT"] {
            command.env(format!("SUPABASE_{port}"), "0");
        }
        command
    }

    pub(crate) fn run(&self, arguments: &[&str]) -> Said {
        said(&self.command(arguments).output().expect("the binary runs"))
    }

    pub(crate) fn succeed(&self, arguments: &[&str]) -> Said {
        let said = self.run(arguments);
        assert_eq!(said.code, 0, "{arguments:?}: {}{}", said.out, said.notes);
        said
    }

    /// `status -o json`.
    pub(crate) fn status(&self) -> Value {
        serde_json::from_str(&self.succeed(&["status", "-o", "json"]).out).expect("JSON")
    }

    /// Rows of a statement, by `db query`.
    pub(crate) fn query(&self, sql: &str) -> Value {
        serde_json::from_str(&self.succeed(&["db", "query", "-o", "json", sql]).out).expect("JSON")
    }

    /// The password of one of the stack's logins.
    pub(crate) fn password(&self, role: &str) -> String {
        let list = std::fs::read_to_string(self.path().join("state/postgres.passwords")).expect("a list");
        let line = list.lines().find_map(|line| line.strip_prefix(&format!("{role}=")));
        line.expect("a line").to_owned()
    }

    /// Folder of PostgreSQL's socket, and the number in its name.
    pub(crate) fn socket(&self) -> (PathBuf, u16) {
        let record = std::fs::read(self.path().join("state/running.json")).expect("it runs");
        let record: Value = serde_json::from_slice(&record).expect("JSON");
        let port = record["db_port"].as_u64().and_then(|port| u16::try_from(port).ok()).expect("a port");
        (record["db_socket"].as_str().expect("a folder").into(), port)
    }

    /// How the superuser comes in: by the socket alone.
    pub(crate) fn superuser_url(&self) -> String {
        let (folder, port) = self.socket();
        let password = self.password("supabase_admin");
        format!("postgresql://supabase_admin:{password}@localhost:{port}/postgres?host={}", folder.display())
    }

    /// Id of the process that runs the stack.
    pub(crate) fn pid(&self) -> i32 {
        let text = std::fs::read_to_string(self.path().join("state/banyan.lock")).expect("a lock");
        text.trim().parse().expect("a process id")
    }

    pub(crate) fn migration(&self, version: &str, sql: &str) {
        let folder = self.path().join("supabase/migrations");
        std::fs::create_dir_all(&folder).expect("made");
        std::fs::write(folder.join(format!("{version}_test.sql")), sql).expect("written");
    }
}

impl Drop for Project {
    fn drop(&mut self) {
        let _ = self.command(&["stop", "--no-backup"]).output();
    }
}

fn said(output: &Output) -> Said {
    Said {
        code: output.status.code().unwrap_or(-1),
        out: String::from_utf8_lossy(&output.stdout).into_owned(),
        notes: String::from_utf8_lossy(&output.stderr).into_owned(),
    }
}

/// PostgreSQL's programs, fetched once for all tests of the workspace.
fn cache() -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("cache");
    let closed = folder
        .ancestors()
        .filter_map(|above| std::fs::metadata(above).ok())
        .any(|above| above.permissions().mode() & 0o001 == 0);
    if closed && rustix::process::geteuid().is_root() { "/var/tmp/banyan-test-cache".into() } else { folder }
}

/// Sends a signal to a process of ours.
pub(crate) fn signal(pid: i32, signal: rustix::process::Signal) {
    let pid = rustix::process::Pid::from_raw(pid).expect("a process id");
    rustix::process::kill_process(pid, signal).expect("sent");
}
