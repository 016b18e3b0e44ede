use std::sync::Arc;

use axum::extract::State;
use serde_json::json;
use sqlx::PgConnection;

use super::{AccountInput, user::parse_id};
use crate::{
    context::ServiceContext,
    domain::{
        account_origin::{self, CodeRequester},
        accounts::{self, UserBody},
        audit_log::{self, Action},
    },
    guards::bearer::Admin,
    store::{
        identities, passwords, sessions,
        users::{self, User},
    },
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
    let db = &mut *transaction;
    let user = users::by_id_for_update(db, id).await?.ok_or(AuthError::UserNotFound)?;
    let saved = |error| AuthError::saving(error, service.exposes_sql_errors);
    if let Some(hash) = hash {
        passwords::set(db, id, &hash, context.now).await.map_err(saved)?;
        sessions::delete_of_user(&mut *db, id, None).await?;
        // What was begun under the old password is not trusted any more.
        accounts::void_pending(&service, db, id, context.now).await?;
    }
    set_addresses(&service, db, &context, &user, (email, phone), &input).await?;
    set_metadata(&service, db, &context, id, &input).await?;
    users::set_by_admin(db, id, input.role()?, ban, context.now).await.map_err(saved)?;
    audit_log::add(db, service.new_id(), Action::UserModified, &user, &context).await?;
    let user = accounts::load(db, id).await?;
    let body = accounts::show(&mut *db, user).await?;
    service.commit(transaction).await?;
    Ok(axum::Json(body))
}

async fn set_addresses(
    service: &ServiceContext,
    db: &mut PgConnection,
    context: &RequestContext,
    user: &User,
    (email, phone): (Option<Email>, Option<Phone>),
    input: &AccountInput,
) -> Result<(), AuthError> {
    if let Some(email) = &email {
        set_email(service, db, context, user, email).await?;
    }
    if let Some(phone) = &phone {
        set_phone(service, db, context, user, phone).await?;
    }
    if input.email_confirm == Some(true) {
        accounts::confirm(service, db, user.id, context.now).await?;
    }
    if input.phone_confirm == Some(true) {
        accounts::confirm_phone(service, db, user.id, context.now).await?;
    }
    Ok(())
}

async fn set_email(
    service: &ServiceContext,
    db: &mut PgConnection,
    context: &RequestContext,
    user: &User,
    email: &Email,
) -> Result<(), AuthError> {
    let (id, now) = (user.id, context.now);
    if users::is_taken(&mut *db, email.as_str(), id).await? {
        return Err(AuthError::EmailExists);
    }
    let saved = |error| AuthError::saving(error, service.exposes_sql_errors);
    let confirmed = user.email_confirmed_at.is_some();
    if user.email.as_deref().is_some_and(|former| !former.is_empty() && former != email.as_str()) {
        leave_former(service, db, context, user).await?;
    }
    users::set_email(db, id, email.as_str(), now).await.map_err(saved)?;
    identities::put_email(db, service.new_id(), id, email.as_str(), confirmed, now).await.map_err(saved)?;
    users::set_providers_from_identities(db, id, now).await.map_err(saved)
}

async fn set_phone(
    service: &ServiceContext,
    db: &mut PgConnection,
    context: &RequestContext,
    user: &User,
    phone: &Phone,
) -> Result<(), AuthError> {
    let (id, now) = (user.id, context.now);
    if users::is_phone_taken(&mut *db, phone.as_str(), id).await? {
        return Err(AccountError::PhoneExists.into());
    }
    let saved = |error| AuthError::saving(error, service.exposes_sql_errors);
    let confirmed = user.phone_confirmed_at.is_some();
    if user.phone.as_deref().is_some_and(|former| !former.is_empty() && former != phone.as_str()) {
        leave_former(service, db, context, user).await?;
    }
    users::set_phone(db, id, phone.as_str(), now).await.map_err(saved)?;
    identities::put_phone(db, service.new_id(), id, phone.as_str(), confirmed, now).await.map_err(saved)?;
    users::set_providers_from_identities(db, id, now).await.map_err(saved)
}

/// Whoever reads the former address or number has nothing to say any more: what was sent there is
/// void. Where the account was never confirmed, whoever is signed in may be them, and what they put
/// there is not the owner's.
async fn leave_former(
    service: &ServiceContext,
    db: &mut PgConnection,
    context: &RequestContext,
    user: &User,
) -> Result<(), AuthError> {
    accounts::void_pending(service, db, user.id, context.now).await?;
    if user.confirmed_at.is_none() {
        sessions::delete_of_user(&mut *db, user.id, None).await?;
        account_origin::code_requested(db, user, CodeRequester::Anybody).await?;
    }
    Ok(())
}

/// Merges both metadata objects into what stands there by now (CONTRACT.md D6).
async fn set_metadata(
    service: &ServiceContext,
    db: &mut PgConnection,
    context: &RequestContext,
    id: uuid::Uuid,
    input: &AccountInput,
) -> Result<(), AuthError> {
    if input.app_metadata.is_none() && input.user_metadata.is_none() {
        return Ok(());
    }
    let user = accounts::load(db, id).await?;
    let app = user.raw_app_meta_data.unwrap_or_else(|| json!({}));
    let own = user.raw_user_meta_data.unwrap_or_else(|| json!({}));
    let app = accounts::merged(&app, input.app_metadata.as_ref())?;
    let own = accounts::merged(&own, input.user_metadata.as_ref())?;
    users::set_metadata(db, id, &app, &own, context.now)
        .await
        .map_err(|error| AuthError::saving(error, service.exposes_sql_errors))
}
