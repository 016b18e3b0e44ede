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
use sqlx::PgConnection;
use uuid::Uuid;

use crate::{
    context::ServiceContext,
    domain::{
        account_origin::{self, AccountOrigin},
        accounts,
    },
    model::audit_event::LogLine,
    store::{
        account_origins, identities, soft_deletion,
        users::{self, User},
    },
    wire::{error::AuthError, request::RequestContext},
};

/// Which address of the account is proven.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Proof {
    Email,
    Phone,
}

/// An admin takes over an account that somebody else may have created. It is stripped at once, so
/// that what the admin writes stays.
pub(crate) async fn take_over(
    service: &ServiceContext,
    db: &mut PgConnection,
    context: &RequestContext,
    user: &User,
) -> Result<(), AuthError> {
    if user.confirmed_at.is_some() {
        return Ok(());
    }
    let origin = account_origins::of_user(&mut *db, user.id).await?;
    if !matches!(origin.as_deref(), Some("admin" | "code")) {
        strip_to(service, db, context, user, Proof::Email).await?;
    }
    Ok(account_origin::record(service, db, user.id, AccountOrigin::Admin, None).await?)
}

/// A code proves the address or number for the first time. The account is confirmed. It is
/// stripped, unless only the request that created it asked for the code.
///
/// # Errors
/// [`AuthError::Refused`] when a trigger or constraint of the project says no.
pub(crate) async fn by_code(
    service: &ServiceContext,
    db: &mut PgConnection,
    context: &RequestContext,
    user: &User,
    proof: Proof,
) -> Result<(), AuthError> {
    let is_of_one_hand = account_origins::take(db, user.id).await?;
    if user.confirmed_at.is_none() && !is_of_one_hand {
        strip_to(service, db, context, user, proof).await?;
        log_dropped_password(context, user);
    }
    match proof {
        Proof::Email => accounts::confirm(service, db, user.id, context.now).await,
        Proof::Phone => accounts::confirm_phone(service, db, user.id, context.now).await,
    }
}

/// A provider vouches for the address of the account for the first time. The account is confirmed
/// and stripped, except for `identity`, which is the provider's.
///
/// # Errors
/// As [`by_code`].
pub(crate) async fn by_provider(
    service: &ServiceContext,
    db: &mut PgConnection,
    context: &RequestContext,
    user: &User,
    (identity, data): (Uuid, &Value),
) -> Result<(), AuthError> {
    account_origin::forget(db, user.id).await?;
    if user.confirmed_at.is_none() {
        strip(service, db, context, user.id, (true, false), data).await?;
        let refused = |error| AuthError::saving(error, service.exposes_sql_errors);
        identities::delete_others(db, user.id, Some(identity), None).await.map_err(refused)?;
        users::set_providers_from_identities(db, user.id, context.now).await.map_err(refused)?;
        log_dropped_password(context, user);
    }
    accounts::confirm(service, db, user.id, context.now).await
}

/// Names an account that lost its password in the log, for whoever asks why its owner cannot sign
/// in.
fn log_dropped_password(context: &RequestContext, user: &User) {
    if user.has_password {
        context.after_commit.log(LogLine::PasswordDropped(user.id));
    }
}

/// Strips an account to the address or number that is proven, and the identity of that.
async fn strip_to(
    service: &ServiceContext,
    db: &mut PgConnection,
    context: &RequestContext,
    user: &User,
    proof: Proof,
) -> Result<(), AuthError> {
    let refused = |error| AuthError::saving(error, service.exposes_sql_errors);
    let (id, now) = (user.id, context.now);
    let mut metadata = json!({"sub": id, "email_verified": false, "phone_verified": false});
    match proof {
        Proof::Email => {
            let email = user.email.as_deref().unwrap_or_default();
            metadata["email"] = json!(email);
            strip(service, db, context, id, (true, false), &metadata).await?;
            identities::delete_others(db, id, None, Some("email")).await.map_err(refused)?;
            identities::put_email(db, service.new_id(), id, email, false, now).await.map_err(refused)?;
        }
        Proof::Phone => {
            let phone = user.phone.as_deref().unwrap_or_default();
            metadata["phone"] = json!(phone);
            strip(service, db, context, id, (false, true), &metadata).await?;
            identities::delete_others(db, id, None, Some("phone")).await.map_err(refused)?;
            identities::put_phone(db, service.new_id(), id, phone, false, now).await.map_err(refused)?;
        }
    }
    users::set_providers_from_identities(db, id, now).await.map_err(refused)
}

/// Removes all ways to sign in and all user-written data, except identities.
async fn strip(
    service: &ServiceContext,
    db: &mut PgConnection,
    context: &RequestContext,
    user: Uuid,
    keeps: (bool, bool),
    metadata: &Value,
) -> Result<(), AuthError> {
    users::strip(db, user, keeps, metadata, context.now)
        .await
        .map_err(|error| AuthError::saving(error, service.exposes_sql_errors))?;
    soft_deletion::proofs(db, user).await?;
    Ok(())
}
