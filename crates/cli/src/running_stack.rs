//! The state of a running stack for other commands: a lock that says that it runs, and a record of
//! its addresses.
//!
//! The lock is the system's, so it is gone with the process however that ends; the record is
//! believed only under it.

use std::{
    fs::{File, OpenOptions},
    io::{Read, Write},
    os::unix::fs::OpenOptionsExt,
    path::{Path, PathBuf},
    time::Duration,
};

use anyhow::{Context, bail};
use banyan_web::tls_client;
use bytes::Bytes;
use http::StatusCode;
use http_body_util::{BodyExt, Empty};
use rustix::fs::{FlockOperation, flock};
use serde::{Deserialize, Serialize};
use tokio::time::{Instant, sleep, timeout};

/// How long a lock is waited for: a process that was killed holds it until the system has taken it
/// apart.
const GOING: Duration = Duration::from_secs(1);
/// How long a stack that holds its lock may take to say that it is alive.
const SILENT: Duration = Duration::from_secs(10);
/// Longest text of a stop request, in bytes: it is logged as it is.
const LONGEST_REQUEST: u64 = 200;
/// Pause before looking again.
const PAUSE: Duration = Duration::from_millis(10);

/// Addresses of a running stack.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Record {
    /// Id of its process.
    pub(crate) pid: u32,
    /// Origin of the API.
    pub(crate) api_url: String,
    /// Origin of the admin listener.
    pub(crate) admin_url: String,
    /// Origin of the mail inbox, when it runs.
    pub(crate) mail_url: Option<String>,
    /// TCP port of the embedded PostgreSQL; none for an external one.
    pub(crate) db_port: Option<u16>,
    /// Folder of its Unix socket.
    pub(crate) db_socket: Option<PathBuf>,
}

/// The lock of the process that runs the stack.
#[derive(Debug)]
pub(crate) struct Lock {
    record: PathBuf,
    _file: File,
}

impl Lock {
    /// Takes the lock of the project's state folder, or fails when a stack runs or starts there.
    pub(crate) async fn take(state: &Path) -> anyhow::Result<Self> {
        std::fs::create_dir_all(state).with_context(|| format!("cannot make {}", state.display()))?;
        let mut file = open_lock(state)?;
        let end = Instant::now() + GOING;
        while flock(&file, FlockOperation::NonBlockingLockExclusive).is_err() {
            if Instant::now() >= end {
                let holder = holder(state).unwrap_or_default();
                bail!("another banyan runs this project already (process {holder}); `banyan stop` ends it");
            }
            sleep(PAUSE).await;
        }
        let record = record_path(state);
        // These files were left by a process that was killed, or that was asked to stop too late.
        let _ = std::fs::remove_file(&record);
        let _ = take_request(state);
        file.set_len(0)?;
        write!(file, "{}", std::process::id())?;
        Ok(Self { record, _file: file })
    }

    /// Publishes the record: from now on the stack counts as running.
    pub(crate) fn publish(&self, record: &Record) -> anyhow::Result<()> {
        let new = self.record.with_extension("new");
        let mut file = OpenOptions::new().create(true).truncate(true).write(true).mode(0o600).open(&new)?;
        file.write_all(&serde_json::to_vec_pretty(record)?)?;
        std::fs::rename(&new, &self.record)?;
        Ok(())
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        // The lock itself says that nothing runs; a record left behind would mislead nobody.
        let _ = std::fs::remove_file(&self.record);
    }
}

/// The running stack of the project; none when nothing runs or it is not ready yet.
pub(crate) fn running(state: &Path) -> Option<Record> {
    holder(state)?;
    let text = std::fs::read(record_path(state)).ok()?;
    serde_json::from_slice(&text).ok()
}

/// The running stack that answers; none once nothing holds the lock. A stack that was killed a
/// moment ago is waited for: it still holds its lock, and the system even takes connections for it.
pub(crate) async fn alive(state: &Path) -> anyhow::Result<Option<Record>> {
    let end = Instant::now() + SILENT;
    while let Some(record) = running(state) {
        if answers(&record.admin_url).await {
            return Ok(Some(record));
        }
        if Instant::now() >= end {
            bail!("process {} runs this project and does not answer at {}", record.pid, record.admin_url);
        }
        sleep(PAUSE).await;
    }
    Ok(None)
}

/// Returns whether the admin listener answers.
async fn answers(admin_url: &str) -> bool {
    let answer = timeout(GOING, get(admin_url, "/live")).await;
    matches!(answer, Ok(Ok((StatusCode::OK, _))))
}

/// The functions of a running stack, as it reports them.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Functions {
    /// How many of those that it found at its start are still to be compiled.
    pub(crate) to_compile: u64,
    /// Names of functions that cannot be loaded.
    pub(crate) broken: Vec<String>,
}

/// Asks a running stack for its functions; an error where it does not say.
pub(crate) async fn functions(record: &Record) -> anyhow::Result<Functions> {
    Ok(functions_of(&ready(record).await?))
}

/// Loads of the schema in a running stack's data API.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
pub(crate) struct SchemaLoads {
    /// The load that began last.
    pub(crate) begun: u64,
    /// The one that serves.
    pub(crate) serving: u64,
}

/// Asks a running stack for the loads of its schema; an error where it does not say.
pub(crate) async fn schema_loads(record: &Record) -> anyhow::Result<SchemaLoads> {
    Ok(serde_json::from_value(ready(record).await?["schema"].take())?)
}

async fn ready(record: &Record) -> anyhow::Result<serde_json::Value> {
    let (_, body) = timeout(SILENT, get(&record.admin_url, "/ready")).await??;
    serde_json::from_slice(&body).context("the answer of the stack cannot be read")
}

fn functions_of(ready: &serde_json::Value) -> Functions {
    // A start does not wait for functions that are added later.
    let is_waited_for = ready["parts"]["functions"] == false;
    let to_compile = ready["functions_to_compile"].as_u64().filter(|_| is_waited_for).unwrap_or_default();
    let broken = ready["functions_broken"].as_array().into_iter().flatten();
    Functions { to_compile, broken: broken.filter_map(|name| name.as_str().map(str::to_owned)).collect() }
}

/// Sends GET to the admin listener and reads the whole answer.
async fn get(admin_url: &str, path: &str) -> anyhow::Result<(StatusCode, Bytes)> {
    let client = tls_client::pool().build_http::<Empty<Bytes>>();
    let response = client.get(format!("{admin_url}{path}").parse()?).await?;
    let status = response.status();
    Ok((status, response.into_body().collect().await?.to_bytes()))
}

/// The running stack, or the words of the supabase CLI that there is none.
pub(crate) fn require(state: &Path) -> anyhow::Result<Record> {
    running(state).with_context(|| {
        format!("banyan start is not running with data in {}. `banyan start` starts it.", state.display())
    })
}

/// Id of the process that holds the lock, ready or not.
pub(crate) fn holder(state: &Path) -> Option<u32> {
    let path = lock_path(state);
    let file = File::open(&path).ok()?;
    if flock(&file, FlockOperation::NonBlockingLockShared).is_ok() {
        return None;
    }
    std::fs::read_to_string(&path).ok()?.trim().parse().ok()
}

/// Leaves a note for the running stack: who sends the signal that stops it.
pub(crate) fn ask_to_stop(state: &Path) {
    let _ = take_request(state);
    let new = OpenOptions::new().create_new(true).write(true).mode(0o600).open(request_path(state));
    // It stops without that as well.
    let _ = new.and_then(|mut file| write!(file, "banyan stop (process {})", std::process::id()));
}

/// Reads and removes the note of who asked the stack to stop. It holds for one stop.
pub(crate) fn take_request(state: &Path) -> Option<String> {
    let path = request_path(state);
    let mut by = String::new();
    let read = File::open(&path).and_then(|file| file.take(LONGEST_REQUEST).read_to_string(&mut by));
    let _ = std::fs::remove_file(&path);
    read.is_ok().then_some(by)
}

fn request_path(state: &Path) -> PathBuf {
    state.join("stop-request")
}

fn open_lock(state: &Path) -> anyhow::Result<File> {
    let path = lock_path(state);
    OpenOptions::new()
        .create(true)
        .truncate(false)
        .write(true)
        .mode(0o600)
        .open(&path)
        .with_context(|| format!("cannot open {}", path.display()))
}

fn lock_path(state: &Path) -> PathBuf {
    state.join("banyan.lock")
}

fn record_path(state: &Path) -> PathBuf {
    state.join("running.json")
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    fn record() -> Record {
        Record {
            pid: 1,
            api_url: "http://127.0.0.1:1".to_owned(),
            admin_url: "http://127.0.0.1:2".to_owned(),
            mail_url: None,
            db_port: Some(3),
            db_socket: None,
        }
    }

    #[tokio::test]
    async fn a_stack_counts_as_running_from_its_record_to_the_end_of_its_lock() {
        let state = tempfile::tempdir().expect("a folder");
        assert_eq!(running(state.path()), None);
        let lock = Lock::take(state.path()).await.expect("the lock");
        assert_eq!((holder(state.path()), running(state.path())), (Some(std::process::id()), None));
        lock.publish(&record()).expect("published");
        assert_eq!(running(state.path()), Some(record()));
        assert!(Lock::take(state.path()).await.is_err());
        drop(lock);
        assert_eq!((holder(state.path()), running(state.path())), (None, None));
    }

    #[tokio::test]
    async fn a_killed_stack_that_still_holds_its_lock_is_waited_for() {
        let state = tempfile::tempdir().expect("a folder");
        let deaf = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
        let admin_url = format!("http://{}", deaf.local_addr().expect("an address"));
        let going = async |lock: Lock| {
            sleep(Duration::from_millis(100)).await;
            drop(lock);
        };
        let lock = Lock::take(state.path()).await.expect("the lock");
        lock.publish(&Record { admin_url, ..record() }).expect("published");
        let (found, ()) = tokio::join!(alive(state.path()), going(lock));
        assert_eq!(found.expect("no error"), None);
        let lock = Lock::take(state.path()).await.expect("the lock");
        let (taken, ()) = tokio::join!(Lock::take(state.path()), going(lock));
        assert!(taken.is_ok());
    }

    // rows: edge/FUNCTION_NOT_READY
    #[test]
    fn a_start_waits_for_what_it_found_and_for_nothing_later() {
        let said = |text: &str| functions_of(&serde_json::from_str(text).expect("JSON"));
        let functions = |to_compile| Functions { to_compile, broken: Vec::new() };
        let at_start = r#"{"parts":{"functions":false},"functions_to_compile":2,"functions_broken":[]}"#;
        assert_eq!(said(at_start), functions(2));
        let later = r#"{"parts":{"functions":true},"functions_to_compile":2,"functions_broken":["x"]}"#;
        assert_eq!(said(later), Functions { broken: vec!["x".to_owned()], ..functions(0) });
        assert_eq!(said(r#"{"parts":{}}"#), functions(0), "functions are switched off");
    }

    // rows: edge/FUNCTION_NOT_READY
    #[tokio::test]
    async fn a_stack_that_does_not_answer_says_nothing_of_its_functions() {
        let gone =
            std::net::TcpListener::bind("127.0.0.1:0").expect("a port").local_addr().expect("an address");
        let record = Record { admin_url: format!("http://{gone}"), ..record() };
        assert!(functions(&record).await.is_err());
    }

    #[test]
    fn who_asks_for_a_stop_is_told_once_by_a_file_of_the_owner_alone() {
        let state = tempfile::tempdir().expect("a folder");
        let elsewhere = state.path().join("elsewhere");
        std::fs::write(&elsewhere, "kept").expect("written");
        std::os::unix::fs::symlink(&elsewhere, request_path(state.path())).expect("linked");
        ask_to_stop(state.path());
        assert_eq!(std::fs::read_to_string(&elsewhere).expect("read"), "kept", "a link leads nowhere");
        let mode = std::fs::metadata(request_path(state.path())).expect("there").permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
        assert!(take_request(state.path()).expect("asked").starts_with("banyan stop (process "));
        assert_eq!(take_request(state.path()), None);
        std::fs::write(request_path(state.path()), "x".repeat(1000)).expect("written");
        assert_eq!(take_request(state.path()).expect("asked").len(), 200);
    }

    #[test]
    fn a_record_left_behind_is_not_believed() {
        let state = tempfile::tempdir().expect("a folder");
        std::fs::write(record_path(state.path()), serde_json::to_vec(&record()).expect("JSON"))
            .expect("written");
        assert_eq!(running(state.path()), None);
        assert!(require(state.path()).expect_err("none").to_string().contains("is not running"));
    }
}
