//! Mails and their templates (CONTRACT.md M30 to M41). A project gives its own by
//! `[auth.email.template.<name>]`; a template that shows only `{{ .Token }}` makes a mail without a
//! link (CONTRACT.md M41).

/// The part of Go's template language that mails use.
mod template;

/// The words of a page of HTML.
mod plain_text;

/// What mails are about.
mod kind;

/// Languages of the reader.
mod locale;

/// What in the project's templates looks like a mistake.
mod template_warnings;

use std::sync::Arc;

use banyan_config::{Auth, EmailTemplate};
use banyan_mail::{Draft, Message};
use serde_json::{Value, json};
use time::OffsetDateTime;

pub(crate) use kind::Kind;
pub use template_warnings::template_warnings;

use self::template::{Escape, Parsed};
use crate::{store::users::User, wire::error::AuthError};

/// Longest subject that is sent.
const LONGEST_SUBJECT: usize = 200;

/// One mail to be written.
pub(crate) struct EmailMessage<'a> {
    pub(crate) kind: Kind,
    pub(crate) user: &'a User,
    pub(crate) to: &'a str,
    pub(crate) new_email: Option<&'a str>,
    /// Empty in notices, as the next.
    pub(crate) digits: &'a str,
    pub(crate) link_token: &'a str,
    pub(crate) redirect_to: &'a str,
    /// `Accept-Language` of the request.
    pub(crate) languages: Option<&'a str>,
    pub(crate) expires_at: Option<OffsetDateTime>,
    pub(crate) details: NoticeDetails<'a>,
}

/// What a notice tells besides (CONTRACT.md M36); empty where it does not apply.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct NoticeDetails<'a> {
    pub(crate) old_email: &'a str,
    pub(crate) old_phone: &'a str,
    /// Name of a provider such as `google`.
    pub(crate) provider: &'a str,
    /// Such as `totp`.
    pub(crate) factor_type: &'a str,
}

/// Templates of the project's mails that cannot be read: a line for each, with its dotted key of
/// config.toml or banyan.toml.
#[derive(Debug, thiserror::Error)]
#[error("{}", .0.join("\n"))]
pub struct TemplateError(Vec<String>);

/// The project's templates, else the built-in ones.
pub(crate) struct Mails {
    templates: Vec<Template>,
}

/// A template in the languages that it is there in.
struct Template {
    kind: Kind,
    general: Text,
    by_locale: Vec<(String, Text)>,
}

struct Text {
    subject: Arc<Parsed>,
    content: Arc<Parsed>,
}

impl Text {
    fn built_in(kind: Kind) -> Self {
        let read = |text| Arc::new(Parsed::of(text).expect("the built-in templates can be read"));
        let (subject, content) = kind.built_in();
        Self { subject: read(subject), content: read(content) }
    }

    /// The project's words of a section, and the present ones where it gives none, or some that are
    /// among the faults.
    fn with(&self, section: &str, own: Option<&EmailTemplate>, faults: &mut Vec<String>) -> Self {
        let mut or = |name: &str, text: Option<&String>, present: &Arc<Parsed>| {
            let read = text.map(|text| Parsed::of(text)).transpose().unwrap_or_else(|problem| {
                faults.push(format!("{section}.{name}: this template cannot be used: {problem}"));
                None
            });
            read.map_or_else(|| Arc::clone(present), Arc::new)
        };
        Self {
            subject: or("subject", own.and_then(|own| own.subject.as_ref()), &self.subject),
            content: or("content_path", own.and_then(|own| own.content.as_ref()), &self.content),
        }
    }
}

/// Where config.toml has the texts of a mail.
fn key(kind: Kind) -> String {
    let section = if kind.is_notice() { "notification" } else { "template" };
    format!("auth.email.{section}.{}", kind.name())
}

impl Template {
    fn new(settings: &Auth, kind: Kind, faults: &mut Vec<String>) -> Self {
        let name = kind.name();
        let own = if kind.is_notice() { &settings.notifications } else { &settings.templates };
        let general = Text::built_in(kind).with(&key(kind), own.get(name), faults);
        let locales = settings.localized_templates.get(name).into_iter().flatten();
        let by_locale = locales
            .map(|(locale, own)| {
                let text = general.with(&format!("auth.email.template.{name}.{locale}"), Some(own), faults);
                (locale.replace('_', "-").to_ascii_lowercase(), text)
            })
            .collect();
        Self { kind, general, by_locale }
    }

    /// The text in the first language of the reader that it is there in (CONTRACT.md M39).
    fn text(&self, email_message: &EmailMessage<'_>) -> &Text {
        if self.by_locale.is_empty() {
            return &self.general;
        }
        let locales = locale::locales_of_reader(
            email_message.user.raw_user_meta_data.as_ref(),
            email_message.languages,
        );
        let find = |language: &String| self.by_locale.iter().find(|(locale, _)| locale == language);
        locales.iter().find_map(find).map_or(&self.general, |(_, text)| text)
    }
}

impl Mails {
    /// Reads all templates, so that a wrong one is told before anybody asks for a mail.
    ///
    /// # Errors
    /// All that cannot be read.
    pub(crate) fn new(settings: &Auth) -> Result<Self, TemplateError> {
        let mut faults = Vec::new();
        let templates =
            Kind::ALL.into_iter().map(|kind| Template::new(settings, kind, &mut faults)).collect();
        if faults.is_empty() { Ok(Self { templates }) } else { Err(TemplateError(faults)) }
    }

    /// Writes a mail whose links begin with `base`: HTML from the template, and its words as plain
    /// text, so that a code can be read anywhere.
    ///
    /// # Errors
    /// [`AuthError::Mail`] when what the template gives is no mail; 500 on the wire, the text in
    /// the log.
    pub(crate) fn write(
        &self,
        settings: &Auth,
        email_message: &EmailMessage<'_>,
        base: &str,
    ) -> Result<Message, AuthError> {
        let template = self
            .templates
            .iter()
            .find(|template| template.kind == email_message.kind)
            .expect("there is a template for each kind");
        let Text { subject, content } = template.text(email_message);
        let data = data(settings, email_message, base);
        let html = content.render(&data, Escape::Html);
        let subject = subject.render(&data, Escape::None);
        let subject = subject.chars().filter(|c| !c.is_control()).take(LONGEST_SUBJECT).collect();
        Ok(Message::check(Draft {
            to: vec![email_message.to.to_owned()],
            subject,
            text: Some(plain_text::of_html(&html)),
            html: Some(html),
            headers: headers(settings, email_message.kind),
            expires_at: email_message.expires_at,
            ..Draft::default()
        })?)
    }
}

/// Headers that the project adds to its mails (CONTRACT.md M40).
fn headers(settings: &Auth, kind: Kind) -> Vec<(String, String)> {
    let of = |(name, values): (&String, &Vec<String>)| -> Vec<(String, String)> {
        let written = |value: &String| value.replace("$messageType", &kind.message_type());
        values.iter().map(|value| (name.clone(), written(value))).collect()
    };
    settings.mail_headers.iter().flat_map(of).collect()
}

/// The variables of CONTRACT.md M34 to M37, as [`data`] gives them; [`Kind::carries`] says which
/// they mean something in.
const VARIABLES: [&str; 14] = [
    "SiteURL",
    "ConfirmationURL",
    "Email",
    "Token",
    "TokenHash",
    "Data",
    "RedirectTo",
    "NewEmail",
    "OldEmail",
    "SendingTo",
    "Phone",
    "OldPhone",
    "Provider",
    "FactorType",
];

fn data(settings: &Auth, email_message: &EmailMessage<'_>, base: &str) -> Value {
    let metadata =
        email_message.user.raw_user_meta_data.clone().filter(Value::is_object).unwrap_or_else(|| json!({}));
    let email = email_message.user.email.as_deref().unwrap_or_default();
    let old_email =
        if email_message.details.old_email.is_empty() { email } else { email_message.details.old_email };
    json!({
        "SiteURL": settings.site_url,
        "ConfirmationURL": link(base, email_message.kind.link_type(), email_message.link_token, email_message.redirect_to),
        "Email": email,
        "Token": email_message.digits,
        "TokenHash": email_message.link_token,
        "Data": metadata,
        "RedirectTo": email_message.redirect_to,
        "NewEmail": email_message.new_email.unwrap_or_default(),
        "OldEmail": old_email,
        "SendingTo": email_message.to,
        "Phone": email_message.user.phone.as_deref().unwrap_or_default(),
        "OldPhone": email_message.details.old_phone,
        "Provider": email_message.details.provider,
        "FactorType": email_message.details.factor_type,
    })
}

/// The address behind a link of a mail (CONTRACT.md M21).
pub(crate) fn link(base: &str, link_type: &str, token: &str, redirect_to: &str) -> String {
    let query = url::form_urlencoded::Serializer::new(String::new())
        .append_pair("token", token)
        .append_pair("type", link_type)
        .append_pair("redirect_to", redirect_to)
        .finish();
    format!("{base}/verify?{query}")
}

#[cfg(test)]
mod tests {
    use super::*;

    // rows: M37
    #[test]
    fn the_list_of_variables_is_what_mails_are_given() {
        let user = User::default();
        let email_message = EmailMessage {
            kind: Kind::MagicLink,
            user: &user,
            to: "",
            new_email: None,
            digits: "",
            link_token: "",
            redirect_to: "",
            languages: None,
            expires_at: None,
            details: NoticeDetails::default(),
        };
        let given = data(&banyan_testkit::config().auth, &email_message, "");
        let given: std::collections::BTreeSet<&str> =
            given.as_object().unwrap().keys().map(String::as_str).collect();
        assert_eq!(given, VARIABLES.into_iter().collect());
        assert!(VARIABLES.iter().all(|name| Kind::ALL.iter().any(|kind| kind.carries(name))));
    }

    // rows: app/S-151
    #[test]
    fn the_products_mails_begin_with_the_code_in_plain_text() {
        let data = json!({"Token": "012345", "Email": "asha@example.com", "SiteURL": "https://example.com"});
        for content in [
            include_str!("../../../../supabase/templates/magic_link.html"),
            include_str!("../../../../supabase/templates/confirmation.html"),
        ] {
            let html = Parsed::of(content).unwrap().render(&data, Escape::Html);
            let text = plain_text::of_html(&html);
            assert!(text.starts_with("012345 is your sign-in code\n"), "{text}");
            assert!(!html.contains("/verify"), "D31: codes only");
            assert!(text.ends_with("Sent to asha@example.com by https://example.com"), "{text}");
        }
    }
}
