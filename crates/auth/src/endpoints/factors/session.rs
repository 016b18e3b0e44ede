use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use sqlx::PgConnection;
use time::Duration;
use uuid::Uuid;

use crate::{
    context::ServiceContext,
    domain::{
        accounts,
        sessions::{self as answers, IssuedSession, UnsignedSession, refresh_token},
    },
    model::factor_kind::FactorKind,
    store::{
        factors::{self, Factor},
        refresh_tokens,
        sessions::{self, NewMethod},
        users,
    },
    tx::Tx,
    wire::{
        error::{AuthError, FactorError},
        request::RequestContext,
    },
};

/// A right answer that is committed, and the session to raise.
pub(super) struct Raise {
    pub(super) user: Uuid,
    pub(super) session: Uuid,
    pub(super) factor: Uuid,
    pub(super) kind: FactorKind,
}

/// Prepares the token of the raised session.
///
/// # Errors
/// What a hook of the database says.
pub(super) async fn draft(
    tx: &mut Tx<'_>,
    Raise { user, session, kind, .. }: &Raise,
) -> Result<UnsignedSession, AuthError> {
    sessions::by_id_for_update(tx.db, *session).await?.ok_or(FactorError::NoSession)?;
    let user = accounts::load(tx.db, *user).await?;
    answers::answer_raised(tx, user, *session, kind.method()).await
}

/// Signs the token of a session, then raises the session to aal2 and ends the user's lower ones
/// (CONTRACT.md F4, S11). If a remote hook refuses or cannot be asked, no session changes.
///
/// # Errors
/// What that hook says; 403 for a session, 404 for a factor that ended meanwhile.
pub(super) async fn raise(
    service: &ServiceContext,
    context: &RequestContext,
    wanted: &Raise,
    unsigned: UnsignedSession,
) -> Result<IssuedSession, AuthError> {
    let issued = unsigned.sign(service, context).await?;
    let mut transaction = service.begin(context).await?;
    let tx = &mut transaction.tx();
    users::by_id_for_update(tx.db, wanted.user).await?.ok_or(AuthError::BearerUserNotFound)?;
    let factor = factors::by_id_for_update(tx.db, wanted.user, wanted.factor).await?;
    factor.filter(Factor::is_verified).ok_or(FactorError::NotFound)?;
    let issued = issued.with_refresh_token(raised(tx, wanted).await?);
    service.commit(transaction).await?;
    Ok(issued)
}

/// Raises the session and returns its new refresh token. The counter moves by two, so that an
/// earlier token counts as old and cannot take part (CONTRACT.md R9).
async fn raised(tx: &mut Tx<'_>, &Raise { session, factor, kind, .. }: &Raise) -> Result<String, AuthError> {
    let mut row = sessions::by_id_for_update(tx.db, session).await?.ok_or(FactorError::NoSession)?;
    let method = NewMethod { id: tx.service.new_id(), session, method: kind.method() };
    sessions::add_method(tx.db, &method, tx.context.now).await?;
    let key = match row.hmac_key.as_deref().and_then(|key| URL_SAFE_NO_PAD.decode(key).ok()) {
        Some(key) => key,
        None => tx.service.random::<32>().to_vec(),
    };
    row.hmac_key = Some(URL_SAFE_NO_PAD.encode(&key));
    row.counter = Some(row.counter.unwrap_or_default() + 2);
    // Outside of the reuse interval, in which an old token would return the new one.
    row.refreshed_at =
        Some(tx.context.now - tx.service.settings.refresh_token_reuse_interval - Duration::SECOND);
    refresh_tokens::revoke_of_session(tx.db, session, tx.context.now).await?;
    sessions::raise(tx.db, &row, factor, tx.context.now).await?;
    sessions::delete_below_aal2(tx.db, row.user_id).await?;
    Ok(refresh_token::encode(session, row.counter.unwrap_or_default(), &key))
}

/// Removes from the user's sessions what a factor gave them (CONTRACT.md F6, S11).
pub(crate) async fn lower(
    db: &mut PgConnection,
    factor: Uuid,
    kind: FactorKind,
    now: time::OffsetDateTime,
) -> Result<(), sqlx::Error> {
    sessions::lower(db, factor, kind.method(), now).await
}
