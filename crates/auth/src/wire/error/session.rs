/// Why a session cannot go on (CONTRACT.md S2 to S6).
#[derive(Debug, thiserror::Error)]
pub(crate) enum SessionError {
    #[error("Invalid Refresh Token: Session Expired (Inactivity)")]
    Inactive,
    #[error("Invalid Refresh Token: Session Expired (Revoked by Newer Login)")]
    Replaced,
    #[error("Invalid Refresh Token: Session Expired (Low AAL: User Needs MFA Verification)")]
    LowAal,
    #[error("session_id claim in JWT is of a session that has expired")]
    OfAdminExpired,
    #[error("Token audience doesn't match request audience")]
    Audience,
    #[error("This project has no such audience")]
    AnotherAudience,
}

impl SessionError {
    pub(super) fn status_and_code(&self) -> (u16, &'static str) {
        match self {
            Self::Inactive | Self::Replaced | Self::LowAal => (400, "session_expired"),
            Self::OfAdminExpired => (403, "session_expired"),
            Self::Audience => (400, "validation_failed"),
            Self::AnotherAudience => (403, "unexpected_audience"),
        }
    }
}
