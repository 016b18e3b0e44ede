//! Changes of the address or the number of an account (CONTRACT.md U2 to U9).

use crate::{
    domain::{
        accounts, codes,
        limits::otp_quota::{self, RequestedBy},
        security_notifications,
        sms::{self, SmsDispatch},
    },
    mails::{Kind, NoticeDetails},
    store::{
        one_time_tokens::TokenType,
        users::{self, User},
    },
    tx::Tx,
    wire::{
        email::Email,
        error::{AccountError, AuthError},
        phone::Phone,
        pkce::Challenge,
    },
};

/// Changes the address of an account: at once for an anonymous user if addresses count at once
/// (CONTRACT.md AN2), else by [`request_change`].
pub(crate) async fn change_email(
    tx: &mut Tx<'_>,
    user: &User,
    email: &Email,
    challenge: Option<&Challenge>,
) -> Result<(), AuthError> {
    if !user.is_anonymous || tx.service.settings.confirm_email {
        return request_change(tx, user, email, challenge).await;
    }
    if users::is_taken(&mut *tx.db, email.as_str(), user.id).await? {
        return Err(AuthError::EmailExists);
    }
    accounts::change_email(tx, user.id, email.as_str()).await
}

/// Sends a code to the new address and, if both must agree, to the current address (CONTRACT.md
/// U2 to U5).
pub(crate) async fn request_change(
    tx: &mut Tx<'_>,
    user: &User,
    address: &Email,
    challenge: Option<&Challenge>,
) -> Result<(), AuthError> {
    let current = allowed(tx, user, address, RequestedBy::Owner).await?;
    codes::change_address(tx, user, (current, address), challenge).await
}

/// Sends the codes of a pending change again, whoever asks (CONTRACT.md U7).
pub(crate) async fn request_again(tx: &mut Tx<'_>, user: &User, address: &Email) -> Result<(), AuthError> {
    let current = allowed(tx, user, address, RequestedBy::Anybody).await?;
    codes::change_address_again(tx, user, (current, address)).await
}

/// Counts the codes of a change to `address`. Returns the current address, if it must agree.
async fn allowed<'a>(
    tx: &mut Tx<'_>,
    user: &'a User,
    address: &Email,
    requested_by: RequestedBy,
) -> Result<Option<&'a str>, AuthError> {
    if users::is_taken(&mut *tx.db, address.as_str(), user.id).await? {
        return Err(AuthError::EmailExists);
    }
    let current = user.email.as_deref().filter(|email| !email.is_empty());
    let current = current.filter(|_| tx.service.settings.double_confirm_changes);
    let own = current.map(|current| (current, requested_by));
    let addresses: Vec<_> = own.into_iter().chain([(address.as_str(), RequestedBy::Anybody)]).collect();
    otp_quota::allow_own(tx, TokenType::EmailChangeNew.sent_at(user), &addresses).await?;
    Ok(current)
}

/// Changes the number of an account: at once if numbers count at once, else by a code to the new
/// one (CONTRACT.md U9).
pub(crate) async fn change_phone(tx: &mut Tx<'_>, user: &User, phone: &Phone) -> Result<(), AuthError> {
    if users::is_phone_taken(&mut *tx.db, phone.as_str(), user.id).await? {
        return Err(AccountError::PhoneExists.into());
    }
    if tx.service.settings.sms.confirm {
        return request_number(tx, user, phone).await;
    }
    apply_phone(tx, user, phone.as_str()).await
}

/// Sends a code to the new number (CONTRACT.md U9).
pub(crate) async fn request_number(tx: &mut Tx<'_>, user: &User, phone: &Phone) -> Result<(), AuthError> {
    let token_type = TokenType::PhoneChange;
    otp_quota::allow_own_message(tx, token_type.sent_at(user), phone.as_str(), RequestedBy::Anybody).await?;
    sms::send(tx, user, &SmsDispatch { token_type, phone, sms_type: "phone_change" }).await
}

/// Stores the new number and sends the notice.
pub(crate) async fn apply_phone(tx: &mut Tx<'_>, user: &User, phone: &str) -> Result<(), AuthError> {
    accounts::change_phone(tx, user.id, phone).await?;
    let old = user.phone.as_deref().unwrap_or_default();
    let changed = accounts::load(tx.db, user.id).await?;
    let details = NoticeDetails { old_phone: old, ..NoticeDetails::default() };
    security_notifications::send(tx, &changed, Kind::PhoneChanged, details).await
}
