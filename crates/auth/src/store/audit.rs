use serde_json::{Value, json};
use sqlx::{PgConnection, PgExecutor};
use time::OffsetDateTime;
use uuid::Uuid;

use super::times::MaybeAt;
use crate::{request::Context, store::users::User, work::Line};

/// What happened, in the reference's words (auth.md L2).
#[derive(Debug, Clone, Copy)]
pub(crate) enum Action {
    Login,
    Logout,
    InviteAccepted,
    UserSignedUp,
    UserInvited,
    UserDeleted,
    TokenRefreshed,
    TokenRevoked,
    UserModified,
    UserRecoveryRequested,
    UserReauthenticateRequested,
    UserConfirmationRequested,
    UserRepeatedSignUp,
    UserUpdatedPassword,
    IdentityLinked,
    IdentityUnlinked,
    PasskeyCreated,
    PasskeyUpdated,
    PasskeyDeleted,
    FactorInProgress,
    FactorUnenrolled,
    ChallengeCreated,
    VerificationAttempted,
    FactorDeleted,
    FactorUpdated,
}

impl Action {
    fn words(self) -> (&'static str, &'static str) {
        match self {
            Self::Login => ("login", "account"),
            Self::Logout => ("logout", "account"),
            Self::InviteAccepted => ("invite_accepted", "account"),
            Self::UserSignedUp => ("user_signedup", "team"),
            Self::UserInvited => ("user_invited", "team"),
            Self::UserDeleted => ("user_deleted", "team"),
            Self::TokenRefreshed => ("token_refreshed", "token"),
            Self::TokenRevoked => ("token_revoked", "token"),
            Self::UserModified => ("user_modified", "user"),
            Self::UserRecoveryRequested => ("user_recovery_requested", "user"),
            Self::UserReauthenticateRequested => ("user_reauthenticate_requested", "user"),
            Self::UserConfirmationRequested => ("user_confirmation_requested", "user"),
            Self::UserRepeatedSignUp => ("user_repeated_signup", "user"),
            Self::UserUpdatedPassword => ("user_updated_password", "user"),
            Self::IdentityLinked => ("identity_linked", "user"),
            Self::IdentityUnlinked => ("identity_unlinked", "user"),
            Self::PasskeyCreated => ("passkey_created", "user"),
            Self::PasskeyUpdated => ("passkey_updated", "user"),
            Self::PasskeyDeleted => ("passkey_deleted", "user"),
            Self::FactorInProgress => ("factor_in_progress", "factor"),
            Self::FactorUnenrolled => ("factor_unenrolled", "factor"),
            Self::ChallengeCreated => ("challenge_created", "factor"),
            Self::VerificationAttempted => ("verification_attempted", "factor"),
            Self::FactorDeleted => ("factor_deleted", "factor"),
            Self::FactorUpdated => ("factor_updated", "factor"),
        }
    }
}

/// Notes what a user did, in the transaction that did it: what is undone leaves no entry, what is done always has one.
pub(crate) async fn add(
    db: &mut PgConnection,
    id: Uuid,
    action: Action,
    user: &User,
    context: &Context,
) -> Result<(), sqlx::Error> {
    add_with(db, id, action, user, context, Value::Null).await
}

/// As [`add`], with particulars (auth.md L1).
pub(crate) async fn add_with(
    db: &mut PgConnection,
    id: Uuid,
    action: Action,
    user: &User,
    context: &Context,
    traits: Value,
) -> Result<(), sqlx::Error> {
    context.errands.say(Line::Audit(Note { id, action, user: user.id }));
    let Some(payload) = entry(action, user, context, traits) else { return Ok(()) };
    sqlx::query!(
        "insert into auth.audit_log_entries (instance_id, id, payload, created_at, ip_address)
        values ('00000000-0000-0000-0000-000000000000', $1, $2, $3, $4)",
        id,
        payload,
        context.now,
        context.client.map(|ip| ip.to_string()).unwrap_or_default(),
    )
    .execute(db)
    .await?;
    Ok(())
}

/// What a user did.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Note {
    /// Of the entry in the table.
    pub(crate) id: Uuid,
    pub(crate) action: Action,
    pub(crate) user: Uuid,
}

/// Writes what a user did into the log.
pub(crate) fn log(action: Action, user: Uuid) {
    let (action, log_type) = action.words();
    tracing::info!(audit.action = action, audit.log_type = log_type, user.id = %user, "audit");
}

/// Takes entries back, of what the same request undid after it was committed.
pub(crate) async fn take_back(executor: impl PgExecutor<'_>, ids: &[Uuid]) -> Result<(), sqlx::Error> {
    sqlx::query!("delete from auth.audit_log_entries where id = any($1)", ids).execute(executor).await?;
    Ok(())
}

/// What the table is told of it, where entries are kept there (auth.md L7).
pub(crate) fn entry(action: Action, user: &User, context: &Context, traits: Value) -> Option<Value> {
    let (action, log_type) = action.words();
    context.audited.then(|| payload(action, log_type, user, traits))
}

fn payload(action: &str, log_type: &str, user: &User, traits: Value) -> Value {
    let name = user.phone.as_deref().filter(|phone| !phone.is_empty()).or(user.email.as_deref());
    let mut payload = json!({
        "actor_id": user.id,
        "actor_via_sso": user.is_sso_user,
        "actor_username": name.unwrap_or_default(),
        "action": action,
        "log_type": log_type,
    });
    let full_name = user.raw_user_meta_data.as_ref().and_then(|data| data.get("full_name")?.as_str());
    if let Some(full_name) = full_name {
        payload["actor_name"] = json!(full_name);
    }
    if !traits.is_null() {
        payload["traits"] = traits;
    }
    payload
}

/// An entry as it is shown.
#[derive(Debug)]
pub(crate) struct Entry {
    pub(crate) id: Uuid,
    pub(crate) payload: Option<Value>,
    pub(crate) created_at: Option<OffsetDateTime>,
    pub(crate) ip_address: String,
}

/// What entries are looked for: one of the columns of the payload holds the text.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Search<'a> {
    pub(crate) author: Option<&'a str>,
    pub(crate) action: Option<&'a str>,
    pub(crate) log_type: Option<&'a str>,
}

/// A page of entries, newest first.
pub(crate) async fn page(
    executor: impl PgExecutor<'_>,
    search: Search<'_>,
    limit: i64,
    offset: i64,
) -> Result<Vec<Entry>, sqlx::Error> {
    sqlx::query_as!(
        Entry,
        r#"select id, payload as "payload: Value", created_at as "created_at!: MaybeAt", ip_address
        from auth.audit_log_entries
        where instance_id = '00000000-0000-0000-0000-000000000000'
            and ($1::text is null
                or payload ->> 'actor_username' ilike '%' || $1 || '%'
                or payload ->> 'actor_name' ilike '%' || $1 || '%')
            and ($2::text is null or payload ->> 'action' ilike '%' || $2 || '%')
            and ($3::text is null or payload ->> 'log_type' ilike '%' || $3 || '%')
        order by created_at desc, id
        limit $4
        offset $5"#,
        search.author,
        search.action,
        search.log_type,
        limit,
        offset,
    )
    .fetch_all(executor)
    .await
}

pub(crate) async fn count(executor: impl PgExecutor<'_>, search: Search<'_>) -> Result<i64, sqlx::Error> {
    sqlx::query_scalar!(
        r#"select count(*) as "count!"
        from auth.audit_log_entries
        where instance_id = '00000000-0000-0000-0000-000000000000'
            and ($1::text is null
                or payload ->> 'actor_username' ilike '%' || $1 || '%'
                or payload ->> 'actor_name' ilike '%' || $1 || '%')
            and ($2::text is null or payload ->> 'action' ilike '%' || $2 || '%')
            and ($3::text is null or payload ->> 'log_type' ilike '%' || $3 || '%')"#,
        search.author,
        search.action,
        search.log_type,
    )
    .fetch_one(executor)
    .await
}
