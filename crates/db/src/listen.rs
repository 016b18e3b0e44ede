//! Notifications, with re-connection.

use std::time::Duration;

use sqlx::{
    Executor as _, PgPool,
    postgres::{PgConnectOptions, PgListener, PgPoolOptions},
};
use tokio::time::timeout;

/// First pause before another try to connect; it doubles up to [`LONGEST_PAUSE`].
const FIRST_PAUSE: Duration = Duration::from_millis(100);
/// rest/CONTRACT.md L12
const LONGEST_PAUSE: Duration = Duration::from_secs(32);
/// One server is tried for so long before the next one is.
const LONGEST_TRY: Duration = Duration::from_secs(3);
/// After so long without a notice the server is asked whether it is still there.
const LONGEST_SILENCE: Duration = Duration::from_secs(30);
/// It has this long to answer.
const LONGEST_ANSWER: Duration = Duration::from_secs(10);

/// Notifications of one channel. It holds a connection of its own; dropping it closes that.
#[derive(Debug)]
pub struct Notifications {
    channel: String,
    /// One for each server.
    pools: Vec<PgPool>,
    listener: Option<PgListener>,
}

/// What a listener learns.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Notice {
    /// Somebody notified the channel, with this payload.
    Payload(String),
    /// The connection was made, or made anew: notifications before it may have been missed, so look
    /// for yourself.
    Connected,
    /// The connection broke; [`Notice::Connected`] follows once there is one again.
    Lost,
}

/// A machine that fell silent tells nobody; one that is there answers.
async fn is_alive(listener: &mut PgListener) -> bool {
    matches!(timeout(LONGEST_ANSWER, listener.execute("select")).await, Ok(Ok(_)))
}

impl Notifications {
    pub(crate) fn new(servers: impl Iterator<Item = PgConnectOptions>, channel: &str) -> Self {
        let pool = |options| {
            PgPoolOptions::new()
                .max_connections(1)
                .max_lifetime(None)
                .acquire_timeout(LONGEST_TRY)
                .connect_lazy_with(options)
        };
        Self { channel: channel.to_owned(), pools: servers.map(pool).collect(), listener: None }
    }

    /// Waits for the next notice, re-connecting for as long as it takes. Dropping the future loses
    /// no payload.
    pub async fn next(&mut self) -> Notice {
        let Some(listener) = &mut self.listener else {
            self.listener = Some(self.connect().await);
            return Notice::Connected;
        };
        loop {
            match timeout(LONGEST_SILENCE, listener.try_recv()).await {
                Ok(Ok(Some(notification))) => return Notice::Payload(notification.payload().to_owned()),
                Ok(Ok(None) | Err(_)) => break,
                Err(_) if is_alive(listener).await => {}
                Err(_) => break,
            }
        }
        self.listener = None;
        Notice::Lost
    }

    async fn connect(&self) -> PgListener {
        let mut pause = FIRST_PAUSE;
        loop {
            match self.try_connect().await {
                Ok(listener) => return listener,
                Err(error) => {
                    tracing::warn!(
                        db.channel = self.channel,
                        error.message = %error,
                        "cannot listen for notifications, trying again"
                    );
                    tokio::time::sleep(pause).await;
                    pause = (pause * 2).min(LONGEST_PAUSE);
                }
            }
        }
    }

    /// The first server that takes a listener.
    async fn try_connect(&self) -> sqlx::Result<PgListener> {
        let mut outcome = Err(sqlx::Error::PoolClosed);
        for pool in &self.pools {
            outcome = self.listen_on(pool).await;
            if outcome.is_ok() {
                break;
            }
        }
        outcome
    }

    async fn listen_on(&self, pool: &PgPool) -> sqlx::Result<PgListener> {
        let mut listener = PgListener::connect_with(pool).await?;
        listener.ignore_pool_close_event(true);
        // A loss is told before anything is awaited, so that who stops waiting in between learns of
        // it all the same.
        listener.eager_reconnect(false);
        listener.listen(&self.channel).await?;
        Ok(listener)
    }
}
