use std::net::IpAddr;

use serde_json::Value;
use sqlx::PgConnection;
use time::OffsetDateTime;
use uuid::Uuid;

use super::times::{At, MaybeAt};

/// A challenge of a second factor.
#[derive(Debug)]
pub(crate) struct Challenge {
    pub(crate) id: Uuid,
    pub(crate) created_at: OffsetDateTime,
    pub(crate) verified_at: Option<OffsetDateTime>,
    pub(crate) ip: Option<String>,
    pub(crate) otp_code: Option<String>,
    pub(crate) session_data: Option<Value>,
}

/// A new challenge.
pub(crate) struct NewChallenge<'a> {
    pub(crate) id: Uuid,
    pub(crate) factor: Uuid,
    pub(crate) ip: Option<IpAddr>,
    pub(crate) otp_code: Option<&'a str>,
    pub(crate) session_data: Option<&'a Value>,
}

pub(crate) async fn insert(
    db: &mut PgConnection,
    challenge: &NewChallenge<'_>,
    now: OffsetDateTime,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "insert into auth.mfa_challenges (id, factor_id, created_at, ip_address, otp_code, web_authn_session_data)
        values ($1, $2, $3, coalesce($4::text::inet, '0.0.0.0'), $5, $6)",
        challenge.id,
        challenge.factor,
        now,
        challenge.ip.map(|ip| ip.to_string()),
        challenge.otp_code,
        challenge.session_data,
    )
    .execute(db)
    .await?;
    Ok(())
}

pub(crate) async fn by_id_for_update(
    db: &mut PgConnection,
    factor: Uuid,
    id: Uuid,
) -> Result<Option<Challenge>, sqlx::Error> {
    sqlx::query_as!(
        Challenge,
        r#"select id, created_at as "created_at!: At", verified_at as "verified_at!: MaybeAt", host(ip_address) as ip, otp_code,
            web_authn_session_data as session_data
        from auth.mfa_challenges
        where factor_id = $1 and id = $2
        for update"#,
        factor,
        id,
    )
    .fetch_optional(db)
    .await
}

pub(crate) async fn verified(
    db: &mut PgConnection,
    id: Uuid,
    now: OffsetDateTime,
) -> Result<(), sqlx::Error> {
    sqlx::query!("update auth.mfa_challenges set verified_at = $2, otp_code = null where id = $1", id, now)
        .execute(db)
        .await?;
    Ok(())
}

pub(crate) async fn delete(db: &mut PgConnection, id: Uuid) -> Result<(), sqlx::Error> {
    sqlx::query!("delete from auth.mfa_challenges where id = $1", id).execute(db).await?;
    Ok(())
}
