//! A service of S3 for tests: versitygw, a program in Go that shares no code with ours.

use std::{
    net::{SocketAddr, TcpListener, TcpStream},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    time::Duration,
};

use banyan_config::StorageS3;
use tempfile::TempDir;

/// The module that holds the program, with its version.
const MODULE: &str = "github.com/versity/versitygw/cmd/versitygw@v1.8.0";
const ACCESS_KEY: &str = "access";
const SECRET_KEY: &str = "a secret of a test";
const BUCKET: &str = "blobs";

/// A running service with one bucket. It ends with this.
pub(super) struct Versitygw {
    process: Child,
    address: SocketAddr,
    _folder: TempDir,
}

impl Versitygw {
    /// Starts the service, and installs it before where it is missing.
    ///
    /// # Errors
    /// Why it cannot be had here.
    pub(super) fn start() -> Result<Self, String> {
        let program = program()?;
        let folder = TempDir::new().unwrap();
        let [buckets, sidecar] = ["buckets", "sidecar"].map(|name| folder.path().join(name));
        std::fs::create_dir_all(buckets.join(BUCKET)).unwrap();
        std::fs::create_dir(&sidecar).unwrap();
        let address = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
        let process = Command::new(program)
            .args(["--quiet", "--access", ACCESS_KEY, "--secret", SECRET_KEY])
            .args(["--port", &address.to_string(), "posix", "--sidecar"])
            .args([sidecar, buckets])
            .stdout(Stdio::null())
            .spawn()
            .map_err(|error| format!("it does not start: {error}"))?;
        let started = Self { process, address, _folder: folder };
        started.wait_until_it_listens()?;
        Ok(started)
    }

    fn wait_until_it_listens(&self) -> Result<(), String> {
        for _ in 0..200 {
            if TcpStream::connect(self.address).is_ok() {
                return Ok(());
            }
            std::thread::sleep(Duration::from_millis(50));
        }
        Err("it does not listen".to_owned())
    }

    /// Settings of its bucket, below a prefix.
    pub(super) fn settings(&self, prefix: &str) -> StorageS3 {
        StorageS3 {
            endpoint: Some(format!("http://{}/", self.address).parse().unwrap()),
            region: "us-east-1".to_owned(),
            bucket: BUCKET.to_owned(),
            prefix: prefix.to_owned(),
            access_key_id: ACCESS_KEY.to_owned(),
            secret_access_key: SECRET_KEY.into(),
            path_style: true,
            upload_memory: 16 * 1024 * 1024,
        }
    }
}

impl Drop for Versitygw {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// The program in the cache of the user, built there by Go the first time.
fn program() -> Result<PathBuf, String> {
    let version = MODULE.rsplit_once('@').unwrap().1;
    let folder = cache().ok_or("there is no folder for caches")?.join(format!("banyan/versitygw-{version}"));
    let program = folder.join("versitygw");
    if !program.exists() {
        install(&folder)?;
    }
    Ok(program)
}

fn install(folder: &Path) -> Result<(), String> {
    std::fs::create_dir_all(folder).map_err(|error| error.to_string())?;
    let built = Command::new("go").args(["install", MODULE]).env("GOBIN", folder).output();
    let built = built.map_err(|error| format!("Go cannot be run: {error}"))?;
    if built.status.success() { Ok(()) } else { Err(String::from_utf8_lossy(&built.stderr).into_owned()) }
}

#[expect(clippy::disallowed_methods, reason = "a cache of tests lies outside of the tree")]
fn cache() -> Option<PathBuf> {
    let chosen = std::env::var_os("XDG_CACHE_HOME").map(PathBuf::from);
    chosen.or_else(|| Some(PathBuf::from(std::env::var_os("HOME")?).join(".cache")))
}
