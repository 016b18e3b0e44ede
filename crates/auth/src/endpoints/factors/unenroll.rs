use std::sync::Arc;

use axum::extract::State;
use serde_json::{Value, json};

use super::{is_aal2, of_path, session::lower, session_of};
use crate::{
    context::ServiceContext,
    domain::{
        audit_log::{self, Action},
        security_notifications,
    },
    guards::bearer::Bearer,
    mails::{Kind, NoticeDetails},
    store::factors,
    wire::{
        error::{AuthError, FactorError},
        request::{Path, RequestContext},
    },
};

/// `DELETE /factors/{id}` (CONTRACT.md H33, F6): a verified factor goes only from a session that
/// it, or another, raised.
pub(crate) async fn delete(
    State(service): State<Arc<ServiceContext>>,
    bearer: Bearer,
    context: RequestContext,
    Path(id): Path<String>,
) -> Result<axum::Json<Value>, AuthError> {
    let session = session_of(&bearer)?;
    let mut transaction = service.begin(&context).await?;
    let tx = &mut transaction.tx();
    let (factor, kind) = of_path(tx.db, &bearer, &id).await?;
    if factor.is_verified() && !is_aal2(tx.db, session).await? {
        return Err(FactorError::UnenrollNeedsAal2.into());
    }
    lower(tx.db, factor.id, kind, context.now).await?;
    factors::delete(tx.db, factor.id).await?;
    let details = NoticeDetails { factor_type: kind.name(), ..NoticeDetails::default() };
    security_notifications::send(tx, &bearer.user, Kind::FactorUnenrolled, details).await?;
    let traits = json!({"factor_id": factor.id, "factor_status": factor.status, "session_id": session});
    audit_log::add_with(tx, Action::FactorUnenrolled, &bearer.user, traits).await?;
    service.commit(transaction).await?;
    Ok(axum::Json(json!({"id": factor.id})))
}
