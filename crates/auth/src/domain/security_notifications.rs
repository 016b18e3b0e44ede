//! Notices of changes that were made (CONTRACT.md M36): off unless the project switches them on.

use crate::{
    domain::mail_dispatch,
    mails::{EmailMessage, Kind, NoticeDetails},
    store::users::User,
    tx::Tx,
    wire::error::AuthError,
};

/// Queues a notice to the user's present or former address, in the caller's transaction. Does
/// nothing if the notice is off or there is no address.
///
/// # Errors
/// As [`mail_dispatch::post`].
pub(crate) async fn send(
    tx: &mut Tx<'_>,
    user: &User,
    kind: Kind,
    details: NoticeDetails<'_>,
) -> Result<(), AuthError> {
    let own = user.email.as_deref().unwrap_or_default();
    let to = if details.old_email.is_empty() { own } else { details.old_email };
    if to.is_empty() || !tx.service.settings.notifications.contains_key(kind.name()) {
        return Ok(());
    }
    let email_message = EmailMessage {
        kind,
        user,
        to,
        new_email: None,
        digits: "",
        link_token: "",
        redirect_to: "",
        languages: tx.context.languages.as_deref(),
        expires_at: None,
        details,
    };
    mail_dispatch::post(tx, &email_message).await
}
