//! Codes, templates and notices by mail.

use std::{collections::BTreeMap, path::Path, time::Duration};

use super::Words;
use crate::{
    ConfigError,
    error::every,
    nearest,
    paths::join,
    raw::{RawBanyanEmail, RawEmail, RawNotification, RawTemplate},
};

/// Length and life of one-time codes.
#[derive(Debug, Clone, Copy)]
pub struct OtpLimits {
    /// Digits of a code, 6 to 10.
    pub length: u8,
    /// Time until it stops working.
    pub expiry: Duration,
    /// Shortest time between two mails to one address.
    pub max_frequency: Duration,
}

/// `[auth.email.template.<name>]` or `[auth.email.notification.<name>]`.
#[derive(Debug, Clone, Default)]
pub struct EmailTemplate {
    /// Subject line, a template itself.
    pub subject: Option<String>,
    /// HTML body, already read from `content_path`.
    pub content: Option<String>,
}

/// Mails that carry a code or a link, and so have a `[auth.email.template.<name>]`.
const MAILS: [&str; 6] =
    ["confirmation", "magic_link", "recovery", "invite", "email_change", "reauthentication"];
/// Mails that tell of a change, each with a `[auth.email.notification.<name>]`.
const NOTICES: [&str; 7] = [
    "password_changed",
    "email_changed",
    "phone_changed",
    "identity_linked",
    "identity_unlinked",
    "mfa_factor_enrolled",
    "mfa_factor_unenrolled",
];

/// Sections of mails that nobody sends.
pub(super) fn unknown(raw: &RawEmail, ours: &RawBanyanEmail) -> Vec<ConfigError> {
    let all: Vec<&str> = MAILS.iter().chain(&NOTICES).copied().collect();
    let mut errors = among("template", "mail with a template", raw.template.keys(), &MAILS);
    errors.extend(among("notification", "notice", raw.notification.keys(), &NOTICES));
    errors.extend(among("template", "mail", ours.template.keys(), &all));
    errors
}

/// The names of a section that are none of a closed set.
fn among<'a>(
    section: &str,
    kind: &str,
    names: impl Iterator<Item = &'a String>,
    all: &[&str],
) -> Vec<ConfigError> {
    let unknown = names.filter(|name| !all.contains(&name.as_str()));
    let wrong = unknown.map(|name| {
        let place = format!("auth.email.{section}.{name}");
        ConfigError::no_such(&place, kind, nearest(name, all.iter().copied()), all.iter().copied())
    });
    wrong.collect()
}

/// Reads template files below the project's folder.
pub(super) struct Files<'a>(pub(super) &'a Path);

pub(super) fn otp(raw: &RawEmail) -> Result<OtpLimits, ConfigError> {
    if !(6..=10).contains(&raw.otp_length) {
        return Err(ConfigError::value("auth.email.otp_length", "must be from 6 to 10"));
    }
    if !(1..=86_400).contains(&raw.otp_expiry) {
        return Err(ConfigError::value("auth.email.otp_expiry", "must be from 1 to 86400 seconds"));
    }
    Ok(OtpLimits {
        length: raw.otp_length,
        expiry: Duration::from_secs(raw.otp_expiry),
        max_frequency: super::super::duration("auth.email.max_frequency", &raw.max_frequency)?,
    })
}

/// `GOTRUE_SMTP_HEADERS`: a JSON object of texts or lists of texts (auth/CONTRACT.md M40).
pub(super) fn headers(words: &Words<'_>) -> Result<BTreeMap<String, Vec<String>>, ConfigError> {
    let Some(text) = words.text("SMTP_HEADERS") else { return Ok(BTreeMap::new()) };
    let wrong = |message: String| ConfigError::value("GOTRUE_SMTP_HEADERS", message);
    let headers: BTreeMap<String, Vec<String>> = serde_json::from_str(text)
        .map_err(|error| wrong(format!("is no JSON object of lists of texts: {error}")))?;
    let safe = |text: &str| !text.is_empty() && !text.contains(|c: char| c.is_control());
    match headers.iter().find(|(name, values)| !safe(name) || !values.iter().all(|value| safe(value))) {
        Some((name, _)) => Err(wrong(format!("`{name}` holds a line break or nothing"))),
        None => Ok(headers),
    }
}

impl Files<'_> {
    pub(super) fn templates(
        &self,
        raw: BTreeMap<String, RawTemplate>,
    ) -> Result<BTreeMap<String, EmailTemplate>, ConfigError> {
        self.of_section("auth.email.template", raw)
    }

    fn of_section(
        &self,
        section: &str,
        raw: BTreeMap<String, RawTemplate>,
    ) -> Result<BTreeMap<String, EmailTemplate>, ConfigError> {
        every(raw.into_iter().map(|(name, template)| {
            let template = self.template(&format!("{section}.{name}"), template)?;
            Ok((name, template))
        }))
    }

    /// By name, then by locale.
    pub(super) fn localized(
        &self,
        raw: BTreeMap<String, BTreeMap<String, RawTemplate>>,
    ) -> Result<BTreeMap<String, BTreeMap<String, EmailTemplate>>, ConfigError> {
        every(raw.into_iter().map(|(name, locales)| {
            let locales = self.of_section(&format!("auth.email.template.{name}"), locales)?;
            Ok((name, locales))
        }))
    }

    /// The notices that are on.
    pub(super) fn notifications(
        &self,
        raw: BTreeMap<String, RawNotification>,
    ) -> Result<BTreeMap<String, EmailTemplate>, ConfigError> {
        let on = raw.into_iter().filter(|(_, notice)| notice.enabled);
        let on = on.map(|(name, RawNotification { subject, content_path, .. })| {
            (name, RawTemplate { subject, content_path })
        });
        self.of_section("auth.email.notification", on.collect())
    }

    fn template(&self, key: &str, raw: RawTemplate) -> Result<EmailTemplate, ConfigError> {
        let read = |path: String| {
            let path = join(self.0, path);
            crate::text_file::read(&path).map_err(|error| {
                let what = format!(
                    "cannot read {}: {error}. The path begins at the project's folder, such as \"./supabase/templates/mail.html\"",
                    path.display()
                );
                ConfigError::value(&format!("{key}.content_path"), what)
            })
        };
        Ok(EmailTemplate { subject: raw.subject, content: raw.content_path.map(read).transpose()? })
    }
}
