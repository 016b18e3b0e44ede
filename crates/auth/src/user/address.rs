use sqlx::PgConnection;

use crate::{
    accounts,
    codes::{self, Dispatch, Slot},
    email::Email,
    error::{AccountError, AuthError},
    mails::{Kind, News},
    notices,
    phone::Phone,
    pkce::Challenge,
    request::Context,
    sms::{self, SmsDispatch},
    state::Inner,
    store::{
        one_time_tokens,
        users::{self, User},
    },
};

/// Changes the address of an account: at once for an anonymous user where addresses count at once (auth.md AN2), else by
/// [`request_change`].
pub(super) async fn change_email(
    inner: &Inner,
    db: &mut PgConnection,
    context: &Context,
    user: &User,
    email: &Email,
    challenge: Option<&Challenge>,
) -> Result<(), AuthError> {
    if !user.is_anonymous || inner.settings.confirm_email {
        return request_change(inner, db, context, user, email, challenge).await;
    }
    if users::is_taken(&mut *db, email.as_str(), user.id).await? {
        return Err(AuthError::EmailExists);
    }
    accounts::change_email(inner, db, user.id, email.as_str(), context.now).await
}

/// Sends a code to the new address and, where both have to agree, one to the current address (auth.md U2-U5).
pub(crate) async fn request_change(
    inner: &Inner,
    db: &mut PgConnection,
    context: &Context,
    user: &User,
    address: &Email,
    challenge: Option<&Challenge>,
) -> Result<(), AuthError> {
    if users::is_taken(&mut *db, address.as_str(), user.id).await? {
        return Err(AuthError::EmailExists);
    }
    codes::check_frequency(inner, user, Slot::EmailChangeNew, context.now)?;
    let current = user.email.as_deref().filter(|email| !email.is_empty());
    let both = inner.settings.double_confirm_changes;
    one_time_tokens::clear_slot(db, user.id, Slot::EmailChangeCurrent).await?;
    match current.filter(|_| both) {
        Some(current) if inner.settings.hooks.send_email.is_some() => {
            let addresses = (current, address.as_str());
            codes::send_change_by_hook(inner, db, context, user, addresses, challenge).await?;
        }
        current => {
            if let Some(current) = current {
                let dispatch = change(Slot::EmailChangeCurrent, current, address, challenge);
                codes::send(inner, db, context, user, &dispatch).await?;
            }
            let dispatch = change(Slot::EmailChangeNew, address.as_str(), address, challenge);
            codes::send(inner, db, context, user, &dispatch).await?;
        }
    }
    users::email_change_sent(db, user.id, address.as_str(), context.now)
        .await
        .map_err(|error| AuthError::saving(error, inner.explains))
}

fn change<'a>(
    slot: Slot,
    to: &'a str,
    new_email: &'a Email,
    challenge: Option<&'a Challenge>,
) -> Dispatch<'a> {
    Dispatch { kind: Kind::EmailChange, slot, address: to, new_email: Some(new_email.as_str()), challenge }
}

/// Changes the number of an account: at once where numbers count at once, else by a code to the new one (auth.md U9).
pub(crate) async fn change_phone(
    inner: &Inner,
    db: &mut PgConnection,
    context: &Context,
    user: &User,
    phone: &Phone,
) -> Result<(), AuthError> {
    if users::is_phone_taken(&mut *db, phone.as_str(), user.id).await? {
        return Err(AccountError::PhoneExists.into());
    }
    if inner.settings.sms.confirm {
        let dispatch = SmsDispatch { slot: Slot::PhoneChange, phone, sms_type: "phone_change" };
        return sms::send(inner, db, context, user, &dispatch).await.map(drop);
    }
    apply_phone(inner, db, context, user, phone.as_str()).await
}

/// Gives the account its new number and tells of it.
pub(crate) async fn apply_phone(
    inner: &Inner,
    db: &mut PgConnection,
    context: &Context,
    user: &User,
    phone: &str,
) -> Result<(), AuthError> {
    accounts::change_phone(inner, db, user.id, phone, context.now).await?;
    let old = user.phone.as_deref().unwrap_or_default();
    let changed = accounts::load(db, user.id).await?;
    let news = News { old_phone: old, ..News::default() };
    notices::send(inner, db, context, &changed, Kind::PhoneChanged, news).await
}
