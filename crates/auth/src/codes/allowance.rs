//! How many codes an address is sent, whoever asks for them (auth.md M7 to M9).
//!
//! Whoever may have a new code at will has as many guesses as they like, and fills somebody's inbox. An address has
//! [`AT_ONCE`] codes that nobody enters, and one more each [`EACH`]; one that is entered costs nothing. The count is the
//! same for addresses that nobody has, and a refusal is the same too.

use std::time::Duration as Pause;

use sqlx::PgConnection;
use time::{Duration, OffsetDateTime};

use crate::{
    code_tries,
    email::{self, Address},
    error::{AccountError, AuthError},
    rate_limit::Whole,
    request::Context,
    sms,
    state::Inner,
    store::code_tries::{self as store, Allowance, Sent},
};

/// Codes that nobody entered, in a row.
const AT_ONCE: i32 = 10;
/// Time after which there may be one more.
const EACH: Duration = Duration::minutes(6);

/// Counts a code that somebody asks for who is not signed in, whether or not anybody has the address: at most one in
/// each pause. Rows are locked in the order account, address, tries, so it is to be called once the account was looked for.
///
/// # Errors
/// 429 `over_email_send_rate_limit` or `over_sms_send_rate_limit` with the seconds to wait; 400 `email_address_invalid` for
/// a refused domain.
pub(crate) async fn allow(
    inner: &Inner,
    db: &mut PgConnection,
    context: &Context,
    address: &Address,
) -> Result<(), AuthError> {
    match address {
        Address::Email(email) => {
            mail(inner, db, context, email.as_str(), inner.settings.otp.max_frequency).await
        }
        Address::Phone(phone) => {
            message(inner, db, context, phone.as_str(), inner.settings.sms.max_frequency).await
        }
    }
}

/// As [`allow`], for mails about an account that its owner, or the holder of a service key, asks for: the pause is since
/// the `last` one of their own.
pub(crate) async fn allow_own(
    inner: &Inner,
    db: &mut PgConnection,
    context: &Context,
    last: Option<OffsetDateTime>,
    addresses: &[&str],
) -> Result<(), AuthError> {
    let pause = inner.settings.otp.max_frequency;
    if let Some(seconds) = left(last, pause, context.now) {
        return Err(AuthError::TooSoon(seconds));
    }
    // In one order, lest two requests wait for each other.
    let mut addresses = addresses.to_vec();
    addresses.sort_by_key(|address| code_tries::address_key(inner, address));
    for address in addresses {
        mail(inner, db, context, address, Pause::ZERO).await?;
    }
    Ok(())
}

/// As [`allow_own`], for a number.
pub(crate) async fn allow_own_message(
    inner: &Inner,
    db: &mut PgConnection,
    context: &Context,
    last: Option<OffsetDateTime>,
    phone: &str,
) -> Result<(), AuthError> {
    sms::check_pause(last, inner.settings.sms.max_frequency, context.now)?;
    message(inner, db, context, phone, Pause::ZERO).await
}

async fn mail(
    inner: &Inner,
    db: &mut PgConnection,
    context: &Context,
    address: &str,
    pause: Pause,
) -> Result<(), AuthError> {
    email::check_domain(&inner.settings.refused_domains, address)?;
    if let Some(seconds) = count(inner, db, address, pause, context.now).await? {
        return Err(AuthError::TooSoon(seconds));
    }
    if inner.settings.confirm_email {
        inner.limits.take_of_project(Whole::Mail, context.now)?;
    }
    Ok(())
}

async fn message(
    inner: &Inner,
    db: &mut PgConnection,
    context: &Context,
    phone: &str,
    pause: Pause,
) -> Result<(), AuthError> {
    if let Some(seconds) = count(inner, db, phone, pause, context.now).await? {
        return Err(AccountError::SmsTooSoon(seconds).into());
    }
    // Nothing goes out to a number whose code is fixed.
    if sms::test_code(inner, phone, context.now).is_none() {
        inner.limits.take_of_project(Whole::Sms, context.now)?;
    }
    Ok(())
}

/// Gives back what a code had cost that its reader entered, and forgets the tries for its address.
pub(crate) async fn entered(
    inner: &Inner,
    db: &mut PgConnection,
    address: &str,
    now: OffsetDateTime,
) -> Result<(), sqlx::Error> {
    store::end(db, &code_tries::address_key(inner, address), EACH.as_seconds_f64(), now).await
}

/// Counts a code; the seconds to wait when it is too soon for one.
async fn count(
    inner: &Inner,
    db: &mut PgConnection,
    address: &str,
    pause: Pause,
    now: OffsetDateTime,
) -> Result<Option<i64>, sqlx::Error> {
    let key = code_tries::address_key(inner, address);
    let ahead = EACH * (AT_ONCE - 1);
    let allowance =
        Allowance { sent_before: now - pause, spent_before: now + ahead, cost: EACH.as_seconds_f64() };
    if store::count_sent(db, &key, &allowance, now).await? {
        return Ok(None);
    }
    let Sent { sent_at, spent_until } = store::sent(db, &key).await?;
    let of_pause = left(sent_at, pause, now);
    let of_allowance = left(spent_until, Pause::ZERO, now + ahead);
    Ok(of_pause.max(of_allowance).or(Some(1)))
}

/// Whole seconds until `pause` since `last` is over.
pub(crate) fn left(last: Option<OffsetDateTime>, pause: Pause, now: OffsetDateTime) -> Option<i64> {
    let left = last? + pause - now;
    left.is_positive().then(|| left.whole_seconds() + i64::from(left.subsec_nanoseconds() > 0))
}
