//! How many codes an address is sent (CONTRACT.md M7, M8).
//!
//! They fill somebody's inbox; what they are worth to who guesses is bounded elsewhere
//! ([`crate::domain::limits::otp_attempts`]). An address is sent at most one in each pause, whoever asks and from
//! however many networks. One network has [`OF_CLIENT`] that nobody enters; all networks that no
//! right code came from lately have [`OF_ADDRESS`] together. A code that is entered costs its
//! network nothing.
//!
//! So who asks first keeps others waiting for the pause, and for no longer: what is refused begins
//! none. That holds for the owner's networks too: the code that just went is in their inbox, and
//! counts for who reads it there. What strangers have spent together is not in the way of a network
//! that is known.
//!
//! What is asked for by who is not signed in is counted for good, before anybody looks whose the address is and whether
//! anything goes out: what is refused, and when, is the same for addresses that nobody has.

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
    wire::{
        email::{self, Address},
        error::{AccountError, AuthError},
        request::RequestContext,
    },
};

const OF_CLIENT: Bucket = Bucket { at_once: 10, each: Duration::minutes(30) };
const OF_ADDRESS: Bucket = Bucket { at_once: 100, each: Duration::minutes(3) };

/// For whom an address is sent a code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Standing {
    Anybody,
    /// Its owner, who is signed in: nobody else's codes are in their way.
    Trusted,
    /// As its owner, for the holder of a service key, whose mails are the project's.
    Admin,
}

/// Counts a code that somebody asks for who is not signed in, for good: no transaction may be open. The project's mails are
/// counted as they are sent, but nobody's goes on once there are none left.
///
/// # Errors
/// 429 `over_email_send_rate_limit` or `over_sms_send_rate_limit` with the seconds to wait; 400 `email_address_invalid` for
/// a refused domain.
pub(crate) async fn allow(
    service: &ServiceContext,
    context: &RequestContext,
    address: &Address,
) -> Result<(), AuthError> {
    let mut db = service.pool.acquire().await?;
    match address {
        Address::Email(email) => {
            let terms = Terms::for_good(service.settings.otp.max_frequency);
            mail(service, &mut db, context, email.as_str(), terms).await
        }
        Address::Phone(phone) => {
            let terms = Terms::for_good(service.settings.sms.max_frequency);
            message(service, &mut db, context, phone.as_str(), terms).await
        }
    }
}

/// As [`allow`], in the caller's transaction, for mails about an account: the pause is since the `last` one of their own.
pub(crate) async fn allow_own(
    service: &ServiceContext,
    db: &mut PgConnection,
    context: &RequestContext,
    last: Option<OffsetDateTime>,
    addresses: &[(&str, Standing)],
) -> Result<(), AuthError> {
    let pause = service.settings.otp.max_frequency;
    if let Some(seconds) = left(last, pause, context.now) {
        return Err(AuthError::TooSoon(seconds));
    }
    // In one order, lest two requests wait for each other.
    let mut addresses = addresses.to_vec();
    addresses.sort_by_key(|(address, _)| otp_attempts::address_key(service, address));
    for (address, standing) in addresses {
        mail(service, db, context, address, Terms { standing, ..Terms::own(pause) }).await?;
    }
    Ok(())
}

/// As [`allow_own`], for a number.
pub(crate) async fn allow_own_message(
    service: &ServiceContext,
    db: &mut PgConnection,
    context: &RequestContext,
    last: Option<OffsetDateTime>,
    (phone, standing): (&str, Standing),
) -> Result<(), AuthError> {
    let pause = service.settings.sms.max_frequency;
    check_pause(last, pause, context.now)?;
    message(service, db, context, phone, Terms { standing, ..Terms::own(pause) }).await
}

/// As [`allow_own_message`], for the code of a second factor: whose the factor is, and since when, does not matter to the
/// number, which is whatever its owner said.
pub(crate) async fn allow_challenge(
    service: &ServiceContext,
    db: &mut PgConnection,
    context: &RequestContext,
    last: Option<OffsetDateTime>,
    phone: &str,
) -> Result<(), AuthError> {
    let pause = service.settings.mfa.phone_code.max_frequency;
    check_pause(last, pause, context.now)?;
    message(service, db, context, phone, Terms { pause, ..Terms::own(pause) }).await
}

/// Gives back what [`allow`] counted for a code that did not go, where the answer says so. No transaction may be open.
pub(crate) async fn give_back(
    service: &ServiceContext,
    context: &RequestContext,
    address: &Address,
) -> Result<(), sqlx::Error> {
    let key = otp_attempts::address_key(service, address.as_str());
    let client = otp_attempts::asker_key(service, context, &key);
    let cost = Cost { of_client: OF_CLIENT.cost(), of_address: OF_ADDRESS.cost() };
    let known = code_clients::forget_code(&service.pool, (&key, &client), cost, context.now).await?;
    if known == Some(false)
        && let Some(project_limit) = project_limit_of(service, context, address)
    {
        service.limits.give_share_back(project_limit, &context.client_key(), context.now);
    }
    Ok(())
}

/// Refuses another message within the shortest time between two.
///
/// # Errors
/// 429 `over_sms_send_rate_limit` with the seconds to wait.
fn check_pause(last: Option<OffsetDateTime>, pause: Pause, now: OffsetDateTime) -> Result<(), AuthError> {
    match left(last, pause, now) {
        Some(seconds) => Err(AccountError::SmsTooSoon(seconds).into()),
        None => Ok(()),
    }
}

/// How a code is counted.
#[derive(Debug, Clone, Copy)]
struct Terms {
    /// The shortest time between two that one network asks for.
    pause: Pause,
    /// The shortest time between two, whoever asks.
    pause_of_all: Pause,
    standing: Standing,
    for_good: bool,
}

impl Terms {
    fn for_good(pause: Pause) -> Self {
        Self { pause, for_good: true, ..Self::own(pause) }
    }

    fn own(pause: Pause) -> Self {
        Self { pause: Pause::ZERO, pause_of_all: pause, standing: Standing::Anybody, for_good: false }
    }
}

async fn mail(
    service: &ServiceContext,
    db: &mut PgConnection,
    context: &RequestContext,
    address: &str,
    terms: Terms,
) -> Result<(), AuthError> {
    email::check_domain(&service.settings.refused_domains, address)?;
    if service.settings.confirm_email {
        service.limits.check_project(ProjectLimit::Mail, context.now)?;
    }
    let project_limit = service.settings.confirm_email.then_some(ProjectLimit::Mail);
    match count(service, db, context, address, (terms, project_limit)).await? {
        Some(seconds) => Err(AuthError::TooSoon(seconds)),
        None => Ok(()),
    }
}

async fn message(
    service: &ServiceContext,
    db: &mut PgConnection,
    context: &RequestContext,
    phone: &str,
    terms: Terms,
) -> Result<(), AuthError> {
    // Nothing goes out to a number whose code is fixed.
    let project_limit =
        test_otp::of_phone(service, phone, context.now).is_none().then_some(ProjectLimit::Sms);
    if let Some(project_limit) = project_limit {
        service.limits.check_project(project_limit, context.now)?;
    }
    match count(service, db, context, phone, (terms, project_limit)).await? {
        Some(seconds) => Err(AccountError::SmsTooSoon(seconds).into()),
        None => Ok(()),
    }
}

/// What a code for an address is one of, for the whole project; nothing where none goes out.
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

/// Counts what a network asks for, whether or not anything goes out: no network may use up what all have together, nor see by
/// its end what went out. Who is on the service's own machine has it all.
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

/// Notes that a right code for an address came from a client: it gives back what the code had cost.
pub(crate) async fn entered(
    service: &ServiceContext,
    db: &mut PgConnection,
    address: &str,
    context: &RequestContext,
    shown: CodeSource,
) -> Result<(), sqlx::Error> {
    otp_attempts::entered(service, db, context, &entering(service, address, context, shown)).await
}

/// What [`entered`] notes, for who does that in a statement of their own.
pub(crate) fn entering(
    service: &ServiceContext,
    address: &str,
    context: &RequestContext,
    shown: CodeSource,
) -> CorrectCode {
    CorrectCode::new(service, address, context, (shown, OF_CLIENT.cost()))
}

/// Counts a code, and what it takes of the network's share of `project_limit`; the seconds to wait when it is too soon for one.
async fn count(
    service: &ServiceContext,
    db: &mut PgConnection,
    context: &RequestContext,
    address: &str,
    (terms, project_limit): (Terms, Option<ProjectLimit>),
) -> Result<Option<i64>, AuthError> {
    let now = context.now;
    let address = otp_attempts::address_key(service, address);
    let client = otp_attempts::asker_key(service, context, &address);
    let (keys, of_all) = ((&address[..], &client[..]), terms.standing == Standing::Anybody);
    let codes = Codes {
        sent_before: now - terms.pause,
        all_sent_before: now - terms.pause_of_all,
        of_client: OF_CLIENT.quota(now),
        of_address: of_all.then(|| OF_ADDRESS.quota(now)),
        for_good: terms.for_good,
    };
    let counted = code_clients::count_code(db, keys, &codes, now).await?;
    if let Some(count) = counted.as_ref().filter(|count| count.is_granted) {
        // Who is known here has codes of their own, and an admin all of them.
        let project_limit = project_limit.filter(|_| !count.is_known && terms.standing != Standing::Admin);
        if let Some(refused) =
            project_limit.and_then(|project_limit| take_share(service, context, project_limit).err())
        {
            let of_address = if of_all { OF_ADDRESS.cost() } else { 0.0 };
            let cost = Cost { of_client: OF_CLIENT.cost(), of_address };
            code_clients::forget_code(db, keys, cost, now).await?;
            return Err(refused);
        }
        otp_attempts::asked(service, context, &address);
        return Ok(None);
    }
    if let Some(count) = counted {
        code_clients::take_back(db, keys, (&count, OF_CLIENT.cost())).await?;
    }
    let sent = code_clients::sent(db, keys, now).await?;
    Ok(Some(to_wait(&sent, terms, of_all, now)))
}

/// The seconds to wait; `of_all` says whether others are waited for.
fn to_wait(sent: &Sent, terms: Terms, of_all: bool, now: OffsetDateTime) -> i64 {
    let of_pause = left(sent.sent_at, terms.pause, now);
    let of_client = left(sent.own_until, Pause::ZERO, now + OF_CLIENT.ahead());
    let of_others = of_all.then(|| {
        let of_pause = left(sent.all_sent_at, terms.pause_of_all, now);
        let until = sent.all_until.filter(|_| !sent.is_known);
        of_pause.max(left(until, Pause::ZERO, now + OF_ADDRESS.ahead()))
    });
    of_pause.max(of_client).max(of_others.flatten()).unwrap_or(1)
}

/// Whole seconds until `pause` since `last` is over. A time that cannot be keeps nobody waiting.
fn left(last: Option<OffsetDateTime>, pause: Pause, now: OffsetDateTime) -> Option<i64> {
    let left = last.filter(|last| *last < times::LAST)? - now + pause;
    left.is_positive().then(|| left.whole_seconds() + i64::from(left.subsec_nanoseconds() > 0))
}
