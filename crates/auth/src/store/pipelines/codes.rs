use std::sync::{Arc, LazyLock};

use banyan_db::{OwnDatabase, RunError, Statement};
use banyan_mail::SingleMessage;
use serde_json::Value;
use time::OffsetDateTime;
use uuid::Uuid;

use super::{
    Account, of_bearer_statement, read_account, read_bearer, read_user,
    values::{self, bytes, id, list, moment, optional, text},
};
use crate::{
    store::{
        code_clients::{self, Entry, Guessed, Guesses},
        columns::{Columns, Unreadable},
        one_time_tokens::Pending,
        sessions::NewSession,
        users::User,
    },
    wire::request::RequestContext,
};

/// An account as it was read. Writes check that it has not changed.
#[derive(Debug)]
pub(crate) struct AccountVersion {
    pub(crate) user: User,
    /// Which transaction wrote the row.
    version: String,
}

static OF_EMAIL: LazyLock<Arc<str>> = LazyLock::new(|| {
    concat!(
        "select u.xmin, ",
        user!(),
        "
        from auth.users as u
        where u.instance_id = '00000000-0000-0000-0000-000000000000'
            and lower(u.email) = $1
            and u.aud = 'authenticated'
            and u.is_sso_user = false"
    )
    .into()
});

/// The account of an address in lower case.
pub(crate) async fn by_email(
    database: &OwnDatabase,
    email: &str,
) -> Result<Option<AccountVersion>, RunError> {
    let rows = database.read(&Statement::new(Arc::clone(&OF_EMAIL), vec![text(email)])).await?;
    Ok(Columns::of_first(&rows).map(|mut columns| read_as_read(&mut columns)).transpose()?)
}

/// A sign-in code for the address of an account.
#[derive(Debug)]
pub(crate) struct NewCode<'a> {
    pub(crate) id: Uuid,
    pub(crate) token_hash: &'a str,
    pub(crate) sent_to: &'a str,
    pub(crate) mail: SingleMessage<'a>,
    /// Id and payload of the entry in the audit log.
    pub(crate) note: Option<(Uuid, Value)>,
}

static SEND: LazyLock<Arc<str>> = LazyLock::new(|| {
    "with unchanged as (
        select id
        from auth.users
        where id = $1 and xmin = $2::xid
        for no key update
    ),
    code as (
        insert into auth.one_time_tokens (id, user_id, token_type, token_hash, relates_to, created_at, updated_at)
        select $3::uuid, id, 'recovery_token', $4, $5, $6::timestamptz at time zone 'utc',
            $6::timestamptz at time zone 'utc'
        from unchanged
        on conflict (user_id, token_type) do update
        set id = excluded.id,
            token_hash = excluded.token_hash,
            relates_to = excluded.relates_to,
            created_at = excluded.created_at,
            updated_at = excluded.updated_at
    ),
    sent as (
        update auth.users
        set updated_at = $6::timestamptz, recovery_sent_at = $6::timestamptz
        where id = $1 and exists (select from unchanged)
    ),
    noted as (
        insert into auth.audit_log_entries (instance_id, id, payload, created_at, ip_address)
        select '00000000-0000-0000-0000-000000000000', $7::uuid, $8::json, $6::timestamptz, coalesce($9::text, '')
        from unchanged
        where $7::uuid is not null
    )
    select mail.id
    from unchanged
    cross join lateral mail.enqueue(
        recipients => array[$10::text],
        subject => $11::text,
        text_body => $12::text,
        html_body => $13::text,
        headers => $14::jsonb,
        filenames => '{}',
        content_types => '{}',
        contents => '{}',
        idempotency_key => null,
        fingerprint => $15::bytea,
        queued_at => $6::timestamptz,
        expires_at => $16::timestamptz
    ) as mail"
        .into()
});

/// A statement that sends a code.
pub(crate) struct PreparedSend(Statement);

impl PreparedSend {
    /// Stores the code with its time and audit entry, and queues its mail. False if the account has
    /// changed since it was read. It waits for whoever has locked the account.
    pub(crate) async fn sent(self, database: &OwnDatabase) -> Result<bool, RunError> {
        let rows = database.write(&self.0, &[]).await?;
        Ok(rows.rows.len() == 1)
    }
}

/// Prepares the statement that sends a sign-in code.
pub(crate) fn send(known: &AccountVersion, code: NewCode<'_>, context: &RequestContext) -> PreparedSend {
    let [noted, payload] = values::note(code.note);
    let SingleMessage { to, subject, text: plain, html, headers, fingerprint, expires_at } = code.mail;
    let params = vec![
        id(known.user.id),
        text(&known.version),
        id(code.id),
        text(code.token_hash),
        text(code.sent_to),
        moment(context.now),
        noted,
        payload,
        optional(context.client.map(text)),
        text(to),
        text(subject),
        optional(plain.map(text)),
        optional(html.map(text)),
        text(headers),
        bytes(&fingerprint),
        optional(expires_at.map(moment)),
    ];
    PreparedSend(Statement::new(Arc::clone(&SEND), params))
}

static GUESS: LazyLock<Arc<str>> = LazyLock::new(|| {
    concat!(
        "with without_waiting_for_the_disk as (
            select set_config('synchronous_commit', 'off', true)
        ),
        own as (
            insert into auth.banyan_code_clients as known (address, client, tries, guesses_spent_until, updated_at)
            select $1::bytea, $2::bytea, 1, $3::timestamptz + $6::float8 * interval '1 second', $3::timestamptz
            from without_waiting_for_the_disk
            on conflict (address, client) do update
            set tries = known.tries + 1,
                guesses_spent_until = greatest(known.guesses_spent_until, $3) + $6::float8 * interval '1 second',
                updated_at = $3
            where known.tries < $5::int and coalesce(known.guesses_spent_until, $3) <= $7::timestamptz
            returning tries,
                coalesce(known_until > $3, false) as is_known,
                coalesce(sent_at > $4::timestamptz, false) as has_asked
        ),
        of_others as (
            insert into auth.banyan_code_addresses as known
                (address, guesses_spent_until, askers_spent_until, updated_at)
            select $1::bytea,
                case when not has_asked then $3::timestamptz + $8::float8 * interval '1 second' end,
                case when has_asked then $3::timestamptz + $10::float8 * interval '1 second' end,
                $3::timestamptz
            from own
            where not is_known
            on conflict (address) do update
            set guesses_spent_until = case
                    when excluded.guesses_spent_until is null then known.guesses_spent_until
                    else greatest(known.guesses_spent_until, $3) + $8::float8 * interval '1 second'
                end,
                askers_spent_until = case
                    when excluded.askers_spent_until is null then known.askers_spent_until
                    else greatest(known.askers_spent_until, $3) + $10::float8 * interval '1 second'
                end,
                updated_at = $3
            where case
                when excluded.askers_spent_until is null then coalesce(known.guesses_spent_until, $3) <= $9::timestamptz
                else coalesce(known.askers_spent_until, $3) <= $11::timestamptz
            end
            returning true
        ),
        code as (
            select id, user_id, token_type, token_hash, relates_to
            from auth.one_time_tokens
            where relates_to = $12
                and token_hash = any($13::text[])
                and token_type::text = any($14::text[])
                and (exists (select from own where is_known) or exists (select from of_others))
            order by created_at desc
            limit 1
        )
        select ended.user_id, code.id, code.user_id, code.token_type, code.token_hash, code.relates_to, u.xmin, ",
        account!(),
        "
        from own
        left join (code join auth.users as u on u.id = code.user_id) on true
        left join lateral (
            select user_id
            from auth.one_time_tokens
            where own.tries = $5::int
                and own.has_asked
                and code.id is null
                and relates_to = $12
                and token_type::text = any($14::text[])
                and created_at > $15::timestamptz at time zone 'utc'
            order by created_at desc
            limit 1
        ) as ended on true"
    )
    .into()
});

/// The result of a guess.
pub(crate) struct Counted {
    /// The code that it names, and its account.
    pub(crate) found: Option<(Pending, AccountVersion)>,
    /// The account whose code is closed for this client, if the guess was wrong and the last one.
    pub(crate) ended: Option<Uuid>,
}

/// A statement that counts a guess.
pub(crate) struct Guess(Statement);

impl Guess {
    pub(crate) async fn counted(self, database: &OwnDatabase) -> Result<Counted, RunError> {
        let rows = database.write(&self.0, &[]).await?;
        let Some(mut columns) = Columns::of_first(&rows) else {
            return Ok(Counted { found: None, ended: None });
        };
        let ended = columns.parsed()?;
        let found = match read_pending(&mut columns)? {
            Some(pending) => Some((pending, read_whole(&mut columns)?)),
            None => None,
        };
        Ok(Counted { found, ended })
    }
}

/// Prepares a guess. One statement, which is its own transaction, counts it and finds the code that
/// it names; it finds nothing if no guess is left. The whole account comes with it, so that an
/// account that cannot be shown is known before anything is done. The client is locked before the
/// address, as everywhere, and a client without guesses uses none of the others'. If several
/// accounts want to change to the address, the newest code counts.
///
/// If PostgreSQL crashes, the guesses of its last half second may be lost.
pub(crate) fn guess(
    (address, client): (&[u8], &[u8]),
    guesses: &Guesses,
    guessed: &Guessed<'_>,
    now: OffsetDateTime,
) -> Guess {
    let params = vec![
        bytes(address),
        bytes(client),
        moment(now),
        moment(guesses.requested_since),
        text(guesses.per_code),
        text(guesses.per_client.cost),
        moment(guesses.per_client.spent_before),
        text(guesses.of_strangers.cost),
        moment(guesses.of_strangers.spent_before),
        text(guesses.of_requesters.cost),
        moment(guesses.of_requesters.spent_before),
        text(guessed.sent_to),
        list(guessed.hashes),
        list(guessed.token_types),
        moment(guessed.fresh_since),
    ];
    Guess(Statement::new(Arc::clone(&GUESS), params))
}

static OF_CODE: LazyLock<Arc<str>> = LazyLock::new(|| {
    concat!(
        "select u.xmin, ",
        account!(),
        "
        from auth.one_time_tokens as code
        join auth.users as u on u.id = code.user_id
        where code.id = $1"
    )
    .into()
});

/// The account of a code that is still there.
pub(crate) async fn of_code(database: &OwnDatabase, code: Uuid) -> Result<Option<AccountVersion>, RunError> {
    let rows = database.read(&Statement::new(Arc::clone(&OF_CODE), vec![id(code)])).await?;
    Ok(Columns::of_first(&rows).map(|mut columns| read_whole(&mut columns)).transpose()?)
}

/// A right code, and what it opens.
pub(crate) struct CodeSignIn<'a> {
    pub(crate) code: &'a Pending,
    /// Address and client that sent it, and what they get back.
    pub(crate) entered: (&'a [u8], &'a [u8], Entry<'a>),
    pub(crate) session: NewSession<'a>,
    /// Id and payload of the entry in the audit log.
    pub(crate) note: Option<(Uuid, Value)>,
}

static SIGN_IN: LazyLock<Arc<str>> = LazyLock::new(|| {
    "with unchanged as (
        select id
        from auth.users
        where id = $1 and xmin = $2::xid
        for no key update
    ),
    taken as (
        delete from auth.one_time_tokens
        where id = $3 and user_id = $1 and exists (select from unchanged)
        returning user_id
    ),
    others as (
        delete from auth.one_time_tokens
        where user_id = $1 and id <> $3 and exists (select from taken)
    ),
    session as (
        insert into auth.sessions
            (id, user_id, created_at, updated_at, aal, user_agent, ip, refresh_token_hmac_key, refresh_token_counter)
        select $4::uuid, user_id, $5::timestamptz, $5::timestamptz, 'aal1', $6, $7::text::inet, $8, 0
        from taken
    ),
    method as (
        insert into auth.mfa_amr_claims (id, session_id, created_at, updated_at, authentication_method)
        select $9::uuid, $4::uuid, $5::timestamptz, $5::timestamptz, $10
        from taken
    ),
    noted as (
        insert into auth.audit_log_entries (instance_id, id, payload, created_at, ip_address)
        select '00000000-0000-0000-0000-000000000000', $11::uuid, $12::json, $5::timestamptz, coalesce($7::text, '')
        from taken
        where $11::uuid is not null
    )
    update auth.users
    set updated_at = $5::timestamptz, last_sign_in_at = $5::timestamptz
    where id = $1 and exists (select from taken)"
        .into()
});

/// Uses up a right code with all other codes of its account, opens the session, and stores the
/// audit entry. Returns the account as it is then. None if the account has changed since it was
/// read, or the code is gone. It waits for whoever has locked the account.
pub(crate) async fn enter(
    database: &OwnDatabase,
    known: &AccountVersion,
    entering: CodeSignIn<'_>,
    context: &RequestContext,
) -> Result<Option<Result<Account, Unreadable>>, RunError> {
    let CodeSignIn { code, entered, session, note } = entering;
    let [noted, payload] = values::note(note);
    let params = vec![
        id(known.user.id),
        text(&known.version),
        id(code.id),
        id(session.id),
        moment(context.now),
        optional(session.user_agent.map(text)),
        optional(session.ip.map(text)),
        text(session.hmac_key),
        id(session.method.0),
        text(session.method.1),
        noted,
        payload,
    ];
    let sign_in = Statement::new(Arc::clone(&SIGN_IN), params);
    let rest = [
        note_entered(&entered, session.id, context.now),
        of_bearer_statement(known.user.id, Some(session.id)),
    ];
    let rows = database.write(&sign_in, &rest).await?;
    let opened = Columns::of_first(&rows).map(|mut columns| read_bearer(&mut columns)).transpose();
    Ok(opened
        .map(|opened| opened.filter(|(_, has_session)| *has_session).map(|(account, _)| account))
        .transpose())
}

static ENTERED: LazyLock<Arc<str>> = LazyLock::new(|| code_clients::ENTERED.into());

/// As [`code_clients::entered`], if a session was opened.
fn note_entered(
    (address, client, entry): &(&[u8], &[u8], Entry<'_>),
    session: Uuid,
    now: OffsetDateTime,
) -> Statement {
    let [per_client, of_strangers, of_requesters] = entry.costs();
    let params = vec![
        bytes(address),
        bytes(client),
        moment(now),
        optional(entry.known.map(|(_, until)| moment(until))),
        text(entry.code),
        text(per_client),
        text(of_strangers),
        text(of_requesters),
        moment(entry.requested_since(now)),
        optional(entry.known.map(|(browser, _)| bytes(browser))),
        id(session),
    ];
    Statement::new(Arc::clone(&ENTERED), params)
}

fn read_pending(columns: &mut Columns<'_>) -> Result<Option<Pending>, Unreadable> {
    let Some(id) = columns.parsed()? else { return Ok(None) };
    Ok(Some(Pending {
        id,
        user_id: columns.parsed()?.ok_or(Unreadable)?,
        token_type: columns.string()?.ok_or(Unreadable)?,
        token_hash: columns.string()?.ok_or(Unreadable)?,
        sent_to: columns.string()?.ok_or(Unreadable)?,
    }))
}

fn read_as_read(columns: &mut Columns<'_>) -> Result<AccountVersion, Unreadable> {
    let version = columns.string()?.ok_or(Unreadable)?;
    Ok(AccountVersion { user: read_user(columns)?, version })
}

/// As [`read_as_read`], if its identities can be read, too.
fn read_whole(columns: &mut Columns<'_>) -> Result<AccountVersion, Unreadable> {
    let version = columns.string()?.ok_or(Unreadable)?;
    Ok(AccountVersion { user: read_account(columns)?.user, version })
}
