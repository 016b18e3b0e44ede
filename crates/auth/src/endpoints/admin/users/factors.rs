use std::sync::Arc;

use axum::extract::State;
use serde::Deserialize;
use serde_json::json;
use sqlx::PgConnection;
use uuid::Uuid;

use super::parse_id;
use crate::{
    context::ServiceContext,
    domain::{
        accounts::FactorBody,
        audit_log::{self, Action},
    },
    endpoints::factors::session::lower,
    guards::bearer::Admin,
    model::factor_kind::FactorKind,
    store::{
        factors::{self, Factor, FactorNames},
        users::{self, User},
    },
    wire::{
        error::{AuthError, FactorError},
        phone::Phone,
        request::{Json, Path, RequestContext},
    },
};

/// `GET /admin/users/{id}/factors` (CONTRACT.md H45).
pub(crate) async fn get(
    State(service): State<Arc<ServiceContext>>,
    _: Admin,
    Path(id): Path<String>,
) -> Result<axum::Json<Vec<FactorBody>>, AuthError> {
    let mut connection = service.pool.acquire().await?;
    let user = users::by_id(&mut *connection, parse_id(&id)?).await?.ok_or(AuthError::UserNotFound)?;
    let found = factors::of_user(&mut connection, user.id).await?;
    Ok(axum::Json(found.into_iter().map(FactorBody::from).collect()))
}

/// What an admin may change of a factor.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Input {
    friendly_name: Option<String>,
    phone: Option<String>,
}

/// `PUT /admin/users/{id}/factors/{factor}` (CONTRACT.md H45).
pub(crate) async fn put(
    State(service): State<Arc<ServiceContext>>,
    _: Admin,
    Path((id, factor)): Path<(String, String)>,
    context: RequestContext,
    Json(input): Json<Input>,
) -> Result<axum::Json<FactorBody>, AuthError> {
    let given = |text: &Option<String>| text.clone().filter(|text| !text.is_empty());
    let phone = given(&input.phone).as_deref().map(Phone::parse).transpose()?;
    let mut transaction = service.begin(&context).await?;
    let tx = &mut transaction.tx();
    let (user, factor) = find(&mut *tx.db, &id, &factor).await?;
    let name = given(&input.friendly_name);
    let phone = phone.filter(|_| factor.kind == FactorKind::Phone.name());
    let names = FactorNames { friendly_name: name.as_deref(), phone: phone.as_ref().map(Phone::as_str) };
    factors::rename(tx.db, factor.id, &names, context.now).await.map_err(|error| {
        match error.as_database_error().and_then(|error| error.constraint()) {
            Some("mfa_factors_user_friendly_name_unique") => {
                FactorError::NameTaken(name.clone().unwrap_or_default()).into()
            }
            Some("unique_phone_factor_per_user") => FactorError::PhoneTaken.into(),
            _ => AuthError::from(error),
        }
    })?;
    let traits = json!({"user_id": user.id, "factor_id": factor.id, "factor_type": factor.kind});
    audit_log::add_with(tx, Action::FactorUpdated, &user, traits).await?;
    let changed = factors::by_id_for_update(tx.db, user.id, factor.id).await?.ok_or(FactorError::NotFound)?;
    service.commit(transaction).await?;
    Ok(axum::Json(changed.into()))
}

/// `DELETE /admin/users/{id}/factors/{factor}` (CONTRACT.md H45, S11): for somebody who lost it.
pub(crate) async fn delete(
    State(service): State<Arc<ServiceContext>>,
    _: Admin,
    Path((id, factor)): Path<(String, String)>,
    context: RequestContext,
) -> Result<axum::Json<FactorBody>, AuthError> {
    let mut transaction = service.begin(&context).await?;
    let tx = &mut transaction.tx();
    let (user, factor) = find(&mut *tx.db, &id, &factor).await?;
    if let Some(kind) = FactorKind::parse(&factor.kind) {
        lower(tx.db, factor.id, kind, context.now).await?;
    }
    factors::delete(tx.db, factor.id).await?;
    let traits = json!({"user_id": user.id, "factor_id": factor.id});
    audit_log::add_with(tx, Action::FactorDeleted, &user, traits).await?;
    service.commit(transaction).await?;
    Ok(axum::Json(factor.into()))
}

async fn find(db: &mut PgConnection, id: &str, factor: &str) -> Result<(User, Factor), AuthError> {
    let user = users::by_id_for_update(db, parse_id(id)?).await?.ok_or(AuthError::UserNotFound)?;
    let factor: Uuid = factor.parse().map_err(|_| AuthError::PathNoUuid)?;
    let factor = factors::by_id_for_update(db, user.id, factor).await?.ok_or(FactorError::NotFound)?;
    Ok((user, factor))
}
