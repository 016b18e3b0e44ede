//! `POST /logout` (CONTRACT.md S8).

use std::sync::Arc;

use axum::extract::State;
use http::StatusCode;
use serde::Deserialize;

use crate::{
    context::ServiceContext,
    domain::{
        accounts,
        audit_log::{self, Action},
    },
    guards::bearer::Bearer,
    store::{flow_states, sessions, users},
    wire::{
        error::AuthError,
        request::{Query, RequestContext},
    },
};

/// Parameters of the query.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Parameters {
    scope: String,
}

/// Ends all sessions of the user (`global`, the default), this one (`local`), or all but this one
/// (`others`). Refresh tokens end with their session; access tokens stay valid in other services
/// until they expire. Unfinished sign-ins of other browsers end with their sessions. Pending
/// changes of address and number end too, except for `local`.
pub(crate) async fn post(
    State(service): State<Arc<ServiceContext>>,
    bearer: Bearer,
    context: RequestContext,
    Query(parameters): Query<Parameters>,
) -> Result<StatusCode, AuthError> {
    let mut transaction = service.begin(&context).await?;
    let tx = &mut transaction.tx();
    let user = bearer.user.id;
    match (parameters.scope.as_str(), bearer.session) {
        ("" | "global", _) => accounts::sign_out(tx, user, None).await?,
        ("others", Some(session)) => {
            accounts::sign_out(tx, user, Some(session)).await?;
        }
        ("local", Some(session)) => {
            // Wait for what the session is doing. What comes later finds it gone.
            users::lock(tx.db, user).await?;
            sessions::delete(&mut *tx.db, session).await?;
            flow_states::end_links_of_user(tx.db, user).await?;
        }
        ("local" | "others", None) => {}
        (scope, _) => {
            let shown: String = scope.chars().filter(|c| c.is_ascii_graphic()).take(40).collect();
            return Err(AuthError::validation(format!("Unsupported logout scope \"{shown}\"")));
        }
    }
    audit_log::add(tx, Action::Logout, &bearer.user).await?;
    service.commit(transaction).await?;
    Ok(StatusCode::NO_CONTENT)
}
