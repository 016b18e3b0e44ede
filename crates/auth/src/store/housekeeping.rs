use std::time::Duration as Length;

use banyan_config::Auth;
use sqlx::PgPool;
use time::{Duration, OffsetDateTime};
use uuid::Uuid;

/// Most rows of one statement.
pub(crate) const MOST: u64 = 100;

/// A kind of ended rows, and when they may be removed.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Ended {
    RefreshTokens,
    SessionsByEnd,
    SessionsByAge(Length),
    SessionsByInactivity(Length),
    FlowStates,
    RelayStates,
    OauthClientStates,
    Challenges,
    Factors,
    WebauthnChallenges,
    AnonymousUsers,
    AuditEntries(Length),
    CodeClients,
    CodeAddresses,
    FactorClients,
    PasswordTries,
}

impl Ended {
    /// The kinds that the settings remove.
    pub(crate) fn all(settings: &Auth) -> Vec<Self> {
        let mut all = vec![
            Self::RefreshTokens,
            Self::SessionsByEnd,
            Self::FlowStates,
            Self::RelayStates,
            Self::OauthClientStates,
            Self::Challenges,
            Self::Factors,
            Self::WebauthnChallenges,
            Self::CodeClients,
            Self::CodeAddresses,
            Self::FactorClients,
            Self::PasswordTries,
        ];
        all.extend(settings.sessions.timebox.map(Self::SessionsByAge));
        all.extend(settings.sessions.inactivity_timeout.map(Self::SessionsByInactivity));
        if settings.enable_anonymous_sign_ins {
            all.push(Self::AnonymousUsers);
        }
        all.extend(settings.audit_log.retention.map(Self::AuditEntries));
        all
    }

    /// Rows that ended before this time may be removed.
    fn before(self, now: OffsetDateTime) -> OffsetDateTime {
        match self {
            Self::RefreshTokens
            | Self::FlowStates
            | Self::RelayStates
            | Self::OauthClientStates
            | Self::Challenges
            | Self::Factors => now - Duration::DAY,
            Self::SessionsByEnd => now - Duration::hours(72),
            Self::SessionsByAge(life) | Self::SessionsByInactivity(life) => now - Duration::DAY - life,
            // Codes live a day at most.
            Self::CodeClients | Self::CodeAddresses => now - Duration::days(2),
            Self::WebauthnChallenges | Self::FactorClients | Self::PasswordTries => now,
            Self::AnonymousUsers => now - Duration::days(30),
            Self::AuditEntries(life) => now - life,
        }
    }
}

/// Removes up to [`MOST`] rows of a kind that are not locked.
pub(crate) async fn remove(pool: &PgPool, ended: Ended, now: OffsetDateTime) -> Result<u64, sqlx::Error> {
    let before = ended.before(now);
    macro_rules! remove {
        ($statement:literal) => {
            sqlx::query!($statement, before).execute(pool).await?
        };
    }
    let done = match ended {
        Ended::RefreshTokens => remove!(
            "delete from auth.refresh_tokens where id in (
                select id from auth.refresh_tokens where revoked and updated_at < $1 limit 100 for update skip locked)"
        ),
        Ended::SessionsByEnd => remove!(
            "delete from auth.sessions where id in (
                select id from auth.sessions where not_after < $1 limit 100 for update skip locked)"
        ),
        Ended::SessionsByAge(_) => remove!(
            "delete from auth.sessions where id in (
                select id from auth.sessions where created_at < $1 limit 100 for update skip locked)"
        ),
        Ended::SessionsByInactivity(_) => remove!(
            "delete from auth.sessions where id in (
                select s.id from auth.sessions as s
                where coalesce(s.refreshed_at at time zone 'utc', s.created_at) < $1
                and not exists (
                select from auth.refresh_tokens as t where t.session_id = s.id and t.updated_at >= $1)
                limit 100 for update of s skip locked)"
        ),
        Ended::FlowStates => remove!(
            "delete from auth.flow_state where id in (
                select id from auth.flow_state where created_at < $1 limit 100 for update skip locked)"
        ),
        Ended::RelayStates => remove!(
            "delete from auth.saml_relay_states where id in (
                select id from auth.saml_relay_states where created_at < $1 limit 100 for update skip locked)"
        ),
        Ended::OauthClientStates => remove!(
            "delete from auth.oauth_client_states where id in (
                select id from auth.oauth_client_states where created_at < $1 limit 100 for update skip locked)"
        ),
        Ended::Challenges => remove!(
            "delete from auth.mfa_challenges where id in (
                select id from auth.mfa_challenges where created_at < $1 limit 100 for update skip locked)"
        ),
        Ended::Factors => remove!(
            "delete from auth.mfa_factors where id in (
                select id from auth.mfa_factors
                where created_at < $1 and status = 'unverified' limit 100 for update skip locked)"
        ),
        Ended::WebauthnChallenges => remove!(
            "delete from auth.webauthn_challenges where id in (
                select id from auth.webauthn_challenges where expires_at < $1 limit 100 for update skip locked)"
        ),
        Ended::AnonymousUsers => remove!(
            "delete from auth.users where id in (
                select u.id from auth.users as u
                where u.created_at < $1 and u.is_anonymous
                and not exists (
                select from auth.sessions as s
                where s.user_id = u.id and coalesce(s.refreshed_at at time zone 'utc', s.created_at) >= $1)
                limit 100 for update of u skip locked)"
        ),
        Ended::CodeClients => remove!(
            "delete from auth.banyan_code_clients where (address, client) in (
                select address, client from auth.banyan_code_clients
                where updated_at < $1
                and coalesce(greatest(codes_spent_until, guesses_spent_until, known_until), updated_at) < $1
                limit 100 for update skip locked)"
        ),
        Ended::CodeAddresses => remove!(
            "delete from auth.banyan_code_addresses where address in (
                select address from auth.banyan_code_addresses
                where updated_at < $1
                and coalesce(greatest(codes_spent_until, guesses_spent_until, askers_spent_until), updated_at) < $1
                limit 100 for update skip locked)"
        ),
        Ended::AuditEntries(_) => remove!(
            "delete from auth.audit_log_entries where id in (
                select id from auth.audit_log_entries where created_at < $1 limit 100 for update skip locked)"
        ),
        Ended::FactorClients => remove!(
            "delete from auth.banyan_factor_clients where (factor_id, client) in (
                select factor_id, client from auth.banyan_factor_clients
                where known_until < $1 limit 100 for update skip locked)"
        ),
        Ended::PasswordTries => remove!(
            "delete from auth.banyan_password_tries where (address, client) in (
                select address, client from auth.banyan_password_tries
                where spent_until < $1 limit 100 for update skip locked)"
        ),
    };
    Ok(done.rows_affected())
}

/// Some of the idle anonymous users, in no order, so that none blocks the others.
pub(crate) async fn idle_anonymous_users(
    pool: &PgPool,
    ended: Ended,
    now: OffsetDateTime,
) -> Result<Vec<Uuid>, sqlx::Error> {
    sqlx::query_scalar!(
        "select u.id
        from auth.users as u
        where u.created_at < $1
            and u.is_anonymous
            and not exists (
                select
                from auth.sessions as s
                where s.user_id = u.id
                    and coalesce(s.refreshed_at at time zone 'utc', s.created_at) >= $1
            )
        order by random()
        limit 100",
        ended.before(now),
    )
    .fetch_all(pool)
    .await
}

/// Removes one of them, unless it got an address meanwhile.
pub(crate) async fn remove_user(pool: &PgPool, id: Uuid) -> Result<u64, sqlx::Error> {
    let done =
        sqlx::query!("delete from auth.users where id = $1 and is_anonymous", id).execute(pool).await?;
    Ok(done.rows_affected())
}
