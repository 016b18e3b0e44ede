use std::time::Duration;

use banyan_db::Login;
use banyan_identity::Clock;
use banyan_mail::{Draft, MailQueue, Message, Shutdown, SmtpSettings};
use banyan_testkit::TestDatabase;
use sqlx::PgPool;
use time::OffsetDateTime;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use crate::fake_server::FakeServer;

/// A database of its own with the queue in it.
pub(crate) struct Stage {
    pub(crate) pool: PgPool,
    pub(crate) queue: MailQueue,
    pub(crate) clock: Clock,
    /// Dropped with the stage.
    _database: TestDatabase,
}

/// What became of a message.
#[derive(Debug)]
pub(crate) struct Fate {
    pub(crate) state: String,
    pub(crate) tries: i16,
    pub(crate) reason: Option<String>,
    pub(crate) has_content: bool,
}

impl Stage {
    pub(crate) async fn new() -> Self {
        let database = Box::pin(banyan_testkit::platform_database()).await;
        let pool = database.pool(Login::Admin).clone();
        let start = OffsetDateTime::from_unix_timestamp(1_790_000_000).unwrap();
        Self { queue: MailQueue::new(pool.clone()), pool, clock: Clock::fixed(start), _database: database }
    }

    pub(crate) async fn enqueue(&self, message: &Message) -> uuid::Uuid {
        let id = self.queue.enqueue(&self.pool, message, self.clock.now()).await.unwrap().id;
        self.queue.wake();
        id
    }

    /// Starts a drain that sends to `server`.
    pub(crate) fn drain(&self, server: &FakeServer) -> Drain {
        self.drain_by(Self::smtp(server))
    }

    /// Starts a drain that sends to `server`, and whose stop has to be quick.
    pub(crate) fn drain_in_a_hurry(&self, server: &FakeServer) -> Drain {
        self.drain_within(Duration::from_secs(1), Self::smtp(server))
    }

    fn smtp(server: &FakeServer) -> SmtpSettings {
        let local = banyan_config::LocalSmtp {
            enabled: true,
            port: 0,
            smtp_port: None,
            admin_email: "post@example.com".into(),
            sender_name: "Post".into(),
        };
        SmtpSettings::inbox(&local, server.address).unwrap()
    }

    /// Starts a drain that sends by these settings.
    pub(crate) fn drain_by(&self, smtp: SmtpSettings) -> Drain {
        self.drain_within(Duration::from_secs(15), smtp)
    }

    /// Starts a drain whose stop may take so long.
    fn drain_within(&self, grace: Duration, smtp: SmtpSettings) -> Drain {
        let shutdown = CancellationToken::new();
        let stop = Shutdown::within(grace, shutdown.clone());
        let task = tokio::spawn(banyan_mail::drain(self.queue.clone(), smtp, self.clock.clone(), stop));
        Drain { shutdown, task, grace }
    }

    pub(crate) async fn fate(&self, id: uuid::Uuid) -> Fate {
        let (state, tries, reason, has_content) = sqlx::query_as(
            "select state, tries, reason, subject is not null or text_body is not null or html_body is not null
                or headers <> '[]' or exists (select from mail.attachments where message_id = id)
            from mail.messages where id = $1",
        )
        .bind(id)
        .fetch_one(&self.pool)
        .await
        .unwrap();
        Fate { state, tries, reason, has_content }
    }

    /// Moves the clock and wakes the drains, as their timer would a moment later.
    pub(crate) fn advance(&self, seconds: u64) {
        self.clock.advance(Duration::from_secs(seconds));
        self.queue.wake();
    }

    /// Waits until the message waits for its next try after `tries`.
    pub(crate) async fn waits_after(&self, id: uuid::Uuid, tries: i16) {
        for _ in 0..1000 {
            let fate = self.fate(id).await;
            if fate.state == "queued" && fate.tries == tries {
                return;
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        panic!("not waiting: {:?}", self.fate(id).await);
    }

    /// Waits until who sends the message is heard of, by the clock of now.
    pub(crate) async fn is_renewed(&self, id: uuid::Uuid) {
        let renewed = "select claimed_at = $2 from mail.messages where id = $1";
        for _ in 0..1000 {
            let renewed = sqlx::query_scalar(renewed).bind(id).bind(self.clock.now());
            if renewed.fetch_one(&self.pool).await.unwrap() {
                return;
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        panic!("{id} is not renewed");
    }

    /// Waits until the message is in `state`.
    pub(crate) async fn reaches(&self, id: uuid::Uuid, state: &str) -> Fate {
        for _ in 0..1000 {
            let fate = self.fate(id).await;
            if fate.state == state {
                return fate;
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        panic!("not {state}: {:?}", self.fate(id).await);
    }

    /// Waits until nothing is left of the message.
    pub(crate) async fn is_forgotten(&self, id: uuid::Uuid) {
        for _ in 0..1000 {
            let kept = sqlx::query("select from mail.messages where id = $1").bind(id);
            if kept.fetch_optional(&self.pool).await.unwrap().is_none() {
                return;
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        panic!("{id} is still there");
    }
}

pub(crate) struct Drain {
    shutdown: CancellationToken,
    task: JoinHandle<()>,
    grace: Duration,
}

impl Drain {
    /// Stops it in order: what it has not done within its grace is left undone, as the server
    /// leaves it.
    pub(crate) async fn stop(self) {
        self.shutdown.cancel();
        if let Ok(done) = tokio::time::timeout(self.grace, self.task).await {
            done.unwrap();
        }
    }

    pub(crate) fn ask_to_stop(&self) {
        self.shutdown.cancel();
    }

    /// Ends it as a power cut would.
    pub(crate) fn kill(self) {
        self.task.abort();
    }
}

pub(crate) fn draft() -> Draft {
    Draft {
        to: vec!["asha@example.com".into()],
        subject: "123456 is your code".into(),
        text: Some("Your code is 123456".into()),
        html: Some("<p>Your code is <b>123456</b></p>".into()),
        ..Draft::default()
    }
}

pub(crate) fn message(change: impl FnOnce(&mut Draft)) -> Message {
    let mut draft = draft();
    change(&mut draft);
    Message::check(draft).unwrap()
}
