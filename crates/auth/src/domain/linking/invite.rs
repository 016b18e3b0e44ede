use super::{ExternalUser, Outcome, add_identity, lock_identity, usable};
use crate::{
    domain::{
        audit_log::{self, Action},
        codes,
        limits::{otp_attempts::CodeSource, otp_quota},
        ownership_proof,
    },
    passwords,
    store::{
        external_identities,
        one_time_tokens::{self, Pending, TokenType},
        passwords as stored,
    },
    tx::Tx,
    wire::error::{AuthError, IdentityError, ProviderError},
};

/// The pending invitation of a token.
pub(crate) async fn pending(tx: &mut Tx<'_>, token: &str) -> Result<Option<Pending>, AuthError> {
    let hashes = codes::stored_forms_of_link(tx.service, token);
    Ok(one_time_tokens::by_hash(&mut *tx.db, &hashes, &[TokenType::Confirmation.name().to_owned()]).await?)
}

/// Accepts an invitation by the stored form of its token. The provider must vouch for the invited
/// address, which confirms it (CONTRACT.md G17). The code of another confirmation is no invitation.
///
/// # Errors
/// 404 `invite_not_found`, 400 `validation_failed` for another address, 422
/// `identity_already_exists`.
pub(crate) async fn accept(
    tx: &mut Tx<'_>,
    stored_token: &str,
    external_user: &ExternalUser<'_>,
) -> Result<Outcome, AuthError> {
    lock_identity(tx, external_user.identity()).await?;
    let token_types = [TokenType::Confirmation.name().to_owned()];
    let pending = one_time_tokens::by_hash(&mut *tx.db, &[stored_token.to_owned()], &token_types).await?;
    let pending = pending.ok_or(ProviderError::InviteNotFound)?;
    let user = usable(tx, pending.user_id).await?;
    if !user.has_open_invitation()
        || !codes::is_fresh(tx.service, &user, TokenType::Confirmation, &pending.sent_to, tx.context.now)
        || !one_time_tokens::take(tx.db, pending.id).await?
    {
        return Err(ProviderError::InviteNotFound.into());
    }
    otp_quota::entered(tx, &pending.sent_to, CodeSource::Exchanged).await?;
    let theirs = external_user.profile.email.as_ref().map(|email| email.as_str());
    if theirs.is_none() || theirs != user.email.as_deref() {
        return Err(ProviderError::InvitedAnother.into());
    }
    match external_identities::find(&mut *tx.db, external_user.provider, &external_user.profile.subject)
        .await?
    {
        Some((_, owner)) if owner == user.id => return Err(IdentityError::AlreadyLinked.into()),
        Some(_) => return Err(IdentityError::LinkedToAnother.into()),
        None => {}
    }
    let identity = add_identity(tx, user.id, external_user).await?;
    ownership_proof::by_provider(tx, &user, identity, &external_user.data()).await?;
    if user.confirmed_at.is_some() {
        // The account is confirmed by its number, so only its password is removed, as by the link
        // of the invitation (CONTRACT.md V4).
        let hash = passwords::unknowable_hash(&tx.service.random(), &tx.service.random());
        let saved = stored::set(tx.db, user.id, &hash, tx.context.now).await;
        saved.map_err(|error| tx.service.save_error(error))?;
    }
    audit_log::add(tx, Action::InviteAccepted, &user).await?;
    Ok(Outcome::Granted(user.id))
}
