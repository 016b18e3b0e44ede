//! Access tokens (CONTRACT.md T1 to T17).

use serde_json::{Value, json};
use time::OffsetDateTime;
use uuid::Uuid;

use crate::{
    context::ServiceContext,
    hooks::{self, TokenClaims},
    store::{sessions::Method, users::User},
    tx::Tx,
    wire::{error::AuthError, request::RequestContext},
};

/// Tokens travel in headers; larger ones get lost at proxies (CONTRACT.md T17).
const LARGE: usize = 8 * 1024;

/// An access token that is not signed yet.
pub(crate) struct UnsignedToken {
    claims: Value,
    /// The sign-in method, if a hook is still to be asked.
    pending_hook: Option<String>,
}

impl UnsignedToken {
    /// Whether a hook is still to be asked.
    pub(crate) fn has_pending_hook(&self) -> bool {
        self.pending_hook.is_some()
    }
}

/// Collects the claims of a token in the caller's transaction. It lives as long as the setting
/// `jwt_expiry`. A hook in the database is asked at once.
///
/// # Errors
/// What that hook says.
pub(crate) async fn prepare(
    tx: &mut Tx<'_>,
    user: &User,
    session: (Uuid, &str),
    methods: &[Method],
) -> Result<UnsignedToken, AuthError> {
    let mut token = collect(tx.service, tx.context, user, session, methods);
    if hooks::claims_hook_is_local(&tx.service.settings)
        && let Some(method) = token.pending_hook.take()
    {
        let asked = TokenClaims { claims: token.claims, method: &method };
        token.claims = hooks::custom_access_token(tx.service, Some(tx.db), tx.context, asked).await?;
    }
    Ok(token)
}

/// As [`prepare`], outside of a transaction: every hook is asked when the token is signed.
pub(crate) fn collect(
    service: &ServiceContext,
    context: &RequestContext,
    user: &User,
    (session, aal): (Uuid, &str),
    methods: &[Method],
) -> UnsignedToken {
    let claims = claims(service, user, session, aal, methods, context.now);
    let pending_hook = service.settings.hooks.custom_access_token.as_ref().map(|_| {
        // A session that was opened or raised just now was so by its newest method.
        let newest = methods.first().filter(|method| method.at == context.now);
        newest.map_or_else(|| "token_refresh".to_owned(), |method| method.name.clone())
    });
    UnsignedToken { claims, pending_hook }
}

/// Signs a token, after a hook that is still to be asked agreed.
///
/// # Errors
/// What that hook says, or that it could not be asked.
pub(crate) async fn sign(
    service: &ServiceContext,
    context: &RequestContext,
    user: Uuid,
    prepare: UnsignedToken,
) -> Result<String, AuthError> {
    let claims = match &prepare.pending_hook {
        Some(method) => {
            let asked = TokenClaims { claims: prepare.claims, method };
            hooks::custom_access_token(service, None, context, asked).await?
        }
        None => prepare.claims,
    };
    encode(service, user, &claims)
}

fn encode(service: &ServiceContext, user: Uuid, claims: &Value) -> Result<String, AuthError> {
    let token = service.keyring.sign(claims)?;
    if token.len() > LARGE {
        tracing::warn!(user.id = %user, bytes = token.len(), "an access token is large; its metadata should shrink");
    }
    Ok(token)
}

fn claims(
    service: &ServiceContext,
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
        "iss": service.settings.jwt_issuer,
        "sub": user.id,
        "aud": user.aud.as_deref().filter(|aud| !aud.is_empty()).unwrap_or("authenticated"),
        "iat": now.unix_timestamp(),
        "exp": now.unix_timestamp() + expiry_seconds(service),
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
pub(crate) fn expiry_seconds(service: &ServiceContext) -> i64 {
    i64::try_from(service.settings.jwt_expiry.as_secs()).unwrap_or(i64::MAX)
}
