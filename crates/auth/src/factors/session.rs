use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use sqlx::PgConnection;
use time::Duration;
use uuid::Uuid;

use super::FactorKind;
use crate::{
    accounts,
    error::{AuthError, FactorError},
    refresh_token,
    request::Context,
    sessions::{self as answers, Opening},
    state::Inner,
    store::{refresh_tokens, sessions},
};

/// Raises a session to aal2 and ends the user's lower ones (auth.md F4, S11).
///
/// The counter of its refresh tokens moves by two, so that a token from before counts as an old one and cannot take
/// part (auth.md R9). Should a hook elsewhere then refuse the claims, the session ends: its tokens of before are over.
pub(super) async fn raise(
    inner: &Inner,
    db: &mut PgConnection,
    context: &Context,
    session: Uuid,
    factor: Uuid,
    kind: FactorKind,
) -> Result<Opening, AuthError> {
    let mut row = sessions::by_id_for_update(db, session).await?.ok_or(FactorError::NoSession)?;
    sessions::add_method(db, inner.new_id(), session, kind.method(), context.now).await?;
    let key = match row.hmac_key.as_deref().and_then(|key| URL_SAFE_NO_PAD.decode(key).ok()) {
        Some(key) => key,
        None => inner.random::<32>().to_vec(),
    };
    row.hmac_key = Some(URL_SAFE_NO_PAD.encode(&key));
    row.counter = Some(row.counter.unwrap_or_default() + 2);
    // Outside of the reuse interval, in which an old token would be given the new one.
    row.refreshed_at = Some(context.now - inner.settings.refresh_token_reuse_interval - Duration::SECOND);
    refresh_tokens::revoke_of_session(db, session, context.now).await?;
    sessions::raise(db, &row, factor, context.now).await?;
    sessions::delete_below_aal2(db, row.user_id).await?;
    let user = accounts::load(db, row.user_id).await?;
    let token = refresh_token::encode(session, row.counter.unwrap_or_default(), &key);
    let opening = answers::answer(inner, db, context, user, session, "aal2", token).await?;
    Ok(opening.ending_unsigned())
}

/// Takes from the user's sessions what a factor gave them (auth.md F6, S11).
pub(crate) async fn lower(
    db: &mut PgConnection,
    factor: Uuid,
    kind: FactorKind,
    now: time::OffsetDateTime,
) -> Result<(), sqlx::Error> {
    sessions::lower(db, factor, kind.method(), now).await
}
