//! Changes, told to a webhook.

use std::{
    collections::VecDeque,
    sync::{Arc, Mutex},
};

use banyan_db::Leases;
use banyan_storage::tell_webhook;
use http::Method;
use serde_json::{Value, json};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
    sync::mpsc,
    task::JoinHandle,
};
use tokio_util::sync::CancellationToken;

use crate::support::{Done, Stage, Who};

/// What the webhook was sent.
struct Message {
    head: String,
    body: Value,
}

impl Message {
    fn kind(&self) -> &str {
        self.body["event"]["type"].as_str().expect("a type")
    }

    fn payload(&self) -> &Value {
        &self.body["event"]["payload"]
    }

    fn header(&self, name: &str) -> Option<&str> {
        let line = self.head.lines().find(|line| line.to_ascii_lowercase().starts_with(name))?;
        line.split_once(": ").map(|(_, value)| value)
    }
}

/// A webhook that answers with these statuses, then with 200.
struct Receiver {
    url: url::Url,
    messages: mpsc::UnboundedReceiver<Message>,
}

impl Receiver {
    async fn start(statuses: &[u16]) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/hook", listener.local_addr().unwrap()).parse().unwrap();
        let (sender, messages) = mpsc::unbounded_channel();
        let statuses = Arc::new(Mutex::new(statuses.iter().copied().collect::<VecDeque<u16>>()));
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(answer(stream, Arc::clone(&statuses), sender.clone()));
            }
        });
        Self { url, messages }
    }

    async fn next(&mut self) -> Message {
        self.messages.recv().await.expect("a message")
    }
}

async fn answer(
    mut stream: TcpStream,
    statuses: Arc<Mutex<VecDeque<u16>>>,
    sender: mpsc::UnboundedSender<Message>,
) {
    let mut received = Vec::new();
    loop {
        let mut piece = [0; 4096];
        let Ok(length @ 1..) = stream.read(&mut piece).await else { return };
        received.extend_from_slice(&piece[..length]);
        let text = String::from_utf8_lossy(&received).into_owned();
        let Some((head, body)) = text.split_once("\r\n\r\n") else { continue };
        let Ok(body) = serde_json::from_str(body) else { continue };
        let status = statuses.lock().unwrap().pop_front().unwrap_or(200);
        let _ = sender.send(Message { head: head.to_owned(), body });
        let answer = format!("HTTP/1.1 {status} Hm\r\ncontent-length: 0\r\n\r\n");
        if stream.write_all(answer.as_bytes()).await.is_err() {
            return;
        }
        received.clear();
    }
}

/// A service whose task tells the webhook, until it is stopped.
struct Telling {
    stage: Stage,
    stop: CancellationToken,
    task: JoinHandle<()>,
}

impl Telling {
    async fn start(url: &url::Url) -> Self {
        let stage = Stage::changed(|storage| {
            storage.webhook_url = Some(url.clone());
            storage.webhook_secret = Some("whsec_c2VjcmV0".to_owned().into());
        })
        .await;
        let telling = Self::over(stage);
        // The first change waits until changes are queued.
        while telling.stage.number(QUEUED_TRIGGERS).await == 0 {
            tokio::task::yield_now().await;
        }
        telling
    }

    fn over(stage: Stage) -> Self {
        let stop = CancellationToken::new();
        let leases = Leases::new(stage.database().database().clone());
        let task = tokio::spawn(tell_webhook(stage.state.clone(), leases, stage.clock.clone(), stop.clone()));
        Self { stage, stop, task }
    }

    async fn stop(self) -> Stage {
        self.stop.cancel();
        self.task.await.expect("an orderly end");
        self.stage
    }
}

const QUEUED_TRIGGERS: &str =
    "select count(*) from pg_trigger where tgname like 'banyan_events_%' and tgenabled = 'A'";

const QUEUED_EVENTS: &str = "select count(*) from _banyan.storage_events";

// rows: M05
#[tokio::test]
async fn the_webhook_hears_of_every_change_in_order() {
    let mut receiver = Receiver::start(&[]).await;
    let telling = Telling::start(&receiver.url).await;
    let stage = &telling.stage;
    stage.bucket("b", false).await;
    stage.upload(Who::Service, "b/a.txt", "one").await.done();
    stage.by(Who::Service, Method::PUT, "/object/b/a.txt").body("text/plain", "two").await.done();
    let copy = json!({"bucketId": "b", "sourceKey": "a.txt", "destinationKey": "c.txt"});
    stage.post_by(Who::Service, "/object/copy", copy).await.done();
    let moved = json!({"bucketId": "b", "sourceKey": "c.txt", "destinationKey": "d.txt"});
    stage.post_by(Who::Service, "/object/move", moved).await.done();
    stage.delete_by(Who::Service, "/object/b", json!({"prefixes": ["a.txt"]})).await.done();
    for (kind, name) in [
        ("Bucket:Created", None),
        ("ObjectCreated:Post", Some("a.txt")),
        ("ObjectCreated:Put", Some("a.txt")),
        ("ObjectCreated:Copy", Some("c.txt")),
        ("ObjectRemoved:Move", Some("c.txt")),
        ("ObjectCreated:Move", Some("d.txt")),
        ("ObjectRemoved:Delete", Some("a.txt")),
    ] {
        let message = receiver.next().await;
        assert_eq!((message.kind(), message.payload()["name"].as_str()), (kind, name));
        assert_eq!(message.payload()["bucketId"], "b");
        assert_eq!(message.body["type"], "Webhook");
        assert_eq!(message.body["event"]["$version"], "v1");
        assert_eq!(message.body["tenant"]["ref"], "stub");
        assert!(message.header("webhook-signature").is_some_and(|value| value.starts_with("v1,")));
        if kind == "ObjectCreated:Move" {
            assert_eq!(message.payload()["oldObject"]["name"], "c.txt");
        }
    }
    telling.stop().await;
}

// rows: M05
#[tokio::test]
async fn an_event_that_fails_is_told_again_before_those_behind_it() {
    let mut receiver = Receiver::start(&[500, 302]).await;
    let telling = Telling::start(&receiver.url).await;
    telling.stage.bucket("a", false).await;
    telling.stage.bucket("b", false).await;
    let mut ids = Vec::new();
    for expected in ["a", "a", "a", "b"] {
        let message = receiver.next().await;
        assert_eq!(message.payload()["bucketId"], expected);
        ids.push(message.header("webhook-id").expect("an id").to_owned());
        telling.stage.wait(600);
    }
    assert!(ids[0] == ids[1] && ids[1] == ids[2] && ids[2] != ids[3], "{ids:?}");
    telling.stop().await;
}

// rows: M05
#[tokio::test]
async fn a_change_that_is_rolled_back_is_not_told_and_a_stop_loses_none() {
    let mut receiver = Receiver::start(&[]).await;
    let stage = Telling::start(&receiver.url).await.stop().await;
    stage.sql("begin; insert into storage.buckets (id, name) values ('x', 'x'); rollback").await;
    stage.bucket("kept", false).await;
    assert_eq!(stage.number(QUEUED_EVENTS).await, 1);
    let telling = Telling::over(stage);
    assert_eq!(receiver.next().await.payload()["bucketId"], "kept");
    telling.stop().await;
}

// rows: M05
#[tokio::test]
async fn without_a_webhook_nothing_is_queued_and_nothing_waits() {
    let stage = Stage::new().await;
    stage.sql("insert into _banyan.storage_events (type, payload) values ('Bucket:Created', '{}')").await;
    let telling = Telling::over(stage);
    let stage = {
        telling.task.await.expect("it ends by itself");
        telling.stage
    };
    stage.bucket("b", false).await;
    assert_eq!(stage.number(QUEUED_EVENTS).await, 0);
}

// rows: M05
#[tokio::test]
async fn an_event_that_is_always_refused_is_dropped_after_ten_tries() {
    let mut receiver = Receiver::start(&[400]).await;
    let telling = Telling::start(&receiver.url).await;
    let queue = "insert into _banyan.storage_events (type, payload, attempts, next_at) values
                 ('Bucket:Created', jsonb_build_object('bucketId', 'refused'), 9, '2000-01-01'),
                 ('Bucket:Created', jsonb_build_object('bucketId', 'next'), 0, now())";
    telling.stage.sql(queue).await;
    for expected in ["refused", "next"] {
        assert_eq!(receiver.next().await.payload()["bucketId"], expected);
    }
    telling.stop().await;
}

// rows: M05
#[tokio::test]
async fn an_event_waits_for_a_webhook_whose_settings_are_wrong() {
    let mut receiver = Receiver::start(&[401, 403, 404, 405]).await;
    let telling = Telling::start(&receiver.url).await;
    let queue = "insert into _banyan.storage_events (type, payload, attempts, next_at) values
                 ('Bucket:Created', jsonb_build_object('bucketId', 'waits'), 9, '2000-01-01'),
                 ('Bucket:Created', jsonb_build_object('bucketId', 'next'), 0, now())";
    telling.stage.sql(queue).await;
    for expected in ["waits", "waits", "waits", "waits", "waits", "next"] {
        assert_eq!(receiver.next().await.payload()["bucketId"], expected);
        telling.stage.wait(600);
    }
    telling.stop().await;
}

// rows: M05
#[tokio::test]
async fn the_oldest_events_go_where_too_many_wait() {
    let mut receiver = Receiver::start(&[500]).await;
    let telling = Telling::start(&receiver.url).await;
    let many = "insert into _banyan.storage_events (type, payload)
                select 'Bucket:Created', jsonb_build_object('bucketId', n::text)
                from generate_series(1, 100003) as n";
    telling.stage.sql(many).await;
    for expected in ["1", "4"] {
        assert_eq!(receiver.next().await.payload()["bucketId"], expected);
        telling.stage.wait(600);
    }
    telling.stop().await;
}

// rows: M05
#[tokio::test]
async fn the_oldest_events_go_though_the_webhook_takes_them_slowly() {
    let mut receiver = Receiver::start(&[]).await;
    let telling = Telling::start(&receiver.url).await;
    let many = "insert into _banyan.storage_events (type, payload)
                select 'Bucket:Created', jsonb_build_object('bucketId', n::text)
                from generate_series(1, 100200) as n";
    telling.stage.sql(many).await;
    let mut told = Vec::new();
    while told.len() < 101 {
        told.push(receiver.next().await.payload()["bucketId"].as_str().expect("a name").to_owned());
    }
    assert_eq!((told[0].as_str(), told[99].as_str(), told[100].as_str()), ("1", "100", "201"));
    telling.stop().await;
}

// rows: M05
#[tokio::test]
async fn an_event_that_is_refused_holds_up_no_other() {
    let mut receiver = Receiver::start(&[400]).await;
    let telling = Telling::start(&receiver.url).await;
    telling.stage.bucket("refused", false).await;
    telling.stage.bucket("next", false).await;
    for expected in ["refused", "next"] {
        assert_eq!(receiver.next().await.payload()["bucketId"], expected);
    }
    telling.stage.wait(600);
    assert_eq!(receiver.next().await.payload()["bucketId"], "refused");
    telling.stop().await;
}
