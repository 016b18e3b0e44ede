use std::{net::SocketAddr, time::Duration};

use bytes::{Bytes, BytesMut};
use futures_util::{SinkExt as _, StreamExt as _};
use http::{HeaderName, HeaderValue};
use serde_json::{Value, json};
use tokio::net::TcpStream;
use tokio_websockets::{ClientBuilder, Message, WebSocketStream};

/// Longest time that a test waits for what must come.
const PATIENCE: Duration = Duration::from_secs(20);

/// A client with one socket. It counts its refs up, as realtime-js does.
pub(crate) struct Client {
    socket: WebSocketStream<TcpStream>,
    is_old: bool,
    refs: u64,
}

/// What the server sent.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Sent {
    /// `[join_ref, ref, topic, event, payload]`; of version 1 with `join_ref` null.
    Text([Value; 5]),
    Binary(Bytes),
}

/// How the server closed the socket.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Closed(pub(crate) Option<u16>);

impl Client {
    /// Opens a socket, or says with which status that is refused.
    pub(crate) async fn open(address: SocketAddr, query: &str) -> Result<Self, u16> {
        Self::open_with(address, &format!("/websocket?{query}"), &[]).await
    }

    /// The same at another path, with headers.
    pub(crate) async fn open_with(
        address: SocketAddr,
        path: &str,
        headers: &[(&'static str, &str)],
    ) -> Result<Self, u16> {
        let stream = TcpStream::connect(address).await.expect("a connection");
        let mut builder = ClientBuilder::new().uri(&format!("ws://{address}{path}")).expect("an address");
        for (name, value) in headers {
            let value = HeaderValue::from_str(value).expect("a value");
            builder = builder.add_header(HeaderName::from_static(name), value).expect("a free name");
        }
        match builder.connect_on(stream).await {
            Ok((socket, _)) => Ok(Self { socket, is_old: !path.contains("vsn=2"), refs: 0 }),
            Err(tokio_websockets::Error::Upgrade(
                tokio_websockets::upgrade::Error::DidNotSwitchProtocols(status),
            )) => Err(status),
            Err(other) => panic!("no answer of HTTP: {other}"),
        }
    }

    /// Sends a message, and returns its ref.
    pub(crate) async fn send(&mut self, topic: &str, event: &str, payload: Value) -> String {
        self.refs += 1;
        let reference = self.refs.to_string();
        let join_ref = if event == "phx_join" { json!(reference) } else { Value::Null };
        let message = if self.is_old {
            json!({"topic": topic, "event": event, "payload": payload, "ref": reference, "join_ref": join_ref})
        } else {
            json!([join_ref, reference, topic, event, payload])
        };
        self.send_text(message.to_string()).await;
        reference
    }

    /// Sends a frame of text.
    pub(crate) async fn send_text(&mut self, text: String) {
        self.socket.send(Message::text(text)).await.expect("an open socket");
    }

    /// Sends a binary frame.
    pub(crate) async fn send_binary(&mut self, bytes: impl Into<BytesMut>) {
        self.try_send_binary(bytes).await.expect("an open socket");
    }

    /// Sends a binary frame on a socket that may be closed.
    pub(crate) async fn try_send_binary(
        &mut self,
        bytes: impl Into<BytesMut>,
    ) -> Result<(), tokio_websockets::Error> {
        self.socket.send(Message::binary(bytes.into())).await
    }

    /// Sends any message.
    pub(crate) async fn send_raw(&mut self, message: Message) {
        self.socket.send(message).await.expect("an open socket");
    }

    /// What comes next, or how the socket is closed.
    pub(crate) async fn next(&mut self) -> Result<Sent, Closed> {
        loop {
            let next = tokio::time::timeout(PATIENCE, self.socket.next()).await.expect("a message in time");
            let Some(Ok(message)) = next else { return Err(Closed(None)) };
            if let Some((code, _)) = message.as_close() {
                return Err(Closed(Some(code.into())));
            }
            if message.is_pong() {
                continue;
            }
            return Ok(match message.as_text() {
                Some(text) => Sent::Text(parts(text)),
                None => Sent::Binary(message.into_payload().into()),
            });
        }
    }

    /// The next message, which is text: its event and payload.
    #[track_caller]
    pub(crate) fn event(&mut self) -> impl Future<Output = (String, Value)> {
        let caller = std::panic::Location::caller();
        async move {
            match self.next().await {
                Ok(Sent::Text([_, _, _, Value::String(event), payload])) => (event, payload),
                other => panic!("no text at {caller}: {other:?}"),
            }
        }
    }

    /// How the socket is closed, whatever comes before.
    pub(crate) async fn closed(&mut self) -> Closed {
        loop {
            if let Err(closed) = self.next().await {
                return closed;
            }
        }
    }

    /// Sends a message and returns the payload of its reply, which is the next message.
    pub(crate) async fn ask(&mut self, topic: &str, event: &str, payload: Value) -> Value {
        let reference = self.send(topic, event, payload).await;
        match self.next().await {
            Ok(Sent::Text([_, answered, _, event, payload])) => {
                assert_eq!((answered, event), (json!(reference), json!("phx_reply")), "{payload}");
                payload
            }
            other => panic!("no reply: {other:?}"),
        }
    }

    /// Joins a topic with a config, and returns the reply.
    pub(crate) async fn join(&mut self, topic: &str, config: Value) -> Value {
        self.ask(&format!("realtime:{topic}"), "phx_join", json!({ "config": config })).await
    }

    /// Joins a topic, as one may.
    pub(crate) async fn joined(&mut self, topic: &str, config: Value) {
        let reply = self.join(topic, config).await;
        assert_eq!(reply["status"], "ok", "{reply}");
    }

    /// Broadcasts an event as text.
    pub(crate) async fn broadcast(&mut self, topic: &str, event: &str, payload: Value) -> String {
        let message = json!({"type": "broadcast", "event": event, "payload": payload});
        self.send(&format!("realtime:{topic}"), "broadcast", message).await
    }

    /// All that came before the answer to a heartbeat that is sent now.
    pub(crate) async fn so_far(&mut self) -> Vec<Sent> {
        let reference = self.send("phoenix", "heartbeat", json!({})).await;
        let mut all = Vec::new();
        loop {
            match self.next().await {
                Ok(Sent::Text([_, answered, topic, ..])) if topic == "phoenix" && answered == *reference => {
                    return all;
                }
                Ok(sent) => all.push(sent),
                Err(closed) => panic!("{closed:?} after {all:?}"),
            }
        }
    }
}

fn parts(text: &str) -> [Value; 5] {
    match serde_json::from_str(text).expect("JSON") {
        Value::Array(parts) => parts.try_into().expect("five elements"),
        Value::Object(mut parts) => {
            assert_eq!(parts.len(), 4, "{text}");
            let mut part = |name: &str| parts.remove(name).unwrap_or_else(|| panic!("no {name}: {text}"));
            [Value::Null, part("ref"), part("topic"), part("event"), part("payload")]
        }
        other => panic!("no message: {other}"),
    }
}
