use std::sync::Arc;

use axum::extract::State;
use sqlx::PgConnection;

use super::AccountInput;
use crate::{
    context::ServiceContext,
    domain::{
        accounts::{self, NewAccount, UserBody},
        audit_log::{self, Action},
    },
    guards::bearer::Admin,
    passwords,
    store::users::{self, AdminChange},
    wire::{
        email::Email,
        error::{AccountError, AuthError},
        phone::Phone,
        request::{Json, RequestContext},
    },
};

/// `POST /admin/users` (CONTRACT.md H41, D4, D5): makes an account with an address, a number or
/// both; no mail is sent.
///
/// Without a password it has one that nobody knows, so that its owner can only come in by a code
/// until choosing one.
pub(crate) async fn post(
    State(service): State<Arc<ServiceContext>>,
    _: Admin,
    context: RequestContext,
    Json(input): Json<AccountInput>,
) -> Result<axum::Json<UserBody>, AuthError> {
    let (email, phone, id) = (input.email()?, input.phone()?, input.id()?);
    if email.is_none() && phone.is_none() {
        return Err(AuthError::validation("Cannot create a user without either an email or phone"));
    }
    let ban = input.ban(context.now)?;
    let hash = input.password_hash(&service).await?;
    let hash = hash.unwrap_or_else(|| passwords::unknowable_hash(&service.random(), &service.random()));
    let mut transaction = service.begin(&context).await?;
    let tx = &mut transaction.tx();
    refuse_taken(tx.db, email.as_ref(), phone.as_ref()).await?;
    let new = NewAccount {
        id,
        aud: input.audience()?,
        role: input.role()?.unwrap_or("authenticated"),
        email: email.as_ref(),
        phone: phone.as_ref(),
        password_hash: Some(&hash),
        app_metadata: input.app_metadata.as_ref(),
        user_metadata: input.user_metadata.as_ref(),
        email_confirmed: email.is_some() && input.email_confirm == Some(true),
        phone_confirmed: phone.is_some() && input.phone_confirm == Some(true),
        ..NewAccount::by_admin()
    };
    let user = accounts::create(tx, new).await?.ok_or(AccountError::IdExists)?;
    if ban.is_some() {
        let change = AdminChange { role: None, banned_until: ban };
        users::set_by_admin(tx.db, user.id, change, context.now).await?;
    }
    audit_log::add(tx, Action::UserSignedUp, &user).await?;
    let user = accounts::load(tx.db, user.id).await?;
    let body = accounts::show(&mut *tx.db, user).await?;
    service.commit(transaction).await?;
    Ok(axum::Json(body))
}

/// Says which of address and number is taken; a request at the same moment is told of its id
/// instead.
async fn refuse_taken(
    db: &mut PgConnection,
    email: Option<&Email>,
    phone: Option<&Phone>,
) -> Result<(), AuthError> {
    let nobody = uuid::Uuid::nil();
    if let Some(email) = email
        && users::is_taken(&mut *db, email.as_str(), nobody).await?
    {
        return Err(AuthError::EmailExists);
    }
    if let Some(phone) = phone
        && users::is_phone_taken(&mut *db, phone.as_str(), nobody).await?
    {
        return Err(AccountError::PhoneExists.into());
    }
    Ok(())
}
