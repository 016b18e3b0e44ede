use std::sync::Arc;

use axum::extract::State;
use serde_json::json;

use super::{AccountInput, parse_id};
use crate::{
    context::ServiceContext,
    domain::{
        account_origin::{self, CodeRequester},
        accounts::{self, UserBody},
        audit_log::{self, Action},
    },
    guards::bearer::Admin,
    store::{
        passwords, sessions,
        users::{self, AdminChange, Metadata, User},
    },
    tx::Tx,
    wire::{
        email::Email,
        error::{AccountError, AuthError},
        phone::Phone,
        request::{Json, Path, RequestContext},
    },
};

/// `PUT /admin/users/{id}` (CONTRACT.md H42, D6): an address or number changes at once and without
/// a mail, and its identity with it; a new password ends all sessions of the user (S10).
pub(crate) async fn put(
    State(service): State<Arc<ServiceContext>>,
    _: Admin,
    Path(id): Path<String>,
    context: RequestContext,
    Json(input): Json<AccountInput>,
) -> Result<axum::Json<UserBody>, AuthError> {
    let (id, ban) = (parse_id(&id)?, input.ban(context.now)?);
    let (email, phone) = (input.email()?, input.phone()?);
    let hash = input.password_hash(&service).await?;
    let mut transaction = service.begin(&context).await?;
    let tx = &mut transaction.tx();
    let user = users::by_id_for_update(tx.db, id).await?.ok_or(AuthError::UserNotFound)?;
    let saved = |error| service.save_error(error);
    if let Some(hash) = hash {
        passwords::set(tx.db, id, &hash, context.now).await.map_err(saved)?;
        sessions::delete_of_user(&mut *tx.db, id, None).await?;
        // What was begun under the old password is not trusted any more.
        accounts::void_pending(tx, id).await?;
    }
    set_addresses(tx, &user, email.as_ref(), phone.as_ref()).await?;
    confirm_addresses(tx, id, &input).await?;
    set_metadata(tx, id, &input).await?;
    let change = AdminChange { role: input.role()?, banned_until: ban };
    users::set_by_admin(tx.db, id, change, context.now).await.map_err(saved)?;
    audit_log::add(tx, Action::UserModified, &user).await?;
    let user = accounts::load(tx.db, id).await?;
    let body = accounts::show(&mut *tx.db, user).await?;
    service.commit(transaction).await?;
    Ok(axum::Json(body))
}

async fn set_addresses(
    tx: &mut Tx<'_>,
    user: &User,
    email: Option<&Email>,
    phone: Option<&Phone>,
) -> Result<(), AuthError> {
    if let Some(email) = email {
        set_email(tx, user, email).await?;
    }
    if let Some(phone) = phone {
        set_phone(tx, user, phone).await?;
    }
    Ok(())
}

async fn confirm_addresses(tx: &mut Tx<'_>, user: uuid::Uuid, input: &AccountInput) -> Result<(), AuthError> {
    if input.email_confirm == Some(true) {
        accounts::confirm(tx, user).await?;
    }
    if input.phone_confirm == Some(true) {
        accounts::confirm_phone(tx, user).await?;
    }
    Ok(())
}

async fn set_email(tx: &mut Tx<'_>, user: &User, email: &Email) -> Result<(), AuthError> {
    let (id, now) = (user.id, tx.context.now);
    if users::is_taken(&mut *tx.db, email.as_str(), id).await? {
        return Err(AuthError::EmailExists);
    }
    let saved = |error| tx.service.save_error(error);
    let confirmed = user.email_confirmed_at.is_some();
    if user.email.as_deref().is_some_and(|former| !former.is_empty() && former != email.as_str()) {
        leave_former(tx, user).await?;
    }
    users::set_email(tx.db, id, email.as_str(), now).await.map_err(saved)?;
    accounts::put_email_identity(tx, id, email.as_str(), confirmed).await.map_err(saved)?;
    users::set_providers_from_identities(tx.db, id, now).await.map_err(saved)
}

async fn set_phone(tx: &mut Tx<'_>, user: &User, phone: &Phone) -> Result<(), AuthError> {
    let (id, now) = (user.id, tx.context.now);
    if users::is_phone_taken(&mut *tx.db, phone.as_str(), id).await? {
        return Err(AccountError::PhoneExists.into());
    }
    let saved = |error| tx.service.save_error(error);
    let confirmed = user.phone_confirmed_at.is_some();
    if user.phone.as_deref().is_some_and(|former| !former.is_empty() && former != phone.as_str()) {
        leave_former(tx, user).await?;
    }
    users::set_phone(tx.db, id, phone.as_str(), now).await.map_err(saved)?;
    accounts::put_phone_identity(tx, id, phone.as_str(), confirmed).await.map_err(saved)?;
    users::set_providers_from_identities(tx.db, id, now).await.map_err(saved)
}

/// Whoever reads the former address or number has nothing to say any more: what was sent there is
/// void. Where the account was never confirmed, whoever is signed in may be them, and what they put
/// there is not the owner's.
async fn leave_former(tx: &mut Tx<'_>, user: &User) -> Result<(), AuthError> {
    accounts::void_pending(tx, user.id).await?;
    if user.confirmed_at.is_none() {
        sessions::delete_of_user(&mut *tx.db, user.id, None).await?;
        account_origin::code_requested(tx.db, user, CodeRequester::Anybody).await?;
    }
    Ok(())
}

/// Merges both metadata objects into what stands there by now (CONTRACT.md D6).
async fn set_metadata(tx: &mut Tx<'_>, id: uuid::Uuid, input: &AccountInput) -> Result<(), AuthError> {
    if input.app_metadata.is_none() && input.user_metadata.is_none() {
        return Ok(());
    }
    let user = accounts::load(tx.db, id).await?;
    let app = user.raw_app_meta_data.unwrap_or_else(|| json!({}));
    let own = user.raw_user_meta_data.unwrap_or_else(|| json!({}));
    let app = accounts::merged(&app, input.app_metadata.as_ref())?;
    let own = accounts::merged(&own, input.user_metadata.as_ref())?;
    users::set_metadata(tx.db, id, &Metadata { app, own }, tx.context.now)
        .await
        .map_err(|error| tx.service.save_error(error))
}
