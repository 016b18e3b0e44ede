//! Whose hand made an account that nobody proved to own yet, as long as no other asked for its codes: what
//! [`crate::domain::ownership_proof`] judges by.

use sqlx::PgConnection;
use uuid::Uuid;

use crate::{
    context::ServiceContext,
    store::{account_origins, users::User},
    wire::{email::Address, error::AuthError, pkce::Challenge},
};

/// The kind of request that made an account.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum AccountOrigin {
    /// `/signup`, with a password.
    SignUp,
    /// `/otp`: no password.
    Code,
    /// A provider that does not vouch for the address.
    Provider,
    /// The holder of a service key.
    Admin,
}

impl AccountOrigin {
    fn name(self) -> &'static str {
        match self {
            Self::SignUp => "sign_up",
            Self::Code => "code",
            Self::Provider => "provider",
            Self::Admin => "admin",
        }
    }

    /// Whether an account of this hand is still its alone after `requester` asked for a code.
    fn survives(self, requester: CodeRequester) -> bool {
        match self {
            Self::Admin | Self::Code => true,
            Self::SignUp => requester == CodeRequester::SamePassword,
            Self::Provider => requester == CodeRequester::SameIdentity,
        }
    }
}

/// Who asks for the code of an account that is there already.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CodeRequester {
    /// A sign-up that knows the password.
    SamePassword,
    /// Somebody with the identity that the account was made of.
    SameIdentity,
    Anybody,
}

/// Notes whose hand made an account that is not confirmed yet.
pub(crate) async fn record(
    service: &ServiceContext,
    db: &mut PgConnection,
    user: Uuid,
    origin: AccountOrigin,
    challenge: Option<&Challenge>,
) -> Result<(), sqlx::Error> {
    account_origins::put(db, user, origin.name(), kept(service, challenge).as_deref()).await
}

/// What is kept of a challenge, to know the request again.
fn kept(service: &ServiceContext, challenge: Option<&Challenge>) -> Option<Vec<u8>> {
    let challenge = challenge?;
    Some(service.keyed_hash("auth first challenge", &[challenge.value.as_bytes()]).to_vec())
}

/// Notes that a code of an account is asked for, before it is sent. Confirmed accounts are left alone.
pub(crate) async fn code_requested(
    db: &mut PgConnection,
    user: &User,
    requester: CodeRequester,
) -> Result<(), sqlx::Error> {
    if user.confirmed_at.is_some() {
        return Ok(());
    }
    account_origins::forget_unless(db, user.id, &surviving(requester), None).await
}

/// As [`code_requested`] anybody, unless it is the sign-up's own hand that asks again (CONTRACT.md M18).
pub(crate) async fn code_requested_with(
    service: &ServiceContext,
    db: &mut PgConnection,
    user: &User,
    challenge: Option<&Challenge>,
) -> Result<(), sqlx::Error> {
    if user.confirmed_at.is_some() {
        return Ok(());
    }
    let own = kept(service, challenge);
    account_origins::forget_unless(db, user.id, &surviving(CodeRequester::Anybody), own.as_deref()).await
}

/// The outcome of a request for a code. One that came to nothing disputes the account like any other, apart from whatever
/// it could not do.
pub(crate) async fn noted<T>(
    service: &ServiceContext,
    (address, challenge): (&Address, Option<&Challenge>),
    outcome: Result<T, AuthError>,
) -> Result<T, AuthError> {
    if outcome.is_err() {
        let own = kept(service, challenge);
        let but = surviving(CodeRequester::Anybody);
        account_origins::forget_at(&service.pool, address.as_str(), &but, own.as_deref()).await?;
    }
    outcome
}

/// The names of the hands that outlive who asks.
fn surviving(requester: CodeRequester) -> Vec<String> {
    let origins = [AccountOrigin::SignUp, AccountOrigin::Code, AccountOrigin::Provider, AccountOrigin::Admin]
        .into_iter();
    origins.filter(|origin| origin.survives(requester)).map(|origin| origin.name().to_owned()).collect()
}

/// Forgets the hand of an account that something was added to: nothing of it is one hand's alone any more.
pub(crate) async fn disputed(db: &mut PgConnection, user: Uuid) -> Result<(), sqlx::Error> {
    account_origins::take(db, user).await.map(drop)
}

/// Whether an admin made the account, or took it over by an invitation.
pub(crate) async fn is_by_admin(db: &mut PgConnection, user: &User) -> Result<bool, sqlx::Error> {
    let origin = account_origins::of_user(db, user.id).await?;
    Ok(user.invited_at.is_some() || origin.as_deref() == Some(AccountOrigin::Admin.name()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn auth_g12_an_account_stays_one_hands_only_for_who_shows_what_that_hand_put_there() {
        let survives = |origin: AccountOrigin| {
            [CodeRequester::SamePassword, CodeRequester::SameIdentity, CodeRequester::Anybody]
                .map(|requester| origin.survives(requester))
        };
        assert_eq!(survives(AccountOrigin::SignUp), [true, false, false]);
        assert_eq!(survives(AccountOrigin::Provider), [false, true, false]);
        assert_eq!(survives(AccountOrigin::Code), [true, true, true]);
        assert_eq!(survives(AccountOrigin::Admin), [true, true, true]);
    }
}
