use serde::Deserialize;
use serde_json::Value;
use sqlx::PgConnection;
use time::OffsetDateTime;
use uuid::Uuid;

use super::times::{self, At, MaybeAt};

/// A second factor, with its secrets.
#[derive(Debug, Clone)]
pub(crate) struct Factor {
    pub(crate) id: Uuid,
    pub(crate) user_id: Uuid,
    pub(crate) friendly_name: Option<String>,
    pub(crate) kind: String,
    pub(crate) status: String,
    pub(crate) created_at: OffsetDateTime,
    pub(crate) updated_at: OffsetDateTime,
    pub(crate) secret: Option<String>,
    pub(crate) phone: Option<String>,
    pub(crate) last_challenged_at: Option<OffsetDateTime>,
    pub(crate) web_authn_credential: Option<Value>,
    pub(crate) web_authn_aaguid: Option<Uuid>,
    pub(crate) last_webauthn_challenge_data: Option<Value>,
}

impl Factor {
    /// Whether it counts as a second factor.
    pub(crate) fn is_verified(&self) -> bool {
        self.status == "verified"
    }
}

/// A factor without its secrets, as read together with the account.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct OwnFactor {
    pub(crate) id: Uuid,
    pub(crate) friendly_name: Option<String>,
    pub(crate) factor_type: String,
    pub(crate) status: String,
    #[serde(deserialize_with = "times::in_json")]
    pub(crate) created_at: OffsetDateTime,
    #[serde(deserialize_with = "times::in_json")]
    pub(crate) updated_at: OffsetDateTime,
    pub(crate) phone: Option<String>,
    #[serde(deserialize_with = "times::maybe_in_json")]
    pub(crate) last_challenged_at: Option<OffsetDateTime>,
    pub(crate) web_authn_aaguid: Option<Uuid>,
    pub(crate) last_webauthn_challenge_data: Option<Value>,
}

macro_rules! select_factor {
    ($tail:tt $(, $argument:expr)* $(,)?) => {
        sqlx::query_as!(
            Factor,
            r#"select id, user_id, friendly_name, factor_type::text as "kind!", status::text as "status!",
                created_at as "created_at!: At", updated_at as "updated_at!: At", secret, phone,
                last_challenged_at as "last_challenged_at!: MaybeAt", web_authn_credential, web_authn_aaguid,
                last_webauthn_challenge_data
            from auth.mfa_factors "# + $tail
            $(, $argument)*
        )
    };
}

/// A factor of a user, locked.
pub(crate) async fn by_id_for_update(
    db: &mut PgConnection,
    user: Uuid,
    id: Uuid,
) -> Result<Option<Factor>, sqlx::Error> {
    select_factor!("where user_id = $1 and id = $2 for update", user, id).fetch_optional(db).await
}

/// The factors of a user, oldest first.
pub(crate) async fn of_user(db: &mut PgConnection, user: Uuid) -> Result<Vec<Factor>, sqlx::Error> {
    select_factor!("where user_id = $1 order by created_at, id", user).fetch_all(db).await
}

/// A new factor.
pub(crate) struct NewFactor<'a> {
    pub(crate) id: Uuid,
    pub(crate) user_id: Uuid,
    pub(crate) friendly_name: &'a str,
    pub(crate) kind: &'a str,
    pub(crate) secret: Option<&'a str>,
    pub(crate) phone: Option<&'a str>,
}

pub(crate) async fn insert(
    db: &mut PgConnection,
    factor: &NewFactor<'_>,
    now: OffsetDateTime,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "insert into auth.mfa_factors
            (id, user_id, friendly_name, factor_type, status, created_at, updated_at, secret, phone)
        values ($1, $2, $3, $4::text::auth.factor_type, 'unverified', $5, $5, $6, $7)",
        factor.id,
        factor.user_id,
        factor.friendly_name,
        factor.kind,
        now,
        factor.secret,
        factor.phone,
    )
    .execute(db)
    .await?;
    Ok(())
}

/// Stores when a factor was last challenged.
pub(crate) async fn challenged(
    db: &mut PgConnection,
    id: Uuid,
    now: OffsetDateTime,
) -> Result<(), sqlx::Error> {
    // The column is unique in the reference's schema. A part of a millisecond keeps two factors
    // apart.
    sqlx::query!(
        "update auth.mfa_factors
        set last_challenged_at = $2::timestamptz + random() * interval '1 millisecond', updated_at = $2
        where id = $1",
        id,
        now,
    )
    .execute(db)
    .await?;
    Ok(())
}

pub(crate) async fn verified(
    db: &mut PgConnection,
    id: Uuid,
    now: OffsetDateTime,
) -> Result<(), sqlx::Error> {
    sqlx::query!("update auth.mfa_factors set status = 'verified', updated_at = $2 where id = $1", id, now)
        .execute(db)
        .await?;
    Ok(())
}

/// What is stored of a security key.
pub(crate) struct SecurityKey<'a> {
    pub(crate) credential: &'a Value,
    pub(crate) aaguid: Uuid,
    /// Its last ceremony.
    pub(crate) last_challenge: &'a Value,
}

/// Stores the credential of a security key, and its last use.
pub(crate) async fn set_credential(
    db: &mut PgConnection,
    id: Uuid,
    key: &SecurityKey<'_>,
    now: OffsetDateTime,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "update auth.mfa_factors
        set web_authn_credential = $2, web_authn_aaguid = $3, last_webauthn_challenge_data = $4, updated_at = $5
        where id = $1",
        id,
        key.credential,
        key.aaguid,
        key.last_challenge,
        now,
    )
    .execute(db)
    .await?;
    Ok(())
}

/// The names of a factor. None leaves one as it is.
pub(crate) struct FactorNames<'a> {
    pub(crate) friendly_name: Option<&'a str>,
    pub(crate) phone: Option<&'a str>,
}

pub(crate) async fn rename(
    db: &mut PgConnection,
    id: Uuid,
    names: &FactorNames<'_>,
    now: OffsetDateTime,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "update auth.mfa_factors
        set friendly_name = coalesce($2, friendly_name), phone = coalesce($3, phone), updated_at = $4
        where id = $1",
        id,
        names.friendly_name,
        names.phone,
        now,
    )
    .execute(db)
    .await?;
    Ok(())
}

pub(crate) async fn delete(db: &mut PgConnection, id: Uuid) -> Result<(), sqlx::Error> {
    sqlx::query!("delete from auth.mfa_factors where id = $1", id).execute(db).await?;
    Ok(())
}

/// Removes the unverified factors of a user that began before a time, of one kind if it is given.
pub(crate) async fn delete_unverified(
    db: &mut PgConnection,
    user: Uuid,
    kind: Option<&str>,
    before: Option<OffsetDateTime>,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "delete from auth.mfa_factors
        where user_id = $1
            and status = 'unverified'
            and ($2::text is null or factor_type::text = $2)
            and ($3::timestamptz is null or created_at < $3)",
        user,
        kind,
        before,
    )
    .execute(db)
    .await?;
    Ok(())
}
