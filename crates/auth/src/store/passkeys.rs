use serde::{Deserialize, Serialize};
use serde_json::Value;
use sqlx::{PgConnection, PgExecutor};
use time::OffsetDateTime;
use uuid::Uuid;

use super::times::{At, MaybeAt};

/// The credential that checks signatures: a row of this table or, as JSON, of a second factor.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Credential {
    #[serde(with = "base64url")]
    pub(crate) id: Vec<u8>,
    /// COSE.
    #[serde(rename = "publicKey", with = "base64url")]
    pub(crate) public_key: Vec<u8>,
    #[serde(rename = "signCount")]
    pub(crate) sign_count: u32,
    #[serde(rename = "backupEligible")]
    pub(crate) backup_eligible: bool,
    #[serde(rename = "backupState")]
    pub(crate) backed_up: bool,
    pub(crate) transports: Vec<String>,
    pub(crate) aaguid: Uuid,
    #[serde(rename = "attestationType")]
    pub(crate) attestation_type: String,
}

/// The changes of a credential after a right answer.
#[derive(Debug, Clone, Copy)]
pub(crate) struct CredentialUpdate {
    pub(crate) sign_count: u32,
    pub(crate) backed_up: bool,
}

/// A passkey.
#[derive(Debug)]
pub(crate) struct Passkey {
    pub(crate) id: Uuid,
    pub(crate) user_id: Uuid,
    pub(crate) credential_id: Vec<u8>,
    pub(crate) public_key: Vec<u8>,
    pub(crate) attestation_type: String,
    pub(crate) aaguid: Option<Uuid>,
    pub(crate) sign_count: i64,
    pub(crate) backup_eligible: bool,
    pub(crate) backed_up: bool,
    pub(crate) friendly_name: String,
    pub(crate) created_at: OffsetDateTime,
    pub(crate) last_used_at: Option<OffsetDateTime>,
}

impl Passkey {
    /// What signatures are checked with.
    pub(crate) fn credential(&self) -> Credential {
        Credential {
            id: self.credential_id.clone(),
            public_key: self.public_key.clone(),
            sign_count: u32::try_from(self.sign_count).unwrap_or_default(),
            backup_eligible: self.backup_eligible,
            backed_up: self.backed_up,
            transports: Vec::new(),
            aaguid: self.aaguid.unwrap_or_default(),
            attestation_type: self.attestation_type.clone(),
        }
    }
}

macro_rules! select_passkey {
    ($tail:tt $(, $argument:expr)* $(,)?) => {
        sqlx::query_as!(
            Passkey,
            r#"select id, user_id, credential_id, public_key, attestation_type, aaguid, sign_count, backup_eligible,
                backed_up, friendly_name, created_at as "created_at!: At", last_used_at as "last_used_at!: MaybeAt"
            from auth.webauthn_credentials "# + $tail
            $(, $argument)*
        )
    };
}

/// The passkeys of a user, oldest first.
pub(crate) async fn of_user(executor: impl PgExecutor<'_>, user: Uuid) -> Result<Vec<Passkey>, sqlx::Error> {
    select_passkey!("where user_id = $1 order by created_at, id", user).fetch_all(executor).await
}

pub(crate) async fn by_id_for_update(
    db: &mut PgConnection,
    user: Uuid,
    id: Uuid,
) -> Result<Option<Passkey>, sqlx::Error> {
    select_passkey!("where user_id = $1 and id = $2 for update", user, id).fetch_optional(db).await
}

pub(crate) async fn by_credential_for_update(
    db: &mut PgConnection,
    user: Uuid,
    credential: &[u8],
) -> Result<Option<Passkey>, sqlx::Error> {
    select_passkey!("where user_id = $1 and credential_id = $2 for update", user, credential)
        .fetch_optional(db)
        .await
}

/// A passkey that is registered.
pub(crate) struct NewPasskey<'a> {
    pub(crate) id: Uuid,
    pub(crate) user: Uuid,
    pub(crate) credential: &'a Credential,
    pub(crate) friendly_name: &'a str,
}

/// Adds a passkey. False if somebody has its credential.
pub(crate) async fn insert(
    db: &mut PgConnection,
    passkey: &NewPasskey<'_>,
    now: OffsetDateTime,
) -> Result<bool, sqlx::Error> {
    let credential = passkey.credential;
    let done = sqlx::query!(
        "insert into auth.webauthn_credentials
            (id, user_id, credential_id, public_key, attestation_type, aaguid, sign_count, transports, backup_eligible,
             backed_up, friendly_name, created_at, updated_at)
        values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $12)
        on conflict (credential_id) do nothing",
        passkey.id,
        passkey.user,
        credential.id,
        credential.public_key,
        credential.attestation_type,
        credential.aaguid,
        i64::from(credential.sign_count),
        Value::from(credential.transports.clone()),
        credential.backup_eligible,
        credential.backed_up,
        passkey.friendly_name,
        now,
    )
    .execute(db)
    .await?;
    Ok(done.rows_affected() == 1)
}

/// Stores a sign-in.
pub(crate) async fn used(
    db: &mut PgConnection,
    id: Uuid,
    update: &CredentialUpdate,
    now: OffsetDateTime,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "update auth.webauthn_credentials
        set sign_count = $2, backed_up = $3, last_used_at = $4, updated_at = $4
        where id = $1",
        id,
        i64::from(update.sign_count),
        update.backed_up,
        now,
    )
    .execute(db)
    .await?;
    Ok(())
}

pub(crate) async fn rename(
    db: &mut PgConnection,
    id: Uuid,
    friendly_name: &str,
    now: OffsetDateTime,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "update auth.webauthn_credentials set friendly_name = $2, updated_at = $3 where id = $1",
        id,
        friendly_name,
        now,
    )
    .execute(db)
    .await?;
    Ok(())
}

pub(crate) async fn delete(db: &mut PgConnection, id: Uuid) -> Result<(), sqlx::Error> {
    sqlx::query!("delete from auth.webauthn_credentials where id = $1", id).execute(db).await?;
    Ok(())
}

mod base64url {
    use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
    use serde::{Deserialize, Deserializer, Serializer, de::Error};

    pub(super) fn serialize<S: Serializer>(bytes: &[u8], serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&URL_SAFE_NO_PAD.encode(bytes))
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<u8>, D::Error> {
        URL_SAFE_NO_PAD.decode(String::deserialize(deserializer)?).map_err(D::Error::custom)
    }
}
