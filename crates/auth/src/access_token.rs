//! Access tokens (CONTRACT.md T1 to T17).

use serde_json::{Value, json};
use sqlx::PgConnection;
use time::OffsetDateTime;
use uuid::Uuid;

use crate::{
    error::AuthError,
    hooks,
    request::Context,
    state::Inner,
    store::{sessions::Method, users::User},
};

/// Tokens travel in headers; larger ones get lost at proxies (CONTRACT.md T17).
const LARGE: usize = 8 * 1024;

/// What a token is to say.
pub(crate) struct Draft {
    claims: Value,
    /// How the session came to it, for a hook elsewhere that is still to be asked.
    unasked: Option<String>,
}

impl Draft {
    /// Whether a hook elsewhere is still to be asked.
    pub(crate) fn is_unasked(&self) -> bool {
        self.unasked.is_some()
    }
}

/// Writes what the token of a session is to say. Its life is the setting `jwt_expiry`. A hook that is a function of the
/// database is asked at once, in the caller's transaction.
///
/// # Errors
/// What that hook says.
pub(crate) async fn draft(
    inner: &Inner,
    db: &mut PgConnection,
    context: &Context,
    user: &User,
    (session, aal): (Uuid, &str),
    methods: &[Method],
) -> Result<Draft, AuthError> {
    let claims = claims(inner, user, session, aal, methods, context.now);
    // A session that was opened or raised just now was so by its newest method.
    let newest = methods.first().filter(|method| method.at == context.now);
    let method = newest.map_or("token_refresh", |method| method.name.as_str());
    if hooks::judges_claims_elsewhere(&inner.settings) {
        return Ok(Draft { claims, unasked: Some(method.to_owned()) });
    }
    let claims = hooks::custom_access_token(inner, Some(db), context, claims, method).await?;
    Ok(Draft { claims, unasked: None })
}

/// Signs the token of a draft, after a hook elsewhere agreed.
///
/// # Errors
/// What that hook says, or that it could not be asked.
pub(crate) async fn sign(
    inner: &Inner,
    context: &Context,
    user: Uuid,
    draft: Draft,
) -> Result<String, AuthError> {
    let claims = match &draft.unasked {
        Some(method) => hooks::custom_access_token(inner, None, context, draft.claims, method).await?,
        None => draft.claims,
    };
    written(inner, user, &claims)
}

/// As [`draft`], where no hook has a say about claims.
pub(crate) fn draft_at_once(
    inner: &Inner,
    context: &Context,
    user: &User,
    (session, aal): (Uuid, &str),
    methods: &[Method],
) -> Draft {
    Draft { claims: claims(inner, user, session, aal, methods, context.now), unasked: None }
}

/// As [`sign`], where no hook has a say about claims.
pub(crate) fn sign_at_once(
    inner: &Inner,
    context: &Context,
    user: &User,
    (session, aal): (Uuid, &str),
    methods: &[Method],
) -> Result<String, AuthError> {
    written(inner, user.id, &claims(inner, user, session, aal, methods, context.now))
}

fn written(inner: &Inner, user: Uuid, claims: &Value) -> Result<String, AuthError> {
    let token = inner.keyring.sign(claims)?;
    if token.len() > LARGE {
        tracing::warn!(user.id = %user, bytes = token.len(), "an access token is large; its metadata should shrink");
    }
    Ok(token)
}

fn claims(
    inner: &Inner,
    user: &User,
    session: Uuid,
    aal: &str,
    methods: &[Method],
    now: OffsetDateTime,
) -> Value {
    let text = |value: &Option<String>| value.clone().unwrap_or_default();
    let object = |value: &Option<Value>| value.clone().filter(Value::is_object).unwrap_or_else(|| json!({}));
    let role = user.role.as_deref().filter(|role| !role.is_empty()).unwrap_or("authenticated");
    let amr: Vec<Value> = methods
        .iter()
        .map(|method| json!({"method": method.name, "timestamp": method.at.unix_timestamp()}))
        .collect();
    json!({
        "iss": inner.settings.jwt_issuer,
        "sub": user.id,
        "aud": user.aud.as_deref().filter(|aud| !aud.is_empty()).unwrap_or("authenticated"),
        "iat": now.unix_timestamp(),
        "exp": now.unix_timestamp() + expiry_seconds(inner),
        "email": text(&user.email),
        "phone": text(&user.phone),
        "app_metadata": object(&user.raw_app_meta_data),
        "user_metadata": object(&user.raw_user_meta_data),
        "role": role,
        "aal": aal,
        "amr": amr,
        "session_id": session,
        "is_anonymous": user.is_anonymous,
    })
}

/// Life of an access token in seconds.
pub(crate) fn expiry_seconds(inner: &Inner) -> i64 {
    i64::try_from(inner.settings.jwt_expiry.as_secs()).unwrap_or(i64::MAX)
}
