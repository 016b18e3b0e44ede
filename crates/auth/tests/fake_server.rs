//! A service on this machine that answers as a test says and remembers what it was asked.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex},
    time::Duration,
};

use serde_json::Value;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
    sync::watch,
    time::timeout,
};

/// Longest wait for something that must come.
const LONGEST: Duration = Duration::from_secs(30);

/// One request.
#[derive(Debug, Clone)]
pub(crate) struct Asked {
    pub(crate) path: String,
    pub(crate) headers: BTreeMap<String, String>,
    pub(crate) body: String,
}

impl Asked {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap()
    }
}

/// What is answered.
#[derive(Debug, Clone)]
pub(crate) struct Said {
    status: u16,
    headers: Vec<(&'static str, &'static str)>,
    body: String,
    after: Duration,
    held: bool,
}

impl Said {
    pub(crate) fn json(status: u16, body: &Value) -> Self {
        Self::text(status, "application/json", &body.to_string())
    }

    pub(crate) fn text(status: u16, kind: &'static str, body: &str) -> Self {
        let (headers, body) = (vec![("content-type", kind)], body.to_owned());
        Self { status, headers, body, after: Duration::ZERO, held: false }
    }

    pub(crate) fn with(mut self, name: &'static str, value: &'static str) -> Self {
        self.headers.push((name, value));
        self
    }

    /// Not at once.
    pub(crate) fn after(mut self, pause: Duration) -> Self {
        self.after = pause;
        self
    }

    /// Not before [`Fake::open`].
    pub(crate) fn held(mut self) -> Self {
        self.held = true;
        self
    }
}

type Answers = dyn Fn(&Asked, usize) -> Said + Send + Sync;

/// A running service. It ends with the test's runtime.
pub(crate) struct Fake {
    pub(crate) url: String,
    asked: Arc<Mutex<Vec<Asked>>>,
    gate: watch::Sender<bool>,
}

impl Fake {
    /// Answers each request by `answers`, which is told how many came before.
    pub(crate) async fn start(answers: impl Fn(&Asked, usize) -> Said + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let asked: Arc<Mutex<Vec<Asked>>> = Arc::default();
        let (answers, remembered): (Arc<Answers>, _) = (Arc::new(answers), Arc::clone(&asked));
        let (gate, opened) = watch::channel(false);
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(serve(stream, Arc::clone(&answers), Arc::clone(&remembered), opened.clone()));
            }
        });
        Self { url, asked, gate }
    }

    pub(crate) fn asked(&self) -> Vec<Asked> {
        self.asked.lock().unwrap().clone()
    }

    /// Waits until as many requests like this came; whether they were answered does not matter.
    pub(crate) async fn was_asked(&self, times: usize, like: impl Fn(&Asked) -> bool) {
        let count = || self.asked().iter().filter(|asked| like(asked)).count();
        let all = async {
            while count() < times {
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
        };
        assert!(timeout(LONGEST, all).await.is_ok(), "asked {} times and not {times}", count());
    }

    /// Lets go of all answers that are held, and of later ones at once.
    pub(crate) fn open(&self) {
        self.gate.send_replace(true);
    }
}

async fn serve(
    mut stream: TcpStream,
    answers: Arc<Answers>,
    remembered: Arc<Mutex<Vec<Asked>>>,
    mut opened: watch::Receiver<bool>,
) {
    let Some(asked) = read(&mut stream).await else { return };
    let said = {
        let mut remembered = remembered.lock().unwrap();
        let said = answers(&asked, remembered.len());
        remembered.push(asked);
        said
    };
    tokio::time::sleep(said.after).await;
    if said.held && opened.wait_for(|open| *open).await.is_err() {
        return;
    }
    let mut answer = format!("HTTP/1.1 {} Said\r\nconnection: close\r\n", said.status);
    for (name, value) in &said.headers {
        answer.push_str(&format!("{name}: {value}\r\n"));
    }
    if said.status != 204 {
        answer.push_str(&format!("content-length: {}\r\n", said.body.len()));
    }
    answer.push_str("\r\n");
    if said.status != 204 {
        answer.push_str(&said.body);
    }
    let _ = stream.write_all(answer.as_bytes()).await;
}

async fn read(stream: &mut TcpStream) -> Option<Asked> {
    let mut bytes = Vec::new();
    let end = loop {
        if let Some(end) = bytes.windows(4).position(|window| window == b"\r\n\r\n") {
            break end;
        }
        if stream.read_buf(&mut bytes).await.ok()? == 0 {
            return None;
        }
    };
    let head = String::from_utf8(bytes[..end].to_vec()).ok()?;
    let mut lines = head.lines();
    let path = lines.next()?.split(' ').nth(1)?.to_owned();
    let headers: BTreeMap<String, String> = lines
        .filter_map(|line| line.split_once(": "))
        .map(|(name, value)| (name.to_ascii_lowercase(), value.to_owned()))
        .collect();
    let length = headers.get("content-length").and_then(|length| length.parse().ok()).unwrap_or(0);
    while bytes.len() < end + 4 + length {
        if stream.read_buf(&mut bytes).await.ok()? == 0 {
            return None;
        }
    }
    let body = String::from_utf8(bytes[end + 4..].to_vec()).ok()?;
    Some(Asked { path, headers, body })
}
