use std::sync::Arc;

use axum::extract::{Path, State};
use serde_json::json;
use sqlx::PgConnection;

use super::{AccountInput, user::parse_id};
use crate::{
    accounts::{self, UserBody},
    bearer::Admin,
    email::Email,
    error::AuthError,
    request::{Context, Json},
    state::Inner,
    store::{
        audit::{self, Action},
        identities,
        users::{self, User},
    },
};

/// `PUT /admin/users/{id}` (auth.md H42, D6): an address changes at once and without a mail.
pub(crate) async fn put(
    State(inner): State<Arc<Inner>>,
    _: Admin,
    Path(id): Path<String>,
    context: Context,
    Json(input): Json<AccountInput>,
) -> Result<axum::Json<UserBody>, AuthError> {
    input.refuse_what_is_not_offered()?;
    let (id, ban) = (parse_id(&id)?, input.ban(context.now)?);
    let mut transaction = inner.pool.begin().await?;
    let db = &mut *transaction;
    let user = users::by_id_for_update(db, id).await?.ok_or(AuthError::UserNotFound)?;
    apply(&inner, db, &context, &user, &input).await?;
    users::set_by_admin(db, id, input.role(), ban, context.now)
        .await
        .map_err(|error| AuthError::saving(error, inner.explains))?;
    audit::add(db, inner.new_id(), Action::UserModified, &user, &context).await?;
    let user = accounts::load(db, id).await?;
    let body = accounts::show(&mut *db, user).await?;
    inner.commit(transaction).await?;
    Ok(axum::Json(body))
}

async fn apply(
    inner: &Inner,
    db: &mut PgConnection,
    context: &Context,
    user: &User,
    input: &AccountInput,
) -> Result<(), AuthError> {
    let (id, now) = (user.id, context.now);
    let saved = |error| AuthError::saving(error, inner.explains);
    if input.app_metadata.is_some() || input.user_metadata.is_some() {
        let app = user.raw_app_meta_data.clone().unwrap_or_else(|| json!({}));
        let own = user.raw_user_meta_data.clone().unwrap_or_else(|| json!({}));
        let app = accounts::merged(&app, input.app_metadata.as_ref())?;
        let own = accounts::merged(&own, input.user_metadata.as_ref())?;
        users::set_metadata(db, id, &app, &own, now).await.map_err(saved)?;
    }
    if let Some(address) = input.email.as_deref().filter(|address| !address.is_empty()) {
        let address = Email::parse(address)?;
        if users::is_taken(&mut *db, address.as_str(), id).await? {
            return Err(AuthError::EmailExists);
        }
        users::change_email(db, id, address.as_str(), now).await.map_err(saved)?;
        identities::put_email(db, inner.new_id(), id, address.as_str(), true, now).await.map_err(saved)?;
    } else if input.email_confirm == Some(true) && user.email_confirmed_at.is_none() {
        accounts::confirm(inner, db, id, now).await?;
    }
    Ok(())
}
