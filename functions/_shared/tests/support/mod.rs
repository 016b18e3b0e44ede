//! A model server that does what a test tells it, and a network over plain TCP.

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use banyan_functions::transport::{Chunks, Transport, TransportError};
use http::{Request, Response};
use http_body_util::{BodyExt as _, Full};
use hyper::body::{Bytes, Incoming};
use hyper_util::rt::TokioIo;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};

/// What the server does with one request.
pub(crate) enum Answer {
    /// Streams this text in small pieces, then says that it is done.
    Stream(String),
    /// The same as the arguments of a call of a tool.
    Tool(String),
    /// Streams these events as they are.
    Raw(String),
    /// Streams half of this text and breaks the connection.
    Cut(String),
    /// Sends the head and a piece, then nothing more.
    Stall(String),
    /// Accepts the request and never answers.
    Silence,
    /// A status with headers and a body.
    Status(u16, &'static [(&'static str, &'static str)], String),
}

/// What a server says of texts that it is to judge; its reply as JSON.
pub(crate) type Judgement = (&'static str, &'static str, u8);

/// Nothing to say against any text.
pub(crate) const SAFE: Judgement = ("safe", "none", 1);

/// Answers a request to judge texts.
type Judge = dyn Fn(&Value) -> Answer + Send + Sync;

/// Answers the n-th of the other requests.
type Script = dyn Fn(usize, &Value) -> Answer + Send + Sync;

/// A running model server; it ends with the test.
pub(crate) struct FakeModel {
    pub(crate) base: String,
    requests: Arc<Mutex<Vec<Value>>>,
}

impl FakeModel {
    /// Starts a server that answers the n-th request, counted from 0, with `script(n, body)`, and
    /// finds every text safe that it is to judge; those requests are not counted.
    pub(crate) async fn start(script: impl Fn(usize, &Value) -> Answer + Send + Sync + 'static) -> Self {
        Self::judging(|_| judged(SAFE), script).await
    }

    /// The same with judgements of one's own; `judge` gets what is judged, as the tool sends it.
    pub(crate) async fn judging(
        judge: impl Fn(&Value) -> Answer + Send + Sync + 'static,
        script: impl Fn(usize, &Value) -> Answer + Send + Sync + 'static,
    ) -> Self {
        Self::listen(Arc::new(judge), Arc::new(script)).await
    }

    /// Compiled once, and not once for each test's script.
    async fn listen(judge: Arc<Judge>, script: Arc<Script>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let base = format!("http://{}/v1", listener.local_addr().expect("bound"));
        let requests = Arc::new(Mutex::new(Vec::new()));
        let seen = requests.clone();
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(serve(stream, seen.clone(), judge.clone(), script.clone()));
            }
        });
        Self { base, requests }
    }

    /// The bodies of the requests so far.
    pub(crate) fn requests(&self) -> Vec<Value> {
        self.requests.lock().expect("no test panics with the lock").clone()
    }
}

async fn serve(mut stream: TcpStream, seen: Arc<Mutex<Vec<Value>>>, judge: Arc<Judge>, script: Arc<Script>) {
    let Some(body) = read_request(&mut stream).await else { return };
    let data = body["messages"][1]["content"].as_str().and_then(|text| serde_json::from_str(text).ok());
    let answer = if let Some(texts) = data.filter(|data: &Value| data["judge"].is_array()) {
        judge(&texts)
    } else {
        let mut seen = seen.lock().expect("no test panics with the lock");
        seen.push(body.clone());
        script(seen.len() - 1, &body)
    };
    // A client that gave up is part of some tests.
    let _ = write_answer(&mut stream, answer).await;
}

/// The reply of a judgement.
pub(crate) fn judged((level, category, score): Judgement) -> Answer {
    Answer::Stream(json!({ "level": level, "category": category, "score": score }).to_string())
}

async fn read_request(stream: &mut TcpStream) -> Option<Value> {
    let mut bytes = Vec::new();
    loop {
        let mut piece = [0; 4096];
        let count = stream.read(&mut piece).await.ok().filter(|count| *count > 0)?;
        bytes.extend_from_slice(&piece[..count]);
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let Some((head, _)) = text.split_once("\r\n\r\n") else { continue };
        assert!(head.starts_with("POST /v1/chat/completions "), "{head}");
        let length: usize = head.lines().find_map(|line| {
            line.to_ascii_lowercase()
                .strip_prefix("content-length:")
                .and_then(|value| value.trim().parse().ok())
        })?;
        if bytes.len() >= head.len() + 4 + length {
            return serde_json::from_slice(&bytes[head.len() + 4..]).ok();
        }
    }
}

async fn write_answer(stream: &mut TcpStream, answer: Answer) -> std::io::Result<()> {
    const HEAD: &str =
        "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n";
    match answer {
        Answer::Stream(text) => {
            stream.write_all(HEAD.as_bytes()).await?;
            write_whole(stream, &(events(&text, content) + ENDING)).await
        }
        Answer::Tool(text) => {
            stream.write_all(HEAD.as_bytes()).await?;
            write_whole(stream, &(events(&text, arguments) + ENDING)).await
        }
        Answer::Raw(wire) => {
            stream.write_all(HEAD.as_bytes()).await?;
            write_whole(stream, &wire).await
        }
        Answer::Cut(text) => {
            stream.write_all(HEAD.as_bytes()).await?;
            let wire = events(&text, content);
            chunk(stream, &wire.as_bytes()[..wire.len() / 2]).await
        }
        Answer::Stall(text) => {
            stream.write_all(HEAD.as_bytes()).await?;
            chunk(stream, events(&text, content).as_bytes()).await?;
            std::future::pending().await
        }
        Answer::Silence => std::future::pending().await,
        Answer::Status(status, headers, body) => {
            let mut head = format!("HTTP/1.1 {status} X\r\ncontent-length: {}\r\n", body.len());
            headers.iter().for_each(|(name, value)| head.push_str(&format!("{name}: {value}\r\n")));
            stream.write_all(format!("{head}\r\n{body}").as_bytes()).await
        }
    }
}

async fn chunk(stream: &mut TcpStream, bytes: &[u8]) -> std::io::Result<()> {
    stream.write_all(format!("{:x}\r\n", bytes.len()).as_bytes()).await?;
    stream.write_all(bytes).await?;
    stream.write_all(b"\r\n").await?;
    stream.flush().await
}

async fn write_whole(stream: &mut TcpStream, wire: &str) -> std::io::Result<()> {
    for piece in wire.as_bytes().chunks(700) {
        chunk(stream, piece).await?;
    }
    stream.write_all(b"0\r\n\r\n").await
}

/// How a reply ends.
const ENDING: &str = concat!(
    "data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n",
    "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":100,\"completion_tokens\":50}}\n\ndata: [DONE]\n\n"
);

fn events(text: &str, delta: fn(String) -> Value) -> String {
    let chars: Vec<char> = text.chars().collect();
    let event = |piece: &[char]| {
        let delta = json!({ "choices": [{ "delta": delta(piece.iter().collect()) }] });
        format!("data: {delta}\n\n")
    };
    chars.chunks(40).map(event).collect()
}

fn content(piece: String) -> Value {
    json!({ "content": piece })
}

fn arguments(piece: String) -> Value {
    json!({ "tool_calls": [{ "index": 0, "function": { "arguments": piece } }] })
}

/// The network over plain TCP.
pub(crate) struct Tcp {
    start: Instant,
}

impl Tcp {
    pub(crate) fn new() -> Self {
        Self { start: Instant::now() }
    }
}

pub(crate) struct TcpBody(Incoming);

impl Chunks for TcpBody {
    async fn next(&mut self) -> Option<Result<Vec<u8>, TransportError>> {
        let frame = self.0.frame().await?;
        Some(
            frame
                .map(|frame| frame.into_data().map(|data| data.to_vec()).unwrap_or_default())
                .map_err(broken),
        )
    }
}

impl Transport for Tcp {
    type Body = TcpBody;

    async fn send(&self, request: Request<Vec<u8>>) -> Result<Response<TcpBody>, TransportError> {
        let authority = request.uri().authority().expect("an absolute address").to_string();
        let stream = TcpStream::connect(&authority).await.map_err(broken)?;
        let (mut sender, connection) =
            hyper::client::conn::http1::handshake(TokioIo::new(stream)).await.map_err(broken)?;
        tokio::spawn(connection);
        let (mut head, body) = request.into_parts();
        head.headers.insert("host", authority.parse().expect("a host"));
        let path = head.uri.path_and_query().map_or("/", |path| path.as_str()).to_owned();
        head.uri = path.parse().expect("a path");
        let response = sender.send_request(Request::from_parts(head, Full::new(Bytes::from(body)))).await;
        Ok(response.map_err(broken)?.map(TcpBody))
    }

    async fn sleep(&self, duration: Duration) {
        tokio::time::sleep(duration).await;
    }

    fn now(&self) -> Duration {
        self.start.elapsed()
    }

    fn jitter(&self) -> f64 {
        0.1
    }
}

fn broken(error: impl std::fmt::Display) -> TransportError {
    TransportError::Connection(error.to_string())
}
