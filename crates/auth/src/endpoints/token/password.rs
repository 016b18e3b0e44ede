use axum::response::{IntoResponse, Response};
use serde::Deserialize;
use tokio::time::Instant;

use crate::{
    context::ServiceContext,
    domain::{
        accounts,
        audit_log::{self, Action},
        limits::password_attempts,
        sessions::{self, IssuedSession},
    },
    hooks::{self, Decision},
    passwords::Verdict,
    store::{
        passwords::{self as stored, StoredPassword},
        users::{self, User},
    },
    wire::{
        email::{Address, Email},
        error::{AccountError, AuthError, PasswordError},
        phone::Phone,
        request::RequestContext,
    },
};

/// Body of the request.
#[derive(Debug, Deserialize)]
pub(crate) struct Input {
    email: Option<String>,
    phone: Option<String>,
    password: Option<String>,
}

/// Signs in with a password (CONTRACT.md H14, PW1).
///
/// An unknown address, an account without a password and a wrong password get the same answer after
/// the same time: 400 `invalid_credentials`. Too many attempts get 429 `over_request_rate_limit`,
/// whoever has the address. Only the right password shows that the account is banned or not
/// confirmed. If the project has no passwords, the answer is always 422
/// `password_provider_disabled`, at once.
pub(crate) async fn grant(
    service: &ServiceContext,
    context: &RequestContext,
    input: Input,
) -> Result<Response, AuthError> {
    service.passwords.check_enabled()?;
    let mut began = Instant::now();
    let (answer, is_known) = match find(service, &input).await {
        Ok((address, known)) => {
            let (password, is_known) = (input.password.unwrap_or_default(), known.is_some());
            (Box::pin(sign_in(service, context, &address, (known, &password), &mut began)).await, is_known)
        }
        Err(error @ AuthError::Password(_)) => (Err(error), false),
        // A malformed request tells nothing about accounts.
        Err(error) => return Err(error),
    };
    if let Err(error) = &answer {
        service.passwords.refuse_after_equal_time(began, is_known && is_judged(error)).await;
    }
    Ok(answer?.into_response())
}

/// Whether a refusal took the time of a comparison. Other refusals may have been quicker, or have
/// waited.
fn is_judged(error: &AuthError) -> bool {
    matches!(
        error,
        AuthError::Password(PasswordError::Wrong) | AuthError::Hook(_) | AuthError::AttemptRejected(_)
    )
}

/// Checks the password and opens a session. The wait for a hashing thread moves `began`.
async fn sign_in(
    service: &ServiceContext,
    context: &RequestContext,
    address: &Address,
    (known, password): (Option<StoredPassword>, &str),
    began: &mut Instant,
) -> Result<IssuedSession, AuthError> {
    password_attempts::count(service, context, address.as_str()).await?;
    let verdict = service.passwords.verify(known.as_ref().map(|known| known.hash.as_str()), password).await?;
    *began += verdict.waited;
    if let Some(known) = &known {
        ask_hook(service, context, known, verdict.right).await?;
    }
    let Some(known) = known.filter(|_| verdict.right) else { return Err(PasswordError::Wrong.into()) };
    let renewed = renewed(service, verdict, password).await?;
    // A right password is never refused as weak. The client gets a warning, and does not wait for
    // it.
    let session = open(service, context, address, &known, renewed.as_deref());
    let (session, weak_password) = tokio::join!(session, service.passwords.weakness_in_time(password));
    Ok(session?.with_weak_password(weak_password))
}

/// Asks the hook about the attempt (CONTRACT.md PW11).
async fn ask_hook(
    service: &ServiceContext,
    context: &RequestContext,
    known: &StoredPassword,
    valid: bool,
) -> Result<(), AuthError> {
    match hooks::password_attempt(service, context, known.user_id, valid).await? {
        Decision::Continue => Ok(()),
        Decision::Reject { message, log_out } => {
            if log_out {
                let mut transaction = service.begin(context).await?;
                accounts::sign_out(&mut transaction.tx(), known.user_id, None).await?;
                service.commit(transaction).await?;
            }
            Err(AuthError::AttemptRejected(message))
        }
    }
}

fn address(service: &ServiceContext, input: &Input) -> Result<Address, AuthError> {
    let given = |field: &Option<String>| field.clone().filter(|text| !text.is_empty());
    match (given(&input.email), given(&input.phone)) {
        (Some(_), Some(_)) => {
            Err(AuthError::validation("Only an email address or phone number should be provided on login."))
        }
        (None, None) => Err(AuthError::validation("missing email or phone")),
        (Some(_), None) if !service.settings.email_enabled => Err(AuthError::EmailDisabled),
        (None, Some(_)) if !service.settings.sms.enabled => Err(AccountError::PhoneLoginsDisabled.into()),
        // A malformed address belongs to nobody, and gets the answer of an unknown one.
        (Some(email), None) => {
            Email::parse(&email).map(Address::Email).map_err(|_| PasswordError::Wrong.into())
        }
        (None, Some(phone)) => {
            Phone::parse(&phone).map(Address::Phone).map_err(|_| PasswordError::Wrong.into())
        }
    }
}

/// The address of a request, and the password of its account.
async fn find(
    service: &ServiceContext,
    input: &Input,
) -> Result<(Address, Option<StoredPassword>), AuthError> {
    let address = address(service, input)?;
    let known = match &address {
        Address::Email(email) => stored::of_email(&service.pool, email.as_str()).await?,
        Address::Phone(phone) => stored::of_phone(&service.pool, phone.as_str()).await?,
    };
    Ok((address, known))
}

/// A hash in the present form, if the stored one is older (CONTRACT.md PW3).
async fn renewed(
    service: &ServiceContext,
    verdict: Verdict,
    password: &str,
) -> Result<Option<String>, AuthError> {
    if verdict.outdated {
        service.passwords.hash(password, service.random()).await.map(Some)
    } else {
        Ok(None)
    }
}

/// Opens the session, unless the password changed during the comparison.
async fn open(
    service: &ServiceContext,
    context: &RequestContext,
    address: &Address,
    known: &StoredPassword,
    renewed: Option<&str>,
) -> Result<IssuedSession, AuthError> {
    let mut transaction = service.begin(context).await?;
    let tx = &mut transaction.tx();
    if !stored::is_unchanged(tx.db, known.user_id, &known.hash).await? {
        return Err(PasswordError::Wrong.into());
    }
    let user = users::by_id(&mut *tx.db, known.user_id).await?.ok_or(PasswordError::Wrong)?;
    check(&user, address, context)?;
    if let Some(hash) = renewed {
        let saved = stored::set(tx.db, user.id, hash, context.now).await;
        saved.map_err(|error| service.save_error(error))?;
    }
    audit_log::add(tx, Action::Login, &user).await?;
    password_attempts::give_back(service, &mut *tx.db, context, address.as_str()).await?;
    let session = sessions::open(tx, user.id, "password").await?;
    service.commit(transaction).await?;
    session.sign(service, context).await
}

fn check(user: &User, address: &Address, context: &RequestContext) -> Result<(), PasswordError> {
    if user.is_banned(context.now) {
        return Err(PasswordError::Banned);
    }
    match address {
        Address::Email(_) if user.email_confirmed_at.is_none() => Err(PasswordError::EmailNotConfirmed),
        Address::Phone(_) if user.phone_confirmed_at.is_none() => Err(PasswordError::PhoneNotConfirmed),
        _ => Ok(()),
    }
}
