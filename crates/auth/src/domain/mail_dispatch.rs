//! Sends mails: into the queue, or by the hook.

use std::borrow::Cow;

use banyan_config::Auth;
use banyan_mail::Message;
use serde_json::{Value, json};

use crate::{
    context::ServiceContext,
    domain::accounts,
    hooks,
    mails::EmailMessage,
    model::after_commit::HookPurpose,
    tx::Tx,
    wire::{error::AuthError, request::RequestContext},
};

/// Writes a mail and queues it in the caller's transaction. It is sent after the commit, or never
/// (CONTRACT.md M22).
///
/// # Errors
/// As [`crate::mails::Mails::write`].
pub(crate) async fn post(tx: &mut Tx<'_>, email_message: &EmailMessage<'_>) -> Result<(), AuthError> {
    if tx.service.settings.hooks.send_email.is_some() {
        let data = email_data(&tx.service.settings, email_message);
        return post_by_hook(tx, email_message, &data).await;
    }
    let message = written(tx.service, email_message, tx.context)?;
    tx.service.mail.enqueue(&mut *tx.db, &message, tx.context.now).await?;
    tx.context.after_commit.mail_queued();
    Ok(())
}

/// A mail as it is sent.
///
/// # Errors
/// As [`crate::mails::Mails::write`].
pub(crate) fn written(
    service: &ServiceContext,
    email_message: &EmailMessage<'_>,
    context: &RequestContext,
) -> Result<Message, AuthError> {
    service.mails.write(&service.settings, email_message, &base(&service.settings, context))
}

/// Lets the hook send a mail, and passes it `data`.
///
/// # Errors
/// As [`hooks::send_email`].
pub(crate) async fn post_by_hook(
    tx: &mut Tx<'_>,
    email_message: &EmailMessage<'_>,
    data: &Value,
) -> Result<(), AuthError> {
    let purpose = if email_message.kind.is_notice() {
        HookPurpose::Notice
    } else {
        HookPurpose::Code(email_message.user.id)
    };
    let user = serde_json::to_value(accounts::show(&mut *tx.db, email_message.user.clone()).await?)
        .unwrap_or_default();
    hooks::send_email(tx, &user, data, purpose).await.map(drop)
}

/// The input of the hook that sends mails (CONTRACT.md HK8).
pub(crate) fn email_data(settings: &Auth, email_message: &EmailMessage<'_>) -> Value {
    let action = match email_message.kind.link_type() {
        "" => email_message.kind.message_type(),
        link_type => link_type.to_owned(),
    };
    json!({
        "token": email_message.digits,
        "token_hash": email_message.link_token,
        "redirect_to": email_message.redirect_to,
        "email_action_type": action,
        "site_url": settings.external_url,
        "token_new": "",
        "token_hash_new": "",
        "old_email": email_message.details.old_email,
        "old_phone": email_message.details.old_phone,
        "provider": email_message.details.provider,
        "factor_type": email_message.details.factor_type,
    })
}

/// The start of links in mails: the service's public address, with the host of the request if the
/// project lists it (CONTRACT.md W12).
fn base<'a>(settings: &'a Auth, context: &RequestContext) -> Cow<'a, str> {
    let own = Cow::Borrowed(settings.external_url.as_str());
    let Some(host) = context.forwarded_host.as_ref().filter(|host| settings.mail_hosts.contains(host)) else {
        return own;
    };
    match url::Url::parse(&own) {
        Ok(url) => format!("{}://{host}{}", url.scheme(), url.path().trim_end_matches('/')).into(),
        Err(_) => own,
    }
}
