use std::{
    net::SocketAddr,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Instant,
};

use futures_util::{SinkExt, StreamExt, TryStreamExt, stream};
use tokio::net::{TcpSocket, TcpStream};
use tokio_websockets::{ClientBuilder, Message, WebSocketStream};

use crate::{Failure, histogram::Histogram};

/// Sockets that are opened at a time.
const AT_A_TIME: usize = 32;
/// Addresses of this machine that sockets come from.
const ADDRESSES: usize = 8;

pub(crate) type Socket = WebSocketStream<TcpStream>;

/// What sockets are opened to.
#[derive(Debug, Clone)]
pub(crate) struct Target {
    pub(crate) address: SocketAddr,
    /// Path and query without the version.
    pub(crate) path: String,
}

impl Target {
    /// The service of a stack.
    pub(crate) fn of_stack(url: &str, key: &str) -> Result<Self, Failure> {
        let address = url.trim_start_matches("http://").trim_end_matches('/').parse()?;
        Ok(Self { address, path: format!("/realtime/v1/websocket?apikey={key}") })
    }

    /// Opens a socket. Every second one speaks the older version.
    pub(crate) async fn open(&self, number: usize) -> Result<Socket, Failure> {
        let from = SocketAddr::from(([127, 0, 0, 1 + (number % ADDRESSES) as u8], 0));
        let socket = TcpSocket::new_v4()?;
        socket.bind(from)?;
        socket.set_nodelay(true)?;
        let stream = socket.connect(self.address).await?;
        let version = if is_old(number) { 1 } else { 2 };
        let uri = format!("ws://{}{}&vsn={version}.0.0", self.address, self.path);
        Ok(ClientBuilder::new().uri(&uri)?.connect_on(stream).await?.0)
    }

    /// Opens so many sockets that have joined a topic.
    pub(crate) async fn members(&self, count: usize, topic: &str) -> Result<Vec<Socket>, Failure> {
        let member = |number| async move {
            let mut socket = self.open(number).await?;
            join(&mut socket, number, topic, "{}").await?;
            Ok::<_, Failure>(socket)
        };
        stream::iter(0..count).map(member).buffered(AT_A_TIME).try_collect().await
    }
}

/// Whether a socket speaks version 1.
pub(crate) fn is_old(number: usize) -> bool {
    number % 2 == 1
}

/// A message of a client.
pub(crate) fn message(number: usize, topic: &str, event: &str, payload: &str) -> Message {
    Message::text(if is_old(number) {
        format!(
            r#"{{"topic":"realtime:{topic}","event":"{event}","payload":{payload},"ref":"1","join_ref":"1"}}"#
        )
    } else {
        format!(r#"["1","1","realtime:{topic}","{event}",{payload}]"#)
    })
}

/// Joins a topic, and waits for the answer.
pub(crate) async fn join(
    socket: &mut Socket,
    number: usize,
    topic: &str,
    payload: &str,
) -> Result<(), Failure> {
    socket.send(message(number, topic, "phx_join", payload)).await?;
    let answer = socket.next().await.ok_or("the socket is closed")??;
    let answer = answer.as_text().unwrap_or_default();
    if answer.contains(r#""status":"ok""#) { Ok(()) } else { Err(answer.to_owned().into()) }
}

/// What sockets have received together.
#[derive(Debug)]
pub(crate) struct Received {
    pub(crate) count: AtomicU64,
    pub(crate) took: Histogram,
    /// Messages tell their time as microseconds since then.
    pub(crate) since: Instant,
}

impl Received {
    pub(crate) fn new() -> Arc<Self> {
        Arc::new(Self { count: AtomicU64::new(0), took: Histogram::default(), since: Instant::now() })
    }

    /// Reads a socket to its end.
    pub(crate) async fn read(self: Arc<Self>, mut socket: Socket) {
        while let Some(Ok(message)) = socket.next().await {
            if let Some(at) = sent_at(message.as_payload()) {
                let now = self.since.elapsed();
                self.took.add(now.saturating_sub(std::time::Duration::from_micros(at)));
                self.count.fetch_add(1, Ordering::Relaxed);
            }
        }
    }

    /// The time as messages tell it.
    pub(crate) fn now(&self) -> u128 {
        self.since.elapsed().as_micros()
    }
}

/// The time that a message tells, as `"at":<microseconds>`.
fn sent_at(payload: &[u8]) -> Option<u64> {
    let key = b"\"at\":";
    let place = payload.windows(key.len()).position(|window| window == key)? + key.len();
    let digits = payload[place..].iter().take_while(|byte| byte.is_ascii_digit());
    Some(digits.fold(0, |number, digit| number * 10 + u64::from(digit - b'0')))
}
