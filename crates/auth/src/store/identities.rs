use serde::{Deserialize, Deserializer, de::Error as _};
use serde_json::{Value, value::RawValue};
use sqlx::{PgConnection, PgExecutor};
use time::OffsetDateTime;
use uuid::Uuid;

use super::times::{self, MaybeAt};

/// A row of `auth.identities`.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct Identity {
    pub(crate) id: Uuid,
    pub(crate) provider_id: String,
    pub(crate) user_id: Uuid,
    #[serde(deserialize_with = "read_by_itself")]
    pub(crate) identity_data: Value,
    pub(crate) provider: String,
    #[serde(deserialize_with = "times::maybe_in_json")]
    pub(crate) last_sign_in_at: Option<OffsetDateTime>,
    #[serde(deserialize_with = "times::maybe_in_json")]
    pub(crate) created_at: Option<OffsetDateTime>,
    #[serde(deserialize_with = "times::maybe_in_json")]
    pub(crate) updated_at: Option<OffsetDateTime>,
    pub(crate) email: Option<String>,
}

/// Reads a value within a list as it would be read from its own column, however deep the list is.
fn read_by_itself<'de, D: Deserializer<'de>>(json: D) -> Result<Value, D::Error> {
    let text = <&RawValue>::deserialize(json)?.get();
    serde_json::from_str(text).map_err(D::Error::custom)
}

pub(crate) async fn of_user(executor: impl PgExecutor<'_>, user: Uuid) -> Result<Vec<Identity>, sqlx::Error> {
    sqlx::query_as!(
        Identity,
        r#"select id, provider_id, user_id, identity_data, provider, last_sign_in_at as "last_sign_in_at!: MaybeAt",
            created_at as "created_at!: MaybeAt", updated_at as "updated_at!: MaybeAt", email
        from auth.identities
        where user_id = $1
        order by created_at, id"#,
        user,
    )
    .fetch_all(executor)
    .await
}

/// The identity that an account has by its own address or number.
pub(crate) struct AddressIdentity<'a> {
    /// Id of a new row.
    pub(crate) id: Uuid,
    pub(crate) user: Uuid,
    pub(crate) address: &'a str,
    pub(crate) verified: bool,
}

/// Creates or updates the e-mail identity of an account (CONTRACT.md U6).
pub(crate) async fn put_email(
    db: &mut PgConnection,
    identity: &AddressIdentity<'_>,
    now: OffsetDateTime,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "insert into auth.identities
            (id, provider_id, user_id, identity_data, provider, last_sign_in_at, created_at, updated_at)
        values
            ($1, $2::uuid::text, $2,
             jsonb_build_object('sub', $2::uuid::text, 'email', $3::text, 'email_verified', $4::boolean, 'phone_verified', false),
             'email', $5, $5, $5)
        on conflict (provider_id, provider) do update
        set identity_data = identities.identity_data
                || jsonb_build_object('email', $3::text, 'email_verified', $4::boolean),
            updated_at = $5",
        identity.id,
        identity.user,
        identity.address,
        identity.verified,
        now,
    )
    .execute(db)
    .await?;
    Ok(())
}

pub(crate) async fn verify_email(
    db: &mut PgConnection,
    user: Uuid,
    now: OffsetDateTime,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        r#"update auth.identities
        set identity_data = identity_data || '{"email_verified": true}', last_sign_in_at = $2, updated_at = $2
        where user_id = $1 and provider = 'email'"#,
        user,
        now,
    )
    .execute(db)
    .await?;
    Ok(())
}

/// An identity at a provider, before it is stored.
pub(crate) struct NewIdentity<'a> {
    pub(crate) id: Uuid,
    pub(crate) user_id: Uuid,
    pub(crate) provider: &'a str,
    pub(crate) provider_id: &'a str,
    pub(crate) identity_data: &'a Value,
}

pub(crate) async fn insert(
    db: &mut PgConnection,
    identity: &NewIdentity<'_>,
    now: OffsetDateTime,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "insert into auth.identities
            (id, provider_id, user_id, identity_data, provider, last_sign_in_at, created_at, updated_at)
        values ($1, $2, $3, $4, $5, $6, $6, $6)",
        identity.id,
        identity.provider_id,
        identity.user_id,
        identity.identity_data,
        identity.provider,
        now,
    )
    .execute(db)
    .await?;
    Ok(())
}

/// Creates or updates the phone identity of an account.
pub(crate) async fn put_phone(
    db: &mut PgConnection,
    identity: &AddressIdentity<'_>,
    now: OffsetDateTime,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "insert into auth.identities
            (id, provider_id, user_id, identity_data, provider, last_sign_in_at, created_at, updated_at)
        values
            ($1, $2::uuid::text, $2,
             jsonb_build_object('sub', $2::uuid::text, 'phone', $3::text, 'email_verified', false, 'phone_verified', $4::boolean),
             'phone', $5, $5, $5)
        on conflict (provider_id, provider) do update
        set identity_data = identities.identity_data
                || jsonb_build_object('phone', $3::text, 'phone_verified', $4::boolean),
            updated_at = $5",
        identity.id,
        identity.user,
        identity.address,
        identity.verified,
        now,
    )
    .execute(db)
    .await?;
    Ok(())
}

pub(crate) async fn verify_phone(
    db: &mut PgConnection,
    user: Uuid,
    now: OffsetDateTime,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        r#"update auth.identities
        set identity_data = identity_data || '{"phone_verified": true}', last_sign_in_at = $2, updated_at = $2
        where user_id = $1 and provider = 'phone'"#,
        user,
        now,
    )
    .execute(db)
    .await?;
    Ok(())
}

/// Removes the identities of a user, except one row or those of one provider.
pub(crate) async fn delete_others(
    db: &mut PgConnection,
    user: Uuid,
    kept: Option<Uuid>,
    provider: Option<&str>,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "delete from auth.identities
        where user_id = $1
            and ($2::uuid is null or id <> $2)
            and ($3::text is null or provider <> $3)",
        user,
        kept,
        provider,
    )
    .execute(db)
    .await?;
    Ok(())
}
