//! Asks the hook `before_user_created` (CONTRACT.md HK10).
//!
//! A remote hook may take seconds, so it is never asked inside a transaction, which locks rows and
//! holds a connection (C15). A request that would create an account without approval stops with
//! [`AuthError::NeedsApproval`]. [`ServiceContext::begin_again`] asks the hook, and the request
//! repeats its work with the approval in its [`RequestContext`].

use serde_json::json;
use uuid::Uuid;

use super::NewAccount;
use crate::{
    context::ServiceContext,
    domain::transaction::RequestTransaction,
    hooks,
    model::created_accounts::{HookApproval, NeedsApproval},
    tx::Tx,
    wire::{error::AuthError, request::RequestContext},
};

/// The id of an approved account. A function of the database is asked here; a remote hook must have
/// agreed before.
///
/// # Errors
/// [`AuthError::NeedsApproval`], or what the function says.
pub(super) async fn approved_id(tx: &mut Tx<'_>, new: &NewAccount<'_>) -> Result<Uuid, AuthError> {
    if new.by_admin || tx.service.settings.hooks.before_user_created.is_none() {
        return Ok(new.id.unwrap_or_else(|| tx.service.new_id()));
    }
    if hooks::creation_hook_is_remote(&tx.service.settings) {
        return match tx.context.approvals.of(&key(new)) {
            Some(id) => Ok(id),
            None => Err(AuthError::NeedsApproval(Box::new(needing_approval(tx.service, new, tx.context)?))),
        };
    }
    let NeedsApproval { approval, user } = needing_approval(tx.service, new, tx.context)?;
    hooks::before_user_created(tx.service, Some(tx.db), tx.context, &user).await?;
    Ok(approval.id)
}

/// Asks a remote hook before the address is looked up: for requests whose time must tell nothing,
/// and for those that create an account in any case. The caller must hold no transaction.
///
/// # Errors
/// What the hook says, or that it could not be asked.
pub(crate) async fn approve(
    service: &ServiceContext,
    new: &NewAccount<'_>,
    context: &RequestContext,
) -> Result<(), AuthError> {
    if !hooks::creation_hook_is_remote(&service.settings) {
        return Ok(());
    }
    ask_hook(service, needing_approval(service, new, context)?, context).await
}

impl ServiceContext {
    /// Continues after a failure. If an approval is missing, it rolls back, asks the hook outside
    /// of any transaction, and begins a new one in which the caller repeats its work.
    ///
    /// # Errors
    /// `error`, if it is any other; else what the hook answers.
    pub(crate) async fn begin_again<'a>(
        &'a self,
        context: &'a RequestContext,
        transaction: RequestTransaction<'a>,
        error: AuthError,
    ) -> Result<RequestTransaction<'a>, AuthError> {
        let AuthError::NeedsApproval(needing_approval) = error else { return Err(error) };
        transaction.roll_back();
        ask_hook(self, *needing_approval, context).await?;
        self.begin(context).await
    }
}

async fn ask_hook(
    service: &ServiceContext,
    needing_approval: NeedsApproval,
    context: &RequestContext,
) -> Result<(), AuthError> {
    hooks::before_user_created(service, None, context, &needing_approval.user).await?;
    context.approvals.add(needing_approval.approval);
    Ok(())
}

fn needing_approval(
    service: &ServiceContext,
    new: &NewAccount<'_>,
    context: &RequestContext,
) -> Result<NeedsApproval, AuthError> {
    let id = new.id.unwrap_or_else(|| service.new_id());
    let user = serde_json::to_value(new.shown(id, new.metadata(id)?, context.now)).unwrap_or_default();
    Ok(NeedsApproval { approval: HookApproval { key: key(new), id }, user })
}

/// Identifies an account among those that one request may create.
fn key(new: &NewAccount<'_>) -> String {
    let external = new.external.as_ref().map(|identity| [identity.provider, identity.provider_id]);
    json!([new.email.map(|email| email.as_str()), new.phone.map(|phone| phone.as_str()), external])
        .to_string()
}
