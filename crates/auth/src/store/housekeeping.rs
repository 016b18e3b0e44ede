use std::time::Duration as Length;

use banyan_config::Auth;
use sqlx::PgPool;
use time::{Duration, OffsetDateTime};

/// Rows of one statement at most.
pub(crate) const MOST: u64 = 100;

/// What has ended, and since when it may go.
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
    /// Tries of codes that have expired, with the life of a code.
    CodeTries(Length),
    AuditEntries(Length),
}

impl Ended {
    /// What the settings let go.
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
            Self::CodeTries(settings.otp.expiry),
        ];
        all.extend(settings.sessions.timebox.map(Self::SessionsByAge));
        all.extend(settings.sessions.inactivity_timeout.map(Self::SessionsByInactivity));
        if settings.enable_anonymous_sign_ins {
            all.push(Self::AnonymousUsers);
        }
        all.extend(settings.audit_log.retention.map(Self::AuditEntries));
        all
    }

    /// Its statement: up to [`MOST`] rows from before `$1` that nobody holds.
    fn statement(self) -> &'static str {
        match self {
            Self::RefreshTokens => {
                "delete from auth.refresh_tokens where id in (
                    select id from auth.refresh_tokens where revoked and updated_at < $1 limit 100 for update skip locked)"
            }
            Self::SessionsByEnd => {
                "delete from auth.sessions where id in (
                    select id from auth.sessions where not_after < $1 limit 100 for update skip locked)"
            }
            Self::SessionsByAge(_) => {
                "delete from auth.sessions where id in (
                    select id from auth.sessions where created_at < $1 limit 100 for update skip locked)"
            }
            Self::SessionsByInactivity(_) => {
                "delete from auth.sessions where id in (
                    select s.id from auth.sessions as s
                    where coalesce(s.refreshed_at at time zone 'utc', s.created_at) < $1
                    and not exists (
                    select from auth.refresh_tokens as t where t.session_id = s.id and t.updated_at >= $1)
                    limit 100 for update of s skip locked)"
            }
            Self::FlowStates => {
                "delete from auth.flow_state where id in (
                    select id from auth.flow_state where created_at < $1 limit 100 for update skip locked)"
            }
            Self::RelayStates => {
                "delete from auth.saml_relay_states where id in (
                    select id from auth.saml_relay_states where created_at < $1 limit 100 for update skip locked)"
            }
            Self::OauthClientStates => {
                "delete from auth.oauth_client_states where id in (
                    select id from auth.oauth_client_states where created_at < $1 limit 100 for update skip locked)"
            }
            Self::Challenges => {
                "delete from auth.mfa_challenges where id in (
                    select id from auth.mfa_challenges where created_at < $1 limit 100 for update skip locked)"
            }
            Self::Factors => {
                "delete from auth.mfa_factors where id in (
                    select id from auth.mfa_factors
                    where created_at < $1 and status = 'unverified' limit 100 for update skip locked)"
            }
            Self::WebauthnChallenges => {
                "delete from auth.webauthn_challenges where id in (
                    select id from auth.webauthn_challenges where expires_at < $1 limit 100 for update skip locked)"
            }
            Self::AnonymousUsers => {
                "delete from auth.users where id in (
                    select id from auth.users
                    where created_at < $1 and is_anonymous limit 100 for update skip locked)"
            }
            Self::CodeTries(_) => {
                "delete from auth.banyan_code_tries where (address, client) in (
                    select address, client from auth.banyan_code_tries
                    where updated_at < $1 limit 100 for update skip locked)"
            }
            Self::AuditEntries(_) => {
                "delete from auth.audit_log_entries where id in (
                    select id from auth.audit_log_entries where created_at < $1 limit 100 for update skip locked)"
            }
        }
    }

    /// The moment before which it may go.
    fn before(self, now: OffsetDateTime) -> OffsetDateTime {
        match self {
            Self::RefreshTokens
            | Self::FlowStates
            | Self::RelayStates
            | Self::OauthClientStates
            | Self::Challenges
            | Self::Factors => now - Duration::DAY,
            Self::SessionsByEnd => now - Duration::hours(72),
            Self::SessionsByAge(life) | Self::SessionsByInactivity(life) | Self::CodeTries(life) => {
                now - Duration::DAY - life
            }
            Self::WebauthnChallenges => now,
            Self::AnonymousUsers => now - Duration::days(30),
            Self::AuditEntries(life) => now - life,
        }
    }
}

/// Removes up to [`MOST`] rows of a kind that nobody holds.
pub(crate) async fn remove(pool: &PgPool, ended: Ended, now: OffsetDateTime) -> Result<u64, sqlx::Error> {
    Ok(sqlx::query(ended.statement()).bind(ended.before(now)).execute(pool).await?.rows_affected())
}
