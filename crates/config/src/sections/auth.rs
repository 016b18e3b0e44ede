//! `[auth]`: what the auth service allows, sends and signs.

use std::{collections::BTreeMap, path::Path, time::Duration};

use super::mail::Smtp;
use crate::{
    ConfigError,
    raw::{RawAuth, RawEmail, RawTemplate},
};

/// What the auth service allows, sends and signs.
#[derive(Debug, Clone)]
pub struct Auth {
    /// Where links in mails lead by default.
    pub site_url: String,
    /// Public base of the service: `<api>/auth/v1`.
    pub external_url: String,
    /// Redirect targets allowed besides `site_url`; globs.
    pub redirect_urls: Vec<String>,
    /// Issuer written into tokens.
    pub jwt_issuer: String,
    /// Life of an access token.
    pub jwt_expiry: Duration,
    /// Whether a used refresh token is replaced.
    pub refresh_token_rotation: bool,
    /// Time in which a used refresh token may be presented again without revoking its family.
    pub refresh_token_reuse_interval: Duration,
    /// Whether anybody may sign up.
    pub enable_signup: bool,
    /// Whether e-mail sign-in is on.
    pub email_enabled: bool,
    /// Whether a new address must be confirmed before its account counts.
    pub confirm_email: bool,
    /// Whether the old address must agree to its change.
    pub double_confirm_changes: bool,
    /// Length and life of one-time codes.
    pub otp: OtpLimits,
    /// Rates.
    pub rate_limits: RateLimits,
    /// Server for outgoing mail; none means the local inbox.
    pub smtp: Option<Smtp>,
    /// Templates by name (`magic_link`, `confirmation`, …).
    pub templates: BTreeMap<String, EmailTemplate>,
    /// Names of the providers that are switched on, such as `google`.
    pub providers: Vec<String>,
}

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

/// `[auth.rate_limit]`.
#[derive(Debug, Clone, Copy)]
pub struct RateLimits {
    /// Mails an hour, for the whole project.
    pub email_sent: u32,
    /// Refreshes in five minutes for each address.
    pub token_refresh: u32,
    /// Sign-ins and sign-ups in five minutes for each address.
    pub sign_in_sign_ups: u32,
    /// Code checks in five minutes for each address.
    pub token_verifications: u32,
}

/// `[auth.email.template.<name>]`.
#[derive(Debug, Clone)]
pub struct EmailTemplate {
    /// Subject line, a template itself.
    pub subject: Option<String>,
    /// HTML body, already read from `content_path`.
    pub content: Option<String>,
}

impl Auth {
    /// `project` is the folder that holds `supabase/`: template paths are relative to it.
    pub(crate) fn check(raw: RawAuth, api_url: &str, project: &Path) -> Result<Self, ConfigError> {
        let smtp = raw.email.smtp.clone().map(Smtp::check).transpose()?.flatten();
        let external_url = raw.external_url.unwrap_or_else(|| format!("{api_url}/auth/v1"));
        Ok(Self {
            site_url: raw.site_url.trim_end_matches('/').to_owned(),
            jwt_issuer: raw.jwt_issuer.unwrap_or_else(|| external_url.clone()),
            external_url,
            redirect_urls: raw.additional_redirect_urls,
            jwt_expiry: Duration::from_secs(raw.jwt_expiry),
            refresh_token_rotation: raw.enable_refresh_token_rotation,
            refresh_token_reuse_interval: Duration::from_secs(raw.refresh_token_reuse_interval),
            enable_signup: raw.enable_signup,
            email_enabled: raw.email.enabled,
            confirm_email: raw.email.enable_confirmations,
            double_confirm_changes: raw.email.double_confirm_changes,
            otp: otp(&raw.email)?,
            rate_limits: RateLimits {
                // The reference's 2 an hour protects its shared mail server; the local inbox needs none.
                email_sent: raw
                    .rate_limit
                    .email_sent
                    .filter(|_| smtp.is_some())
                    .unwrap_or(if smtp.is_some() { 2 } else { 360_000 }),
                token_refresh: raw.rate_limit.token_refresh,
                sign_in_sign_ups: raw.rate_limit.sign_in_sign_ups,
                token_verifications: raw.rate_limit.token_verifications,
            },
            smtp,
            templates: templates(raw.email.template, project)?,
            providers: raw.external.into_iter().filter(|(_, p)| p.enabled).map(|(name, _)| name).collect(),
        })
    }
}

fn otp(raw: &RawEmail) -> Result<OtpLimits, ConfigError> {
    if !(6..=10).contains(&raw.otp_length) {
        return Err(ConfigError::value("auth.email.otp_length", "must be from 6 to 10"));
    }
    if !(1..=86_400).contains(&raw.otp_expiry) {
        return Err(ConfigError::value("auth.email.otp_expiry", "must be from 1 to 86400 seconds"));
    }
    Ok(OtpLimits {
        length: raw.otp_length,
        expiry: Duration::from_secs(raw.otp_expiry),
        max_frequency: super::duration("auth.email.max_frequency", &raw.max_frequency)?,
    })
}

fn templates(
    raw: BTreeMap<String, RawTemplate>,
    project: &Path,
) -> Result<BTreeMap<String, EmailTemplate>, ConfigError> {
    let read = |path: String| {
        let path = project.join(path);
        std::fs::read_to_string(&path).map_err(|source| ConfigError::Read { path, source })
    };
    raw.into_iter()
        .map(|(name, template)| {
            let content = template.content_path.map(read).transpose()?;
            Ok((name, EmailTemplate { subject: template.subject, content }))
        })
        .collect()
}
