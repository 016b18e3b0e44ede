//! The audit log: what users did, in the table and, once that is committed, in the log
//! (CONTRACT.md L1, L2, L7).

use serde_json::{Value, json};

pub(crate) use crate::model::audit_event::{Action, AuditEvent, log};
use crate::{
    model::audit_event::LogLine,
    store::{
        audit::{self, NewEntry},
        users::User,
    },
    tx::Tx,
    wire::request::RequestContext,
};

/// Writes what a user did, in the transaction that did it. So what is rolled back leaves no entry,
/// and what is committed always has one.
pub(crate) async fn add(tx: &mut Tx<'_>, action: Action, user: &User) -> Result<(), sqlx::Error> {
    add_with(tx, action, user, Value::Null).await
}

/// As [`add`], with particulars (CONTRACT.md L1).
pub(crate) async fn add_with(
    tx: &mut Tx<'_>,
    action: Action,
    user: &User,
    traits: Value,
) -> Result<(), sqlx::Error> {
    let id = tx.service.new_id();
    tx.context.after_commit.log(LogLine::Audit(AuditEvent { id, action, user: user.id }));
    let Some(payload) = entry(action, user, tx.context, traits) else { return Ok(()) };
    let ip_address = tx.context.client.map(|ip| ip.to_string()).unwrap_or_default();
    audit::insert(&mut *tx.db, NewEntry { id, payload, created_at: tx.context.now, ip_address }).await
}

/// The entry for the table, if the project keeps entries there (CONTRACT.md L7).
pub(crate) fn entry(action: Action, user: &User, context: &RequestContext, traits: Value) -> Option<Value> {
    let (action, log_type) = action.words();
    context.audited.then(|| payload(action, log_type, user, traits))
}

fn payload(action: &str, log_type: &str, user: &User, traits: Value) -> Value {
    let name = user.phone.as_deref().filter(|phone| !phone.is_empty()).or(user.email.as_deref());
    let mut payload = json!({
        "actor_id": user.id,
        "actor_via_sso": user.is_sso_user,
        "actor_username": name.unwrap_or_default(),
        "action": action,
        "log_type": log_type,
    });
    let full_name = user.raw_user_meta_data.as_ref().and_then(|data| data.get("full_name")?.as_str());
    if let Some(full_name) = full_name {
        payload["actor_name"] = json!(full_name);
    }
    if !traits.is_null() {
        payload["traits"] = traits;
    }
    payload
}
