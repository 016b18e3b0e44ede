use std::sync::Arc;

use axum::extract::State;
use serde_json::{Value, json};

use super::{is_aal2, of_path, session::lower, session_of};
use crate::{
    audit::{self, Action},
    bearer::Bearer,
    error::{AuthError, FactorError},
    mails::{Kind, News},
    notices,
    request::{Context, Path},
    state::Inner,
    store::factors,
};

/// `DELETE /factors/{id}` (CONTRACT.md H33, F6): a verified factor goes only from a session that
/// it, or another, raised.
pub(crate) async fn delete(
    State(inner): State<Arc<Inner>>,
    bearer: Bearer,
    context: Context,
    Path(id): Path<String>,
) -> Result<axum::Json<Value>, AuthError> {
    let session = session_of(&bearer)?;
    let mut transaction = inner.begin(&context).await?;
    let db = &mut *transaction;
    let (factor, kind) = of_path(db, &bearer, &id).await?;
    if factor.is_verified() && !is_aal2(db, session).await? {
        return Err(FactorError::UnenrollNeedsAal2.into());
    }
    lower(db, factor.id, kind, context.now).await?;
    factors::delete(db, factor.id).await?;
    let news = News { factor_type: kind.name(), ..News::default() };
    notices::send(&inner, db, &context, &bearer.user, Kind::FactorUnenrolled, news).await?;
    let traits = json!({"factor_id": factor.id, "factor_status": factor.status, "session_id": session});
    audit::add_with(db, inner.new_id(), Action::FactorUnenrolled, &bearer.user, &context, traits).await?;
    inner.commit(transaction).await?;
    Ok(axum::Json(json!({"id": factor.id})))
}
