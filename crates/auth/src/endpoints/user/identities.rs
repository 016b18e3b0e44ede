//! `/user/identities`: linking and unlinking (CONTRACT.md H26, H27, I7, I8).

use std::sync::Arc;

use axum::{
    extract::State,
    response::{IntoResponse, Response},
};
use http::{Uri, header};
use serde::Deserialize;
use serde_json::{Value, json};
use uuid::Uuid;

use crate::{
    context::ServiceContext,
    domain::linking,
    endpoints::authorize::{self, ProviderRedirect},
    guards::bearer::Bearer,
    wire::{
        error::{AuthError, IdentityError},
        request::{Path, Query, RequestContext},
    },
};

/// Parameters of the query, beside those of `/authorize`.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Parameters {
    skip_http_redirect: String,
}

/// `GET /user/identities/authorize`: 302 to the provider, or its address as `{url}` for a script,
/// which cannot follow a redirect.
///
/// An identity is linked only by the browser that asked for it. Otherwise an attacker could make
/// somebody link their identity to the attacker's account. With a code challenge, as auth-js sends
/// it with `flowType: 'pkce'`, the exchange of the code shows that browser. Without one a cookie
/// shows it, which a browser keeps from a script's request only if the application and the service
/// share an origin. Else the user is asked first (`callback/confirm_link.rs`).
pub(crate) async fn authorize(
    State(service): State<Arc<ServiceContext>>,
    bearer: Bearer,
    context: RequestContext,
    Query(parameters): Query<Parameters>,
    uri: Uri,
) -> Result<Response, AuthError> {
    check_may_link(&service, &bearer).await?;
    let ProviderRedirect { url, cookie } =
        authorize::send_to_provider(&service, &context, &uri, Some(&bearer)).await?;
    if parameters.skip_http_redirect == "true" {
        let headers = cookie.map(|cookie| [(header::SET_COOKIE, cookie)]);
        return Ok((headers, axum::Json(json!({"url": url}))).into_response());
    }
    authorize::redirect_found(&url, cookie)
}

/// `DELETE /user/identities/{identity_id}`.
pub(crate) async fn delete(
    State(service): State<Arc<ServiceContext>>,
    bearer: Bearer,
    context: RequestContext,
    Path(identity): Path<String>,
) -> Result<axum::Json<Value>, AuthError> {
    check_may_link(&service, &bearer).await?;
    let identity: Uuid = identity.parse().map_err(|_| IdentityError::NoUuid)?;
    let mut transaction = service.begin(&context).await?;
    let tx = &mut transaction.tx();
    let user = bearer.lock_to_link(tx.db, context.now).await?;
    linking::unlink(tx, &user, identity).await?;
    service.commit(transaction).await?;
    Ok(axum::Json(json!({})))
}

/// Checks that manual linking is on, and allowed for this session. An identity signs in, as an
/// address and a password do (CONTRACT.md U13).
///
/// # Errors
/// 404 `manual_linking_disabled`, 401 `insufficient_aal`.
pub(crate) async fn check_may_link(service: &ServiceContext, bearer: &Bearer) -> Result<(), AuthError> {
    if !service.settings.enable_manual_linking {
        return Err(IdentityError::LinkingDisabled.into());
    }
    if bearer.lacks_second_factor(&service.pool).await? {
        return Err(IdentityError::NeedsAal2.into());
    }
    Ok(())
}
