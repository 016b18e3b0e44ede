use std::sync::Arc;

use axum::extract::State;
use serde_json::{Value, json};

use super::{is_aal2, of_path, session::lower, session_of};
use crate::{
    context::ServiceContext,
    domain::{
        audit_log::{self, Action},
        notices,
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
    let db = &mut *transaction;
    let (factor, kind) = of_path(db, &bearer, &id).await?;
    if factor.is_verified() && !is_aal2(db, session).await? {
        return Err(FactorError::UnenrollNeedsAal2.into());
    }
    lower(db, factor.id, kind, context.now).await?;
    factors::delete(db, factor.id).await?;
    let details = NoticeDetails { factor_type: kind.name(), ..NoticeDetails::default() };
    notices::send(&service, db, &context, &bearer.user, Kind::FactorUnenrolled, details).await?;
    let traits = json!({"factor_id": factor.id, "factor_status": factor.status, "session_id": session});
    audit_log::add_with(db, service.new_id(), Action::FactorUnenrolled, &bearer.user, &context, traits)
        .await?;
    service.commit(transaction).await?;
    Ok(axum::Json(json!({"id": factor.id})))
}
