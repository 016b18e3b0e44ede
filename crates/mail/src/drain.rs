//! The task that empties the queue.
//!
//! # Never twice, and what that costs
//!
//! A message is claimed by one row update (`for update skip locked`) that counts the try before it is made, so no two
//! drains, on one node or several, hold the same message. Sender and recipients are announced first; then
//! `handed_over_at` is committed; only then does the content leave. So after a crash, a cut line or a lost answer:
//!
//! - before `handed_over_at`: nothing left; the message goes back into the queue when its lease ends.
//! - after it: the server may or may not have taken the message, and SMTP has no way to ask. This is the one window
//!   that remains, from the last byte of the content to the commit of `sent`. It is closed in favour of never twice:
//!   the message becomes `failed` with a reason that says so, and is not sent again by itself. Its author may queue a
//!   new one; a server that keeps Message-IDs would recognise ours, which is made of the queue's id.

use std::time::Duration;

use banyan_identity::Clock;
use lettre::transport::smtp::client::AsyncSmtpConnection;
use tokio_util::sync::CancellationToken;

use crate::{
    MailQueue, SmtpSettings,
    smtp::{self, Failure},
    store::{self, Claimed},
};

/// Tries before a message fails for good; with [`pause`] they span about five hours.
const MAX_TRIES: i16 = 10;
/// Time after which a claim counts as abandoned: well above the longest try, also when clocks differ.
const LEASE: time::Duration = time::Duration::minutes(5);
/// Longest try from claim to hand-over; the content then has [`TRANSMISSION`].
const ANNOUNCEMENT: Duration = Duration::from_secs(60);
const TRANSMISSION: Duration = Duration::from_secs(120);
/// What an announcement still gets of a stop: a server that says nothing must not hold it up.
const LAST_CHANCE: Duration = Duration::from_secs(2);
/// What a server gets to answer the end of a conversation.
const GOODBYE: Duration = Duration::from_secs(2);
/// The queue is looked at this often even when nobody rings.
const ROUND: Duration = Duration::from_secs(5);
/// Settled messages, and their idempotency keys, are remembered this long.
const MEMORY: time::Duration = time::Duration::days(7);
const UNCONFIRMED: &str =
    "the sender stopped while the content was on its way: it may have arrived, so it is not sent again";

/// Empties the queue until `shutdown`, woken by who queues a message in this process and by a timer. Returns after the messages in hand
/// are settled; dropping the future instead leaves them to the end of their lease.
///
/// Failures of the database or the mail server are logged and tried again; none ends the task.
pub async fn drain(queue: MailQueue, smtp: SmtpSettings, clock: Clock, shutdown: CancellationToken) {
    let drain = Drain { queue, smtp, clock, shutdown };
    // Two workers, so that one slow server answer does not hold up a sign-in code.
    tokio::join!(drain.keep_house(), drain.work(), drain.work());
}

struct Drain {
    queue: MailQueue,
    smtp: SmtpSettings,
    clock: Clock,
    shutdown: CancellationToken,
}

impl Drain {
    /// Frees abandoned claims, forgets old records, and rings so that due retries are seen.
    async fn keep_house(&self) {
        while !self.shutdown.is_cancelled() {
            if let Err(error) = self.clean().await {
                tracing::warn!(error = %error, "the mail queue cannot be reached");
            }
            self.queue.ring();
            self.rest(ROUND).await;
        }
    }

    async fn clean(&self) -> Result<(), sqlx::Error> {
        let now = self.clock.now();
        let freed = store::end_leases(self.queue.pool(), LEASE, UNCONFIRMED, now).await?;
        if freed > 0 {
            tracing::warn!(messages = freed, "mails claimed by a stopped sender were freed");
        }
        store::forget(self.queue.pool(), now - MEMORY).await
    }

    async fn work(&self) {
        while !self.shutdown.is_cancelled() {
            tokio::select! {
                () = self.shutdown.cancelled() => return,
                () = self.queue.bell().notified() => {}
            }
            if let Err(error) = self.send_what_is_due().await {
                tracing::warn!(error = %error, "the mail queue failed");
            }
        }
    }

    async fn send_what_is_due(&self) -> Result<(), sqlx::Error> {
        let mut connection = None;
        while !self.shutdown.is_cancelled() {
            let Some(claimed) = store::claim(self.queue.pool(), self.clock.now()).await? else { break };
            self.queue.ring();
            self.try_once(&mut connection, claimed).await?;
        }
        if let Some(mut connection) = connection {
            // The messages are settled; a server that does not say goodbye changes nothing.
            let _ = tokio::time::timeout(GOODBYE, connection.quit()).await;
        }
        Ok(())
    }

    async fn try_once(
        &self,
        connection: &mut Option<AsyncSmtpConnection>,
        mut claimed: Claimed,
    ) -> Result<(), sqlx::Error> {
        let outcome = if claimed.expires_at.is_some_and(|end| end <= self.clock.now()) {
            Err(Failure::Refused("it expired before it could be sent".into()))
        } else {
            self.send(connection, &mut claimed).await?
        };
        let broken = if outcome.is_err() { connection.take() } else { None };
        let settled = self.settle(&claimed, outcome).await;
        if let Some(mut broken) = broken {
            // Dropped with a word or without one: a server that has fallen silent must not keep this worker.
            let _ = tokio::time::timeout(GOODBYE, broken.abort()).await;
        }
        settled
    }

    async fn send(
        &self,
        connection: &mut Option<AsyncSmtpConnection>,
        claimed: &mut Claimed,
    ) -> Result<Result<(), Failure>, sqlx::Error> {
        let files = store::attachments(self.queue.pool(), claimed.id).await?;
        let message = match self.smtp.compose(claimed, files) {
            Ok(message) => message,
            Err(failure) => return Ok(Err(failure)),
        };
        let announced = tokio::time::timeout(ANNOUNCEMENT, async {
            let connection = match connection {
                Some(open) => open,
                None => connection.insert(self.smtp.connect().await?),
            };
            smtp::announce(connection, &message).await
        });
        let announced = tokio::select! {
            announced = announced => announced,
            () = self.last_chance() => {
                return Ok(Err(Failure::Later("the server had not answered when the stack stopped".into())));
            }
        };
        match announced {
            Ok(Ok(())) => {}
            Ok(Err(failure)) => return Ok(Err(failure)),
            Err(_) => return Ok(Err(Failure::Later("the server did not answer in time".into()))),
        }
        let Some(connection) = connection else { unreachable!("announced over an open connection") };
        if !store::hand_over(self.queue.pool(), claimed, self.clock.now()).await? {
            return Ok(Err(Failure::Later("the claim was lost".into())));
        }
        let sent = tokio::time::timeout(TRANSMISSION, smtp::transmit(connection, &message)).await;
        Ok(sent.unwrap_or_else(|_| Err(Failure::Unconfirmed(UNCONFIRMED.into()))))
    }

    async fn settle(&self, claimed: &Claimed, outcome: Result<(), Failure>) -> Result<(), sqlx::Error> {
        let (pool, now) = (self.queue.pool(), self.clock.now());
        let (id, tries, server) = (claimed.id, claimed.tries, self.smtp.server_name());
        match outcome {
            Ok(()) => {
                tracing::info!(mail.id = %id, tries, "mail sent");
                store::settle(pool, claimed, None, now).await
            }
            Err(Failure::Later(reason)) if tries < MAX_TRIES || self.shutdown.is_cancelled() => {
                let due_at = now + pause(claimed);
                tracing::warn!(mail.id = %id, tries, due_at = %due_at, server, reason = reason.logged, "mail is tried again later");
                store::put_back(pool, claimed, &reason.told, due_at).await
            }
            Err(Failure::Later(reason) | Failure::Refused(reason) | Failure::Unconfirmed(reason)) => {
                tracing::error!(mail.id = %id, tries, server, reason = reason.logged, "mail failed for good");
                store::settle(pool, claimed, Some(&reason.told), now).await
            }
        }
    }

    /// Ends when a stop has waited long enough.
    async fn last_chance(&self) {
        self.shutdown.cancelled().await;
        tokio::time::sleep(LAST_CHANCE).await;
    }

    async fn rest(&self, time: Duration) {
        tokio::select! {
            () = self.shutdown.cancelled() => {}
            () = tokio::time::sleep(time) => {}
        }
    }
}

/// Wait before the next try: 5 s doubled each time up to an hour, spread by up to a quarter either way. The spread is
/// taken from the message's random id, so that mails that failed together do not come back together.
fn pause(claimed: &Claimed) -> time::Duration {
    let doubled = 5_000_i64 << claimed.tries.clamp(1, 12).saturating_sub(1);
    let base = doubled.min(3_600_000);
    let dice = i64::from(claimed.id.as_bytes()[usize::from(claimed.tries.unsigned_abs() % 6)]);
    time::Duration::milliseconds(base - base / 4 + base / 2 * dice / 255)
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    fn claimed(id: Uuid, tries: i16) -> Claimed {
        Claimed {
            id,
            recipients: vec![],
            subject: None,
            text_body: None,
            html_body: None,
            headers: serde_json::json!([]),
            tries,
            created_at: time::OffsetDateTime::UNIX_EPOCH,
            expires_at: None,
        }
    }

    #[test]
    fn the_pause_doubles_up_to_an_hour_and_is_spread() {
        let of = |id: u128, tries| pause(&claimed(Uuid::from_u128(id), tries)).whole_milliseconds();
        assert_eq!(of(0, 1), 3_750);
        assert_eq!(of(u128::MAX, 1), 6_250);
        assert_eq!(of(0, 2), 7_500);
        assert_eq!(of(u128::MAX, 40), 4_500_000);
        assert_ne!(of(0x01_02_03 << 104, 1), of(0x01_77_03 << 104, 1));
    }
}
