/// What accounts lose: addresses, pending changes, all that somebody else may have put there.
mod losses;

use serde_json::Value;
use sqlx::{PgConnection, PgExecutor, types::Json};
use time::OffsetDateTime;
use uuid::Uuid;

use super::factors::OwnFactor;
pub(crate) use losses::{clear_phone, give_email, strip, void_changes};

/// A row of `auth.users`, without what never leaves the table.
#[derive(Debug, Clone, Default)]
pub(crate) struct User {
    pub(crate) id: Uuid,
    pub(crate) aud: Option<String>,
    pub(crate) role: Option<String>,
    pub(crate) email: Option<String>,
    pub(crate) email_confirmed_at: Option<OffsetDateTime>,
    pub(crate) invited_at: Option<OffsetDateTime>,
    pub(crate) confirmation_sent_at: Option<OffsetDateTime>,
    pub(crate) recovery_sent_at: Option<OffsetDateTime>,
    pub(crate) email_change: Option<String>,
    pub(crate) email_change_sent_at: Option<OffsetDateTime>,
    pub(crate) last_sign_in_at: Option<OffsetDateTime>,
    pub(crate) raw_app_meta_data: Option<Value>,
    pub(crate) raw_user_meta_data: Option<Value>,
    pub(crate) created_at: Option<OffsetDateTime>,
    pub(crate) updated_at: Option<OffsetDateTime>,
    pub(crate) phone: Option<String>,
    pub(crate) phone_confirmed_at: Option<OffsetDateTime>,
    pub(crate) phone_change: Option<String>,
    pub(crate) phone_change_sent_at: Option<OffsetDateTime>,
    pub(crate) confirmed_at: Option<OffsetDateTime>,
    pub(crate) banned_until: Option<OffsetDateTime>,
    pub(crate) reauthentication_sent_at: Option<OffsetDateTime>,
    pub(crate) deleted_at: Option<OffsetDateTime>,
    pub(crate) is_anonymous: bool,
    pub(crate) is_sso_user: bool,
    /// How many of two addresses agreed to a change: 0 or 1.
    pub(crate) email_change_confirm_status: Option<i16>,
    pub(crate) has_password: bool,
    /// Second factors, verified or not.
    pub(crate) factors: Json<Vec<OwnFactor>>,
}

impl User {
    /// Whether the account may not be used now.
    pub(crate) fn is_banned(&self, now: OffsetDateTime) -> bool {
        self.banned_until.is_some_and(|until| until > now)
    }

    /// Whether the newest code of confirmation is that of an invitation: both were noted at one moment.
    pub(crate) fn has_open_invitation(&self) -> bool {
        self.invited_at.is_some() && self.invited_at == self.confirmation_sent_at
    }
}

macro_rules! select_user {
    ($tail:tt $(, $argument:expr)* $(,)?) => {
        sqlx::query_as!(
            User,
            r#"select id, aud, role, email, email_confirmed_at, invited_at, confirmation_sent_at, recovery_sent_at,
                email_change, email_change_sent_at, last_sign_in_at, raw_app_meta_data, raw_user_meta_data, created_at,
                updated_at, phone, phone_confirmed_at, phone_change, phone_change_sent_at, confirmed_at, banned_until,
                reauthentication_sent_at, deleted_at, is_anonymous, is_sso_user,
                email_change_confirm_status, coalesce(encrypted_password, '') <> '' as "has_password!",
                coalesce(
                    (select json_agg(f order by f.created_at, f.id)
                    from (
                        select id, friendly_name, factor_type, status, created_at, updated_at, phone, last_challenged_at,
                            web_authn_aaguid, last_webauthn_challenge_data
                        from auth.mfa_factors
                        where user_id = users.id
                    ) as f),
                    '[]') as "factors!: Json<Vec<OwnFactor>>"
            from auth.users "# + $tail
            $(, $argument)*
        )
    };
}

pub(crate) async fn by_id(executor: impl PgExecutor<'_>, id: Uuid) -> Result<Option<User>, sqlx::Error> {
    select_user!("where id = $1", id).fetch_optional(executor).await
}

pub(crate) async fn by_id_for_update(db: &mut PgConnection, id: Uuid) -> Result<Option<User>, sqlx::Error> {
    select_user!("where id = $1 for update", id).fetch_optional(db).await
}

/// The account of an address in lower case; accounts of single sign-on have their own addresses.
pub(crate) async fn by_email_for_update(
    db: &mut PgConnection,
    email: &str,
) -> Result<Option<User>, sqlx::Error> {
    select_user!(
        "where instance_id = '00000000-0000-0000-0000-000000000000'
            and lower(email) = $1
            and aud = 'authenticated'
            and is_sso_user = false
        for update",
        email,
    )
    .fetch_optional(db)
    .await
}

/// The account of a number.
pub(crate) async fn by_phone_for_update(
    db: &mut PgConnection,
    phone: &str,
) -> Result<Option<User>, sqlx::Error> {
    select_user!(
        "where instance_id = '00000000-0000-0000-0000-000000000000'
            and phone = $1
            and aud = 'authenticated'
            and is_sso_user = false
        for update",
        phone,
    )
    .fetch_optional(db)
    .await
}

/// The account of a bearer token, if its session, where it names one, still exists: one look at both.
pub(crate) async fn by_bearer(
    executor: impl PgExecutor<'_>,
    id: Uuid,
    session: Option<Uuid>,
) -> Result<Option<User>, sqlx::Error> {
    select_user!(
        "where id = $1
            and ($2::uuid is null or exists (select from auth.sessions as s where s.id = $2 and s.user_id = $1))",
        id,
        session,
    )
    .fetch_optional(executor)
    .await
}

/// A page of accounts. `filter` is a part of the address or the full name.
pub(crate) async fn page(
    executor: impl PgExecutor<'_>,
    filter: Option<&str>,
    ascending: bool,
    limit: i64,
    offset: i64,
) -> Result<Vec<User>, sqlx::Error> {
    select_user!(
        "where instance_id = '00000000-0000-0000-0000-000000000000'
            and aud = 'authenticated'
            and ($1::text is null
                or email like '%' || $1 || '%'
                or raw_user_meta_data ->> 'full_name' ilike '%' || $1 || '%')
        order by
            case when $2 then created_at end,
            case when not $2 then created_at end desc,
            id
        limit $3
        offset $4",
        filter,
        ascending,
        limit,
        offset,
    )
    .fetch_all(executor)
    .await
}

/// Accounts after one of them in the order of their making, without counting what comes before (auth.md D3).
pub(crate) async fn page_after(
    executor: impl PgExecutor<'_>,
    filter: Option<&str>,
    ascending: bool,
    after: Option<(OffsetDateTime, Uuid)>,
    limit: i64,
) -> Result<Vec<User>, sqlx::Error> {
    let (at, id) = after.unzip();
    select_user!(
        "where instance_id = '00000000-0000-0000-0000-000000000000'
            and aud = 'authenticated'
            and ($1::text is null
                or email like '%' || $1 || '%'
                or raw_user_meta_data ->> 'full_name' ilike '%' || $1 || '%')
            and ($3::timestamptz is null
                or ($2 and (created_at, id) > ($3, $4::uuid))
                or (not $2 and (created_at < $3 or (created_at = $3 and id > $4::uuid))))
        order by
            case when $2 then created_at end,
            case when not $2 then created_at end desc,
            id
        limit $5",
        filter,
        ascending,
        at,
        id,
        limit,
    )
    .fetch_all(executor)
    .await
}

pub(crate) async fn count(executor: impl PgExecutor<'_>, filter: Option<&str>) -> Result<i64, sqlx::Error> {
    sqlx::query_scalar!(
        r#"select count(*) as "count!"
        from auth.users
        where instance_id = '00000000-0000-0000-0000-000000000000'
            and aud = 'authenticated'
            and ($1::text is null
                or email like '%' || $1 || '%'
                or raw_user_meta_data ->> 'full_name' ilike '%' || $1 || '%')"#,
        filter,
    )
    .fetch_one(executor)
    .await
}

/// The accounts of an address in lower case; more than one only with single sign-on. An index finds them.
pub(crate) async fn by_exact_email(
    executor: impl PgExecutor<'_>,
    email: &str,
) -> Result<Vec<User>, sqlx::Error> {
    select_user!(
        "where instance_id = '00000000-0000-0000-0000-000000000000' and lower(email) = $1 and aud = 'authenticated'
        order by created_at desc, id
        limit 100",
        email,
    )
    .fetch_all(executor)
    .await
}

/// The account of a number. An index finds it.
pub(crate) async fn by_exact_phone(
    executor: impl PgExecutor<'_>,
    phone: &str,
) -> Result<Vec<User>, sqlx::Error> {
    select_user!("where phone = $1 and aud = 'authenticated'", phone).fetch_all(executor).await
}

/// Whether an address belongs to another account than `id`.
pub(crate) async fn is_taken(
    executor: impl PgExecutor<'_>,
    email: &str,
    id: Uuid,
) -> Result<bool, sqlx::Error> {
    sqlx::query_scalar!(
        r#"select exists (
            select
            from auth.users
            where instance_id = '00000000-0000-0000-0000-000000000000'
                and lower(email) = $1
                and aud = 'authenticated'
                and is_sso_user = false
                and id <> $2
        ) as "taken!""#,
        email,
        id,
    )
    .fetch_one(executor)
    .await
}

/// Whether a number belongs to another account than `id`.
pub(crate) async fn is_phone_taken(
    executor: impl PgExecutor<'_>,
    phone: &str,
    id: Uuid,
) -> Result<bool, sqlx::Error> {
    sqlx::query_scalar!(
        r#"select exists (select from auth.users where phone = $1 and id <> $2) as "taken!""#,
        phone,
        id,
    )
    .fetch_one(executor)
    .await
}

/// What a new account starts with.
pub(crate) struct NewUser<'a> {
    pub(crate) id: Uuid,
    pub(crate) aud: &'a str,
    pub(crate) email: Option<&'a str>,
    pub(crate) phone: Option<&'a str>,
    /// Empty: no password.
    pub(crate) encrypted_password: &'a str,
    pub(crate) app_metadata: &'a Value,
    pub(crate) user_metadata: &'a Value,
    pub(crate) is_anonymous: bool,
    pub(crate) is_sso_user: bool,
}

/// Adds an account. False when its address, number or id was taken meanwhile.
pub(crate) async fn insert(
    db: &mut PgConnection,
    user: &NewUser<'_>,
    now: OffsetDateTime,
) -> Result<bool, sqlx::Error> {
    let done = sqlx::query!(
        "insert into auth.users
            (instance_id, id, aud, role, email, phone, encrypted_password, confirmation_token, recovery_token,
             email_change_token_new, email_change, raw_app_meta_data, raw_user_meta_data, is_anonymous, is_sso_user,
             created_at, updated_at)
        values
            ('00000000-0000-0000-0000-000000000000', $1, $2, '', $3, $4, $5, '', '', '', '', $6, $7, $8, $9, $10, $10)
        on conflict do nothing",
        user.id,
        user.aud,
        user.email,
        user.phone,
        user.encrypted_password,
        user.app_metadata,
        user.user_metadata,
        user.is_anonymous,
        user.is_sso_user,
        now,
    )
    .execute(db)
    .await?;
    Ok(done.rows_affected() == 1)
}

/// The second step of a new account (auth.md Z4): its role, and what its identity adds to the metadata.
pub(crate) async fn set_role_and_metadata(
    db: &mut PgConnection,
    id: Uuid,
    role: &str,
    user_metadata: &Value,
    now: OffsetDateTime,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "update auth.users
        set role = $2, raw_user_meta_data = $3, updated_at = $4
        where id = $1",
        id,
        role,
        user_metadata,
        now,
    )
    .execute(db)
    .await?;
    Ok(())
}

pub(crate) async fn confirm_email(
    db: &mut PgConnection,
    id: Uuid,
    now: OffsetDateTime,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        r#"update auth.users
        set email_confirmed_at = coalesce(email_confirmed_at, $2),
            raw_user_meta_data = coalesce(raw_user_meta_data, '{}') || '{"email_verified": true}',
            confirmation_token = '',
            is_anonymous = false,
            updated_at = $2
        where id = $1"#,
        id,
        now,
    )
    .execute(db)
    .await?;
    Ok(())
}

pub(crate) async fn confirm_phone(
    db: &mut PgConnection,
    id: Uuid,
    now: OffsetDateTime,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        r#"update auth.users
        set phone_confirmed_at = coalesce(phone_confirmed_at, $2),
            raw_user_meta_data = coalesce(raw_user_meta_data, '{}') || '{"phone_verified": true}',
            confirmation_token = '',
            is_anonymous = false,
            updated_at = $2
        where id = $1"#,
        id,
        now,
    )
    .execute(db)
    .await?;
    Ok(())
}

pub(crate) async fn signed_in(
    db: &mut PgConnection,
    id: Uuid,
    now: OffsetDateTime,
) -> Result<(), sqlx::Error> {
    sqlx::query!("update auth.users set last_sign_in_at = $2, updated_at = $2 where id = $1", id, now)
        .execute(db)
        .await?;
    Ok(())
}

pub(crate) async fn confirmation_sent(
    db: &mut PgConnection,
    id: Uuid,
    now: OffsetDateTime,
) -> Result<(), sqlx::Error> {
    sqlx::query!("update auth.users set confirmation_sent_at = $2, updated_at = $2 where id = $1", id, now)
        .execute(db)
        .await?;
    Ok(())
}

pub(crate) async fn recovery_sent(
    db: &mut PgConnection,
    id: Uuid,
    now: OffsetDateTime,
) -> Result<(), sqlx::Error> {
    sqlx::query!("update auth.users set recovery_sent_at = $2, updated_at = $2 where id = $1", id, now)
        .execute(db)
        .await?;
    Ok(())
}

pub(crate) async fn reauthentication_sent(
    db: &mut PgConnection,
    id: Uuid,
    now: OffsetDateTime,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "update auth.users set reauthentication_sent_at = $2, updated_at = $2 where id = $1",
        id,
        now
    )
    .execute(db)
    .await?;
    Ok(())
}

/// Notes when somebody was invited; the code is one of confirmation.
pub(crate) async fn invited(db: &mut PgConnection, id: Uuid, now: OffsetDateTime) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "update auth.users set invited_at = $2, confirmation_sent_at = $2, updated_at = $2 where id = $1",
        id,
        now,
    )
    .execute(db)
    .await?;
    Ok(())
}

pub(crate) async fn phone_change_sent(
    db: &mut PgConnection,
    id: Uuid,
    new_phone: &str,
    now: OffsetDateTime,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "update auth.users
        set phone_change = $2, phone_change_sent_at = $3, updated_at = $3
        where id = $1",
        id,
        new_phone,
        now,
    )
    .execute(db)
    .await?;
    Ok(())
}

pub(crate) async fn email_change_sent(
    db: &mut PgConnection,
    id: Uuid,
    new_email: &str,
    now: OffsetDateTime,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "update auth.users
        set email_change = $2, email_change_sent_at = $3, email_change_confirm_status = 0, updated_at = $3
        where id = $1",
        id,
        new_email,
        now,
    )
    .execute(db)
    .await?;
    Ok(())
}

pub(crate) async fn email_change_half_confirmed(
    db: &mut PgConnection,
    id: Uuid,
    now: OffsetDateTime,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "update auth.users set email_change_confirm_status = 1, updated_at = $2 where id = $1",
        id,
        now,
    )
    .execute(db)
    .await?;
    Ok(())
}

/// Gives the account another, confirmed address.
pub(crate) async fn change_email(
    db: &mut PgConnection,
    id: Uuid,
    email: &str,
    now: OffsetDateTime,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "update auth.users
        set email = $2::text,
            email_confirmed_at = $3,
            raw_user_meta_data = coalesce(raw_user_meta_data, '{}')
                || jsonb_build_object('email', $2::text, 'email_verified', true),
            email_change = '',
            email_change_token_new = '',
            email_change_token_current = '',
            email_change_confirm_status = 0,
            is_anonymous = false,
            updated_at = $3
        where id = $1",
        id,
        email,
        now,
    )
    .execute(db)
    .await?;
    Ok(())
}

/// Gives the account another, confirmed number.
pub(crate) async fn change_phone(
    db: &mut PgConnection,
    id: Uuid,
    phone: &str,
    now: OffsetDateTime,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "update auth.users
        set phone = $2::text,
            phone_confirmed_at = $3,
            phone_change = '',
            phone_change_token = '',
            is_anonymous = false,
            updated_at = $3
        where id = $1",
        id,
        phone,
        now,
    )
    .execute(db)
    .await?;
    Ok(())
}

/// Writes into the app metadata which providers the identities are of, the oldest first (auth.md O12).
pub(crate) async fn set_providers_from_identities(
    db: &mut PgConnection,
    id: Uuid,
    now: OffsetDateTime,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "update auth.users
        set raw_app_meta_data = coalesce(raw_app_meta_data, '{}')
                || jsonb_build_object('provider', known.providers[1], 'providers', to_jsonb(known.providers)),
            updated_at = $2
        from (
            select array_agg(provider order by since, provider) as providers
            from (
                select provider, min(created_at) as since
                from auth.identities
                where user_id = $1
                group by provider
            ) as each_provider
        ) as known
        where id = $1 and known.providers is not null",
        id,
        now,
    )
    .execute(db)
    .await?;
    Ok(())
}

/// Sets the address and leaves open whether it is confirmed.
pub(crate) async fn set_email(
    db: &mut PgConnection,
    id: Uuid,
    email: &str,
    now: OffsetDateTime,
) -> Result<(), sqlx::Error> {
    sqlx::query!("update auth.users set email = $2, updated_at = $3 where id = $1", id, email, now)
        .execute(db)
        .await?;
    Ok(())
}

/// As [`set_email`], for the number.
pub(crate) async fn set_phone(
    db: &mut PgConnection,
    id: Uuid,
    phone: &str,
    now: OffsetDateTime,
) -> Result<(), sqlx::Error> {
    sqlx::query!("update auth.users set phone = $2, updated_at = $3 where id = $1", id, phone, now)
        .execute(db)
        .await?;
    Ok(())
}

/// Replaces both metadata objects.
pub(crate) async fn set_metadata(
    db: &mut PgConnection,
    id: Uuid,
    app_metadata: &Value,
    user_metadata: &Value,
    now: OffsetDateTime,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "update auth.users
        set raw_app_meta_data = $2, raw_user_meta_data = $3, updated_at = $4
        where id = $1",
        id,
        app_metadata,
        user_metadata,
        now,
    )
    .execute(db)
    .await?;
    Ok(())
}

/// Replaces the user metadata.
pub(crate) async fn set_user_metadata(
    db: &mut PgConnection,
    id: Uuid,
    metadata: &Value,
    now: OffsetDateTime,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "update auth.users
        set raw_user_meta_data = $2, updated_at = $3
        where id = $1",
        id,
        metadata,
        now,
    )
    .execute(db)
    .await?;
    Ok(())
}

/// Notes that an account is no longer anonymous.
pub(crate) async fn set_named(
    db: &mut PgConnection,
    id: Uuid,
    now: OffsetDateTime,
) -> Result<(), sqlx::Error> {
    sqlx::query!("update auth.users set is_anonymous = false, updated_at = $2 where id = $1", id, now)
        .execute(db)
        .await?;
    Ok(())
}

/// What an admin may set directly; absent values stay as they are.
pub(crate) async fn set_by_admin(
    db: &mut PgConnection,
    id: Uuid,
    role: Option<&str>,
    banned_until: Option<Option<OffsetDateTime>>,
    now: OffsetDateTime,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "update auth.users
        set role = coalesce($2, role),
            banned_until = case when $3 then $4 else banned_until end,
            updated_at = $5
        where id = $1",
        id,
        role,
        banned_until.is_some(),
        banned_until.flatten(),
        now,
    )
    .execute(db)
    .await?;
    Ok(())
}

pub(crate) async fn delete(db: &mut PgConnection, id: Uuid) -> Result<bool, sqlx::Error> {
    let done = sqlx::query!("delete from auth.users where id = $1", id).execute(db).await?;
    Ok(done.rows_affected() == 1)
}
