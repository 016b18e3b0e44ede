//! How many codes an address is sent (CONTRACT.md M7, M8).
//!
//! Codes fill an inbox. Guesses are limited elsewhere ([`crate::domain::limits::otp_attempts`]). An
//! address gets at most one code in each pause, from all networks together. One network has
//! [`PER_CLIENT`] codes that nobody enters. All networks that sent no right code lately have
//! [`PER_ADDRESS`] together. A code that is entered costs its network nothing.
//!
//! So the first request keeps others waiting for one pause and no longer, because a refused request
//! begins no pause. That holds for the networks of the owner, too: the code that was just sent is
//! in their inbox. A known network does not depend on what strangers have spent.
//!
//! A request without a session is counted for good before anything looks up the address or sends a
//! mail. So refusals are the same for addresses that nobody has.

use std::time::Duration as Pause;

use sqlx::PgConnection;
use time::{Duration, OffsetDateTime};

use crate::{
    context::ServiceContext,
    domain::{
        limits::otp_attempts::{self, Bucket, CodeSource, CorrectCode},
        test_otp,
    },
    rate_limit::ProjectLimit,
    store::{
        code_clients::{self, Codes, Cost, Sent},
        times,
    },
    tx::Tx,
    wire::{
        email::{self, Address},
        error::{AccountError, AuthError},
        request::RequestContext,
    },
};

const PER_CLIENT: Bucket = Bucket { burst: 10, refill: Duration::minutes(30) };
const PER_ADDRESS: Bucket = Bucket { burst: 100, refill: Duration::minutes(3) };

/// Who asks for the code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RequestedBy {
    Anybody,
    /// The owner, who is signed in. Codes of others do not count against them.
    Owner,
    /// The holder of a service key, whose mails are the project's. Counts like the owner.
    Admin,
}

/// Counts a code that somebody without a session asks for. The count is kept, so the caller must
/// hold no transaction. Mails of the project are counted when they are sent, but nobody gets
/// further once none are left.
///
/// # Errors
/// 429 `over_email_send_rate_limit` or `over_sms_send_rate_limit` with the seconds to wait; 400
/// `email_address_invalid` for a refused domain.
pub(crate) async fn allow(
    service: &ServiceContext,
    context: &RequestContext,
    address: &Address,
) -> Result<(), AuthError> {
    let mut db = service.pool.acquire().await?;
    let counter = Counter { service, context, db: &mut db };
    match address {
        Address::Email(email) => {
            let rules = Rules::for_good(service.settings.otp.max_frequency);
            counter.mail(email.as_str(), rules).await
        }
        Address::Phone(phone) => {
            let rules = Rules::for_good(service.settings.sms.max_frequency);
            counter.message(phone.as_str(), rules).await
        }
    }
}

/// As [`allow`], in the caller's transaction, for mails about an account. The pause begins at its
/// `last` mail.
pub(crate) async fn allow_own(
    tx: &mut Tx<'_>,
    last: Option<OffsetDateTime>,
    addresses: &[(&str, RequestedBy)],
) -> Result<(), AuthError> {
    let pause = tx.service.settings.otp.max_frequency;
    if let Some(seconds) = seconds_left(last, pause, tx.context.now) {
        return Err(AuthError::TooSoon(seconds));
    }
    // In one order, so that two requests do not deadlock.
    let mut addresses = addresses.to_vec();
    addresses.sort_by_key(|(address, _)| otp_attempts::address_key(tx.service, address));
    for (address, requested_by) in addresses {
        Counter::of(tx).mail(address, Rules { requested_by, ..Rules::own(pause) }).await?;
    }
    Ok(())
}

/// As [`allow_own`], for a number.
pub(crate) async fn allow_own_message(
    tx: &mut Tx<'_>,
    last: Option<OffsetDateTime>,
    phone: &str,
    requested_by: RequestedBy,
) -> Result<(), AuthError> {
    let pause = tx.service.settings.sms.max_frequency;
    check_pause(last, pause, tx.context.now)?;
    Counter::of(tx).message(phone, Rules { requested_by, ..Rules::own(pause) }).await
}

/// As [`allow_own_message`], for the code of a second factor. The number does not depend on the
/// account, because its owner may name any.
pub(crate) async fn allow_challenge(
    tx: &mut Tx<'_>,
    last: Option<OffsetDateTime>,
    phone: &str,
) -> Result<(), AuthError> {
    let pause = tx.service.settings.mfa.phone_code.max_frequency;
    check_pause(last, pause, tx.context.now)?;
    Counter::of(tx).message(phone, Rules { pause, ..Rules::own(pause) }).await
}

/// Gives back what [`allow`] counted for a code that was not sent, if the answer says so. The
/// caller must hold no transaction.
pub(crate) async fn give_back(
    service: &ServiceContext,
    context: &RequestContext,
    address: &Address,
) -> Result<(), sqlx::Error> {
    let key = otp_attempts::address_key(service, address.as_str());
    let client = otp_attempts::requester_key(service, context, &key);
    let cost = Cost { per_client: PER_CLIENT.cost(), per_address: PER_ADDRESS.cost() };
    let known = code_clients::forget_code(&service.pool, (&key, &client), cost, context.now).await?;
    if known == Some(false)
        && let Some(project_limit) = project_limit_of(service, context, address)
    {
        service.limits.give_share_back(project_limit, &context.client_key(), context.now);
    }
    Ok(())
}

/// Refuses a message within the pause after the last one.
///
/// # Errors
/// 429 `over_sms_send_rate_limit` with the seconds to wait.
fn check_pause(last: Option<OffsetDateTime>, pause: Pause, now: OffsetDateTime) -> Result<(), AuthError> {
    match seconds_left(last, pause, now) {
        Some(seconds) => Err(AccountError::SmsTooSoon(seconds).into()),
        None => Ok(()),
    }
}

/// How a code is counted.
#[derive(Debug, Clone, Copy)]
struct Rules {
    /// The shortest time between two that one network asks for.
    pause: Pause,
    /// The shortest time between two, whoever asks.
    pause_of_all: Pause,
    requested_by: RequestedBy,
    for_good: bool,
}

impl Rules {
    fn for_good(pause: Pause) -> Self {
        Self { pause, for_good: true, ..Self::own(pause) }
    }

    fn own(pause: Pause) -> Self {
        Self { pause: Pause::ZERO, pause_of_all: pause, requested_by: RequestedBy::Anybody, for_good: false }
    }
}

/// Counts codes: in the transaction of a request, or for good outside of one.
struct Counter<'a> {
    service: &'a ServiceContext,
    context: &'a RequestContext,
    db: &'a mut PgConnection,
}

impl<'a> Counter<'a> {
    fn of(tx: &'a mut Tx<'_>) -> Self {
        Self { service: tx.service, context: tx.context, db: &mut *tx.db }
    }

    async fn mail(self, address: &str, rules: Rules) -> Result<(), AuthError> {
        email::check_domain(&self.service.settings.refused_domains, address)?;
        if self.service.settings.confirm_email {
            self.service.limits.check_project(ProjectLimit::Mail, self.context.now)?;
        }
        let project_limit = self.service.settings.confirm_email.then_some(ProjectLimit::Mail);
        match self.count(address, rules, project_limit).await? {
            Some(seconds) => Err(AuthError::TooSoon(seconds)),
            None => Ok(()),
        }
    }

    async fn message(self, phone: &str, rules: Rules) -> Result<(), AuthError> {
        // A number with a fixed code gets no message.
        let project_limit =
            test_otp::of_phone(self.service, phone, self.context.now).is_none().then_some(ProjectLimit::Sms);
        if let Some(project_limit) = project_limit {
            self.service.limits.check_project(project_limit, self.context.now)?;
        }
        match self.count(phone, rules, project_limit).await? {
            Some(seconds) => Err(AccountError::SmsTooSoon(seconds).into()),
            None => Ok(()),
        }
    }

    /// Counts a code, and one of the network's share of `project_limit`. Returns the seconds to
    /// wait if it is too soon.
    async fn count(
        self,
        address: &str,
        rules: Rules,
        project_limit: Option<ProjectLimit>,
    ) -> Result<Option<i64>, AuthError> {
        let now = self.context.now;
        let address = otp_attempts::address_key(self.service, address);
        let client = otp_attempts::requester_key(self.service, self.context, &address);
        let (keys, counts_others) = ((&address[..], &client[..]), rules.requested_by == RequestedBy::Anybody);
        let codes = Codes {
            sent_before: now - rules.pause,
            all_sent_before: now - rules.pause_of_all,
            per_client: PER_CLIENT.quota(now),
            per_address: counts_others.then(|| PER_ADDRESS.quota(now)),
            for_good: rules.for_good,
        };
        let counted = code_clients::count_code(self.db, keys, &codes, now).await?;
        if let Some(count) = counted.as_ref().filter(|count| count.is_granted) {
            // A known client has its own codes, and an admin has all.
            let project_limit =
                project_limit.filter(|_| !count.is_known && rules.requested_by != RequestedBy::Admin);
            if let Some(refused) = project_limit
                .and_then(|project_limit| take_share(self.service, self.context, project_limit).err())
            {
                let per_address = if counts_others { PER_ADDRESS.cost() } else { 0.0 };
                let cost = Cost { per_client: PER_CLIENT.cost(), per_address };
                code_clients::forget_code(&mut *self.db, keys, cost, now).await?;
                return Err(refused);
            }
            otp_attempts::code_requested(self.service, self.context, &address);
            return Ok(None);
        }
        if let Some(count) = counted {
            code_clients::take_back(self.db, keys, (&count, PER_CLIENT.cost())).await?;
        }
        let sent = code_clients::sent(self.db, keys, now).await?;
        Ok(Some(seconds_to_wait(&sent, rules, counts_others, now)))
    }
}

/// The project limit that a code counts against. None if nothing is sent.
fn project_limit_of(
    service: &ServiceContext,
    context: &RequestContext,
    address: &Address,
) -> Option<ProjectLimit> {
    match address {
        Address::Email(_) => service.settings.confirm_email.then_some(ProjectLimit::Mail),
        Address::Phone(phone) => {
            test_otp::of_phone(service, phone.as_str(), context.now).is_none().then_some(ProjectLimit::Sms)
        }
    }
}

/// Counts a request of a network, whether or not anything is sent. So no network can use up the
/// project's mails, nor learn from the end of its share what was sent. Clients on the same machine
/// have no share.
fn take_share(
    service: &ServiceContext,
    context: &RequestContext,
    project_limit: ProjectLimit,
) -> Result<(), AuthError> {
    if context.client.is_some_and(|client| client.is_loopback()) {
        return Ok(());
    }
    service.limits.take_share(project_limit, &context.client_key(), context.now)
}

/// Stores that a client sent a right code, and gives back what the code had cost.
pub(crate) async fn entered(tx: &mut Tx<'_>, address: &str, shown: CodeSource) -> Result<(), sqlx::Error> {
    otp_attempts::entered(tx, &entering(tx.service, address, tx.context, shown)).await
}

/// What [`entered`] stores, for a caller with its own statement.
pub(crate) fn entering(
    service: &ServiceContext,
    address: &str,
    context: &RequestContext,
    shown: CodeSource,
) -> CorrectCode {
    CorrectCode::new(service, address, context, (shown, PER_CLIENT.cost()))
}

/// The seconds to wait. `counts_others` says whether codes of other clients count.
fn seconds_to_wait(sent: &Sent, rules: Rules, counts_others: bool, now: OffsetDateTime) -> i64 {
    let of_pause = seconds_left(sent.sent_at, rules.pause, now);
    let per_client = seconds_left(sent.own_until, Pause::ZERO, now + PER_CLIENT.headroom());
    let of_others = counts_others.then(|| {
        let of_pause = seconds_left(sent.all_sent_at, rules.pause_of_all, now);
        let until = sent.all_until.filter(|_| !sent.is_known);
        of_pause.max(seconds_left(until, Pause::ZERO, now + PER_ADDRESS.headroom()))
    });
    of_pause.max(per_client).max(of_others.flatten()).unwrap_or(1)
}

/// Whole seconds until `pause` after `last` is over. A time that cannot be read delays nobody.
fn seconds_left(last: Option<OffsetDateTime>, pause: Pause, now: OffsetDateTime) -> Option<i64> {
    let left = last.filter(|last| *last < times::LAST)? - now + pause;
    left.is_positive().then(|| left.whole_seconds() + i64::from(left.subsec_nanoseconds() > 0))
}
