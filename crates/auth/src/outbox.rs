//! Mails on their way: into the queue, or to the hook that sends them.

use std::borrow::Cow;

use banyan_config::Auth;
use banyan_mail::Message;
use serde_json::{Value, json};
use sqlx::PgConnection;

use crate::{
    accounts, errands::Matter, error::AuthError, hooks, mails::Letter, request::Context, state::Inner,
};

/// Writes a mail and queues it in the caller's transaction: it goes out after that commits, or not
/// at all (CONTRACT.md M22).
///
/// # Errors
/// As [`crate::mails::Mails::write`].
pub(crate) async fn post(
    inner: &Inner,
    db: &mut PgConnection,
    letter: &Letter<'_>,
    context: &Context,
) -> Result<(), AuthError> {
    if inner.settings.hooks.send_email.is_some() {
        let data = email_data(&inner.settings, letter);
        return post_by_hook(inner, db, context, letter, &data).await;
    }
    let message = written(inner, letter, context)?;
    inner.mail.enqueue(db, &message, context.now).await?;
    context.errands.add_mail();
    Ok(())
}

/// A mail as it goes out.
///
/// # Errors
/// As [`crate::mails::Mails::write`].
pub(crate) fn written(inner: &Inner, letter: &Letter<'_>, context: &Context) -> Result<Message, AuthError> {
    inner.mails.write(&inner.settings, letter, &base(&inner.settings, context))
}

/// Has the hook send a mail, of which it is told `data`.
///
/// # Errors
/// As [`hooks::send_email`].
pub(crate) async fn post_by_hook(
    inner: &Inner,
    db: &mut PgConnection,
    context: &Context,
    letter: &Letter<'_>,
    data: &Value,
) -> Result<(), AuthError> {
    let matter = if letter.kind.is_notice() { Matter::News } else { Matter::Code(letter.user.id) };
    let user = serde_json::to_value(accounts::show(&mut *db, letter.user.clone()).await?).unwrap_or_default();
    hooks::send_email(inner, db, context, (&user, matter), data).await.map(drop)
}

/// What the hook that sends mails is told of one (CONTRACT.md HK8).
pub(crate) fn email_data(settings: &Auth, letter: &Letter<'_>) -> Value {
    let action = match letter.kind.link_type() {
        "" => letter.kind.message_type(),
        link_type => link_type.to_owned(),
    };
    json!({
        "token": letter.digits,
        "token_hash": letter.link_token,
        "redirect_to": letter.redirect_to,
        "email_action_type": action,
        "site_url": settings.external_url,
        "token_new": "",
        "token_hash_new": "",
        "old_email": letter.news.old_email,
        "old_phone": letter.news.old_phone,
        "provider": letter.news.provider,
        "factor_type": letter.news.factor_type,
    })
}

/// What links of a mail begin with: the service's public address, at the host by which the request came where the project
/// lists that (CONTRACT.md W12).
fn base<'a>(settings: &'a Auth, context: &Context) -> Cow<'a, str> {
    let own = Cow::Borrowed(settings.external_url.as_str());
    let Some(host) = context.forwarded_host.as_ref().filter(|host| settings.mail_hosts.contains(host)) else {
        return own;
    };
    match url::Url::parse(&own) {
        Ok(url) => format!("{}://{host}{}", url.scheme(), url.path().trim_end_matches('/')).into(),
        Err(_) => own,
    }
}
