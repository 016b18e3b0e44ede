//! A project whose functions are those of `crates/edge/tests/guests`.

use std::{
    io::{Read, Write},
    net::TcpStream,
    path::{Path, PathBuf},
    process::Command,
    sync::OnceLock,
    time::{Duration, Instant},
};

use serde_json::Value;

use crate::project::Project;

/// A started stack.
pub(crate) struct Stage {
    pub(crate) project: Project,
    status: Value,
}

/// An answer read to its end.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    head: String,
    pub(crate) body: String,
}

impl Answer {
    /// Every value of a header.
    pub(crate) fn all(&self, name: &str) -> Vec<&str> {
        let pairs = self.head.lines().filter_map(|line| line.split_once(':'));
        pairs.filter(|(found, _)| found.eq_ignore_ascii_case(name)).map(|(_, value)| value.trim()).collect()
    }

    /// The one value of a header.
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let all = self.all(name);
        assert!(all.len() < 2, "{name} appears twice: {self:?}");
        all.first().copied()
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|_| panic!("no JSON: {self:?}"))
    }
}

impl Stage {
    /// Starts a stack with these functions (name and guest) and lines of configuration.
    pub(crate) fn start(functions: &[(&str, &str)], config: &str, banyan: &str) -> Self {
        let project = Project::new();
        append(&project, "config.toml", config);
        append(&project, "banyan.toml", banyan);
        Self::of(project, functions)
    }

    /// Starts the stack of a project with these functions.
    pub(crate) fn of(project: Project, functions: &[(&str, &str)]) -> Self {
        let components = project.path().join("state/components");
        std::fs::create_dir_all(&components).expect("made");
        for (name, guest) in functions {
            std::fs::copy(component(guest), components.join(format!("{name}.wasm"))).expect("copied");
        }
        project.succeed(&["start"]);
        let status = project.status();
        Self { project, status }
    }

    /// A value of `banyan status`.
    pub(crate) fn value(&self, name: &str) -> &str {
        self.status[name].as_str().unwrap_or_else(|| panic!("{name} is no part of {}", self.status))
    }

    /// Sends a request to the API: method, path, header lines, body.
    pub(crate) fn send(&self, method: &str, path: &str, headers: &[&str], body: &str) -> Answer {
        send(self.value("API_URL"), method, path, headers, body)
    }

    pub(crate) fn get(&self, path: &str) -> Answer {
        self.send("GET", path, &[], "")
    }
}

/// Adds lines to a file of `supabase/`.
pub(crate) fn append(project: &Project, file: &str, text: &str) {
    let path = project.path().join("supabase").join(file);
    let before = std::fs::read_to_string(&path).unwrap_or_default();
    std::fs::write(path, before + text).expect("written");
}

/// One request on a connection of its own.
pub(crate) fn send(origin: &str, method: &str, path: &str, headers: &[&str], body: &str) -> Answer {
    let address = origin.strip_prefix("http://").expect("an address without TLS");
    let mut stream = TcpStream::connect(address).expect("connected");
    stream.set_read_timeout(Some(Duration::from_secs(30))).expect("set");
    let mut head = format!("{method} {path} HTTP/1.1\r\nhost: {address}\r\nconnection: close\r\n");
    for line in headers {
        head += &format!("{line}\r\n");
    }
    if !body.is_empty() {
        head += &format!("content-length: {}\r\n", body.len());
    }
    stream.write_all(format!("{head}\r\n{body}").as_bytes()).expect("sent");
    let mut bytes = Vec::new();
    stream.read_to_end(&mut bytes).expect("answered");
    let text = String::from_utf8_lossy(&bytes).into_owned();
    let (head, body) = text.split_once("\r\n\r\n").unwrap_or_else(|| panic!("no answer: {text}"));
    let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).expect("a status");
    let chunked = head.to_ascii_lowercase().contains("transfer-encoding: chunked");
    let body = if chunked { unchunk(body) } else { body.to_owned() };
    Answer { status, head: head.to_owned(), body }
}

/// Waits until something is so, for two minutes at most.
pub(crate) fn eventually(name: &str, mut what: impl FnMut() -> bool) {
    let end = Instant::now() + Duration::from_secs(120);
    while !what() {
        assert!(Instant::now() < end, "{name} did not come");
        std::thread::sleep(Duration::from_millis(100));
    }
}

fn unchunk(mut body: &str) -> String {
    let mut whole = String::new();
    while let Some((length, rest)) = body.split_once("\r\n") {
        let length = usize::from_str_radix(length, 16).expect("a chunk's length");
        if length == 0 {
            break;
        }
        whole += &rest[..length];
        body = rest[length..].trim_start_matches("\r\n");
    }
    whole
}

/// The component of a guest; all are built once for a run, where the tests of `edge` have theirs.
pub(crate) fn component(guest: &str) -> PathBuf {
    static BUILT: OnceLock<PathBuf> = OnceLock::new();
    let built = BUILT.get_or_init(|| {
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../edge/tests/guests");
        let mut cargo = Command::new(env!("CARGO"));
        cargo.current_dir(&source).args(["build", "--quiet", "--locked", "--profile", "guest"]);
        cargo.args(["--target", "wasm32-wasip2", "--target-dir"]).arg(target());
        assert!(cargo.status().expect("cargo runs").success(), "the guests do not build");
        target().join("wasm32-wasip2/guest")
    });
    built.join(format!("{guest}.wasm"))
}

/// Where functions are built by tests, so that what they depend on is compiled once.
pub(crate) fn target() -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join("guests")
}
