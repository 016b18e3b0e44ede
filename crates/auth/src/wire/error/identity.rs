/// What can go wrong when identities are linked to an account or taken from it
/// (CONTRACT.md I7, I8).
#[derive(Debug, thiserror::Error)]
pub(crate) enum IdentityError {
    #[error("Manual linking is disabled")]
    LinkingDisabled,
    #[error("Linking target user not found")]
    TargetGone,
    #[error("Identity is already linked")]
    AlreadyLinked,
    #[error("Identity is already linked to another user")]
    LinkedToAnother,
    #[error("The identity is not to be linked")]
    Declined,
    #[error("Identity doesn't exist")]
    NotFound,
    #[error("identity_id must be an UUID")]
    NoUuid,
    #[error("User must have at least 1 identity after unlinking")]
    Last,
    #[error("Unable to unlink identity due to email conflict")]
    EmailConflict,
    #[error("A user with this email address has already been registered")]
    EmailTaken,
    #[error("AAL2 session is required to link or unlink an identity when MFA is enabled.")]
    NeedsAal2,
    #[error("Unverified email with {0}. A confirmation email has been sent to your {0} email")]
    EmailNotConfirmed(String),
}

impl IdentityError {
    pub(super) fn status_and_code(&self) -> (u16, &'static str) {
        match self {
            Self::LinkingDisabled => (404, "manual_linking_disabled"),
            Self::TargetGone => (422, "user_not_found"),
            Self::AlreadyLinked | Self::LinkedToAnother => (422, "identity_already_exists"),
            Self::Declined => (403, "identity_linking_declined"),
            Self::NotFound => (422, "identity_not_found"),
            Self::NoUuid => (404, "validation_failed"),
            Self::Last => (422, "single_identity_not_deletable"),
            Self::EmailConflict => (422, "email_conflict_identity_not_deletable"),
            Self::NeedsAal2 => (401, "insufficient_aal"),
            Self::EmailTaken => (400, "email_exists"),
            Self::EmailNotConfirmed(_) => (422, "email_not_confirmed"),
        }
    }
}
