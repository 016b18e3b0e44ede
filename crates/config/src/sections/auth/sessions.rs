//! How long a session may live.

use std::time::Duration;

use super::Words;
use crate::{
    ConfigError,
    raw::{RawBanyanAuth, RawSessions},
};

/// `[auth.sessions]` (auth/CONTRACT.md S2 to S5).
#[derive(Debug, Clone, Default)]
pub struct SessionLimits {
    /// Longest life; none means no end.
    pub timebox: Option<Duration>,
    /// Longest time without a refresh; none means no end.
    pub inactivity_timeout: Option<Duration>,
    /// Whether a sign-in ends the user's other sessions.
    pub single_per_user: bool,
    /// How long a session of somebody with a second factor goes on without it; none means as long
    /// as others (S5).
    pub low_aal: Option<Duration>,
    /// Kinds of sessions, each of which a user may have one of (S4); the first is that of sessions
    /// without one.
    pub tags: Vec<String>,
}

impl SessionLimits {
    pub(super) fn check(
        raw: &RawSessions,
        ours: &RawBanyanAuth,
        words: &Words<'_>,
    ) -> Result<Self, ConfigError> {
        Ok(Self {
            timebox: super::limit("auth.sessions.timebox", &raw.timebox)?,
            inactivity_timeout: super::limit("auth.sessions.inactivity_timeout", &raw.inactivity_timeout)?,
            single_per_user: words.switch("SESSIONS_SINGLE_PER_USER", ours.single_session_per_user)?,
            low_aal: match words.text("SESSIONS_ALLOW_LOW_AAL") {
                None => None,
                Some(text) => super::limit("GOTRUE_SESSIONS_ALLOW_LOW_AAL", text)?,
            },
            tags: words.list("SESSIONS_TAGS"),
        })
    }
}
