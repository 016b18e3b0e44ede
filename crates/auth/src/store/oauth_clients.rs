use sqlx::PgExecutor;
use time::OffsetDateTime;
use uuid::Uuid;

use super::times::At;

/// A client of the OAuth server, without its secret.
#[derive(Debug, Clone)]
pub(crate) struct Client {
    pub(crate) id: Uuid,
    pub(crate) registration_type: String,
    pub(crate) client_type: String,
    pub(crate) token_endpoint_auth_method: String,
    /// Joined by commas, as in the reference.
    pub(crate) redirect_uris: String,
    pub(crate) grant_types: String,
    pub(crate) client_name: Option<String>,
    pub(crate) client_uri: Option<String>,
    pub(crate) logo_uri: Option<String>,
    pub(crate) created_at: OffsetDateTime,
    pub(crate) updated_at: OffsetDateTime,
}

macro_rules! select_client {
    ($tail:tt $(, $argument:expr)* $(,)?) => {
        sqlx::query_as!(
            Client,
            r#"select id, registration_type::text as "registration_type!", client_type::text as "client_type!",
                token_endpoint_auth_method, redirect_uris, grant_types, client_name, client_uri, logo_uri,
                created_at as "created_at!: At", updated_at as "updated_at!: At"
            from auth.oauth_clients "# + $tail
            $(, $argument)*
        )
    };
}

pub(crate) async fn by_id(executor: impl PgExecutor<'_>, id: Uuid) -> Result<Option<Client>, sqlx::Error> {
    select_client!("where id = $1 and deleted_at is null", id).fetch_optional(executor).await
}

pub(crate) async fn page(
    executor: impl PgExecutor<'_>,
    limit: i64,
    offset: i64,
) -> Result<Vec<Client>, sqlx::Error> {
    select_client!("where deleted_at is null order by created_at desc, id limit $1 offset $2", limit, offset)
        .fetch_all(executor)
        .await
}

pub(crate) async fn count(executor: impl PgExecutor<'_>) -> Result<i64, sqlx::Error> {
    sqlx::query_scalar!(r#"select count(*) as "count!" from auth.oauth_clients where deleted_at is null"#)
        .fetch_one(executor)
        .await
}

/// Adds a client; a confidential one with the hash of its secret.
pub(crate) async fn insert(
    executor: impl PgExecutor<'_>,
    client: &Client,
    secret_hash: Option<&str>,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "insert into auth.oauth_clients
            (id, client_secret_hash, registration_type, client_type, token_endpoint_auth_method, redirect_uris,
             grant_types, client_name, client_uri, logo_uri, created_at, updated_at)
        values
            ($1, $2, $3::text::auth.oauth_registration_type, $4::text::auth.oauth_client_type, $5, $6, $7, $8, $9, $10,
             $11, $11)",
        client.id,
        secret_hash,
        client.registration_type,
        client.client_type,
        client.token_endpoint_auth_method,
        client.redirect_uris,
        client.grant_types,
        client.client_name,
        client.client_uri,
        client.logo_uri,
        client.created_at,
    )
    .execute(executor)
    .await?;
    Ok(())
}

/// Updates a client. False if it is gone.
pub(crate) async fn update(executor: impl PgExecutor<'_>, client: &Client) -> Result<bool, sqlx::Error> {
    let done = sqlx::query!(
        "update auth.oauth_clients
        set token_endpoint_auth_method = $2, redirect_uris = $3, grant_types = $4, client_name = $5, client_uri = $6,
            logo_uri = $7, updated_at = $8
        where id = $1 and deleted_at is null",
        client.id,
        client.token_endpoint_auth_method,
        client.redirect_uris,
        client.grant_types,
        client.client_name,
        client.client_uri,
        client.logo_uri,
        client.updated_at,
    )
    .execute(executor)
    .await?;
    Ok(done.rows_affected() == 1)
}

pub(crate) async fn set_secret(
    executor: impl PgExecutor<'_>,
    id: Uuid,
    hash: &str,
    now: OffsetDateTime,
) -> Result<bool, sqlx::Error> {
    let done = sqlx::query!(
        "update auth.oauth_clients set client_secret_hash = $2, updated_at = $3 where id = $1 and deleted_at is null",
        id,
        hash,
        now,
    )
    .execute(executor)
    .await?;
    Ok(done.rows_affected() == 1)
}

/// Disables a client. Its row stays, because others refer to it.
pub(crate) async fn delete(
    executor: impl PgExecutor<'_>,
    id: Uuid,
    now: OffsetDateTime,
) -> Result<bool, sqlx::Error> {
    let done = sqlx::query!(
        "update auth.oauth_clients set deleted_at = $2, updated_at = $2 where id = $1 and deleted_at is null",
        id,
        now,
    )
    .execute(executor)
    .await?;
    Ok(done.rows_affected() == 1)
}
