//! The task that empties the queue.
//!
//! # Once, and after a crash at least once
//!
//! A message is claimed by one row update (`for update skip locked`), which also counts the try. So
//! no two drains, on one node or several, hold the same message. First sender and recipients are
//! announced; then `handed_over_at` is committed; only then the content is sent. The outcome is
//! written until the database accepts it. If the server gave no clear answer to the content, the
//! message fails and is not sent again.
//!
//! A holder renews its claim all the time. A claim that nobody renews belongs to a drain that is
//! gone ([`crate::abandoned_claims`]), and its message goes back into the queue. The server may
//! have received the content of such a message, and SMTP has no way to ask. So the message is sent
//! again under the same Message-ID, which comes from the queue's id, so that servers and readers
//! can recognise the second copy.
//!
//! An orderly stop is no crash: a content that the server has not answered by then fails as it
//! would later, and that is noted before the stop is over.
//!
//! So a message is sent twice only after a crash, or after a failure that looks like one: a process
//! that stood still for longer than a lease, a process that alone lost the database while others
//! continued, or one that had lost it for all of its shutdown.

use std::{convert::Infallible, time::Duration};

use banyan_identity::Clock;
use lettre::transport::smtp::client::AsyncSmtpConnection;
use time::OffsetDateTime;

use crate::{
    MailQueue, Shutdown, SmtpSettings,
    abandoned_claims::Watch,
    smtp::{self, Failure},
    store::{self, Claim, Claimed},
};

/// Tries before a message fails for good; with [`pause`] they span about five hours.
const MAX_TRIES: i16 = 10;
/// Time between two renewals of a claim, which is to fit into a lease many times.
const RENEWAL: Duration = Duration::from_secs(2);
/// Longest wait for the note that the content is about to be sent. It is well below a lease, which
/// runs on during the wait.
const HAND_OVER: Duration = Duration::from_secs(10);
/// Longest try from claim to hand-over; the content then has [`TRANSMISSION`].
const ANNOUNCEMENT: Duration = Duration::from_secs(60);
const TRANSMISSION: Duration = Duration::from_secs(120);
/// Longest wait of an announcement during a shutdown: a silent server must not delay it.
const LAST_CHANCE: Duration = Duration::from_secs(2);
/// By when, in hundredths of a stop's grace, a message is announced, noted as handed over, and
/// answered, what became of it is written down, and the conversation is over.
const ANNOUNCED: u32 = 12;
const HANDED_OVER: u32 = 25;
const ANSWERED: u32 = 60;
const WRITTEN: u32 = 85;
const OVER: u32 = 95;
/// The rest between two tries to write something down in a stop, likewise.
const SHORT_REST: u32 = 4;
/// Time for the server to answer the end of a conversation.
const GOODBYE: Duration = Duration::from_secs(2);
/// The queue is looked at this often even when nobody rings.
const ROUND: Duration = Duration::from_secs(5);
/// Settled messages, and their idempotency keys, are remembered this long.
const MEMORY: time::Duration = time::Duration::days(7);
const UNCONFIRMED: &str =
    "no answer came while the content was on its way: it may have arrived, so it is not sent again";
const GIVEN_UP: &str = "each sender stopped while it was at it: it may have arrived, and is not sent again";

/// Empties the queue until `shutdown`, woken by who queues a message in this process and by a
/// timer. Returns within the grace of the stop, after the messages in hand are settled; dropping
/// the future instead is a crash to the others, who send them once their lease is over.
///
/// Failures of the database or the mail server are logged and tried again; none ends the task.
pub async fn drain(queue: MailQueue, smtp: SmtpSettings, clock: Clock, shutdown: Shutdown) {
    let drain = Drain { queue, smtp, clock, shutdown };
    // Two workers, so that one slow server answer does not hold up a sign-in code.
    tokio::join!(drain.maintain(), drain.work(), drain.work(), drain.shutdown.asked());
}

struct Drain {
    queue: MailQueue,
    smtp: SmtpSettings,
    clock: Clock,
    shutdown: Shutdown,
}

impl Drain {
    /// Frees abandoned claims, forgets old records, and rings so that due retries are seen.
    async fn maintain(&self) {
        let mut watch = Watch::default();
        while !self.shutdown.is_asked() {
            if let Err(error) = self.clean(&mut watch).await {
                tracing::warn!(error = %error, "the mail queue cannot be reached");
                // During the outage nobody could renew a claim.
                watch.forget();
            }
            self.queue.wake();
            self.rest(ROUND).await;
        }
    }

    async fn clean(&self, watch: &mut Watch) -> Result<(), sqlx::Error> {
        let (pool, now) = (self.queue.pool(), self.clock.now());
        for claim in watch.abandoned(store::in_hand(pool).await?, now) {
            if store::free(pool, &claim, (MAX_TRIES, GIVEN_UP), now).await? {
                tracing::warn!(mail.id = %claim.id, tries = claim.tries, "a mail claimed by a stopped sender was freed");
            }
        }
        store::forget(pool, now - MEMORY).await
    }

    async fn work(&self) {
        while !self.shutdown.is_asked() {
            tokio::select! {
                () = self.shutdown.asked() => return,
                () = self.queue.woken() => {}
            }
            if let Err(error) = self.send_what_is_due().await {
                tracing::warn!(error = %error, "the mail queue failed");
            }
        }
    }

    async fn send_what_is_due(&self) -> Result<(), sqlx::Error> {
        let mut connection = None;
        while !self.shutdown.is_asked() {
            let Some(claimed) = store::claim(self.queue.pool(), self.clock.now()).await? else { break };
            self.queue.wake();
            self.try_once(&mut connection, claimed).await?;
        }
        if let Some(mut connection) = connection {
            // The messages are settled; a server that does not say goodbye changes nothing.
            self.say_goodbye(connection.quit()).await;
        }
        Ok(())
    }

    /// One try, during which the claim is renewed.
    async fn try_once(
        &self,
        connection: &mut Option<AsyncSmtpConnection>,
        claimed: Claimed,
    ) -> Result<(), sqlx::Error> {
        let claim = claimed.claim();
        tokio::select! {
            tried = self.try_claimed(connection, claimed) => tried,
            never = self.keep_claim(claim) => match never {},
        }
    }

    async fn keep_claim(&self, claim: Claim) -> Infallible {
        loop {
            tokio::time::sleep(RENEWAL).await;
            if let Err(error) = store::renew(self.queue.pool(), &claim, self.clock.now()).await {
                tracing::warn!(mail.id = %claim.id, error = %error, "the claim of a mail could not be renewed");
            }
        }
    }

    async fn try_claimed(
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
        self.settle(&claimed, outcome).await;
        if let Some(mut broken) = broken {
            // Dropped with a word or without one: a server that has fallen silent must not keep
            // this worker.
            self.say_goodbye(broken.abort()).await;
        }
        Ok(())
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
            () = self.shutdown.has_lasted(self.shutdown.share(ANNOUNCED).min(LAST_CHANCE)) => {
                return Ok(Err(Failure::Later("the server had not answered when the stack stopped".into())));
            }
        };
        match announced {
            Ok(Ok(())) => {}
            Ok(Err(failure)) => return Ok(Err(failure)),
            Err(_) => return Ok(Err(Failure::Later("the server did not answer in time".into()))),
        }
        let Some(connection) = connection else { unreachable!("announced over an open connection") };
        let claim = claimed.claim();
        let noted = store::hand_over(self.queue.pool(), &claim, self.clock.now());
        match self.in_time(HAND_OVER, HANDED_OVER, noted).await {
            Some(Ok(true)) => {}
            Some(Ok(false)) => return Ok(Err(Failure::Later("the claim was lost".into()))),
            Some(Err(error)) => return Err(error),
            None => return Ok(Err(Failure::Later("the database did not answer in time".into()))),
        }
        let sent = self.in_time(TRANSMISSION, ANSWERED, smtp::transmit(connection, &message)).await;
        Ok(sent.unwrap_or_else(|| Err(Failure::Unconfirmed(UNCONFIRMED.into()))))
    }

    /// Waits for a result at most `time`, and during a shutdown until this share of its grace, in
    /// hundredths.
    async fn in_time<T>(&self, time: Duration, share: u32, done: impl Future<Output = T>) -> Option<T> {
        tokio::select! {
            done = tokio::time::timeout(time, done) => done.ok(),
            () = self.shutdown.has_lasted(self.shutdown.share(share)) => None,
        }
    }

    async fn say_goodbye<T>(&self, goodbye: impl Future<Output = T>) {
        let _ = self.in_time(GOODBYE, OVER, goodbye).await;
    }

    /// Writes down what became of a message, as often as it takes: until then the claim is held.
    async fn settle(&self, claimed: &Claimed, outcome: Result<(), Failure>) {
        let (claim, end) = (claimed.claim(), self.outcome_of(claimed, outcome));
        tokio::select! {
            () = self.write_until_taken(&claim, &end) => {}
            () = self.shutdown.has_lasted(self.shutdown.share(WRITTEN)) => {
                tracing::error!(
                    mail.id = %claimed.id,
                    "the stack stops before the database took what became of a mail: one that was sent goes out again"
                );
            }
        }
    }

    async fn write_until_taken(&self, claim: &Claim, end: &Outcome) {
        while let Err(error) = self.write_down(claim, end).await {
            tracing::warn!(mail.id = %claim.id, error = %error, "what became of a mail could not be written down");
            self.rest(ROUND).await;
            if self.shutdown.is_asked() {
                tokio::time::sleep(self.shutdown.share(SHORT_REST)).await;
            }
        }
    }

    fn outcome_of(&self, claimed: &Claimed, outcome: Result<(), Failure>) -> Outcome {
        let (id, tries, server) = (claimed.id, claimed.tries, self.smtp.server_name());
        match outcome {
            Ok(()) => {
                tracing::info!(mail.id = %id, tries, "mail sent");
                Outcome::Sent
            }
            Err(Failure::Later(reason)) if tries < MAX_TRIES || self.shutdown.is_asked() => {
                let due_at = self.clock.now() + pause(claimed);
                tracing::warn!(mail.id = %id, tries, due_at = %due_at, server, reason = reason.logged, "mail is tried again later");
                Outcome::Again { reason: storable(&reason.stored), due_at }
            }
            Err(Failure::Later(reason) | Failure::Refused(reason) | Failure::Unconfirmed(reason)) => {
                tracing::error!(mail.id = %id, tries, server, reason = reason.logged, "mail failed for good");
                Outcome::Failed(storable(&reason.stored))
            }
        }
    }

    async fn write_down(&self, claim: &Claim, end: &Outcome) -> Result<(), sqlx::Error> {
        let (pool, now) = (self.queue.pool(), self.clock.now());
        match end {
            Outcome::Sent => store::settle(pool, claim, None, now).await,
            Outcome::Failed(reason) => store::settle(pool, claim, Some(reason), now).await,
            Outcome::Again { reason, due_at } => store::put_back(pool, claim, reason, *due_at).await,
        }
    }

    async fn rest(&self, time: Duration) {
        tokio::select! {
            () = self.shutdown.asked() => {}
            () = tokio::time::sleep(time) => {}
        }
    }
}

/// Outcome of a try.
enum Outcome {
    Sent,
    Failed(String),
    Again { reason: String, due_at: OffsetDateTime },
}

/// A server's words as PostgreSQL takes them.
fn storable(words: &str) -> String {
    words.replace('\0', "")
}

/// Wait before the next try: 5 s doubled each time up to an hour, spread by up to a quarter either
/// way. The spread is taken from the message's random id, so that mails that failed together do not
/// come back together.
fn pause(claimed: &Claimed) -> time::Duration {
    let doubled = 5_000_i64 << claimed.tries.clamp(1, 12).saturating_sub(1);
    let base = doubled.min(3_600_000);
    let spread = i64::from(claimed.id.as_bytes()[usize::from(claimed.tries.unsigned_abs() % 6)]);
    time::Duration::milliseconds(base - base / 4 + base / 2 * spread / 255)
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
