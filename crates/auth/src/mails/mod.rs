//! Mails and their templates (auth.md section 9.1). A project gives its own by `[auth.email.template.<name>]`; a template
//! that shows only `{{ .Token }}` makes a mail without a link (auth.md M41).

/// The part of Go's template language that mails use.
mod template;

/// The words of a page of HTML.
mod plain_text;

use banyan_config::Auth;
use banyan_mail::{Draft, Message};
use serde_json::{Value, json};
use time::OffsetDateTime;

use crate::{error::AuthError, store::users::User};

/// Longest subject that is sent.
const LONGEST_SUBJECT: usize = 200;

/// What a mail is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Confirmation,
    MagicLink,
    EmailChange,
}

impl Kind {
    /// Name of its template in config.toml.
    fn name(self) -> &'static str {
        match self {
            Self::Confirmation => "confirmation",
            Self::MagicLink => "magic_link",
            Self::EmailChange => "email_change",
        }
    }

    /// `type` of its link.
    fn link_type(self) -> &'static str {
        match self {
            Self::Confirmation => "signup",
            Self::MagicLink => "magiclink",
            Self::EmailChange => "email_change",
        }
    }

    /// Name of the flow that it begins (auth.md T14).
    pub(crate) fn authentication_method(self) -> &'static str {
        match self {
            Self::Confirmation => "email/signup",
            Self::MagicLink => "magiclink",
            Self::EmailChange => "email_change",
        }
    }

    fn built_in(self) -> (&'static str, &'static str) {
        match self {
            Self::Confirmation => {
                ("{{ .Token }} is your confirmation code", include_str!("built_in/confirmation.html"))
            }
            Self::MagicLink => {
                ("{{ .Token }} is your sign-in code", include_str!("built_in/magic_link.html"))
            }
            Self::EmailChange => (
                "{{ .Token }} is your code to change the e-mail address",
                include_str!("built_in/email_change.html"),
            ),
        }
    }
}

/// One mail to be written.
pub(crate) struct Letter<'a> {
    pub(crate) kind: Kind,
    pub(crate) user: &'a User,
    pub(crate) to: &'a str,
    pub(crate) new_email: Option<&'a str>,
    pub(crate) digits: &'a str,
    pub(crate) link_token: &'a str,
    pub(crate) redirect_to: &'a str,
    pub(crate) expires_at: OffsetDateTime,
}

/// The project's templates, else the built-in ones.
pub(crate) struct Mails {
    templates: Vec<(Kind, String, String)>,
}

impl Mails {
    pub(crate) fn new(settings: &Auth) -> Self {
        let of = |kind: Kind| {
            let (subject, content) = kind.built_in();
            let own = settings.templates.get(kind.name());
            let subject = own.and_then(|own| own.subject.clone()).unwrap_or_else(|| subject.to_owned());
            let content = own.and_then(|own| own.content.clone()).unwrap_or_else(|| content.to_owned());
            (kind, subject, content)
        };
        Self { templates: [Kind::Confirmation, Kind::MagicLink, Kind::EmailChange].map(of).into() }
    }

    /// Writes a mail: HTML from the template, and its words as plain text, so that a code can be read anywhere.
    ///
    /// # Errors
    /// [`AuthError::Template`] when the project's template is wrong; 500 on the wire, the text in the log.
    pub(crate) fn write(&self, settings: &Auth, letter: &Letter<'_>) -> Result<Message, AuthError> {
        let (_, subject, content) = self
            .templates
            .iter()
            .find(|(kind, ..)| *kind == letter.kind)
            .expect("there is a template for each kind");
        let data = data(settings, letter);
        let wrong = |problem| AuthError::Template(format!("{}: {problem}", letter.kind.name()));
        let subject = template::render(subject, &data, template::Escape::None).map_err(wrong)?;
        let html = template::render(content, &data, template::Escape::Html).map_err(wrong)?;
        let subject = subject.chars().filter(|c| !c.is_control()).take(LONGEST_SUBJECT).collect();
        Ok(Message::check(Draft {
            to: vec![letter.to.to_owned()],
            subject,
            text: Some(plain_text::of_html(&html)),
            html: Some(html),
            expires_at: Some(letter.expires_at),
            ..Draft::default()
        })?)
    }
}

/// The variables of auth.md M37 and M34.
fn data(settings: &Auth, letter: &Letter<'_>) -> Value {
    let metadata =
        letter.user.raw_user_meta_data.clone().filter(Value::is_object).unwrap_or_else(|| json!({}));
    let email = letter.user.email.as_deref().unwrap_or_default();
    json!({
        "SiteURL": settings.site_url,
        "ConfirmationURL": link(settings, letter),
        "Email": email,
        "Token": letter.digits,
        "TokenHash": letter.link_token,
        "Data": metadata,
        "RedirectTo": letter.redirect_to,
        "NewEmail": letter.new_email.unwrap_or_default(),
        "OldEmail": email,
        "SendingTo": letter.to,
    })
}

fn link(settings: &Auth, letter: &Letter<'_>) -> String {
    let query = url::form_urlencoded::Serializer::new(String::new())
        .append_pair("token", letter.link_token)
        .append_pair("type", letter.kind.link_type())
        .append_pair("redirect_to", letter.redirect_to)
        .finish();
    format!("{}/verify?{query}", settings.external_url)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn s151_the_products_mails_begin_with_the_code_in_plain_text() {
        let data = json!({"Token": "012345", "Email": "asha@example.com", "SiteURL": "https://example.com"});
        for content in [
            include_str!("../../../../supabase/templates/magic_link.html"),
            include_str!("../../../../supabase/templates/confirmation.html"),
        ] {
            let html = template::render(content, &data, template::Escape::Html).unwrap();
            let text = plain_text::of_html(&html);
            assert!(text.starts_with("012345 is your sign-in code\n"), "{text}");
            assert!(!html.contains("/verify"), "D31: codes only");
            assert!(text.ends_with("Sent to asha@example.com by https://example.com"), "{text}");
        }
    }
}
