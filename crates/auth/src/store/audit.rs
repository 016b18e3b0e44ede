use serde_json::Value;
use sqlx::PgExecutor;
use time::OffsetDateTime;
use uuid::Uuid;

use super::times::MaybeAt;

/// A new entry.
#[derive(Debug)]
pub(crate) struct NewEntry {
    pub(crate) id: Uuid,
    pub(crate) payload: Value,
    pub(crate) created_at: OffsetDateTime,
    /// Address of the client. Empty if it is unknown.
    pub(crate) ip_address: String,
}

pub(crate) async fn insert(executor: impl PgExecutor<'_>, entry: NewEntry) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "insert into auth.audit_log_entries (instance_id, id, payload, created_at, ip_address)
        values ('00000000-0000-0000-0000-000000000000', $1, $2, $3, $4)",
        entry.id,
        entry.payload,
        entry.created_at,
        entry.ip_address,
    )
    .execute(executor)
    .await?;
    Ok(())
}

/// Deletes entries about what the same request took back after its commit.
pub(crate) async fn take_back(executor: impl PgExecutor<'_>, ids: &[Uuid]) -> Result<(), sqlx::Error> {
    sqlx::query!("delete from auth.audit_log_entries where id = any($1)", ids).execute(executor).await?;
    Ok(())
}

/// An entry as answers show it.
#[derive(Debug)]
pub(crate) struct Entry {
    pub(crate) id: Uuid,
    pub(crate) payload: Option<Value>,
    pub(crate) created_at: Option<OffsetDateTime>,
    pub(crate) ip_address: String,
}

/// A search: one of the fields of the payload holds the text.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Search<'a> {
    pub(crate) author: Option<&'a str>,
    pub(crate) action: Option<&'a str>,
    pub(crate) log_type: Option<&'a str>,
}

/// A page of entries, newest first.
pub(crate) async fn page(
    executor: impl PgExecutor<'_>,
    search: Search<'_>,
    limit: i64,
    offset: i64,
) -> Result<Vec<Entry>, sqlx::Error> {
    sqlx::query_as!(
        Entry,
        r#"select id, payload as "payload: Value", created_at as "created_at!: MaybeAt", ip_address
        from auth.audit_log_entries
        where instance_id = '00000000-0000-0000-0000-000000000000'
            and ($1::text is null
                or payload ->> 'actor_username' ilike '%' || $1 || '%'
                or payload ->> 'actor_name' ilike '%' || $1 || '%')
            and ($2::text is null or payload ->> 'action' ilike '%' || $2 || '%')
            and ($3::text is null or payload ->> 'log_type' ilike '%' || $3 || '%')
        order by created_at desc, id
        limit $4
        offset $5"#,
        search.author,
        search.action,
        search.log_type,
        limit,
        offset,
    )
    .fetch_all(executor)
    .await
}

pub(crate) async fn count(executor: impl PgExecutor<'_>, search: Search<'_>) -> Result<i64, sqlx::Error> {
    sqlx::query_scalar!(
        r#"select count(*) as "count!"
        from auth.audit_log_entries
        where instance_id = '00000000-0000-0000-0000-000000000000'
            and ($1::text is null
                or payload ->> 'actor_username' ilike '%' || $1 || '%'
                or payload ->> 'actor_name' ilike '%' || $1 || '%')
            and ($2::text is null or payload ->> 'action' ilike '%' || $2 || '%')
            and ($3::text is null or payload ->> 'log_type' ilike '%' || $3 || '%')"#,
        search.author,
        search.action,
        search.log_type,
    )
    .fetch_one(executor)
    .await
}
