use axum::response::{IntoResponse, Response};
use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use http::{HeaderMap, HeaderName, HeaderValue};
use serde::Deserialize;
use serde_json::Value;
use time::OffsetDateTime;

use crate::{
    context::ServiceContext,
    domain::{
        accounts,
        audit_log::{self, Action},
        sessions::{
            self as answers, IssuedSession, UnsignedSession, lifetime,
            refresh_token::{self, RefreshToken},
        },
    },
    store::{
        flow_states,
        pipelines::{self, SessionWithAccount},
        refresh_tokens,
        sessions::{self, Session},
        times,
    },
    wire::{error::AuthError, request::RequestContext},
};

/// Length of the shortest token, and of the older form (CONTRACT.md R1, R4).
const SHORTEST: usize = 12;

/// Body of the request.
#[derive(Debug, Deserialize)]
pub(crate) struct Input {
    refresh_token: Option<String>,
}

/// A token as it was presented.
enum PresentedToken {
    Signed(RefreshToken),
    /// The older form, which only imported databases have.
    Stored(String),
}

/// What a presented token means for its session.
#[derive(Debug, PartialEq, Eq)]
enum Verdict {
    /// The current token: the next one is issued.
    Current,
    /// The one before, or an older one right after a refresh: the current token is returned again.
    /// So tabs that refresh at once, and clients that lost an answer, end up with the same token.
    Repeated,
    /// An older token later: it was stolen or leaked, and the session ends (CONTRACT.md R8).
    Stolen,
}

/// A presented token, its session and what it means.
struct JudgedToken {
    read: SessionWithAccount,
    verdict: Verdict,
    /// When a token of the older form was created or used. Newer ones are not stored.
    presented_at: Option<OffsetDateTime>,
}

/// A session that was refreshed, or whose current token is returned again.
struct RefreshedSession {
    unsigned: UnsignedSession,
    /// Counter of the token that is returned.
    counter: i64,
    verdict: Verdict,
    /// Counter of the session before.
    counter_before: Option<i64>,
    refreshed_before: Option<OffsetDateTime>,
}

/// Refreshes a session (CONTRACT.md R5 to R13). Requests with the same token are answered one after
/// the other, with the same new token. Headers of the answer describe the reuse (CONTRACT.md W9).
///
/// # Errors
/// 400 with the codes of CONTRACT.md R4, R8 and R11; 409 `conflict` if others hold the session for
/// too long, or change it each time (R10).
/// A fault of the database is a 500, never a 4xx, since clients end their session over those
/// (CONTRACT.md E8).
pub(crate) async fn grant(
    service: &ServiceContext,
    context: &RequestContext,
    input: Input,
) -> Result<Response, AuthError> {
    let token = presented(input)?;
    let RefreshedSession { unsigned, counter, verdict, counter_before, refreshed_before } =
        refresh(service, context, &token).await?;
    // If the hook fails, only this answer is lost: the same token returns the new one again.
    let issued = unsigned.sign(service, context).await?;
    let behind = match token {
        PresentedToken::Signed(token) => counter_before.map(|before| before - token.counter),
        PresentedToken::Stored(_) => None,
    };
    let recent = is_recent(service, context, refreshed_before);
    let headers = reuse_headers(&issued, counter, &verdict, behind == Some(1), recent);
    Ok((headers, issued).into_response())
}

fn presented(input: Input) -> Result<PresentedToken, AuthError> {
    let token = input.refresh_token.filter(|token| !token.is_empty());
    let token = token.ok_or_else(|| AuthError::validation("refresh_token required"))?;
    match RefreshToken::parse(&token) {
        Some(signed) => Ok(PresentedToken::Signed(signed)),
        None if token.len() == SHORTEST => Ok(PresentedToken::Stored(token)),
        None => Err(AuthError::RefreshTokenMalformed),
    }
}

/// Reads the session, judges the token, and stores the refresh if the session is still as it was
/// read. If not, another request was faster, and the token is judged anew, up to
/// [`pipelines::MOST_TURNS`] times.
async fn refresh(
    service: &ServiceContext,
    context: &RequestContext,
    token: &PresentedToken,
) -> Result<RefreshedSession, AuthError> {
    for _ in 0..pipelines::MOST_TURNS {
        let JudgedToken { read, verdict, presented_at } = match token {
            PresentedToken::Signed(token) => judge(service, context, token).await?,
            PresentedToken::Stored(token) => judge_older_form(service, context, token).await?,
        };
        check(service, context, &read, presented_at).await?;
        if verdict == Verdict::Stolen {
            if end_family(service, context, &read.session).await? {
                return Err(AuthError::RefreshTokenAlreadyUsed);
            }
            continue;
        }
        let (counter, key) = next(service, &read.session, &verdict);
        if verdict == Verdict::Current && !save(service, context, &read, (counter, &key)).await? {
            continue;
        }
        let token = refresh_token::encode(read.session.id, counter, &key);
        let (counter_before, refreshed_before) = (read.session.counter, read.session.refreshed_at);
        let unsigned = answers::answer_read(service, context, read, token);
        return Ok(RefreshedSession { unsigned, counter, verdict, counter_before, refreshed_before });
    }
    Err(AuthError::RefreshContention)
}

/// Counter and key of the token that is returned. A session of the older form gets its first key.
fn next(service: &ServiceContext, session: &Session, verdict: &Verdict) -> (i64, Vec<u8>) {
    let Some(key) = key_of(session) else { return (0, service.random::<32>().to_vec()) };
    let is_rotated = *verdict == Verdict::Current && service.settings.refresh_token_rotation;
    (session.counter.unwrap_or_default() + i64::from(is_rotated), key)
}

/// Stores a refresh and what the log says about it. False if the session has changed meanwhile.
async fn save(
    service: &ServiceContext,
    context: &RequestContext,
    read: &SessionWithAccount,
    (counter, key): (i64, &[u8]),
) -> Result<bool, AuthError> {
    let user = &read.account.user;
    let actions = [Action::TokenRefreshed, Action::TokenRevoked];
    let entries =
        actions.map(|action| Some((service.new_id(), audit_log::entry(action, user, context, Value::Null)?)));
    let key = URL_SAFE_NO_PAD.encode(key);
    let saved = pipelines::refresh(&service.database, read, (counter, &key), context, entries).await;
    let saved = match saved {
        Err(error) if error.is_lock_timeout() => return Err(AuthError::RefreshContention),
        saved => saved?,
    };
    if saved {
        actions.iter().for_each(|action| audit_log::log(*action, user.id));
    }
    Ok(saved)
}

/// Ends the session of a stolen or leaked token. Without rotation only the request fails
/// (CONTRACT.md R8). False if the tokens of the session have changed since they were judged;
/// nothing was done then.
async fn end_family(
    service: &ServiceContext,
    context: &RequestContext,
    judged: &Session,
) -> Result<bool, AuthError> {
    if !service.settings.refresh_token_rotation {
        return Ok(true);
    }
    let mut transaction = service.begin(context).await?;
    let tx = &mut transaction.tx();
    // The account is locked before its sessions.
    accounts::void_changes(tx, judged.user_id).await?;
    let session = sessions::by_id_for_update(tx.db, judged.id).await?;
    if session.is_some_and(|session| !has_tokens_of(&session, judged)) {
        transaction.roll_back();
        return Ok(false);
    }
    sessions::delete(&mut *tx.db, judged.id).await?;
    flow_states::end_links_of_user(tx.db, judged.user_id).await?;
    service.commit(transaction).await?;
    tracing::warn!(session.id = %judged.id, user.id = %judged.user_id, "a used refresh token came again; its session ended");
    Ok(true)
}

/// Whether the tokens of a session are as they were.
fn has_tokens_of(session: &Session, before: &Session) -> bool {
    (session.counter, &session.hmac_key) == (before.counter, &before.hmac_key)
}

/// Headers for developers: the first characters of the token, its counter, and why a used one was
/// accepted.
fn reuse_headers(
    session: &IssuedSession,
    counter: i64,
    verdict: &Verdict,
    not_saved: bool,
    concurrent: bool,
) -> HeaderMap {
    let repeated = *verdict == Verdict::Repeated;
    let causes: Vec<&str> = [("concurrent-refresh", concurrent), ("fail-to-save", not_saved)]
        .into_iter()
        .filter_map(|(cause, holds)| (repeated && holds).then_some(cause))
        .collect();
    let prefix: String = session.refresh_token().chars().take(5).collect();
    let mut pairs = vec![
        ("sb-auth-refresh-token-prefix", prefix),
        ("sb-auth-refresh-token-counter", counter.to_string()),
        ("sb-auth-refresh-token-reuse", repeated.to_string()),
    ];
    if !causes.is_empty() {
        pairs.push(("sb-auth-refresh-token-reuse-cause", causes.join(",")));
    }
    let header = |(name, value): (&'static str, String)| {
        let value = HeaderValue::try_from(value).expect("letters, digits and punctuation");
        (HeaderName::from_static(name), value)
    };
    pairs.into_iter().map(header).collect()
}

async fn judge(
    service: &ServiceContext,
    context: &RequestContext,
    token: &RefreshToken,
) -> Result<JudgedToken, AuthError> {
    let read = pipelines::of_session(&service.database, token.session).await?;
    let read = read.ok_or(AuthError::RefreshTokenNotFound)?;
    let (Some(key), Some(counter)) = (key_of(&read.session), read.session.counter) else {
        return Err(AuthError::RefreshTokenForeign);
    };
    if !token.is_signed_by(&key) || token.counter > counter {
        return Err(AuthError::RefreshTokenForeign);
    }
    let verdict = match counter - token.counter {
        0 => Verdict::Current,
        1 => Verdict::Repeated,
        _ if is_recent(service, context, read.session.refreshed_at) => Verdict::Repeated,
        _ => Verdict::Stolen,
    };
    Ok(JudgedToken { read, verdict, presented_at: None })
}

/// A token of an imported database. Its session continues with tokens of the newer form
/// (CONTRACT.md R3). A used token still counts right after its use, and while its successor is
/// unused, because then the client never got that (CONTRACT.md R6, R7).
async fn judge_older_form(
    service: &ServiceContext,
    context: &RequestContext,
    token: &str,
) -> Result<JudgedToken, AuthError> {
    let stored = refresh_tokens::by_token(&service.pool, token).await?;
    let stored = stored.ok_or(AuthError::RefreshTokenNotFound)?;
    let id = stored.session_id.ok_or(AuthError::RefreshWithoutSession)?;
    let read = pipelines::of_session(&service.database, id).await?;
    let read = read.ok_or(AuthError::RefreshWithoutSession)?;
    // Once more, after its session: a request that refreshed that in between has used the token up.
    let stored = refresh_tokens::by_token(&service.pool, token).await?;
    let stored = stored.ok_or(AuthError::RefreshTokenNotFound)?;
    let recent = is_recent(service, context, stored.updated_at);
    let verdict = match read.session.counter {
        _ if !stored.revoked => Verdict::Current,
        Some(0) => Verdict::Repeated,
        Some(_) if recent => Verdict::Repeated,
        None if recent || refresh_tokens::is_parent_of_active(&service.pool, token, id).await? => {
            Verdict::Current
        }
        _ => Verdict::Stolen,
    };
    Ok(JudgedToken { read, verdict, presented_at: stored.updated_at })
}

fn is_recent(service: &ServiceContext, context: &RequestContext, at: Option<OffsetDateTime>) -> bool {
    at.is_some_and(|at| times::is_since(at, context.now - service.settings.refresh_token_reuse_interval))
}

fn key_of(session: &Session) -> Option<Vec<u8>> {
    URL_SAFE_NO_PAD.decode(session.hmac_key.as_deref()?).ok()
}

/// Checks that do not depend on the token (CONTRACT.md R11, S2 to S6).
async fn check(
    service: &ServiceContext,
    context: &RequestContext,
    SessionWithAccount { session, account, .. }: &SessionWithAccount,
    presented_at: Option<OffsetDateTime>,
) -> Result<(), AuthError> {
    if account.user.is_banned(context.now) {
        return Err(AuthError::RefreshBanned);
    }
    let limits = &service.settings.sessions;
    lifetime::check(limits, session, presented_at, context.now)?;
    lifetime::check_second_factor(limits, session, &account.user, context.now)?;
    if limits.single_per_user {
        let others = sessions::others_of_user(&service.pool, session.user_id, session.id).await?;
        lifetime::check_newest(limits, session, presented_at, &others, context.now)?;
    }
    Ok(())
}
