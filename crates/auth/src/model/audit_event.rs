//! What users do, as the audit log names it.

use uuid::Uuid;

/// What happened, in the reference's words (CONTRACT.md L2).
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
    pub(crate) fn words(self) -> (&'static str, &'static str) {
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

/// What a user did.
#[derive(Debug, Clone, Copy)]
pub(crate) struct AuditEvent {
    /// Id of the entry in the table.
    pub(crate) id: Uuid,
    pub(crate) action: Action,
    pub(crate) user: Uuid,
}

/// A line of the log. It is written after the commit, so what is rolled back leaves no line. If
/// nobody heard the end of the commit, the line is written.
#[derive(Debug, Clone, Copy)]
pub(crate) enum LogLine {
    Audit(AuditEvent),
    /// An account lost its password at the first proof of its address
    /// ([`crate::domain::ownership_proof`]). The owner gets no message about it. The project can
    /// offer a password reset.
    PasswordDropped(Uuid),
}

impl LogLine {
    pub(crate) fn write(self) {
        match self {
            Self::Audit(note) => log(note.action, note.user),
            Self::PasswordDropped(user) => tracing::warn!(
                user.id = %user,
                "a password was dropped at the first proof of its address, since somebody else may have set it: offer a reset"
            ),
        }
    }
}

/// Writes what a user did into the log.
pub(crate) fn log(action: Action, user: Uuid) {
    let (action, log_type) = action.words();
    tracing::info!(audit.action = action, audit.log_type = log_type, user.id = %user, "audit");
}
