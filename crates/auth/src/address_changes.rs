//! Changes of the address or the number of an account (CONTRACT.md U2 to U9).

use sqlx::PgConnection;

use crate::{
    accounts,
    codes::{self, Standing},
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
        one_time_tokens::Slot,
        users::{self, User},
    },
};

/// Changes the address of an account: at once for an anonymous user where addresses count at once
/// (CONTRACT.md AN2), else by [`request_change`].
pub(crate) async fn change_email(
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

/// Sends a code to the new address and, where both have to agree, one to the current address
/// (CONTRACT.md U2-U5).
pub(crate) async fn request_change(
    inner: &Inner,
    db: &mut PgConnection,
    context: &Context,
    user: &User,
    address: &Email,
    challenge: Option<&Challenge>,
) -> Result<(), AuthError> {
    let current = allowed(inner, db, context, user, (address, Standing::Trusted)).await?;
    codes::change_address(inner, db, context, user, (current, address), challenge).await
}

/// Sends the codes of a change again that is under way, for whoever asks (CONTRACT.md U7).
pub(crate) async fn request_again(
    inner: &Inner,
    db: &mut PgConnection,
    context: &Context,
    user: &User,
    address: &Email,
) -> Result<(), AuthError> {
    let current = allowed(inner, db, context, user, (address, Standing::Anybody)).await?;
    codes::change_address_again(inner, db, context, user, (current, address)).await
}

/// Counts the codes of a change to `address`; the current address, where it has to agree.
async fn allowed<'a>(
    inner: &Inner,
    db: &mut PgConnection,
    context: &Context,
    user: &'a User,
    (address, standing): (&Email, Standing),
) -> Result<Option<&'a str>, AuthError> {
    if users::is_taken(&mut *db, address.as_str(), user.id).await? {
        return Err(AuthError::EmailExists);
    }
    let current = user.email.as_deref().filter(|email| !email.is_empty());
    let current = current.filter(|_| inner.settings.double_confirm_changes);
    let own = current.map(|current| (current, standing));
    let addresses: Vec<_> = own.into_iter().chain([(address.as_str(), Standing::Anybody)]).collect();
    codes::allow_own(inner, db, context, Slot::EmailChangeNew.sent_at(user), &addresses).await?;
    Ok(current)
}

/// Changes the number of an account: at once where numbers count at once, else by a code to the new
/// one (CONTRACT.md U9).
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
        return request_number(inner, db, context, user, phone).await;
    }
    apply_phone(inner, db, context, user, phone.as_str()).await
}

/// Sends a code to the number that the account shall have (CONTRACT.md U9).
pub(crate) async fn request_number(
    inner: &Inner,
    db: &mut PgConnection,
    context: &Context,
    user: &User,
    phone: &Phone,
) -> Result<(), AuthError> {
    let slot = Slot::PhoneChange;
    codes::allow_own_message(inner, db, context, slot.sent_at(user), (phone.as_str(), Standing::Anybody))
        .await?;
    sms::send(inner, db, context, user, &SmsDispatch { slot, phone, sms_type: "phone_change" }).await
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
