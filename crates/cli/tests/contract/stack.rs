//! The running binary: own data folder, ports chosen by the system, the product's migrations and functions.

use std::{
    collections::BTreeMap,
    path::PathBuf,
    process::{Child, Command, Stdio},
    sync::Mutex,
    time::{Duration, Instant},
};

/// Longest wait for the stack, fetching PostgreSQL included.
const START_TIMEOUT: Duration = Duration::from_secs(180);

pub(crate) struct Stack {
    values: BTreeMap<String, String>,
    home: PathBuf,
    child: Mutex<Child>,
}

impl Stack {
    /// Starts `banyan serve` and waits until `banyan status` answers.
    pub(crate) fn start() -> Self {
        let home = std::env::temp_dir().join(format!("banyan-contract-{}", std::process::id()));
        std::fs::create_dir_all(&home).expect("a folder for the stack");
        let mut child = banyan(&home).arg("serve").stdout(Stdio::null()).spawn().expect("banyan starts");
        let values = wait_until_ready(&home, &mut child);
        Self { values, home, child: Mutex::new(child) }
    }

    /// One value of `banyan status`, such as `API_URL`.
    pub(crate) fn value(&self, name: &str) -> &str {
        self.values.get(name).unwrap_or_else(|| panic!("banyan status does not say {name}"))
    }

    /// All values, for the environment of a client process.
    pub(crate) fn values(&self) -> &BTreeMap<String, String> {
        &self.values
    }

    /// Stops the stack in order and removes its data.
    pub(crate) fn stop(&self) {
        let stopped = banyan(&self.home).args(["stop", "--no-backup"]).stdout(Stdio::null()).status();
        assert!(stopped.is_ok_and(|status| status.success()), "banyan stop failed");
        let status = self.child.lock().expect("not poisoned").wait().expect("banyan ended");
        assert!(status.success(), "banyan serve ended with {status}");
        let _ = std::fs::remove_dir_all(&self.home);
    }
}

/// A command of the binary, on this repository's own project.
fn banyan(home: &std::path::Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_banyan"));
    command
        .args(["--workdir", concat!(env!("CARGO_MANIFEST_DIR"), "/../..")])
        .env("BANYAN_HOME", home)
        .envs(["SUPABASE_API_PORT", "SUPABASE_DB_PORT", "SUPABASE_LOCAL_SMTP_PORT", "SUPABASE_SERVER_ADMIN_PORT"].map(|n| (n, "0")));
    command
}

fn wait_until_ready(home: &std::path::Path, child: &mut Child) -> BTreeMap<String, String> {
    let started = Instant::now();
    while started.elapsed() < START_TIMEOUT {
        if let Some(status) = child.try_wait().expect("the child can be asked") {
            panic!("banyan serve ended with {status} before it was ready");
        }
        let status = banyan(home).args(["status", "-o", "json"]).output().expect("banyan status runs");
        if status.status.success() {
            return serde_json::from_slice(&status.stdout).expect("banyan status prints one flat JSON object");
        }
        std::thread::sleep(Duration::from_millis(100));
    }
    panic!("the stack was not ready within {START_TIMEOUT:?}");
}
