use sqlx::{PgExecutor, PgPool};
use time::OffsetDateTime;
use uuid::Uuid;

use crate::{Attachment, Message};

pub(crate) struct Inserted {
    pub(crate) id: Uuid,
    pub(crate) replayed: bool,
    pub(crate) same_content: bool,
}

/// A message claimed by this drain. No other drain sends it while this one renews its claim.
pub(crate) struct Claimed {
    pub(crate) id: Uuid,
    pub(crate) recipients: Vec<String>,
    pub(crate) subject: Option<String>,
    pub(crate) text_body: Option<String>,
    pub(crate) html_body: Option<String>,
    /// Pairs of name and value.
    pub(crate) headers: serde_json::Value,
    pub(crate) tries: i16,
    pub(crate) created_at: OffsetDateTime,
    pub(crate) expires_at: Option<OffsetDateTime>,
}

/// A try of a message, and the time of its holder's last renewal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Claim {
    pub(crate) id: Uuid,
    pub(crate) tries: i16,
    pub(crate) claimed_at: Option<OffsetDateTime>,
}

impl Claimed {
    pub(crate) fn claim(&self) -> Claim {
        Claim { id: self.id, tries: self.tries, claimed_at: None }
    }
}

pub(crate) async fn insert(
    executor: impl PgExecutor<'_>,
    message: &Message,
    now: OffsetDateTime,
) -> Result<Inserted, sqlx::Error> {
    let draft = message.draft();
    let (names, (types, contents)): (Vec<_>, (Vec<_>, Vec<_>)) = draft
        .attachments
        .iter()
        .map(|file| (file.filename.clone(), (file.content_type.clone(), file.content.clone())))
        .unzip();
    sqlx::query_as!(
        Inserted,
        r#"select id as "id!", replayed as "replayed!", same_content as "same_content!"
        from mail.enqueue($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)"#,
        &draft.to,
        draft.subject,
        draft.text,
        draft.html,
        serde_json::json!(draft.headers),
        &names,
        &types,
        &contents,
        draft.idempotency_key,
        &message.fingerprint(),
        now,
        draft.expires_at,
    )
    .fetch_one(executor)
    .await
}

/// Takes the message that is due longest, whatever was put into it by hand: one that could not be
/// read would hold up all others. Those first that are of no use later, as a code is, and counts
/// the try before it is made.
pub(crate) async fn claim(pool: &PgPool, now: OffsetDateTime) -> Result<Option<Claimed>, sqlx::Error> {
    sqlx::query_as!(
        Claimed,
        r#"update mail.messages
        set state = 'sending', tries = tries + 1, claimed_at = $1, handed_over_at = null
        where id = (
            select id
            from mail.messages
            where state = 'queued' and due_at <= $1
            order by expires_at is null, due_at
            limit 1
            for update skip locked
        )
        returning id, array(select coalesce(recipient, '') from unnest(recipients) as recipient) as "recipients!",
            subject, text_body, html_body, headers, tries,
            least(greatest(created_at, '1970-01-01Z'), '9999-01-01Z') as "created_at!",
            case when expires_at < '9999-01-01Z' then greatest(expires_at, '1970-01-01Z') end as expires_at"#,
        now,
    )
    .fetch_optional(pool)
    .await
}

pub(crate) async fn attachments(pool: &PgPool, id: Uuid) -> Result<Vec<Attachment>, sqlx::Error> {
    sqlx::query_as!(
        Attachment,
        "select filename, content_type, content
        from mail.attachments
        where message_id = $1
        order by position",
        id,
    )
    .fetch_all(pool)
    .await
}

/// Notes that the content is about to be sent. False if the claim was lost: then it must not be
/// sent.
pub(crate) async fn hand_over(
    pool: &PgPool,
    claim: &Claim,
    now: OffsetDateTime,
) -> Result<bool, sqlx::Error> {
    let done = sqlx::query!(
        "update mail.messages
        set handed_over_at = $3
        where id = $1 and tries = $2 and state = 'sending'",
        claim.id,
        claim.tries,
        now,
    )
    .execute(pool)
    .await?;
    Ok(done.rows_affected() == 1)
}

/// Ends a message as `sent` (no reason) or `failed`, and forgets what it said.
pub(crate) async fn settle(
    pool: &PgPool,
    claim: &Claim,
    reason: Option<&str>,
    now: OffsetDateTime,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "with settled as (
            update mail.messages
            set state = case when $3::text is null then 'sent' else 'failed' end,
                reason = $3,
                settled_at = $4,
                subject = null,
                text_body = null,
                html_body = null,
                headers = '[]'
            where id = $1 and tries = $2 and state = 'sending'
            returning id
        )
        delete from mail.attachments
        where message_id in (select id from settled)",
        claim.id,
        claim.tries,
        reason,
        now,
    )
    .execute(pool)
    .await?;
    Ok(())
}

pub(crate) async fn put_back(
    pool: &PgPool,
    claim: &Claim,
    reason: &str,
    due_at: OffsetDateTime,
) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "update mail.messages
        set state = 'queued', reason = $3, due_at = $4, claimed_at = null, handed_over_at = null
        where id = $1 and tries = $2 and state = 'sending'",
        claim.id,
        claim.tries,
        reason,
        due_at,
    )
    .execute(pool)
    .await?;
    Ok(())
}

/// Says that the claim's holder is still there.
pub(crate) async fn renew(pool: &PgPool, claim: &Claim, now: OffsetDateTime) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "update mail.messages
        set claimed_at = $3
        where id = $1 and tries = $2 and state = 'sending'",
        claim.id,
        claim.tries,
        now,
    )
    .execute(pool)
    .await?;
    Ok(())
}

/// Returns all claims, of this node and others.
pub(crate) async fn in_hand(pool: &PgPool) -> Result<Vec<Claim>, sqlx::Error> {
    sqlx::query_as!(
        Claim,
        "select id, tries, claimed_at
        from mail.messages
        where state = 'sending'",
    )
    .fetch_all(pool)
    .await
}

/// Takes a claim from a drain that is gone. The message goes back into the queue, or fails after
/// the last try. False if its holder has renewed it.
pub(crate) async fn free(
    pool: &PgPool,
    claim: &Claim,
    (max_tries, reason): (i16, &str),
    now: OffsetDateTime,
) -> Result<bool, sqlx::Error> {
    let freed = sqlx::query!(
        "with freed as (
            update mail.messages
            set state = case when tries < $4 then 'queued' else 'failed' end,
                reason = case when tries < $4 then reason else $5 end,
                settled_at = case when tries < $4 then null else $6::timestamptz end,
                subject = case when tries < $4 then subject end,
                text_body = case when tries < $4 then text_body end,
                html_body = case when tries < $4 then html_body end,
                headers = case when tries < $4 then headers else '[]' end,
                claimed_at = null,
                handed_over_at = null
            where id = $1 and tries = $2 and claimed_at is not distinct from $3 and state = 'sending'
            returning id, state
        ), emptied as (
            delete from mail.attachments
            where message_id in (select id from freed where state = 'failed')
        )
        select count(*) as \"count!\" from freed",
        claim.id,
        claim.tries,
        claim.claimed_at,
        max_tries,
        reason,
        now,
    )
    .fetch_one(pool)
    .await?;
    Ok(freed.count > 0)
}

/// Deletes what was settled before `before`: the record of it, and with it its idempotency key.
pub(crate) async fn forget(pool: &PgPool, before: OffsetDateTime) -> Result<(), sqlx::Error> {
    sqlx::query!(
        "delete from mail.messages
        where id in (
            select id
            from mail.messages
            where state in ('sent', 'failed') and settled_at < $1
            limit 500
        )",
        before,
    )
    .execute(pool)
    .await?;
    Ok(())
}
