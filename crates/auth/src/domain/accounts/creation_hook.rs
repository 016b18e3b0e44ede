//! Whether an account may be made, where a hook elsewhere decides that (CONTRACT.md HK10).
//!
//! It may take seconds, so it is never asked inside a transaction, which holds a connection and locks rows (C15). Who
//! is about to make an account that was not judged yet gives up ([`AuthError::NeedsApproval`]); [`ServiceContext::begin_again`] asks
//! the hook, and the request does its work once more, with what the hook said in its [`RequestContext`].

use serde_json::json;
use sqlx::PgConnection;
use uuid::Uuid;

use super::NewAccount;
use crate::{
    context::ServiceContext,
    domain::transaction::RequestTransaction,
    hooks,
    model::created_accounts::{HookApproval, NeedsApproval},
    wire::{error::AuthError, request::RequestContext},
};

/// The id of an account that may be made now: a function of the database is asked here, others must have agreed before.
///
/// # Errors
/// [`AuthError::NeedsApproval`], or what the function says.
pub(super) async fn approved_id(
    service: &ServiceContext,
    db: &mut PgConnection,
    new: &NewAccount<'_>,
    context: &RequestContext,
) -> Result<Uuid, AuthError> {
    if new.by_admin || service.settings.hooks.before_user_created.is_none() {
        return Ok(new.id.unwrap_or_else(|| service.new_id()));
    }
    if hooks::creation_hook_is_remote(&service.settings) {
        return match context.approvals.of(&key(new)) {
            Some(id) => Ok(id),
            None => Err(AuthError::NeedsApproval(Box::new(needing_approval(service, new, context)?))),
        };
    }
    let NeedsApproval { approval, user } = needing_approval(service, new, context)?;
    hooks::before_user_created(service, Some(db), context, &user).await?;
    Ok(approval.id)
}

/// Asks the hook, where it is elsewhere, before anybody looks whose the address is: for requests whose time must not
/// tell, and for those that make an account in any case. No transaction may be open.
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
    /// Goes on after work in a transaction failed: where that is for want of a judgement, the transaction is given up,
    /// the hook is asked without one, and another begins in which the work is to be done anew.
    ///
    /// # Errors
    /// `error`, where it is any other; else what the hook says.
    pub(crate) async fn begin_again(
        &self,
        context: &RequestContext,
        transaction: RequestTransaction,
        error: AuthError,
    ) -> Result<RequestTransaction, AuthError> {
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
    let (app, own) = new.metadata(id)?;
    let user = serde_json::to_value(new.shown(id, &app, &own, context.now)).unwrap_or_default();
    Ok(NeedsApproval { approval: HookApproval { key: key(new), id }, user })
}

/// What tells an account from others that the same request may make.
fn key(new: &NewAccount<'_>) -> String {
    let external = new.external.as_ref().map(|identity| [identity.provider, identity.provider_id]);
    json!([new.email.map(|email| email.as_str()), new.phone.map(|phone| phone.as_str()), external])
        .to_string()
}
