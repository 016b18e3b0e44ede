//! The first proof that somebody owns an address, and what it takes from the account.
//!
//! Anybody can sign up with an address that is not theirs and wait for its owner. So one rule holds, here and nowhere
//! else: **what the owner of an address proves first strips everything that somebody else may have put there.** Password,
//! metadata, identities, sessions, second factors, passkeys, the other address, pending changes and
//! codes go (CONTRACT.md G12, for codes as for providers).
//!
//! What stays is what the proof itself speaks for: a code that comes from the very request that made the account, and from
//! nothing else. An account remembers the [`AccountOrigin`] that made it, as long as no other asked for its codes:
//!
//! - The first code of a `/signup`, its `/resend`, or a repeated `/signup` that knows the same password confirm that password
//!   and its metadata. A repeated one with another password changes nothing at once
//!   (CONTRACT.md M18), but then the address is disputed, and neither password survives the proof:
//!   who of the two typed the code in cannot be known.
//! - Any other request for a code (`/otp`, `/recover`, a provider) disputes it too, for good, whether or not a code is sent:
//!   a later mail of the `/signup` does not bring it back. Nor does it matter whether the request is refused, or fails: what
//!   its owner then finds in the inbox may be another's. One that shows the challenge of the `/signup` is its own: no mail
//!   came, and the same person asks for another. A network shows nothing: neighbours share it.
//! - Whose password is taken that way is not told; they have an account without one, as after any sign-in by code. Where a
//!   code or a provider proves the address, the log names the account, so that the project knows to offer a reset.
//! - An account made by `/otp` holds metadata alone, which opens nothing, and keeps it
//!   (CONTRACT.md M14).
//! - An account that an unproven provider made keeps its identity when the code is that of its own mail.
//! - What an admin made is the owner's. An invitation takes an account over from whoever made it, and accepting it replaces
//!   the password in any case (CONTRACT.md V4).
//! - An account that nothing is remembered of, such as an imported one, is stripped.
//!
//! An account that is confirmed by its other address, or by an admin, is somebody's already: nothing is taken from it.

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

/// What is proven.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Proof {
    Email,
    Phone,
}

/// An admin takes an account over that somebody else may have made: what they put there goes at once, so that what the admin
/// says of it stays.
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

/// The owner of the account's address or number proved to own it by a code, for the first time: the account is confirmed, and
/// stripped unless it is of one hand, which asked for the code.
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

/// A provider vouches for the very address of the account, for the first time: the account is confirmed, and stripped but for
/// `identity`, the provider's.
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
    account_origin::disputed(db, user.id).await?;
    if user.confirmed_at.is_none() {
        strip(service, db, context, user.id, (true, false), data).await?;
        let refused = |error| AuthError::saving(error, service.exposes_sql_errors);
        identities::delete_others(db, user.id, Some(identity), None).await.map_err(refused)?;
        users::set_providers_from_identities(db, user.id, context.now).await.map_err(refused)?;
        log_dropped_password(context, user);
    }
    accounts::confirm(service, db, user.id, context.now).await
}

/// The log names an account that was stripped of a password, for whoever looks why it does not sign in.
fn log_dropped_password(context: &RequestContext, user: &User) {
    if user.has_password {
        context.after_commit.log(LogLine::PasswordDropped(user.id));
    }
}

/// Leaves of an account the address or number that is proven, and the identity of that.
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

/// Takes everything from an account that signs in or that somebody wrote, but for identities.
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
