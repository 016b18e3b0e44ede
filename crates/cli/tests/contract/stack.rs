//! The running binary: own data folder, ports chosen by the system, the product's migrations and
//! functions.

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

/// Who writes the documents.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Generator<'a> {
    /// The built-in generator.
    BuiltIn,
    /// A language model at this address.
    Model(&'a str),
}

impl Stack {
    /// Builds the functions, starts `banyan serve` and waits until `banyan status` answers.
    pub(crate) fn start(name: &str, generator: Generator<'_>) -> Self {
        let home = std::env::temp_dir().join(format!("banyan-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&home).expect("a folder for the stack");
        let built = banyan(&home).args(["functions", "build"]).output().expect("banyan functions build runs");
        assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
        let model = match generator {
            Generator::BuiltIn => "",
            Generator::Model(address) => address,
        };
        let log = std::fs::File::create(home.join("serve.log")).expect("a log file");
        let mut serve = banyan(&home);
        serve.arg("serve").env("LLM_BASE_URL", model).env("LLM_FALLBACK_BASE_URL", "");
        // A call that gets nowhere ends while the tests look on.
        serve.env("LLM_TIMEOUT_MS", "8000");
        // What each instance took is told at this level only.
        serve.env("RUST_LOG", "info,banyan_edge=debug");
        let mut child = serve.stdout(Stdio::null()).stderr(log).spawn().expect("banyan starts");
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

    /// Where its components lie.
    pub(crate) fn components(&self) -> PathBuf {
        self.home.join("components")
    }

    /// The most memory that an instance of a function has had so far, in bytes, as the log tells
    /// it.
    pub(crate) fn largest_memory(&self, function: &str) -> Option<u64> {
        let log = std::fs::read_to_string(self.home.join("serve.log")).expect("the stack's log");
        let lines = log.lines().filter_map(|line| serde_json::from_str::<serde_json::Value>(line).ok());
        lines
            .filter(|line| line["function"] == function)
            .filter_map(|line| line["memory_used"].as_u64())
            .max()
    }

    /// A command of the binary that speaks to this stack.
    pub(crate) fn command(&self) -> Command {
        banyan(&self.home)
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
    command.args(["--workdir", concat!(env!("CARGO_MANIFEST_DIR"), "/../..")]).env("BANYAN_HOME", home).envs(
        ["SUPABASE_API_PORT", "SUPABASE_DB_PORT", "SUPABASE_LOCAL_SMTP_PORT", "SUPABASE_SERVER_ADMIN_PORT"]
            .map(|n| (n, "0")),
    );
    // All teachers of the tests sign in from one address.
    for limit in ["SIGN_IN_SIGN_UPS", "TOKEN_VERIFICATIONS"] {
        command.env(format!("SUPABASE_AUTH_RATE_LIMIT_{limit}"), "1000");
    }
    // The product renders no images.
    command.env("SUPABASE_STORAGE_IMAGE_TRANSFORMATION_ENABLED", "true");
    // The product takes no passwords; the published crates are tried with them all the same.
    command.env("SUPABASE_AUTH_EMAIL_ENABLE_PASSWORD", "true");
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
            // Waits for the functions, which are compiled once the stack answers.
            let started = banyan(home).arg("start").output().expect("banyan start runs");
            assert!(started.status.success(), "{}", String::from_utf8_lossy(&started.stderr));
            return serde_json::from_slice(&status.stdout)
                .expect("banyan status prints one flat JSON object");
        }
        std::thread::sleep(Duration::from_millis(100));
    }
    panic!("the stack was not ready within {START_TIMEOUT:?}");
}
