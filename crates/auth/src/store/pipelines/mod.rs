//! The statements of the most frequent requests, each in one pipeline. Most are one statement, a
//! sign-in is three (CONTRACT.md B11, R3). They do the same as the functions in the files of the
//! tables, which serve everything unusual.

/// Parameters of statements, in the form that PostgreSQL reads.
mod values;

use std::sync::{Arc, LazyLock};

use banyan_db::{OwnDatabase, RunError, Statement};
use serde_json::Value;
use sqlx::types::Json;
use uuid::Uuid;

use self::values::{id, moment, optional, text};
use super::{
    columns::{Columns, Unreadable},
    identities::Identity,
    sessions::{Method, Session},
    users::User,
};
use crate::wire::request::RequestContext;

/// An account with its identities.
#[derive(Debug)]
pub(crate) struct Account {
    pub(crate) user: User,
    pub(crate) identities: Vec<Identity>,
}

/// A session, how it was signed in, and whose it is.
#[derive(Debug)]
pub(crate) struct SessionWithAccount {
    pub(crate) session: Session,
    pub(crate) methods: Vec<Method>,
    pub(crate) account: Account,
    /// As PostgreSQL wrote it.
    updated_at: Option<String>,
}

/// The columns of [`read_user`], of `auth.users as u`.
macro_rules! user {
    () => {
        "u.id, u.aud, u.role, u.email, u.email_confirmed_at, u.invited_at, u.confirmation_sent_at, u.recovery_sent_at,
            u.email_change, u.email_change_sent_at, u.last_sign_in_at, u.raw_app_meta_data, u.raw_user_meta_data,
            u.created_at, u.updated_at, u.phone, u.phone_confirmed_at, u.phone_change, u.phone_change_sent_at,
            u.confirmed_at, u.banned_until, u.reauthentication_sent_at, u.deleted_at, u.is_anonymous, u.is_sso_user,
            u.email_change_confirm_status, coalesce(u.encrypted_password, '') <> '' as has_password,
            (select json_agg(f order by f.created_at, f.id)
            from (
                select id, friendly_name, factor_type, status, created_at, updated_at, phone, last_challenged_at,
                    web_authn_aaguid, last_webauthn_challenge_data
                from auth.mfa_factors
                where user_id = u.id
            ) as f) as factors"
    };
}

/// The columns of [`read_account`], of `auth.users as u`.
macro_rules! account {
    () => {
        concat!(
            user!(),
            ",
            (select json_agg(i order by i.created_at, i.id)
            from (
                select id, provider_id, user_id, identity_data, provider, last_sign_in_at, created_at, updated_at, email
                from auth.identities
                where user_id = u.id
            ) as i) as identities"
        )
    };
}

/// Sends a code to a known account, and takes a right one.
mod codes;

pub(crate) use self::codes::{
    AccountVersion, CodeSignIn, NewCode, PreparedSend, by_email, enter, guess, send,
};

static OF_BEARER: LazyLock<Arc<str>> = LazyLock::new(|| {
    concat!(
        "select ",
        account!(),
        "
        from auth.users as u
        where u.id = $1
            and ($2::uuid is null or exists (select from auth.sessions as s where s.id = $2 and s.user_id = $1))"
    )
    .into()
});

/// The account of a bearer token, if the session that it names still exists. None also where the
/// slower way must look.
pub(crate) async fn of_bearer(
    database: &OwnDatabase,
    user: Uuid,
    session: Option<Uuid>,
) -> Result<Option<Account>, RunError> {
    let rows = database.read(&of_bearer_statement(user, session)).await?;
    Ok(Columns::of_first(&rows).and_then(|mut columns| read_account(&mut columns).ok()))
}

fn of_bearer_statement(user: Uuid, session: Option<Uuid>) -> Statement {
    Statement::new(Arc::clone(&OF_BEARER), vec![id(user), optional(session.map(id))])
}

static OF_SESSION: LazyLock<Arc<str>> = LazyLock::new(|| {
    concat!(
        "select s.id, s.user_id, s.created_at, s.not_after, s.refreshed_at at time zone 'utc' as refreshed_at, s.tag, s.aal,
            s.refresh_token_hmac_key, s.refresh_token_counter, s.updated_at,
            (select json_agg(m order by m.at desc, m.name)
            from (
                select authentication_method as name, updated_at as at
                from auth.mfa_amr_claims
                where session_id = s.id
            ) as m) as methods, ",
        account!(),
        "
        from auth.sessions as s
        join auth.users as u on u.id = s.user_id
        where s.id = $1"
    )
    .into()
});

/// A session by its id. None also where the slower way must look.
pub(crate) async fn of_session(
    database: &OwnDatabase,
    session: Uuid,
) -> Result<Option<SessionWithAccount>, RunError> {
    let statement = Statement::new(Arc::clone(&OF_SESSION), vec![id(session)]);
    let rows = database.read(&statement).await?;
    Ok(Columns::of_first(&rows).and_then(|mut columns| read_session(&mut columns).ok()))
}

static REFRESH: LazyLock<Arc<str>> = LazyLock::new(|| {
    "with unchanged as (
        select id
        from auth.sessions
        where id = $1
            and refresh_token_counter = $2::bigint
            and refresh_token_hmac_key = $3
            and updated_at is not distinct from $4::timestamptz
        for no key update skip locked
    ),
    refreshed as (
        update auth.sessions
        set refresh_token_counter = $2::bigint + 1,
            refreshed_at = $5::timestamptz at time zone 'utc',
            updated_at = $5::timestamptz,
            user_agent = coalesce($6, user_agent),
            ip = coalesce($7::text::inet, ip)
        where id = (select id from unchanged)
        returning id
    ),
    noted as (
        insert into auth.audit_log_entries (instance_id, id, payload, created_at, ip_address)
        select '00000000-0000-0000-0000-000000000000', entry.id, entry.payload, $5::timestamptz, coalesce($7::text, '')
        from refreshed
        cross join (values ($8::uuid, $9::json), ($10::uuid, $11::json)) as entry (id, payload)
        where entry.id is not null
    )
    select from refreshed"
        .into()
});

/// Stores a refresh of a session and its audit entries. False if the session has changed since it
/// was read, or is locked. It waits for nothing.
pub(crate) async fn refresh(
    database: &OwnDatabase,
    read: &SessionWithAccount,
    context: &RequestContext,
    notes: [Option<(Uuid, Value)>; 2],
) -> Result<bool, RunError> {
    let Session { counter, hmac_key, .. } = &read.session;
    let mut params = vec![
        id(read.session.id),
        optional(counter.map(text)),
        optional(hmac_key.as_deref().map(text)),
        optional(read.updated_at.as_deref().map(text)),
        moment(context.now),
        optional(context.user_agent.as_deref().map(text)),
        optional(context.client.map(text)),
    ];
    for note in notes {
        params.extend(values::note(note));
    }
    let statement = Statement::new(Arc::clone(&REFRESH), params);
    let rows = database.write(&statement, &[]).await?;
    Ok(rows.rows.len() == 1)
}

/// The result of a pipeline. None if nothing was done, because PostgreSQL refused it or it was
/// never sent. Then the slower way does it again on its own connections and reports what is wrong.
///
/// # Errors
/// Any other failure: nobody knows what was done.
pub(crate) fn unless_refused<T>(outcome: Result<T, RunError>) -> Result<Option<T>, RunError> {
    match outcome {
        Err(
            RunError::Database(_)
            | RunError::Unreachable(_)
            | RunError::Login(_)
            | RunError::PoolTimeout(_)
            | RunError::Unsendable(_),
        ) => Ok(None),
        Err(error @ (RunError::Unavailable(_) | RunError::TooLarge { .. } | RunError::Protocol(_))) => {
            Err(error)
        }
        Ok(done) => Ok(Some(done)),
    }
}

fn read_session(columns: &mut Columns<'_>) -> Result<SessionWithAccount, Unreadable> {
    let session = Session {
        id: columns.parsed()?.ok_or(Unreadable)?,
        user_id: columns.parsed()?.ok_or(Unreadable)?,
        created_at: columns.time()?,
        not_after: columns.time()?,
        refreshed_at: columns.time()?,
        tag: columns.string()?,
        aal: columns.string()?,
        hmac_key: columns.string()?,
        counter: columns.parsed()?,
    };
    let updated_at = columns.string()?;
    let methods = columns.json()?.unwrap_or_default();
    Ok(SessionWithAccount { session, methods, account: read_account(columns)?, updated_at })
}

fn read_account(columns: &mut Columns<'_>) -> Result<Account, Unreadable> {
    let user = read_user(columns)?;
    Ok(Account { user, identities: columns.json()?.unwrap_or_default() })
}

fn read_user(columns: &mut Columns<'_>) -> Result<User, Unreadable> {
    Ok(User {
        id: columns.parsed()?.ok_or(Unreadable)?,
        aud: columns.string()?,
        role: columns.string()?,
        email: columns.string()?,
        email_confirmed_at: columns.time()?,
        invited_at: columns.time()?,
        confirmation_sent_at: columns.time()?,
        recovery_sent_at: columns.time()?,
        email_change: columns.string()?,
        email_change_sent_at: columns.time()?,
        last_sign_in_at: columns.time()?,
        raw_app_meta_data: columns.json()?,
        raw_user_meta_data: columns.json()?,
        created_at: columns.time()?,
        updated_at: columns.time()?,
        phone: columns.string()?,
        phone_confirmed_at: columns.time()?,
        phone_change: columns.string()?,
        phone_change_sent_at: columns.time()?,
        confirmed_at: columns.time()?,
        banned_until: columns.time()?,
        reauthentication_sent_at: columns.time()?,
        deleted_at: columns.time()?,
        is_anonymous: columns.flag()?,
        is_sso_user: columns.flag()?,
        email_change_confirm_status: columns.parsed()?,
        has_password: columns.flag()?,
        factors: Json(columns.json()?.unwrap_or_default()),
    })
}

#[cfg(test)]
mod tests {
    use std::{io, time::Duration};

    use super::*;

    // rows: M22 S1
    #[test]
    fn what_never_left_was_not_done_and_what_may_have_been_is_not_done_again() {
        let broken = || Arc::new(io::Error::other("gone"));
        for error in [
            RunError::Database(Box::default()),
            RunError::Login(Box::default()),
            RunError::Unreachable(broken()),
            RunError::PoolTimeout(Duration::from_secs(1)),
            RunError::Unsendable("a NUL".into()),
        ] {
            let name = error.to_string();
            assert!(matches!(unless_refused::<()>(Err(error)), Ok(None)), "{name}");
        }
        for error in [
            RunError::Unavailable(broken()),
            RunError::Protocol("no answer".into()),
            RunError::TooLarge { limit: 1 },
        ] {
            let name = error.to_string();
            assert!(unless_refused::<()>(Err(error)).is_err(), "{name}");
        }
    }
}
