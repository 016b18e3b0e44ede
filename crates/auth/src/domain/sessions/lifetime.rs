//! How long a session lives (CONTRACT.md S2 to S6). All limits are checked at a refresh only, so a
//! session may outlive them by the life of one access token (S7).

use banyan_config::SessionLimits;
use time::OffsetDateTime;

use crate::{
    store::{sessions::Session, users::User},
    wire::error::{AuthError, SessionError},
};

/// Refuses an expired session. `token_at` is when a token of the older form was created.
///
/// # Errors
/// 400 `session_expired`. The text names the limit.
pub(crate) fn check(
    limits: &SessionLimits,
    session: &Session,
    token_at: Option<OffsetDateTime>,
    now: OffsetDateTime,
) -> Result<(), AuthError> {
    if session.not_after.is_some_and(|end| end <= now) {
        return Err(AuthError::SessionExpired);
    }
    if limits.timebox.zip(session.created_at).is_some_and(|(limit, since)| since < now - limit) {
        return Err(AuthError::SessionExpired);
    }
    let used = last_used(session, token_at);
    if limits.inactivity_timeout.zip(used).is_some_and(|(limit, since)| since < now - limit) {
        return Err(SessionError::Inactive.into());
    }
    Ok(())
}

/// Refuses a session that is too old for its user's unused second factor (CONTRACT.md S5).
///
/// # Errors
/// 400 `session_expired`.
pub(crate) fn check_second_factor(
    limits: &SessionLimits,
    session: &Session,
    user: &User,
    now: OffsetDateTime,
) -> Result<(), AuthError> {
    let has_factor = user.factors.iter().any(|factor| factor.status == "verified");
    let is_low = !matches!(session.aal.as_deref(), Some("aal2" | "aal3"));
    let is_over = limits.low_aal.zip(session.created_at).is_some_and(|(limit, since)| since < now - limit);
    if has_factor && is_low && is_over { Err(SessionError::LowAal.into()) } else { Ok(()) }
}

/// Refuses a session if another live one of the same kind was used later (CONTRACT.md S4).
///
/// # Errors
/// 400 `session_expired`.
pub(crate) fn check_newest(
    limits: &SessionLimits,
    session: &Session,
    token_at: Option<OffsetDateTime>,
    others: &[Session],
    now: OffsetDateTime,
) -> Result<(), AuthError> {
    let kind = kind(limits, session);
    let used = last_used(session, token_at);
    let is_newer = |other: &&Session| {
        self::kind(limits, other) == kind
            && last_used(other, None) > used
            && check(limits, other, None, now).is_ok()
    };
    match others.iter().find(is_newer) {
        Some(_) => Err(SessionError::Replaced.into()),
        None => Ok(()),
    }
}

fn last_used(session: &Session, token_at: Option<OffsetDateTime>) -> Option<OffsetDateTime> {
    session.refreshed_at.or(session.created_at).max(token_at)
}

/// A session without a listed tag is of the first kind.
fn kind<'a>(limits: &'a SessionLimits, session: &'a Session) -> &'a str {
    let tag = session.tag.as_deref().filter(|tag| limits.tags.iter().any(|listed| listed == tag));
    tag.or(limits.tags.first().map(String::as_str)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use time::macros::datetime;
    use uuid::Uuid;

    use super::*;

    const NOW: OffsetDateTime = datetime!(2026-01-01 12:00 UTC);

    fn session(created: u64, refreshed: Option<u64>, tag: &str) -> Session {
        let ago = |minutes: u64| NOW - Duration::from_secs(60 * minutes);
        Session {
            id: Uuid::nil(),
            user_id: Uuid::nil(),
            created_at: Some(ago(created)),
            not_after: None,
            refreshed_at: refreshed.map(ago),
            tag: Some(tag.to_owned()).filter(|tag| !tag.is_empty()),
            aal: None,
            hmac_key: None,
            counter: None,
        }
    }

    // rows: S4
    #[test]
    fn a_session_of_another_kind_is_no_rival() {
        let limits = SessionLimits { tags: vec!["web".into(), "phone".into()], ..SessionLimits::default() };
        let mine = session(60, Some(30), "");
        let verdict = |tag, refreshed| {
            check_newest(&limits, &mine, None, &[session(50, Some(refreshed), tag)], NOW).is_ok()
        };
        assert!(!verdict("web", 10), "no tag counts as the first");
        assert!(!verdict("unlisted", 10));
        assert!(verdict("phone", 10));
        assert!(verdict("web", 40), "the other was used earlier");
    }

    // rows: S4
    #[test]
    fn a_rival_that_has_ended_is_none() {
        let limits = SessionLimits {
            timebox: Some(Duration::from_secs(3600)),
            single_per_user: true,
            ..SessionLimits::default()
        };
        let mine = session(30, None, "");
        assert!(check_newest(&limits, &mine, None, &[session(90, Some(1), "")], NOW).is_ok());
        assert!(check_newest(&limits, &mine, None, &[session(50, Some(1), "")], NOW).is_err());
    }
}
