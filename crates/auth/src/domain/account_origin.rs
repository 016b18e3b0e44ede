//! Which kind of request created an account whose address is not proven yet.
//!
//! It is remembered while nobody else asks for a code of the account.
//! [`crate::domain::ownership_proof`] decides by it.

use sqlx::PgConnection;
use uuid::Uuid;

use crate::{
    context::ServiceContext,
    store::{account_origins, users::User},
    tx::Tx,
    wire::{email::Address, error::AuthError, pkce::Challenge},
};

/// The kind of request that created an account.
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

    /// Whether the origin is still remembered after `requester` asked for a code.
    fn survives(self, requester: CodeRequester) -> bool {
        match self {
            Self::Admin | Self::Code => true,
            Self::SignUp => requester == CodeRequester::SamePassword,
            Self::Provider => requester == CodeRequester::SameIdentity,
        }
    }
}

/// Who asks for a code of an account that exists.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CodeRequester {
    /// A sign-up that knows the password.
    SamePassword,
    /// Somebody with the identity that the account was created from.
    SameIdentity,
    Anybody,
}

/// Stores the origin of an account that is not confirmed yet.
pub(crate) async fn record(
    tx: &mut Tx<'_>,
    user: Uuid,
    origin: AccountOrigin,
    challenge: Option<&Challenge>,
) -> Result<(), sqlx::Error> {
    account_origins::put(tx.db, user, origin.name(), stored_challenge(tx.service, challenge).as_deref()).await
}

/// The stored form of a code challenge. It recognises the request later.
fn stored_challenge(service: &ServiceContext, challenge: Option<&Challenge>) -> Option<Vec<u8>> {
    let challenge = challenge?;
    Some(service.keyed_hash("auth first challenge", &[challenge.value.as_bytes()]).to_vec())
}

/// Notes that somebody asked for a code, before the code is sent. Confirmed accounts do not change.
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

/// As [`code_requested`] by anybody, unless the challenge is that of the sign-up itself
/// (CONTRACT.md M18).
pub(crate) async fn code_requested_with(
    tx: &mut Tx<'_>,
    user: &User,
    challenge: Option<&Challenge>,
) -> Result<(), sqlx::Error> {
    if user.confirmed_at.is_some() {
        return Ok(());
    }
    let own = stored_challenge(tx.service, challenge);
    account_origins::forget_unless(tx.db, user.id, &surviving(CodeRequester::Anybody), own.as_deref()).await
}

/// Passes an outcome on. A failed request for a code disputes the account like a successful one.
pub(crate) async fn dispute_on_error<T>(
    service: &ServiceContext,
    (address, challenge): (&Address, Option<&Challenge>),
    outcome: Result<T, AuthError>,
) -> Result<T, AuthError> {
    if outcome.is_err() {
        let own = stored_challenge(service, challenge);
        let but = surviving(CodeRequester::Anybody);
        account_origins::forget_at(&service.pool, address.as_str(), &but, own.as_deref()).await?;
    }
    outcome
}

/// The origins that are remembered after `requester` asked.
fn surviving(requester: CodeRequester) -> Vec<String> {
    let origins = [AccountOrigin::SignUp, AccountOrigin::Code, AccountOrigin::Provider, AccountOrigin::Admin]
        .into_iter();
    origins.filter(|origin| origin.survives(requester)).map(|origin| origin.name().to_owned()).collect()
}

/// Forgets the origin of an account that got something from another request.
pub(crate) async fn forget(db: &mut PgConnection, user: Uuid) -> Result<(), sqlx::Error> {
    account_origins::take(db, user).await.map(drop)
}

/// Whether an admin created the account, or took it over by an invitation.
pub(crate) async fn is_by_admin(db: &mut PgConnection, user: &User) -> Result<bool, sqlx::Error> {
    let origin = account_origins::of_user(db, user.id).await?;
    Ok(user.invited_at.is_some() || origin.as_deref() == Some(AccountOrigin::Admin.name()))
}

#[cfg(test)]
mod tests {
    use super::*;

    // rows: G12
    #[test]
    fn an_account_stays_one_hands_only_for_who_shows_what_that_hand_put_there() {
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
