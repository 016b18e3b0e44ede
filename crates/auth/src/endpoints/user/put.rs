use std::sync::Arc;

use axum::extract::State;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use sqlx::PgExecutor;

use super::password::{self, PasswordCheck};
use crate::{
    context::ServiceContext,
    domain::{
        accounts::{self, UserBody},
        address_changes,
        audit_log::{self, Action},
    },
    guards::bearer::Bearer,
    rate_limit::Limit,
    store::users::{self, Metadata, User},
    tx::Tx,
    wire::{
        email::Email,
        error::{AccountError, AuthError},
        phone::Phone,
        pkce::{Challenge, ChallengeInput},
        request::{Json, RequestContext},
    },
};

/// Body of the request.
#[derive(Debug, Deserialize)]
pub(crate) struct Input {
    email: Option<String>,
    phone: Option<String>,
    password: Option<String>,
    current_password: Option<String>,
    nonce: Option<String>,
    data: Option<Map<String, Value>>,
    app_metadata: Option<Map<String, Value>>,
    #[serde(flatten)]
    challenge: ChallengeInput,
}

/// The changes, with all checks that need no account.
struct Change {
    email: Option<Email>,
    phone: Option<Phone>,
    password: Option<password::PasswordChange>,
    data: Option<Map<String, Value>>,
    challenge: Option<Challenge>,
}

impl Change {
    /// Whether it changes a way to sign in.
    fn is_of_sign_in(&self) -> bool {
        self.email.is_some() || self.phone.is_some() || self.password.is_some()
    }
}

/// `PUT /user` (CONTRACT.md H21, U1 to U16): `data` is merged into the metadata at once. A password
/// counts at once and ends the user's other sessions. A new address or number must be confirmed by
/// a code first.
pub(crate) async fn put(
    State(service): State<Arc<ServiceContext>>,
    bearer: Bearer,
    context: RequestContext,
    Json(input): Json<Input>,
) -> Result<axum::Json<UserBody>, AuthError> {
    service.limits.take(Limit::UpdateUser, &context.client_key(), context.now)?;
    let change = read(input, &bearer.user)?;
    check(&service, &bearer, &change).await?;
    let hash = match &change.password {
        Some(change) => {
            let check = PasswordCheck { service: &service, context: &context, bearer: &bearer, change };
            Some(check.run().await?)
        }
        None => None,
    };
    let mut transaction = service.begin(&context).await?;
    let tx = &mut transaction.tx();
    let user = bearer.lock(tx.db, context.now).await?;
    if change.is_of_sign_in() {
        // A first factor may have been verified while a password was hashed.
        check_level(&mut *tx.db, &bearer).await?;
    }
    if let Some(hash) = &hash {
        password::store(tx, &bearer, &user, hash).await?;
    }
    apply(tx, &user, &change).await?;
    audit_log::add(tx, Action::UserModified, &user).await?;
    let user = accounts::load(tx.db, user.id).await?;
    let body = accounts::show(&mut *tx.db, user).await?;
    service.commit(transaction).await?;
    Ok(axum::Json(body))
}

/// Reads the body. The present address and number are no change.
fn read(input: Input, user: &User) -> Result<Change, AuthError> {
    let challenge = input.challenge.check()?;
    if input.app_metadata.is_some() {
        return Err(AuthError::AppMetadataByUser);
    }
    let given = |field: Option<String>| field.filter(|text| !text.is_empty());
    let email = given(input.email).map(|email| Email::parse(&email)).transpose()?;
    let phone = given(input.phone).map(|phone| Phone::parse(&phone)).transpose()?;
    let password = input.password.map(|new| password::PasswordChange {
        new,
        current: given(input.current_password),
        nonce: given(input.nonce),
        with_address: email.is_some() || phone.is_some(),
    });
    Ok(Change {
        email: email.filter(|email| user.email.as_deref() != Some(email.as_str())),
        phone: phone.filter(|phone| user.phone.as_deref() != Some(phone.as_str())),
        password,
        data: input.data,
        challenge,
    })
}

/// Checks that this user may change a way to sign in, in this session.
async fn check(service: &ServiceContext, bearer: &Bearer, change: &Change) -> Result<(), AuthError> {
    let user = &bearer.user;
    if !change.is_of_sign_in() {
        return Ok(());
    }
    if change.password.is_some() {
        service.passwords.check_enabled()?;
    }
    check_level(&service.pool, bearer).await?;
    if user.is_sso_user {
        return Err(AccountError::ManagedBySso.into());
    }
    if change.phone.is_some() && !service.settings.sms.enabled {
        return Err(AuthError::PhoneDisabled);
    }
    if let Some(wanted) = &change.password
        && user.is_anonymous
        && !wanted.with_address
    {
        return Err(AccountError::AnonymousPassword.into());
    }
    Ok(())
}

/// If the account has a second factor, only a session that showed it may change a way to sign in
/// (CONTRACT.md U13).
async fn check_level(executor: impl PgExecutor<'_>, bearer: &Bearer) -> Result<(), AuthError> {
    if bearer.lacks_second_factor(executor).await? {
        return Err(AccountError::InsufficientAal.into());
    }
    Ok(())
}

async fn apply(tx: &mut Tx<'_>, user: &User, change: &Change) -> Result<(), AuthError> {
    if let Some(data) = &change.data {
        merge_data(tx, user, data).await?;
    }
    if let Some(email) = &change.email {
        address_changes::change_email(tx, user, email, change.challenge.as_ref()).await?;
    }
    if let Some(phone) = &change.phone {
        address_changes::change_phone(tx, user, phone).await?;
    }
    Ok(())
}

async fn merge_data(tx: &mut Tx<'_>, user: &User, data: &Map<String, Value>) -> Result<(), AuthError> {
    let own = user.raw_user_meta_data.clone().unwrap_or_else(|| json!({}));
    let app = user.raw_app_meta_data.clone().unwrap_or_else(|| json!({}));
    let own = accounts::merged(&own, Some(data))?;
    users::set_metadata(tx.db, user.id, &Metadata { app, own }, tx.context.now)
        .await
        .map_err(|error| tx.service.save_error(error))
}
