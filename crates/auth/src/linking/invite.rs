use sqlx::PgConnection;

use super::{Newcomer, Outcome, add_identity, one_at_a_time, start_afresh, usable};
use crate::{
    accounts,
    codes::{self, Slot},
    error::{AuthError, IdentityError, ProviderError},
    request::Context,
    state::Inner,
    store::{
        audit::{self, Action},
        external_identities,
        one_time_tokens::{self, Pending},
    },
};

/// The pending invitation of a token.
pub(crate) async fn pending(
    inner: &Inner,
    db: &mut PgConnection,
    token: &str,
) -> Result<Option<Pending>, AuthError> {
    let hashes = codes::stored_forms_of_link(inner, token);
    Ok(one_time_tokens::by_hash(db, &hashes, &[Slot::Confirmation.name().to_owned()]).await?)
}

/// Accepts an invitation: whoever got it confirms its address by the provider's word for the same address (auth.md G17).
///
/// # Errors
/// 404 `invite_not_found`, 400 `validation_failed` for another address, 422 `identity_already_exists`.
pub(crate) async fn accept(
    inner: &Inner,
    db: &mut PgConnection,
    context: &Context,
    token: &str,
    newcomer: &Newcomer<'_>,
) -> Result<Outcome, AuthError> {
    one_at_a_time(inner, db, &["identity", newcomer.provider, &newcomer.profile.subject]).await?;
    let pending = pending(inner, db, token).await?.ok_or(ProviderError::InviteNotFound)?;
    let user = usable(db, context, pending.user_id).await?;
    if !codes::is_fresh(inner, &user, Slot::Confirmation, &pending.sent_to, context.now)
        || !one_time_tokens::take(db, pending.id).await?
    {
        return Err(ProviderError::InviteNotFound.into());
    }
    let theirs = newcomer.profile.email.as_ref().map(|email| email.as_str());
    if theirs.is_none() || theirs != user.email.as_deref() {
        return Err(ProviderError::InvitedAnother.into());
    }
    match external_identities::find(&mut *db, newcomer.provider, &newcomer.profile.subject).await? {
        Some((_, owner)) if owner == user.id => return Err(IdentityError::AlreadyLinked.into()),
        Some(_) => return Err(IdentityError::LinkedToAnother.into()),
        None => {}
    }
    let identity = add_identity(inner, db, context, user.id, newcomer).await?;
    start_afresh(inner, db, context, (user.id, identity), newcomer).await?;
    accounts::confirm(inner, db, user.id, context.now).await?;
    audit::add(db, inner.new_id(), Action::InviteAccepted, &user, context).await?;
    Ok(Outcome::Granted(user.id))
}
