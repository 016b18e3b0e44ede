//! Notices of changes that were made (CONTRACT.md M36): off unless the project switches them on.

use sqlx::PgConnection;

use crate::{
    error::AuthError,
    mails::{Kind, Letter, News},
    outbox,
    request::Context,
    state::Inner,
    store::users::User,
};

/// Queues a notice to the user's address, or to the address that the account had before, in the caller's transaction.
/// Does nothing when the notice is off or nobody can be told.
///
/// # Errors
/// As [`outbox::post`].
pub(crate) async fn send(
    inner: &Inner,
    db: &mut PgConnection,
    context: &Context,
    user: &User,
    kind: Kind,
    news: News<'_>,
) -> Result<(), AuthError> {
    let own = user.email.as_deref().unwrap_or_default();
    let to = if news.old_email.is_empty() { own } else { news.old_email };
    if to.is_empty() || !inner.settings.notifications.contains_key(kind.name()) {
        return Ok(());
    }
    let letter = Letter {
        kind,
        user,
        to,
        new_email: None,
        digits: "",
        link_token: "",
        redirect_to: "",
        languages: context.languages.as_deref(),
        expires_at: None,
        news,
    };
    outbox::post(inner, db, &letter, context).await
}
