//! The first proof that somebody owns an address, and what it takes from the account.
//!
//! Anybody can sign up with an address that is not theirs and wait for its owner. So one rule holds, here and nowhere
//! else: **what the owner of an address proves first strips everything that somebody else may have put there.** Password,
//! metadata, identities, sessions, second factors, passkeys, the other address, pending changes and codes go (auth.md G12,
//! for codes as for providers).
//!
//! What stays is what the proof itself speaks for: a code that comes from the very request that made the account, and from
//! nothing else. An account remembers the [`Hand`] that made it, as long as no other asked for its codes:
//!
//! - The first code of a `/signup`, its `/resend`, or a repeated `/signup` that knows the same password confirm that password
//!   and its metadata. A repeated one with another password changes nothing at once (auth.md M18), but then the address is
//!   disputed, and neither password survives the proof: who of the two typed the code in cannot be known.
//! - Any other request for a code (`/otp`, `/recover`, a provider) disputes it too, for good, whether or not a code is sent:
//!   a later mail of the `/signup` does not bring it back. Nor does it matter whether the request is refused, or fails: what
//!   its owner then finds in the inbox may be another's. One that shows the challenge of the `/signup` is its own: no mail
//!   came, and the same person asks for another. A network shows nothing: neighbours share it.
//! - Whose password is taken that way is not told; they have an account without one, as after any sign-in by code. Where a
//!   code or a provider proves the address, the log names the account, so that the project knows to offer a reset.
//! - An account made by `/otp` holds metadata alone, which opens nothing, and keeps it (auth.md M14).
//! - An account that an unproven provider made keeps its identity when the code is that of its own mail.
//! - What an admin made is the owner's. An invitation takes an account over from whoever made it, and accepting it replaces
//!   the password in any case (auth.md V4).
//! - An account that nothing is remembered of, such as an imported one, is stripped.
//!
//! An account that is confirmed by its other address, or by an admin, is somebody's already: nothing is taken from it.

use serde_json::{Value, json};
use sqlx::PgConnection;
use uuid::Uuid;

use crate::{
    accounts,
    email::Address,
    error::AuthError,
    journal::Line,
    pkce::Challenge,
    request::Context,
    state::Inner,
    store::{
        first_hands, identities, soft_deletion,
        users::{self, User},
    },
};

/// The kind of request that made an account.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Hand {
    /// `/signup`, with a password.
    SignUp,
    /// `/otp`: no password.
    Code,
    /// A provider that does not vouch for the address.
    Provider,
    /// The holder of a service key.
    Admin,
}

impl Hand {
    fn name(self) -> &'static str {
        match self {
            Self::SignUp => "sign_up",
            Self::Code => "code",
            Self::Provider => "provider",
            Self::Admin => "admin",
        }
    }

    /// Whether an account of this hand is still its alone after `asker` asked for a code.
    fn outlives(self, asker: Asker) -> bool {
        match self {
            Self::Admin | Self::Code => true,
            Self::SignUp => asker == Asker::SamePassword,
            Self::Provider => asker == Asker::SameIdentity,
        }
    }
}

/// Who asks for the code of an account that is there already.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Asker {
    /// A sign-up that knows the password.
    SamePassword,
    /// Somebody with the identity that the account was made of.
    SameIdentity,
    Anybody,
}

/// What is proven.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Proof {
    Email,
    Phone,
}

/// Notes whose hand made an account that is not confirmed yet.
pub(crate) async fn made_by(
    inner: &Inner,
    db: &mut PgConnection,
    user: Uuid,
    hand: Hand,
    challenge: Option<&Challenge>,
) -> Result<(), sqlx::Error> {
    first_hands::put(db, user, hand.name(), kept(inner, challenge).as_deref()).await
}

/// What is kept of a challenge, to know the request again.
fn kept(inner: &Inner, challenge: Option<&Challenge>) -> Option<Vec<u8>> {
    let challenge = challenge?;
    Some(inner.keyed_hash("auth first challenge", &[challenge.value.as_bytes()]).to_vec())
}

/// Notes that a code of an account is asked for, before it is sent. Confirmed accounts are left alone.
pub(crate) async fn asked_by(db: &mut PgConnection, user: &User, asker: Asker) -> Result<(), sqlx::Error> {
    if user.confirmed_at.is_some() {
        return Ok(());
    }
    first_hands::forget_unless(db, user.id, &undisputed(asker), None).await
}

/// As [`asked_by`] anybody, unless it is the sign-up's own hand that asks again (auth.md M18).
pub(crate) async fn asked_from(
    inner: &Inner,
    db: &mut PgConnection,
    user: &User,
    challenge: Option<&Challenge>,
) -> Result<(), sqlx::Error> {
    if user.confirmed_at.is_some() {
        return Ok(());
    }
    let own = kept(inner, challenge);
    first_hands::forget_unless(db, user.id, &undisputed(Asker::Anybody), own.as_deref()).await
}

/// The outcome of a request for a code. One that came to nothing disputes the account like any other, apart from whatever
/// it could not do.
pub(crate) async fn noted<T>(
    inner: &Inner,
    (address, challenge): (&Address, Option<&Challenge>),
    outcome: Result<T, AuthError>,
) -> Result<T, AuthError> {
    if outcome.is_err() {
        let own = kept(inner, challenge);
        let but = undisputed(Asker::Anybody);
        first_hands::forget_at(&inner.pool, address.as_str(), &but, own.as_deref()).await?;
    }
    outcome
}

/// The names of the hands that outlive who asks.
fn undisputed(asker: Asker) -> Vec<String> {
    let hands = [Hand::SignUp, Hand::Code, Hand::Provider, Hand::Admin].into_iter();
    hands.filter(|hand| hand.outlives(asker)).map(|hand| hand.name().to_owned()).collect()
}

/// Forgets the hand of an account that something was added to: nothing of it is one hand's alone any more.
pub(crate) async fn disputed(db: &mut PgConnection, user: Uuid) -> Result<(), sqlx::Error> {
    first_hands::take(db, user).await.map(drop)
}

/// Whether an admin made the account, or took it over by an invitation.
pub(crate) async fn is_of_admin(db: &mut PgConnection, user: &User) -> Result<bool, sqlx::Error> {
    let hand = first_hands::of_user(db, user.id).await?;
    Ok(user.invited_at.is_some() || hand.as_deref() == Some(Hand::Admin.name()))
}

/// An admin takes an account over that somebody else may have made: what they put there goes at once, so that what the admin
/// says of it stays.
pub(crate) async fn taken_over(
    inner: &Inner,
    db: &mut PgConnection,
    context: &Context,
    user: &User,
) -> Result<(), AuthError> {
    if user.confirmed_at.is_some() {
        return Ok(());
    }
    let hand = first_hands::of_user(&mut *db, user.id).await?;
    if !matches!(hand.as_deref(), Some("admin" | "code")) {
        strip_to(inner, db, context, user, Proof::Email).await?;
    }
    Ok(made_by(inner, db, user.id, Hand::Admin, None).await?)
}

/// The owner of the account's address or number proved to own it by a code, for the first time: the account is confirmed, and
/// stripped unless it is of one hand, which asked for the code.
///
/// # Errors
/// [`AuthError::Refused`] when a trigger or constraint of the project says no.
pub(crate) async fn by_code(
    inner: &Inner,
    db: &mut PgConnection,
    context: &Context,
    user: &User,
    proof: Proof,
) -> Result<(), AuthError> {
    let is_of_one_hand = first_hands::take(db, user.id).await?;
    if user.confirmed_at.is_none() && !is_of_one_hand {
        strip_to(inner, db, context, user, proof).await?;
        tell_of_password(context, user);
    }
    match proof {
        Proof::Email => accounts::confirm(inner, db, user.id, context.now).await,
        Proof::Phone => accounts::confirm_phone(inner, db, user.id, context.now).await,
    }
}

/// A provider vouches for the very address of the account, for the first time: the account is confirmed, and stripped but for
/// `identity`, the provider's.
///
/// # Errors
/// As [`by_code`].
pub(crate) async fn by_provider(
    inner: &Inner,
    db: &mut PgConnection,
    context: &Context,
    user: &User,
    (identity, data): (Uuid, &Value),
) -> Result<(), AuthError> {
    disputed(db, user.id).await?;
    if user.confirmed_at.is_none() {
        strip(inner, db, context, user.id, (true, false), data).await?;
        let refused = |error| AuthError::saving(error, inner.explains);
        identities::delete_others(db, user.id, Some(identity), None).await.map_err(refused)?;
        users::set_providers_from_identities(db, user.id, context.now).await.map_err(refused)?;
        tell_of_password(context, user);
    }
    accounts::confirm(inner, db, user.id, context.now).await
}

/// The log names an account that was stripped of a password, for whoever looks why it does not sign in.
fn tell_of_password(context: &Context, user: &User) {
    if user.has_password {
        context.errands.say(Line::PasswordDropped(user.id));
    }
}

/// Leaves of an account the address or number that is proven, and the identity of that.
async fn strip_to(
    inner: &Inner,
    db: &mut PgConnection,
    context: &Context,
    user: &User,
    proof: Proof,
) -> Result<(), AuthError> {
    let refused = |error| AuthError::saving(error, inner.explains);
    let (id, now) = (user.id, context.now);
    let mut metadata = json!({"sub": id, "email_verified": false, "phone_verified": false});
    match proof {
        Proof::Email => {
            let email = user.email.as_deref().unwrap_or_default();
            metadata["email"] = json!(email);
            strip(inner, db, context, id, (true, false), &metadata).await?;
            identities::delete_others(db, id, None, Some("email")).await.map_err(refused)?;
            identities::put_email(db, inner.new_id(), id, email, false, now).await.map_err(refused)?;
        }
        Proof::Phone => {
            let phone = user.phone.as_deref().unwrap_or_default();
            metadata["phone"] = json!(phone);
            strip(inner, db, context, id, (false, true), &metadata).await?;
            identities::delete_others(db, id, None, Some("phone")).await.map_err(refused)?;
            identities::put_phone(db, inner.new_id(), id, phone, false, now).await.map_err(refused)?;
        }
    }
    users::set_providers_from_identities(db, id, now).await.map_err(refused)
}

/// Takes everything from an account that signs in or that somebody wrote, but for identities.
async fn strip(
    inner: &Inner,
    db: &mut PgConnection,
    context: &Context,
    user: Uuid,
    keeps: (bool, bool),
    metadata: &Value,
) -> Result<(), AuthError> {
    users::strip(db, user, keeps, metadata, context.now)
        .await
        .map_err(|error| AuthError::saving(error, inner.explains))?;
    soft_deletion::proofs(db, user).await?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn auth_g12_an_account_stays_one_hands_only_for_who_shows_what_that_hand_put_there() {
        let outlives = |hand: Hand| {
            [Asker::SamePassword, Asker::SameIdentity, Asker::Anybody].map(|asker| hand.outlives(asker))
        };
        assert_eq!(outlives(Hand::SignUp), [true, false, false]);
        assert_eq!(outlives(Hand::Provider), [false, true, false]);
        assert_eq!(outlives(Hand::Code), [true, true, true]);
        assert_eq!(outlives(Hand::Admin), [true, true, true]);
    }
}
