use axum::response::{IntoResponse, Response};
use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use http::{HeaderMap, HeaderName, HeaderValue};
use serde::Deserialize;
use serde_json::Value;
use sqlx::PgConnection;
use uuid::Uuid;

use crate::{
    context::ServiceContext,
    domain::{
        accounts,
        audit_log::{self, Action},
        sessions::{
            self as answers, IssuedSession, UnsignedSession, lifetime,
            refresh_token::{self, RefreshToken},
        },
        transaction::RequestTransaction,
    },
    store::{
        flow_states, pipelines, refresh_tokens,
        sessions::{self, Session},
        times,
        users::{self, User},
    },
    tx::Tx,
    wire::{error::AuthError, request::RequestContext},
};

/// Length of the shortest token, and of the older form (CONTRACT.md R1, R4).
const SHORTEST: usize = 12;
/// How long a request waits for others of the same session before it gets 409 (CONTRACT.md R10).
const LONGEST_WAIT: &str = "5s";
/// SQLSTATE of a lock timeout and of a deadlock. A sign-out locks in the other order.
const CONTENTION: [&str; 2] = ["55P03", "40P01"];

/// Body of the request.
#[derive(Debug, Deserialize)]
pub(crate) struct Input {
    refresh_token: Option<String>,
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
    session: Session,
    verdict: Verdict,
    /// When a token of the older form was created or used. Newer ones are not stored.
    presented_at: Option<time::OffsetDateTime>,
}

/// Refreshes a session (CONTRACT.md R5 to R13). Requests with the same token are answered one after
/// the other, with the same new token. Headers of the answer describe the reuse (CONTRACT.md W9).
///
/// # Errors
/// 400 with the codes of CONTRACT.md R4, R8 and R11; 409 `conflict` after five seconds of waiting.
/// A fault of the database is a 500, never a 4xx, since clients end their session over those
/// (CONTRACT.md E8).
pub(crate) async fn grant(
    service: &ServiceContext,
    context: &RequestContext,
    input: Input,
) -> Result<Response, AuthError> {
    let token = input.refresh_token.filter(|token| !token.is_empty());
    let token = token.ok_or_else(|| AuthError::validation("refresh_token required"))?;
    if token.len() < SHORTEST {
        return Err(AuthError::RefreshTokenMalformed);
    }
    let parsed = RefreshToken::parse(&token);
    if let Some(parsed) = &parsed
        && let Some(answer) = fast_path(service, context, parsed).await?
    {
        return Ok(answer);
    }
    let mut transaction = service.begin(context).await?;
    let db = &mut *transaction;
    sqlx::query!("select set_config('lock_timeout', $1, true)", LONGEST_WAIT).fetch_one(&mut *db).await?;
    let judged = match &parsed {
        Some(token) => judge(service, db, context, token).await,
        None if token.len() == SHORTEST => judge_older_form(service, db, context, &token).await,
        None => Err(AuthError::RefreshTokenMalformed),
    };
    let JudgedToken { mut session, verdict, presented_at } = judged.map_err(busy)?;
    let user = check(service, db, context, &session, presented_at).await?;
    if verdict == Verdict::Stolen {
        return Err(end_family(service, context, transaction, &session).await?);
    }
    let counter = session.counter;
    let unsigned = issue(service, db, context, &mut session, user, &verdict).await?;
    service.commit(transaction).await?;
    // If the hook fails, only this answer is lost: the same token returns the new one again.
    let issued = unsigned.sign(service, context).await?;
    let behind = counter.zip(parsed).map(|(now, token)| now - token.counter);
    let recent = is_recent(service, context, session.refreshed_at);
    let headers = reuse_headers(&issued, session.counter, &verdict, behind == Some(1), recent);
    Ok((headers, issued).into_response())
}

/// The usual case in two pipelines: the current token of a session that no other request uses. None
/// leaves it to the slower way, which waits, checks and refuses.
async fn fast_path(
    service: &ServiceContext,
    context: &RequestContext,
    token: &RefreshToken,
) -> Result<Option<Response>, AuthError> {
    let settings = &service.settings;
    if !settings.refresh_token_rotation
        || settings.sessions.single_per_user
        || settings.hooks.custom_access_token.is_some()
    {
        return Ok(None);
    }
    let Some(read) = pipelines::of_session(&service.database, token.session).await? else { return Ok(None) };
    let (session, user) = (&read.session, &read.account.user);
    let Some(key) = key_of(session).filter(|key| token.is_signed_by(key)) else { return Ok(None) };
    if session.counter != Some(token.counter)
        || user.is_banned(context.now)
        || lifetime::check(&settings.sessions, session, None, context.now).is_err()
        || lifetime::check_second_factor(&settings.sessions, session, user, context.now).is_err()
    {
        return Ok(None);
    }
    let actions = [Action::TokenRefreshed, Action::TokenRevoked];
    let entries =
        actions.map(|action| Some((service.new_id(), audit_log::entry(action, user, context, Value::Null)?)));
    if !pipelines::refresh(&service.database, &read, context, entries).await? {
        return Ok(None);
    }
    actions.iter().for_each(|action| audit_log::log(*action, user.id));
    let counter = token.counter + 1;
    let next = refresh_token::encode(session.id, counter, &key);
    let issued = answers::answer_without_hook(service, context, read, next)?;
    let headers = reuse_headers(&issued, Some(counter), &Verdict::Current, false, false);
    Ok(Some((headers, issued).into_response()))
}

/// Ends the session of a stolen or leaked token. Without rotation only the request fails
/// (CONTRACT.md R8).
async fn end_family(
    service: &ServiceContext,
    context: &RequestContext,
    judging: RequestTransaction<'_>,
    session: &Session,
) -> Result<AuthError, AuthError> {
    judging.roll_back();
    if service.settings.refresh_token_rotation {
        // In its own transaction, because the account is locked before its sessions.
        let mut transaction = service.begin(context).await?;
        let db = &mut *transaction;
        accounts::void_changes(&mut Tx { service, context, db }, session.user_id).await?;
        sessions::delete(&mut *db, session.id).await?;
        flow_states::end_links_of_user(db, session.user_id).await?;
        service.commit(transaction).await?;
        tracing::warn!(session.id = %session.id, user.id = %session.user_id, "a used refresh token came again; its session ended");
    }
    Ok(AuthError::RefreshTokenAlreadyUsed)
}

/// Headers for developers: the first characters of the token, its counter, and why a used one was
/// accepted.
fn reuse_headers(
    session: &IssuedSession,
    counter: Option<i64>,
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
        ("sb-auth-refresh-token-counter", counter.unwrap_or_default().to_string()),
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

/// A lock timeout is contention, not a fault.
fn busy(error: AuthError) -> AuthError {
    match &error {
        AuthError::Store(sqlx::Error::Database(cause))
            if cause.code().is_some_and(|code| CONTENTION.contains(&&*code)) =>
        {
            AuthError::RefreshContention
        }
        _ => error,
    }
}

async fn judge(
    service: &ServiceContext,
    db: &mut PgConnection,
    context: &RequestContext,
    token: &RefreshToken,
) -> Result<JudgedToken, AuthError> {
    let session = sessions::by_id_for_update(db, token.session).await?;
    let session = session.ok_or(AuthError::RefreshTokenNotFound)?;
    let (Some(key), Some(counter)) = (key_of(&session), session.counter) else {
        return Err(AuthError::RefreshTokenForeign);
    };
    if !token.is_signed_by(&key) || token.counter > counter {
        return Err(AuthError::RefreshTokenForeign);
    }
    let verdict = match counter - token.counter {
        0 => Verdict::Current,
        1 => Verdict::Repeated,
        _ if is_recent(service, context, session.refreshed_at) => Verdict::Repeated,
        _ => Verdict::Stolen,
    };
    Ok(JudgedToken { session, verdict, presented_at: None })
}

/// A token of an imported database. Its session continues with tokens of the newer form
/// (CONTRACT.md R3). A used token still counts right after its use, and while its successor is
/// unused, because then the client never got that (CONTRACT.md R6, R7).
async fn judge_older_form(
    service: &ServiceContext,
    db: &mut PgConnection,
    context: &RequestContext,
    token: &str,
) -> Result<JudgedToken, AuthError> {
    let stored = refresh_tokens::by_token_for_update(db, token).await?;
    let stored = stored.ok_or(AuthError::RefreshTokenNotFound)?;
    let id: Uuid = stored.session_id.ok_or(AuthError::RefreshWithoutSession)?;
    let session = sessions::by_id_for_update(db, id).await?.ok_or(AuthError::RefreshWithoutSession)?;
    let recent = is_recent(service, context, stored.updated_at);
    let verdict = match session.counter {
        _ if !stored.revoked => Verdict::Current,
        Some(0) => Verdict::Repeated,
        Some(_) if recent => Verdict::Repeated,
        None if recent || refresh_tokens::is_parent_of_active(db, token, id).await? => Verdict::Current,
        _ => Verdict::Stolen,
    };
    if verdict == Verdict::Current {
        refresh_tokens::revoke_of_session(db, id, context.now).await?;
    }
    Ok(JudgedToken { session, verdict, presented_at: stored.updated_at })
}

fn is_recent(service: &ServiceContext, context: &RequestContext, at: Option<time::OffsetDateTime>) -> bool {
    at.is_some_and(|at| times::is_since(at, context.now - service.settings.refresh_token_reuse_interval))
}

fn key_of(session: &Session) -> Option<Vec<u8>> {
    URL_SAFE_NO_PAD.decode(session.hmac_key.as_deref()?).ok()
}

/// Checks that do not depend on the token (CONTRACT.md R11, S2 to S6).
async fn check(
    service: &ServiceContext,
    db: &mut PgConnection,
    context: &RequestContext,
    session: &Session,
    presented_at: Option<time::OffsetDateTime>,
) -> Result<User, AuthError> {
    let user = users::by_id(&mut *db, session.user_id).await?.ok_or(AuthError::RefreshWithoutSession)?;
    if user.is_banned(context.now) {
        return Err(AuthError::RefreshBanned);
    }
    let limits = &service.settings.sessions;
    lifetime::check(limits, session, presented_at, context.now)?;
    lifetime::check_second_factor(limits, session, &user, context.now)?;
    if limits.single_per_user {
        let others = sessions::others_of_user(db, session.user_id, session.id).await?;
        lifetime::check_newest(limits, session, presented_at, &others, context.now)?;
    }
    Ok(user)
}

async fn issue(
    service: &ServiceContext,
    db: &mut PgConnection,
    context: &RequestContext,
    session: &mut Session,
    user: User,
    verdict: &Verdict,
) -> Result<UnsignedSession, AuthError> {
    let key = match key_of(session) {
        Some(key) => {
            if *verdict == Verdict::Current && service.settings.refresh_token_rotation {
                session.counter = Some(session.counter.unwrap_or_default() + 1);
            }
            key
        }
        None => {
            let key = service.random::<32>();
            session.hmac_key = Some(URL_SAFE_NO_PAD.encode(key));
            session.counter = Some(0);
            key.to_vec()
        }
    };
    if *verdict == Verdict::Current {
        let agent = context.user_agent.as_deref();
        sessions::refreshed(db, session, agent, context.client, context.now).await?;
        audit_log::add(&mut Tx { service, context, db }, Action::TokenRefreshed, &user).await?;
        audit_log::add(&mut Tx { service, context, db }, Action::TokenRevoked, &user).await?;
    }
    let token = refresh_token::encode(session.id, session.counter.unwrap_or_default(), &key);
    let aal = session.aal.clone().unwrap_or_else(|| "aal1".to_owned());
    answers::answer(service, db, context, user, session.id, &aal, token).await
}
