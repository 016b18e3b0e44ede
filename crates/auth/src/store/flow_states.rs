use sqlx::PgConnection;
use time::OffsetDateTime;
use uuid::Uuid;

/// A flow whose code travels through a browser.
#[derive(Debug)]
pub(crate) struct Flow {
    pub(crate) id: Uuid,
    pub(crate) user_id: Option<Uuid>,
    pub(crate) code_challenge: Option<String>,
    pub(crate) code_challenge_method: Option<String>,
    pub(crate) authentication_method: String,
    pub(crate) auth_code_issued_at: Option<OffsetDateTime>,
}

/// Begins a flow; earlier ones of the same user and method that no code was issued for are over (auth.md K7).
pub(crate) async fn begin(
    db: &mut PgConnection,
    (id, auth_code): (Uuid, Uuid),
    user: Uuid,
    (challenge, method): (&str, &str),
    authentication_method: &str,
    now: OffsetDateTime,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "delete from auth.flow_state
        where user_id = $1 and authentication_method = $2 and auth_code_issued_at is null",
        user,
        authentication_method,
    )
    .execute(&mut *db)
    .await?;
    sqlx::query!(
        "insert into auth.flow_state
            (id, user_id, auth_code, code_challenge, code_challenge_method, provider_type, authentication_method,
             created_at, updated_at)
        values ($1, $2, $3::uuid::text, $4, $5::text::auth.code_challenge_method, 'email', $6, $7, $7)",
        id,
        user,
        auth_code,
        challenge,
        method,
        authentication_method,
        now,
    )
    .execute(db)
    .await?;
    Ok(())
}

/// Issues the code of the newest flow of a user and method.
pub(crate) async fn issue_code(
    db: &mut PgConnection,
    user: Uuid,
    authentication_method: &str,
    now: OffsetDateTime,
) -> Result<Option<String>, sqlx::Error> {
    let code = sqlx::query_scalar!(
        "update auth.flow_state
        set auth_code_issued_at = $3, updated_at = $3
        where id = (
            select id
            from auth.flow_state
            where user_id = $1 and authentication_method = $2 and auth_code_issued_at is null
            order by created_at desc
            limit 1
            for update
        )
        returning auth_code",
        user,
        authentication_method,
        now,
    )
    .fetch_optional(db)
    .await?;
    Ok(code.flatten())
}

pub(crate) async fn by_code_for_update(
    db: &mut PgConnection,
    code: &str,
) -> Result<Option<Flow>, sqlx::Error> {
    sqlx::query_as!(
        Flow,
        r#"select id, user_id, code_challenge, code_challenge_method::text as code_challenge_method,
            authentication_method, auth_code_issued_at
        from auth.flow_state
        where auth_code = $1
        for update"#,
        code,
    )
    .fetch_optional(db)
    .await
}

pub(crate) async fn delete(db: &mut PgConnection, id: Uuid) -> Result<(), sqlx::Error> {
    sqlx::query!("delete from auth.flow_state where id = $1", id).execute(db).await?;
    Ok(())
}
