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
        ];
        all.extend(settings.sessions.timebox.map(Self::SessionsByAge));
        all.extend(settings.sessions.inactivity_timeout.map(Self::SessionsByInactivity));
        if settings.enable_anonymous_sign_ins {
            all.push(Self::AnonymousUsers);
        }
        all.extend(settings.audit_log.retention.map(Self::AuditEntries));
        all
    }
}

/// Removes up to [`MOST`] rows of a kind that nobody holds.
pub(crate) async fn remove(pool: &PgPool, ended: Ended, now: OffsetDateTime) -> Result<u64, sqlx::Error> {
    let day_ago = now - Duration::DAY;
    let done = match ended {
        Ended::RefreshTokens => {
            sqlx::query!(
                "delete from auth.refresh_tokens where id in (
                    select id from auth.refresh_tokens where revoked and updated_at < $1 limit 100 for update skip locked)",
                day_ago,
            )
            .execute(pool)
            .await?
        }
        Ended::SessionsByEnd => {
            sqlx::query!(
                "delete from auth.sessions where id in (
                    select id from auth.sessions where not_after < $1 limit 100 for update skip locked)",
                now - Duration::hours(72),
            )
            .execute(pool)
            .await?
        }
        Ended::SessionsByAge(life) => {
            sqlx::query!(
                "delete from auth.sessions where id in (
                    select id from auth.sessions where created_at < $1 limit 100 for update skip locked)",
                day_ago - life,
            )
            .execute(pool)
            .await?
        }
        Ended::SessionsByInactivity(life) => {
            sqlx::query!(
                "delete from auth.sessions where id in (
                    select s.id from auth.sessions as s
                    where coalesce(s.refreshed_at at time zone 'utc', s.created_at) < $1
                        and not exists (
                            select from auth.refresh_tokens as t where t.session_id = s.id and t.updated_at >= $1)
                    limit 100 for update of s skip locked)",
                day_ago - life,
            )
            .execute(pool)
            .await?
        }
        Ended::FlowStates => {
            sqlx::query!(
                "delete from auth.flow_state where id in (
                    select id from auth.flow_state where created_at < $1 limit 100 for update skip locked)",
                day_ago,
            )
            .execute(pool)
            .await?
        }
        Ended::RelayStates => {
            sqlx::query!(
                "delete from auth.saml_relay_states where id in (
                    select id from auth.saml_relay_states where created_at < $1 limit 100 for update skip locked)",
                day_ago,
            )
            .execute(pool)
            .await?
        }
        Ended::OauthClientStates => {
            sqlx::query!(
                "delete from auth.oauth_client_states where id in (
                    select id from auth.oauth_client_states where created_at < $1 limit 100 for update skip locked)",
                day_ago,
            )
            .execute(pool)
            .await?
        }
        Ended::Challenges => {
            sqlx::query!(
                "delete from auth.mfa_challenges where id in (
                    select id from auth.mfa_challenges where created_at < $1 limit 100 for update skip locked)",
                day_ago,
            )
            .execute(pool)
            .await?
        }
        Ended::Factors => {
            sqlx::query!(
                "delete from auth.mfa_factors where id in (
                    select id from auth.mfa_factors
                    where created_at < $1 and status = 'unverified' limit 100 for update skip locked)",
                day_ago,
            )
            .execute(pool)
            .await?
        }
        Ended::WebauthnChallenges => {
            sqlx::query!(
                "delete from auth.webauthn_challenges where id in (
                    select id from auth.webauthn_challenges where expires_at < $1 limit 100 for update skip locked)",
                now,
            )
            .execute(pool)
            .await?
        }
        Ended::AnonymousUsers => {
            sqlx::query!(
                "delete from auth.users where id in (
                    select id from auth.users
                    where created_at < $1 and is_anonymous limit 100 for update skip locked)",
                now - Duration::days(30),
            )
            .execute(pool)
            .await?
        }
        Ended::AuditEntries(life) => {
            sqlx::query!(
                "delete from auth.audit_log_entries where id in (
                    select id from auth.audit_log_entries where created_at < $1 limit 100 for update skip locked)",
                now - life,
            )
            .execute(pool)
            .await?
        }
    };
    Ok(done.rows_affected())
}
