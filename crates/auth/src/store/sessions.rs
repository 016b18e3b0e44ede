use std::net::IpAddr;

use sqlx::{PgConnection, PgExecutor};
use time::OffsetDateTime;
use uuid::Uuid;

use super::times::{self, At, MaybeAt};

/// A new session.
pub(crate) struct NewSession<'a> {
    pub(crate) id: Uuid,
    pub(crate) user_id: Uuid,
    pub(crate) user_agent: Option<&'a str>,
    pub(crate) ip: Option<IpAddr>,
    pub(crate) hmac_key: &'a str,
    /// Its method, and the id of the row for that.
    pub(crate) method: (Uuid, &'a str),
}

/// A session, locked for its refresh.
#[derive(Debug)]
pub(crate) struct Session {
    pub(crate) id: Uuid,
    pub(crate) user_id: Uuid,
    pub(crate) created_at: Option<OffsetDateTime>,
    pub(crate) not_after: Option<OffsetDateTime>,
    pub(crate) refreshed_at: Option<OffsetDateTime>,
    pub(crate) tag: Option<String>,
    pub(crate) aal: Option<String>,
    pub(crate) hmac_key: Option<String>,
    pub(crate) counter: Option<i64>,
}

/// A method by which a session was signed in.
#[derive(Debug, serde::Deserialize)]
pub(crate) struct Method {
    pub(crate) name: String,
    #[serde(deserialize_with = "times::in_json")]
    pub(crate) at: OffsetDateTime,
}

/// Adds a session with its method, and stores the time of the user's last sign-in.
pub(crate) async fn insert(
    db: &mut PgConnection,
    session: &NewSession<'_>,
    now: OffsetDateTime,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "with session as (
            insert into auth.sessions
                (id, user_id, created_at, updated_at, aal, user_agent, ip, refresh_token_hmac_key,
                 refresh_token_counter)
            values ($1, $2, $3, $3, 'aal1', $4, $5::text::inet, $6, 0)
        ),
        method as (
            insert into auth.mfa_amr_claims (id, session_id, created_at, updated_at, authentication_method)
            values ($7, $1, $3, $3, $8)
        )
        update auth.users set updated_at = $3, last_sign_in_at = $3 where id = $2",
        session.id,
        session.user_id,
        now,
        session.user_agent,
        session.ip.map(|ip| ip.to_string()),
        session.hmac_key,
        session.method.0,
        session.method.1,
    )
    .execute(db)
    .await?;
    Ok(())
}

/// A method that a session was proven by.
pub(crate) struct NewMethod<'a> {
    /// Id of a new row.
    pub(crate) id: Uuid,
    pub(crate) session: Uuid,
    pub(crate) method: &'a str,
}

pub(crate) async fn add_method(
    db: &mut PgConnection,
    added: &NewMethod<'_>,
    now: OffsetDateTime,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "insert into auth.mfa_amr_claims (id, session_id, created_at, updated_at, authentication_method)
        values ($1, $2, $3, $3, $4)
        on conflict (session_id, authentication_method) do update
        set updated_at = $3",
        added.id,
        added.session,
        now,
        added.method,
    )
    .execute(db)
    .await?;
    Ok(())
}

/// The methods of a session, newest first (CONTRACT.md T12).
pub(crate) async fn methods(
    executor: impl PgExecutor<'_>,
    session: Uuid,
) -> Result<Vec<Method>, sqlx::Error> {
    sqlx::query_as!(
        Method,
        r#"select authentication_method as name, updated_at as "at!: At"
        from auth.mfa_amr_claims
        where session_id = $1
        order by updated_at desc, authentication_method"#,
        session,
    )
    .fetch_all(executor)
    .await
}

macro_rules! select_session {
    ($tail:tt $(, $argument:expr)* $(,)?) => {
        sqlx::query_as!(
            Session,
            r#"select id, user_id, created_at as "created_at!: MaybeAt", not_after as "not_after!: MaybeAt",
                refreshed_at at time zone 'utc' as "refreshed_at!: MaybeAt", tag, aal::text as aal,
                refresh_token_hmac_key as hmac_key, refresh_token_counter as counter
            from auth.sessions "# + $tail
            $(, $argument)*
        )
    };
}

pub(crate) async fn by_id(executor: impl PgExecutor<'_>, id: Uuid) -> Result<Option<Session>, sqlx::Error> {
    select_session!("where id = $1", id).fetch_optional(executor).await
}

pub(crate) async fn by_id_for_update(
    db: &mut PgConnection,
    id: Uuid,
) -> Result<Option<Session>, sqlx::Error> {
    select_session!("where id = $1 for update", id).fetch_optional(db).await
}

/// The other sessions of a user, those used last first, as far as anybody could care.
pub(crate) async fn others_of_user(
    executor: impl PgExecutor<'_>,
    user: Uuid,
    id: Uuid,
) -> Result<Vec<Session>, sqlx::Error> {
    select_session!(
        "where user_id = $1 and id <> $2
        order by coalesce(refreshed_at at time zone 'utc', created_at) desc
        limit 1000",
        user,
        id,
    )
    .fetch_all(executor)
    .await
}

/// Ends one session.
pub(crate) async fn delete(executor: impl PgExecutor<'_>, id: Uuid) -> Result<(), sqlx::Error> {
    sqlx::query!("delete from auth.sessions where id = $1", id).execute(executor).await?;
    Ok(())
}

/// Ends all sessions of a user, except one.
pub(crate) async fn delete_of_user(
    executor: impl PgExecutor<'_>,
    user: Uuid,
    except: Option<Uuid>,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "delete from auth.sessions where user_id = $1 and ($2::uuid is null or id <> $2)",
        user,
        except,
    )
    .execute(executor)
    .await?;
    Ok(())
}

/// The authenticator assurance level of a session: `aal1` or `aal2`.
pub(crate) async fn aal(executor: impl PgExecutor<'_>, id: Uuid) -> Result<Option<String>, sqlx::Error> {
    let aal = sqlx::query_scalar!("select aal::text as aal from auth.sessions where id = $1", id)
        .fetch_optional(executor)
        .await?;
    Ok(aal.flatten())
}

/// Stores that a factor raised a session, and the state of its refresh tokens.
pub(crate) async fn raise(
    db: &mut PgConnection,
    session: &Session,
    factor: Uuid,
    now: OffsetDateTime,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "update auth.sessions
        set aal = 'aal2',
            factor_id = $2,
            refresh_token_hmac_key = $3,
            refresh_token_counter = $4,
            refreshed_at = $5::timestamptz at time zone 'utc',
            updated_at = $6
        where id = $1",
        session.id,
        factor,
        session.hmac_key,
        session.counter,
        session.refreshed_at,
        now,
    )
    .execute(db)
    .await?;
    Ok(())
}

/// Ends the sessions of a user that no factor raised.
pub(crate) async fn delete_below_aal2(db: &mut PgConnection, user: Uuid) -> Result<(), sqlx::Error> {
    sqlx::query!("delete from auth.sessions where user_id = $1 and (aal is null or aal < 'aal2')", user,)
        .execute(db)
        .await?;
    Ok(())
}

/// Removes from sessions what a factor gave them, with its method. If a factor of another kind
/// raised the session later, it stays raised by that one.
pub(crate) async fn lower(
    db: &mut PgConnection,
    factor: Uuid,
    method: &str,
    now: OffsetDateTime,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "with lowered as (
            update auth.sessions
            set aal = 'aal1', factor_id = null, updated_at = $3
            where factor_id = $1
            returning id
        ), raised_by_another as (
            select sessions.id
            from auth.mfa_factors as gone
            join auth.sessions on sessions.user_id = gone.user_id
            join auth.mfa_factors as other
                on other.id = sessions.factor_id and other.factor_type <> gone.factor_type
            where gone.id = $1
        )
        delete from auth.mfa_amr_claims
        where session_id in (select id from lowered union all select id from raised_by_another)
            and authentication_method = $2",
        factor,
        method,
        now,
    )
    .execute(db)
    .await?;
    Ok(())
}

/// When a session was opened.
pub(crate) async fn opened_at(
    executor: impl PgExecutor<'_>,
    id: Uuid,
) -> Result<Option<OffsetDateTime>, sqlx::Error> {
    let opened = sqlx::query_scalar!(
        r#"select created_at as "created_at!: MaybeAt" from auth.sessions where id = $1"#,
        id
    )
    .fetch_optional(executor)
    .await?;
    Ok(opened.and_then(Into::into))
}

/// Whether a user has a verified second factor that the session did not use (CONTRACT.md U13).
pub(crate) async fn lacks_second_factor(
    executor: impl PgExecutor<'_>,
    user: Uuid,
    session: Option<Uuid>,
) -> Result<bool, sqlx::Error> {
    sqlx::query_scalar!(
        r#"select
            exists (select from auth.mfa_factors where user_id = $1 and status = 'verified')
            and not exists (select from auth.sessions where id = $2 and aal in ('aal2', 'aal3')) as "lacks!""#,
        user,
        session,
    )
    .fetch_one(executor)
    .await
}

/// A session as its owner sees it (CONTRACT.md C11).
#[derive(Debug, serde::Serialize)]
pub(crate) struct ShownSession {
    pub(crate) id: Uuid,
    #[serde(with = "time::serde::rfc3339::option")]
    pub(crate) created_at: Option<OffsetDateTime>,
    #[serde(with = "time::serde::rfc3339::option")]
    pub(crate) refreshed_at: Option<OffsetDateTime>,
    pub(crate) aal: Option<String>,
    pub(crate) user_agent: Option<String>,
    pub(crate) ip: Option<String>,
}

/// The sessions of a user, the newest first.
pub(crate) async fn of_user(
    executor: impl PgExecutor<'_>,
    user: Uuid,
) -> Result<Vec<ShownSession>, sqlx::Error> {
    sqlx::query_as!(
        ShownSession,
        r#"select id, created_at as "created_at!: MaybeAt", refreshed_at at time zone 'utc' as "refreshed_at!: MaybeAt",
            aal::text as aal, user_agent, host(ip) as ip
        from auth.sessions
        where user_id = $1
        order by created_at desc, id
        limit 1000"#,
        user,
    )
    .fetch_all(executor)
    .await
}

/// Ends one session of a user. False if the user has no such session.
pub(crate) async fn delete_one_of_user(
    db: &mut PgConnection,
    user: Uuid,
    id: Uuid,
) -> Result<bool, sqlx::Error> {
    let done = sqlx::query!("delete from auth.sessions where id = $1 and user_id = $2", id, user)
        .execute(db)
        .await?;
    Ok(done.rows_affected() == 1)
}
