//! The first proof that somebody owns an address, and what it removes from the account.
//!
//! Anybody can sign up with a stranger's address and wait for the owner to confirm it. So one rule
//! holds, and this module is the only place for it: **the first proof of an address removes
//! everything that somebody else may have put on its account.** That is the password, metadata,
//! identities, sessions, second factors, passkeys, the other address, pending changes and codes
//! (CONTRACT.md G12).
//!
//! What the proof itself covers stays. A code covers only the request that created the account. An
//! account remembers its [`AccountOrigin`] while nobody else asks for its codes:
//!
//! - The first code of a `/signup`, its `/resend`, or a repeated `/signup` with the same password
//!   confirm that password and its metadata. A repeated `/signup` with another password changes
//!   nothing at once (CONTRACT.md M18), but it disputes the address. Then neither password survives
//!   the proof, because nobody can tell which of the two typed the code in.
//! - Any other request for a code (`/otp`, `/recover`, a provider) disputes the address for good.
//!   It does not matter whether a code is sent, refused or fails: the owner may find the code of
//!   somebody else in the inbox. A later mail of the `/signup` does not undo this. A request that
//!   shows the challenge of the `/signup` is the exception: it is the same person who asks again
//!   because no mail came. The same network proves nothing, because neighbours share it.
//! - The owner gets no message about a removed password. The account has none, as after any sign-in
//!   by code. If a code or a provider proved the address, the log names the account, so that the
//!   project can offer a reset.
//! - An account created by `/otp` has only metadata, which opens nothing, and keeps it (CONTRACT.md
//!   M14).
//! - An account created by a provider that does not vouch keeps its identity if the code is that of
//!   its own mail.
//! - What an admin created belongs to the owner. An invitation takes an account over from whoever
//!   created it, and accepting it replaces the password in any case (CONTRACT.md V4).
//! - An account without a remembered origin, such as an imported one, is stripped.
//!
//! An account that is confirmed by its other address, or by an admin, belongs to somebody: nothing
//! is removed.

use serde_json::{Value, json};
use uuid::Uuid;

use crate::{
    domain::{
        account_origin::{self, AccountOrigin},
        accounts,
    },
    model::audit_event::LogLine,
    store::{
        account_origins, identities, soft_deletion,
        users::{self, Remains, User},
    },
    tx::Tx,
    wire::{error::AuthError, request::RequestContext},
};

/// Which address of the account is proven.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ProvenAddress {
    Email,
    Phone,
}

/// An admin takes over an account that somebody else may have created. It is stripped at once, so
/// that what the admin writes stays.
pub(crate) async fn take_over(tx: &mut Tx<'_>, user: &User) -> Result<(), AuthError> {
    if user.confirmed_at.is_some() {
        return Ok(());
    }
    let origin = account_origins::of_user(&mut *tx.db, user.id).await?;
    if !matches!(origin.as_deref(), Some("admin" | "code")) {
        strip_to(tx, user, ProvenAddress::Email).await?;
    }
    Ok(account_origin::record(tx, user.id, AccountOrigin::Admin, None).await?)
}

/// A code proves the address or number for the first time. The account is confirmed. It is
/// stripped, unless only the request that created it asked for the code.
///
/// # Errors
/// [`AuthError::Refused`] when a trigger or constraint of the project says no.
pub(crate) async fn by_code(tx: &mut Tx<'_>, user: &User, proven: ProvenAddress) -> Result<(), AuthError> {
    let is_of_one_hand = account_origins::take(tx.db, user.id).await?;
    if user.confirmed_at.is_none() && !is_of_one_hand {
        strip_to(tx, user, proven).await?;
        log_dropped_password(tx.context, user);
    }
    match proven {
        ProvenAddress::Email => accounts::confirm(tx, user.id).await,
        ProvenAddress::Phone => accounts::confirm_phone(tx, user.id).await,
    }
}

/// A provider vouches for the address of the account for the first time. The account is confirmed
/// and stripped, except for `identity`, which is the provider's.
///
/// # Errors
/// As [`by_code`].
pub(crate) async fn by_provider(
    tx: &mut Tx<'_>,
    user: &User,
    identity: Uuid,
    data: &Value,
) -> Result<(), AuthError> {
    account_origin::forget(tx.db, user.id).await?;
    if user.confirmed_at.is_none() {
        let remains = Remains { email: true, phone: false, metadata: data.clone() };
        strip(tx, user.id, &remains).await?;
        let refused = |error| tx.service.save_error(error);
        identities::delete_others(tx.db, user.id, Some(identity), None).await.map_err(refused)?;
        users::set_providers_from_identities(tx.db, user.id, tx.context.now).await.map_err(refused)?;
        log_dropped_password(tx.context, user);
    }
    accounts::confirm(tx, user.id).await
}

/// Names an account that lost its password in the log, for whoever asks why its owner cannot sign
/// in.
fn log_dropped_password(context: &RequestContext, user: &User) {
    if user.has_password {
        context.after_commit.log(LogLine::PasswordDropped(user.id));
    }
}

/// Strips an account to the address or number that is proven, and the identity of that.
async fn strip_to(tx: &mut Tx<'_>, user: &User, proven: ProvenAddress) -> Result<(), AuthError> {
    let refused = |error| tx.service.save_error(error);
    let (id, now) = (user.id, tx.context.now);
    let mut metadata = json!({"sub": id, "email_verified": false, "phone_verified": false});
    match proven {
        ProvenAddress::Email => {
            let email = user.email.as_deref().unwrap_or_default();
            metadata["email"] = json!(email);
            strip(tx, id, &Remains { email: true, phone: false, metadata }).await?;
            identities::delete_others(tx.db, id, None, Some("email")).await.map_err(refused)?;
            accounts::put_email_identity(tx, id, email, false).await.map_err(refused)?;
        }
        ProvenAddress::Phone => {
            let phone = user.phone.as_deref().unwrap_or_default();
            metadata["phone"] = json!(phone);
            strip(tx, id, &Remains { email: false, phone: true, metadata }).await?;
            identities::delete_others(tx.db, id, None, Some("phone")).await.map_err(refused)?;
            accounts::put_phone_identity(tx, id, phone, false).await.map_err(refused)?;
        }
    }
    users::set_providers_from_identities(tx.db, id, now).await.map_err(refused)
}

/// Removes all ways to sign in and all user-written data, except identities.
async fn strip(tx: &mut Tx<'_>, user: Uuid, remains: &Remains) -> Result<(), AuthError> {
    users::strip(tx.db, user, remains, tx.context.now).await.map_err(|error| tx.service.save_error(error))?;
    soft_deletion::proofs(tx.db, user).await?;
    Ok(())
}
