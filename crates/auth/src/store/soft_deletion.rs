//! Soft deletion: an account keeps its id, its times, and hashes in place of its address and number
//! (CONTRACT.md D9).

use sqlx::PgConnection;
use time::OffsetDateTime;
use uuid::Uuid;

/// Replaces address and number by hashes and empties the rest.
pub(crate) async fn users(db: &mut PgConnection, id: Uuid, now: OffsetDateTime) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "update auth.users
        set email = rtrim(translate(encode(sha256(convert_to(id::text || email, 'utf8')), 'base64'), '+/', '-_'), '='),
            phone = left(translate(encode(sha256(convert_to(id::text || phone, 'utf8')), 'base64'), '+/', '-_'), 15),
            encrypted_password = null,
            email_change = '',
            phone_change = '',
            confirmation_token = '',
            recovery_token = '',
            email_change_token_current = '',
            email_change_token_new = '',
            phone_change_token = '',
            reauthentication_token = '',
            raw_app_meta_data = '{}',
            raw_user_meta_data = '{}',
            deleted_at = $2,
            updated_at = $2
        where id = $1",
        id,
        now,
    )
    .execute(db)
    .await?;
    Ok(())
}

/// Replaces the ids at providers by hashes, and empties the identity data.
pub(crate) async fn identities(
    db: &mut PgConnection,
    user: Uuid,
    now: OffsetDateTime,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "update auth.identities
        set identity_data = '{}',
            provider_id = rtrim(translate(encode(sha256(convert_to(
                user_id::text || provider || ':' || provider_id, 'utf8')), 'base64'), '+/', '-_'), '='),
            updated_at = $2
        where user_id = $1",
        user,
        now,
    )
    .execute(db)
    .await?;
    Ok(())
}

/// Removes all that signs in: sessions, codes, second factors, passkeys, and flows that could bring
/// a session or an identity.
pub(crate) async fn proofs(db: &mut PgConnection, user: Uuid) -> Result<(), sqlx::Error> {
    sqlx::query!("delete from auth.sessions where user_id = $1", user).execute(&mut *db).await?;
    sqlx::query!("delete from auth.one_time_tokens where user_id = $1", user).execute(&mut *db).await?;
    sqlx::query!("delete from auth.mfa_factors where user_id = $1", user).execute(&mut *db).await?;
    sqlx::query!("delete from auth.webauthn_credentials where user_id = $1", user).execute(&mut *db).await?;
    super::flow_states::end_of_user(db, user).await
}
