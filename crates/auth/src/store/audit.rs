use serde_json::json;
use sqlx::PgConnection;
use uuid::Uuid;

use crate::{request::Context, store::users::User};

/// What happened, in the reference's words (auth.md L2).
#[derive(Debug, Clone, Copy)]
pub(crate) enum Action {
    Login,
    Logout,
    UserSignedUp,
    UserInvited,
    UserConfirmationRequested,
    UserRecoveryRequested,
    UserReauthenticateRequested,
    UserRepeatedSignUp,
    UserUpdatedPassword,
    UserModified,
    UserDeleted,
    TokenRefreshed,
    TokenRevoked,
}

impl Action {
    fn words(self) -> (&'static str, &'static str) {
        match self {
            Self::Login => ("login", "account"),
            Self::Logout => ("logout", "account"),
            Self::UserSignedUp => ("user_signedup", "team"),
            Self::UserInvited => ("user_invited", "team"),
            Self::UserReauthenticateRequested => ("user_reauthenticate_requested", "user"),
            Self::UserRepeatedSignUp => ("user_repeated_signup", "user"),
            Self::UserUpdatedPassword => ("user_updated_password", "user"),
            Self::UserConfirmationRequested => ("user_confirmation_requested", "user"),
            Self::UserRecoveryRequested => ("user_recovery_requested", "user"),
            Self::UserModified => ("user_modified", "user"),
            Self::UserDeleted => ("user_deleted", "team"),
            Self::TokenRefreshed => ("token_refreshed", "token"),
            Self::TokenRevoked => ("token_revoked", "token"),
        }
    }
}

pub(crate) async fn add(
    db: &mut PgConnection,
    id: Uuid,
    action: Action,
    user: &User,
    context: &Context,
) -> Result<(), sqlx::Error> {
    let (action, log_type) = action.words();
    let name = user.phone.as_deref().filter(|phone| !phone.is_empty()).or(user.email.as_deref());
    let payload = json!({
        "actor_id": user.id,
        "actor_via_sso": false,
        "actor_username": name.unwrap_or_default(),
        "action": action,
        "log_type": log_type,
    });
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
