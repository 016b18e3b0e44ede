use serde_json::Value;
use sqlx::PgConnection;
use uuid::Uuid;

/// Keeps what a provider said of somebody until the code of the flow is exchanged.
pub(crate) async fn put(db: &mut PgConnection, flow: Uuid, identity: &Value) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "insert into auth.banyan_pending_links (flow_state_id, identity_data)
        values ($1, $2)
        on conflict (flow_state_id) do update
        set identity_data = excluded.identity_data",
        flow,
        identity,
    )
    .execute(db)
    .await?;
    Ok(())
}

/// What was kept for a flow; it goes with the flow.
pub(crate) async fn of_flow(db: &mut PgConnection, flow: Uuid) -> Result<Option<Value>, sqlx::Error> {
    sqlx::query_scalar!("select identity_data from auth.banyan_pending_links where flow_state_id = $1", flow,)
        .fetch_optional(db)
        .await
}
