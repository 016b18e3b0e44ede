use serde_json::Value;
use sqlx::PgConnection;
use uuid::Uuid;

/// Stores the profile from a provider until the flow continues. False if one is stored already, or
/// the flow is over.
pub(crate) async fn put(db: &mut PgConnection, flow: Uuid, identity: &Value) -> Result<bool, sqlx::Error> {
    let done = sqlx::query!(
        "insert into auth.banyan_pending_links (flow_state_id, identity_data)
        select id, $2::jsonb
        from auth.flow_state
        where id = $1
        for key share
        on conflict (flow_state_id) do nothing",
        flow,
        identity,
    )
    .execute(db)
    .await?;
    Ok(done.rows_affected() == 1)
}

/// The stored profile of a flow. It is deleted with the flow.
pub(crate) async fn of_flow(db: &mut PgConnection, flow: Uuid) -> Result<Option<Value>, sqlx::Error> {
    sqlx::query_scalar!("select identity_data from auth.banyan_pending_links where flow_state_id = $1", flow,)
        .fetch_optional(db)
        .await
}
