//! The statements of the most frequent requests, each request in one or two pipelines
//! (CONTRACT.md B11, R3).
//!
//! Such a request reads what it judges, and its writing statement checks that nothing of that has
//! changed. If something has, the request reads and judges anew; after [`MOST_TURNS`] it takes a
//! transaction. So it needs no transaction that
//! stays open while it judges. Measured beside transactions of single statements, this halves the
//! CPU time of a check and of a refresh, and saves a quarter of that of a code that is sent or
//! entered (`scripts/bench auth`). These requests take a pipeline first. A transaction
//! takes over where the list says so, or where what was read changed too often. Both write the same
//! rows:
//!
//! - `GET /user` and every check of a bearer token;
//! - a refresh, whatever the token;
//! - a guess at a code, which is counted by the statement that looks the code up;
//! - a sign-in by a code or link to a confirmed account. First proofs and changes of an address
//!   write many tables, a link with a code challenge opens no session, and a hook in the database
//!   that changes claims is asked before the commit: these take a transaction;
//! - a sign-in code for a confirmed address. A new account takes a transaction. So does a request
//!   with a challenge, whose flow is stored, and one whose code a hook sends: a hook in the
//!   database is asked in the transaction that stores the code.

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

/// How often a request reads and judges anew before it takes a transaction, or gives up.
pub(crate) const MOST_TURNS: usize = 3;

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
    AccountVersion, CodeSignIn, NewCode, PreparedSend, by_email, enter, guess, of_code, send,
};

static OF_BEARER: LazyLock<Arc<str>> = LazyLock::new(|| {
    concat!(
        "select
            $2::uuid is null or exists (select from auth.sessions as s where s.id = $2 and s.user_id = $1), ",
        account!(),
        "
        from auth.users as u
        where u.id = $1"
    )
    .into()
});

/// The account of a bearer token, and whether the session that it names still exists.
pub(crate) async fn of_bearer(
    database: &OwnDatabase,
    user: Uuid,
    session: Option<Uuid>,
) -> Result<Option<(Account, bool)>, RunError> {
    let rows = database.read(&of_bearer_statement(user, session)).await?;
    Ok(Columns::of_first(&rows).map(|mut columns| read_bearer(&mut columns)).transpose()?)
}

fn of_bearer_statement(user: Uuid, session: Option<Uuid>) -> Statement {
    Statement::new(Arc::clone(&OF_BEARER), vec![id(user), optional(session.map(id))])
}

static OF_SESSION: LazyLock<Arc<str>> = LazyLock::new(|| {
    concat!(
        "select s.id, s.user_id, s.created_at, s.not_after, s.refreshed_at at time zone 'utc' as refreshed_at, s.tag, s.aal,
            s.refresh_token_hmac_key, s.refresh_token_counter,
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

/// A session by its id.
pub(crate) async fn of_session(
    database: &OwnDatabase,
    session: Uuid,
) -> Result<Option<SessionWithAccount>, RunError> {
    let statement = Statement::new(Arc::clone(&OF_SESSION), vec![id(session)]);
    let rows = database.read(&statement).await?;
    Ok(Columns::of_first(&rows).map(|mut columns| read_session(&mut columns)).transpose()?)
}

static REFRESH: LazyLock<Arc<str>> = LazyLock::new(|| {
    "with unchanged as (
        select id
        from auth.sessions
        where id = $1
            and refresh_token_counter is not distinct from $2::bigint
            and refresh_token_hmac_key is not distinct from $3::text
            and aal::text is not distinct from $4
        for no key update
    ),
    refreshed as (
        update auth.sessions
        set refresh_token_counter = $12::bigint,
            refresh_token_hmac_key = $13,
            refreshed_at = $5::timestamptz at time zone 'utc',
            updated_at = $5::timestamptz,
            user_agent = coalesce($6, user_agent),
            ip = coalesce($7::text::inet, ip)
        where id = (select id from unchanged)
        returning id
    ),
    older_form as (
        update auth.refresh_tokens
        set revoked = true, updated_at = $5::timestamptz
        where session_id = (select id from refreshed) and coalesce(revoked, false) = false
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

/// Stores a refresh of a session: the state of its tokens, its client and the audit entries. Tokens
/// of the older form are used up. False if its tokens or its aal have changed since it was read: a
/// refresh that issues no new token keeps no other from its own. It waits for whoever has locked
/// the session.
pub(crate) async fn refresh(
    database: &OwnDatabase,
    read: &SessionWithAccount,
    (counter, hmac_key): (i64, &str),
    context: &RequestContext,
    notes: [Option<(Uuid, Value)>; 2],
) -> Result<bool, RunError> {
    let session = &read.session;
    let mut params = vec![
        id(session.id),
        optional(session.counter.map(text)),
        optional(session.hmac_key.as_deref().map(text)),
        optional(session.aal.as_deref().map(text)),
        moment(context.now),
        optional(context.user_agent.as_deref().map(text)),
        optional(context.client.map(text)),
    ];
    for note in notes {
        params.extend(values::note(note));
    }
    params.extend([text(counter), text(hmac_key)]);
    let statement = Statement::new(Arc::clone(&REFRESH), params);
    let rows = database.write(&statement, &[]).await?;
    Ok(rows.rows.len() == 1)
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
    let methods = columns.json()?.unwrap_or_default();
    Ok(SessionWithAccount { session, methods, account: read_account(columns)? })
}

fn read_bearer(columns: &mut Columns<'_>) -> Result<(Account, bool), Unreadable> {
    let has_session = columns.flag()?;
    Ok((read_account(columns)?, has_session))
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
