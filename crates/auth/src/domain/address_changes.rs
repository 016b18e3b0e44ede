//! Changes of the address or the number of an account (CONTRACT.md U2 to U9).

use sqlx::PgConnection;

use crate::{
    context::ServiceContext,
    domain::{
        accounts, codes,
        limits::otp_quota::{self, RequestedBy},
        notices,
        sms::{self, SmsDispatch},
    },
    mails::{Kind, NoticeDetails},
    store::{
        one_time_tokens::TokenType,
        users::{self, User},
    },
    wire::{
        email::Email,
        error::{AccountError, AuthError},
        phone::Phone,
        pkce::Challenge,
        request::RequestContext,
    },
};

/// Changes the address of an account: at once for an anonymous user if addresses count at once
/// (CONTRACT.md AN2), else by [`request_change`].
pub(crate) async fn change_email(
    service: &ServiceContext,
    db: &mut PgConnection,
    context: &RequestContext,
    user: &User,
    email: &Email,
    challenge: Option<&Challenge>,
) -> Result<(), AuthError> {
    if !user.is_anonymous || service.settings.confirm_email {
        return request_change(service, db, context, user, email, challenge).await;
    }
    if users::is_taken(&mut *db, email.as_str(), user.id).await? {
        return Err(AuthError::EmailExists);
    }
    accounts::change_email(service, db, user.id, email.as_str(), context.now).await
}

/// Sends a code to the new address and, if both must agree, to the current address (CONTRACT.md
/// U2 to U5).
pub(crate) async fn request_change(
    service: &ServiceContext,
    db: &mut PgConnection,
    context: &RequestContext,
    user: &User,
    address: &Email,
    challenge: Option<&Challenge>,
) -> Result<(), AuthError> {
    let current = allowed(service, db, context, user, (address, RequestedBy::Owner)).await?;
    codes::change_address(service, db, context, user, (current, address), challenge).await
}

/// Sends the codes of a pending change again, whoever asks (CONTRACT.md U7).
pub(crate) async fn request_again(
    service: &ServiceContext,
    db: &mut PgConnection,
    context: &RequestContext,
    user: &User,
    address: &Email,
) -> Result<(), AuthError> {
    let current = allowed(service, db, context, user, (address, RequestedBy::Anybody)).await?;
    codes::change_address_again(service, db, context, user, (current, address)).await
}

/// Counts the codes of a change to `address`. Returns the current address, if it must agree.
async fn allowed<'a>(
    service: &ServiceContext,
    db: &mut PgConnection,
    context: &RequestContext,
    user: &'a User,
    (address, requested_by): (&Email, RequestedBy),
) -> Result<Option<&'a str>, AuthError> {
    if users::is_taken(&mut *db, address.as_str(), user.id).await? {
        return Err(AuthError::EmailExists);
    }
    let current = user.email.as_deref().filter(|email| !email.is_empty());
    let current = current.filter(|_| service.settings.double_confirm_changes);
    let own = current.map(|current| (current, requested_by));
    let addresses: Vec<_> = own.into_iter().chain([(address.as_str(), RequestedBy::Anybody)]).collect();
    otp_quota::allow_own(service, db, context, TokenType::EmailChangeNew.sent_at(user), &addresses).await?;
    Ok(current)
}

/// Changes the number of an account: at once if numbers count at once, else by a code to the new
/// one (CONTRACT.md U9).
pub(crate) async fn change_phone(
    service: &ServiceContext,
    db: &mut PgConnection,
    context: &RequestContext,
    user: &User,
    phone: &Phone,
) -> Result<(), AuthError> {
    if users::is_phone_taken(&mut *db, phone.as_str(), user.id).await? {
        return Err(AccountError::PhoneExists.into());
    }
    if service.settings.sms.confirm {
        return request_number(service, db, context, user, phone).await;
    }
    apply_phone(service, db, context, user, phone.as_str()).await
}

/// Sends a code to the new number (CONTRACT.md U9).
pub(crate) async fn request_number(
    service: &ServiceContext,
    db: &mut PgConnection,
    context: &RequestContext,
    user: &User,
    phone: &Phone,
) -> Result<(), AuthError> {
    let token_type = TokenType::PhoneChange;
    otp_quota::allow_own_message(
        service,
        db,
        context,
        token_type.sent_at(user),
        (phone.as_str(), RequestedBy::Anybody),
    )
    .await?;
    sms::send(service, db, context, user, &SmsDispatch { token_type, phone, sms_type: "phone_change" }).await
}

/// Stores the new number and sends the notice.
pub(crate) async fn apply_phone(
    service: &ServiceContext,
    db: &mut PgConnection,
    context: &RequestContext,
    user: &User,
    phone: &str,
) -> Result<(), AuthError> {
    accounts::change_phone(service, db, user.id, phone, context.now).await?;
    let old = user.phone.as_deref().unwrap_or_default();
    let changed = accounts::load(db, user.id).await?;
    let details = NoticeDetails { old_phone: old, ..NoticeDetails::default() };
    notices::send(service, db, context, &changed, Kind::PhoneChanged, details).await
}
