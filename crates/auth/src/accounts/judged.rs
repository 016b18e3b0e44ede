//! Whether an account may be made, where a hook elsewhere decides that (CONTRACT.md HK10).
//!
//! It may take seconds, so it is never asked inside a transaction, which holds a connection and locks rows (C15). Who
//! is about to make an account that was not judged yet gives up ([`AuthError::Unjudged`]); [`Inner::begin_anew`] asks
//! the hook, and the request does its work once more, with what the hook said in its [`Context`].

use serde_json::json;
use sqlx::PgConnection;
use uuid::Uuid;

use super::NewAccount;
use crate::{
    error::AuthError,
    hooks,
    new_accounts::{Agreement, Unjudged},
    request::Context,
    state::Inner,
    work::Work,
};

/// The id of an account that may be made now: a function of the database is asked here, others must have agreed before.
///
/// # Errors
/// [`AuthError::Unjudged`], or what the function says.
pub(super) async fn may_be_made(
    inner: &Inner,
    db: &mut PgConnection,
    new: &NewAccount<'_>,
    context: &Context,
) -> Result<Uuid, AuthError> {
    if new.by_admin || inner.settings.hooks.before_user_created.is_none() {
        return Ok(new.id.unwrap_or_else(|| inner.new_id()));
    }
    if hooks::judges_accounts_elsewhere(&inner.settings) {
        return match context.agreements.of(&mark(new)) {
            Some(id) => Ok(id),
            None => Err(AuthError::Unjudged(Box::new(unjudged(inner, new, context)?))),
        };
    }
    let Unjudged { agreement, user } = unjudged(inner, new, context)?;
    hooks::before_user_created(inner, Some(db), context, &user).await?;
    Ok(agreement.id)
}

/// Asks the hook, where it is elsewhere, before anybody looks whose the address is: for requests whose time must not
/// tell, and for those that make an account in any case. No transaction may be open.
///
/// # Errors
/// What the hook says, or that it could not be asked.
pub(crate) async fn agree(inner: &Inner, new: &NewAccount<'_>, context: &Context) -> Result<(), AuthError> {
    if !hooks::judges_accounts_elsewhere(&inner.settings) {
        return Ok(());
    }
    judge(inner, unjudged(inner, new, context)?, context).await
}

impl Inner {
    /// Goes on after work in a transaction failed: where that is for want of a judgement, the transaction is given up,
    /// the hook is asked without one, and another begins in which the work is to be done anew.
    ///
    /// # Errors
    /// `error`, where it is any other; else what the hook says.
    pub(crate) async fn begin_anew(
        &self,
        context: &Context,
        work: Work,
        error: AuthError,
    ) -> Result<Work, AuthError> {
        let AuthError::Unjudged(unjudged) = error else { return Err(error) };
        work.give_up();
        judge(self, *unjudged, context).await?;
        self.begin(context).await
    }
}

async fn judge(inner: &Inner, unjudged: Unjudged, context: &Context) -> Result<(), AuthError> {
    hooks::before_user_created(inner, None, context, &unjudged.user).await?;
    context.agreements.add(unjudged.agreement);
    Ok(())
}

fn unjudged(inner: &Inner, new: &NewAccount<'_>, context: &Context) -> Result<Unjudged, AuthError> {
    let id = new.id.unwrap_or_else(|| inner.new_id());
    let (app, own) = new.metadata(id)?;
    let user = serde_json::to_value(new.shown(id, &app, &own, context.now)).unwrap_or_default();
    Ok(Unjudged { agreement: Agreement { mark: mark(new), id }, user })
}

/// What tells an account from others that the same request may make.
fn mark(new: &NewAccount<'_>) -> String {
    let external = new.external.as_ref().map(|identity| [identity.provider, identity.provider_id]);
    json!([new.email.map(|email| email.as_str()), new.phone.map(|phone| phone.as_str()), external])
        .to_string()
}
