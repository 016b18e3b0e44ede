use sqlx::{PgConnection, PgExecutor};
use time::OffsetDateTime;
use uuid::Uuid;

use super::times::MaybeAt;

/// A flow whose code travels through a browser.
#[derive(Debug)]
pub(crate) struct Flow {
    pub(crate) id: Uuid,
    /// Such as `google`; `email` for links in mails.
    pub(crate) provider: String,
    pub(crate) user_id: Option<Uuid>,
    /// The account that the identity shall belong to.
    pub(crate) linking_target: Option<Uuid>,
    pub(crate) email_optional: bool,
    pub(crate) code_challenge: Option<String>,
    pub(crate) code_challenge_method: Option<String>,
    pub(crate) authentication_method: String,
    pub(crate) auth_code_issued_at: Option<OffsetDateTime>,
    pub(crate) provider_access_token: Option<String>,
    pub(crate) provider_refresh_token: Option<String>,
}

/// A new sign-in with a provider (CONTRACT.md K3). Its id is the `state`.
pub(crate) struct NewExternalFlow<'a> {
    pub(crate) id: Uuid,
    pub(crate) provider: &'a str,
    /// Value and method of the challenge, and the code for the browser.
    pub(crate) challenge: Option<(&'a str, &'a str, Uuid)>,
    pub(crate) redirect_to: &'a str,
    /// The stored form of the token of an invitation.
    pub(crate) invite_token: Option<&'a str>,
    /// The account that the identity shall belong to.
    pub(crate) linking_target: Option<Uuid>,
    pub(crate) email_optional: bool,
}

/// A sign-in with a provider, at the callback.
#[derive(Debug)]
pub(crate) struct ExternalFlow {
    pub(crate) id: Uuid,
    pub(crate) provider: String,
    pub(crate) auth_code: Option<String>,
    pub(crate) is_pkce: bool,
    pub(crate) redirect_to: Option<String>,
    pub(crate) invite_token: Option<String>,
    pub(crate) linking_target: Option<Uuid>,
    pub(crate) email_optional: bool,
    /// Set after the state was used.
    pub(crate) user_id: Option<Uuid>,
    pub(crate) created_at: Option<OffsetDateTime>,
}

/// A flow that begins with a mail.
pub(crate) struct NewFlow<'a> {
    pub(crate) id: Uuid,
    pub(crate) auth_code: Uuid,
    pub(crate) user: Uuid,
    pub(crate) challenge: &'a str,
    pub(crate) challenge_method: &'a str,
    pub(crate) authentication_method: &'a str,
}

/// Begins a flow. If the same code is drawn again for an address, the id is the same and the
/// earlier flow is over.
pub(crate) async fn begin(
    db: &mut PgConnection,
    flow: &NewFlow<'_>,
    now: OffsetDateTime,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "insert into auth.flow_state
            (id, user_id, auth_code, code_challenge, code_challenge_method, provider_type, authentication_method,
             created_at, updated_at)
        values ($1, $2, $3::uuid::text, $4, $5::text::auth.code_challenge_method, 'email', $6, $7, $7)
        on conflict (id) do update
        set user_id = excluded.user_id,
            auth_code = excluded.auth_code,
            code_challenge = excluded.code_challenge,
            code_challenge_method = excluded.code_challenge_method,
            authentication_method = excluded.authentication_method,
            auth_code_issued_at = null,
            created_at = excluded.created_at,
            updated_at = excluded.updated_at",
        flow.id,
        flow.user,
        flow.auth_code,
        flow.challenge,
        flow.challenge_method,
        flow.authentication_method,
        now,
    )
    .execute(db)
    .await?;
    Ok(())
}

/// Value and method of the challenge of a user's newest unopened link of a kind.
pub(crate) async fn challenge_of(
    db: &mut PgConnection,
    user: Uuid,
    authentication_method: &str,
) -> Result<Option<(String, String)>, sqlx::Error> {
    let found = sqlx::query!(
        r#"select code_challenge as "value!", code_challenge_method::text as "method!"
        from auth.flow_state
        where user_id = $1
            and authentication_method = $2
            and auth_code_issued_at is null
            and code_challenge is not null
            and code_challenge_method is not null
        order by created_at desc
        limit 1"#,
        user,
        authentication_method,
    )
    .fetch_optional(db)
    .await?;
    Ok(found.map(|flow| (flow.value, flow.method)))
}

/// Deletes flows of a user whose links expired unused.
pub(crate) async fn forget(
    db: &mut PgConnection,
    user: Uuid,
    before: OffsetDateTime,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "delete from auth.flow_state
        where user_id = $1 and auth_code_issued_at is null and created_at < $2",
        user,
        before,
    )
    .execute(db)
    .await?;
    Ok(())
}

/// Issues the code of a flow that has none yet.
pub(crate) async fn issue_code_of(
    db: &mut PgConnection,
    id: Uuid,
    now: OffsetDateTime,
) -> Result<Option<String>, sqlx::Error> {
    let code = sqlx::query_scalar!(
        "update auth.flow_state
        set auth_code_issued_at = $2, updated_at = $2
        where id = $1 and auth_code_issued_at is null
        returning auth_code",
        id,
        now,
    )
    .fetch_optional(db)
    .await?;
    Ok(code.flatten())
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

macro_rules! select_flow {
    ($tail:tt, $code:expr) => {
        sqlx::query_as!(
            Flow,
            r#"select id, provider_type as provider, user_id, linking_target_id as linking_target, email_optional,
                code_challenge, code_challenge_method::text as code_challenge_method, authentication_method,
                auth_code_issued_at as "auth_code_issued_at!: MaybeAt", provider_access_token, provider_refresh_token
            from auth.flow_state
            where auth_code = $1"# + $tail,
            $code,
        )
    };
}

/// The flow of a code, not locked.
pub(crate) async fn by_code(executor: impl PgExecutor<'_>, code: &str) -> Result<Option<Flow>, sqlx::Error> {
    select_flow!("", code).fetch_optional(executor).await
}

/// The flow of a code, locked. Its account must be locked before (see `endpoints/token/pkce.rs`).
pub(crate) async fn by_code_for_update(
    db: &mut PgConnection,
    code: &str,
) -> Result<Option<Flow>, sqlx::Error> {
    select_flow!(" for update", code).fetch_optional(db).await
}

pub(crate) async fn delete(db: &mut PgConnection, id: Uuid) -> Result<(), sqlx::Error> {
    sqlx::query!("delete from auth.flow_state where id = $1", id).execute(db).await?;
    Ok(())
}

/// Ends the flows of a user that could still give a session or an identity: those with an issued
/// code, and those that link. A link in a mail has no code yet; it counts as long as its token.
pub(crate) async fn end_of_user(db: &mut PgConnection, user: Uuid) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "delete from auth.flow_state
        where (user_id = $1 and auth_code_issued_at is not null) or linking_target_id = $1",
        user,
    )
    .execute(db)
    .await?;
    Ok(())
}

/// Ends the pending links to a user's account. A flow does not say which session began it, so any
/// session that ends ends them all.
pub(crate) async fn end_links_of_user(db: &mut PgConnection, user: Uuid) -> Result<(), sqlx::Error> {
    sqlx::query!("delete from auth.flow_state where linking_target_id = $1", user).execute(db).await?;
    Ok(())
}

pub(crate) async fn begin_external(
    db: &mut PgConnection,
    flow: &NewExternalFlow<'_>,
    now: OffsetDateTime,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "insert into auth.flow_state
            (id, auth_code, code_challenge, code_challenge_method, provider_type, authentication_method, referrer,
             invite_token, linking_target_id, email_optional, created_at, updated_at)
        values
            ($1, $2::uuid::text, $3, $4::text::auth.code_challenge_method, $5, 'oauth', $6, $7, $8, $9, $10, $10)",
        flow.id,
        flow.challenge.map(|(_, _, code)| code),
        flow.challenge.map(|(value, _, _)| value),
        flow.challenge.map(|(_, method, _)| method),
        flow.provider,
        flow.redirect_to,
        flow.invite_token,
        flow.linking_target,
        flow.email_optional,
        now,
    )
    .execute(db)
    .await?;
    Ok(())
}

/// The sign-in with a provider of a state. Flows of mails have no state.
pub(crate) async fn external(
    executor: impl PgExecutor<'_>,
    id: Uuid,
) -> Result<Option<ExternalFlow>, sqlx::Error> {
    sqlx::query_as!(
        ExternalFlow,
        r#"select id, provider_type as provider, auth_code, code_challenge is not null as "is_pkce!",
            referrer as redirect_to, invite_token, linking_target_id as linking_target, email_optional, user_id,
            created_at as "created_at!: MaybeAt"
        from auth.flow_state
        where id = $1 and authentication_method = 'oauth'"#,
        id,
    )
    .fetch_optional(executor)
    .await
}

/// Whom a provider signed in, and the tokens that it gave for them.
pub(crate) struct ProviderGrant<'a> {
    pub(crate) user: Uuid,
    pub(crate) access_token: &'a str,
    pub(crate) refresh_token: Option<&'a str>,
}

/// Issues the code of a sign-in with a provider, and stores the provider's tokens for its exchange.
/// False if the state was used meanwhile.
pub(crate) async fn fulfil(
    db: &mut PgConnection,
    id: Uuid,
    grant: &ProviderGrant<'_>,
    now: OffsetDateTime,
) -> Result<bool, sqlx::Error> {
    let done = sqlx::query!(
        "update auth.flow_state
        set user_id = $2,
            provider_access_token = $3,
            provider_refresh_token = $4,
            auth_code_issued_at = $5,
            updated_at = $5
        where id = $1 and user_id is null",
        id,
        grant.user,
        grant.access_token,
        grant.refresh_token,
        now,
    )
    .execute(db)
    .await?;
    Ok(done.rows_affected() == 1)
}

/// Claims a state for one callback; its code is not issued yet. False if another callback was
/// first.
pub(crate) async fn claim(
    executor: impl PgExecutor<'_>,
    id: Uuid,
    now: OffsetDateTime,
) -> Result<bool, sqlx::Error> {
    let done = sqlx::query!(
        "update auth.flow_state
        set auth_code_issued_at = $2, updated_at = $2
        where id = $1 and auth_code_issued_at is null and user_id is null",
        id,
        now,
    )
    .execute(executor)
    .await?;
    Ok(done.rows_affected() == 1)
}

/// Uses a state up. False if another request did.
pub(crate) async fn take(executor: impl PgExecutor<'_>, id: Uuid) -> Result<bool, sqlx::Error> {
    let done = sqlx::query!("delete from auth.flow_state where id = $1", id).execute(executor).await?;
    Ok(done.rows_affected() == 1)
}

/// Deletes some abandoned sign-ins with a provider.
pub(crate) async fn forget_external(
    db: &mut PgConnection,
    before: OffsetDateTime,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "delete from auth.flow_state
        where id in (
            select id
            from auth.flow_state
            where created_at < $1 and authentication_method = 'oauth' and auth_code_issued_at is null
            order by created_at
            limit 20
            for update skip locked
        )",
        before,
    )
    .execute(db)
    .await?;
    Ok(())
}
