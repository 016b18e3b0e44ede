//! Whose hand made an account that nobody proved to own yet, as long as no other asked for its codes: what
//! [`crate::first_proof`] judges by.

use sqlx::PgConnection;
use uuid::Uuid;

use crate::{
    email::Address,
    error::AuthError,
    pkce::Challenge,
    state::Inner,
    store::{first_hands, users::User},
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

/// As [`asked_by`] anybody, unless it is the sign-up's own hand that asks again (CONTRACT.md M18).
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
