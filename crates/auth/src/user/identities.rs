//! `/user/identities`: linking and unlinking (auth.md H26, H27, I7, I8).

use std::sync::Arc;

use axum::{
    extract::State,
    response::{IntoResponse, Response},
};
use http::Uri;
use serde::Deserialize;
use serde_json::{Value, json};
use uuid::Uuid;

use crate::{
    authorize::{self, Departure},
    bearer::Bearer,
    error::{AuthError, IdentityError},
    linking,
    request::{Context, Path, Query},
    state::Inner,
};

/// Parameters of the query, beside those of `/authorize`.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Parameters {
    skip_http_redirect: String,
}

/// `GET /user/identities/authorize`: 302 to the provider, or its address as `{url}` for a script, which cannot follow.
pub(crate) async fn authorize(
    State(inner): State<Arc<Inner>>,
    bearer: Bearer,
    context: Context,
    Query(parameters): Query<Parameters>,
    uri: Uri,
) -> Result<Response, AuthError> {
    check_enabled(&inner)?;
    let Departure { url, cookie } = authorize::depart(&inner, &context, &uri, Some(bearer.user.id)).await?;
    if parameters.skip_http_redirect == "true" {
        return Ok(axum::Json(json!({"url": url})).into_response());
    }
    authorize::found(&url, cookie)
}

/// `DELETE /user/identities/{identity_id}`.
pub(crate) async fn delete(
    State(inner): State<Arc<Inner>>,
    bearer: Bearer,
    context: Context,
    Path(identity): Path<String>,
) -> Result<axum::Json<Value>, AuthError> {
    check_enabled(&inner)?;
    let identity: Uuid = identity.parse().map_err(|_| IdentityError::NoUuid)?;
    let mut transaction = inner.begin(&context).await?;
    linking::unlink(&inner, &mut transaction, &context, (bearer.user.id, identity)).await?;
    inner.commit(transaction).await?;
    Ok(axum::Json(json!({})))
}

fn check_enabled(inner: &Inner) -> Result<(), AuthError> {
    if inner.settings.enable_manual_linking { Ok(()) } else { Err(IdentityError::LinkingDisabled.into()) }
}
