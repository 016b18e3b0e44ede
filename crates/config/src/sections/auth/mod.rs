//! `[auth]`: what the auth service allows, sends and signs.

/// Codes, templates and notices by mail.
pub mod email;

/// What a password must be.
pub mod passwords;

/// How long a session may live.
pub mod sessions;

/// Second factors and passkeys.
pub mod mfa;

/// Where the service asks before it acts.
pub mod hooks;

/// Providers that say who somebody is.
pub mod external;

/// Sign-in by text message.
pub mod sms;

/// Proof that a person asks.
pub mod captcha;

/// How often a client may ask.
pub mod rate_limits;

/// Where a browser may be sent back to.
mod redirects;

use std::{collections::BTreeMap, path::Path, time::Duration};

use self::{
    captcha::Captcha,
    email::{EmailTemplate, Files, OtpLimits},
    external::Provider,
    hooks::Hooks,
    mfa::{Mfa, RelyingParty},
    passwords::Passwords,
    rate_limits::{ClientAddress, RateLimits},
    sessions::SessionLimits,
    sms::Sms,
};
use super::{mail::Smtp, reachability::Reachability};
use crate::{
    ConfigError, Environment,
    env_reference::variable,
    error::together,
    raw::{RawAuth, RawBanyanAuth, shape::switch},
};

/// What the auth service allows, sends and signs.
#[derive(Debug, Clone)]
pub struct Auth {
    /// Whether the gateway answers `/auth/v1`.
    pub enabled: bool,
    /// Where links in mails lead by default.
    pub site_url: String,
    /// Public base of the service: `<api>/auth/v1`.
    pub external_url: String,
    /// Redirect targets allowed besides `site_url`; globs.
    pub redirect_urls: Vec<String>,
    /// Issuer written into tokens.
    pub jwt_issuer: String,
    /// Life of an access token, at most a week.
    pub jwt_expiry: Duration,
    /// Whether a used refresh token is replaced.
    pub refresh_token_rotation: bool,
    /// Time in which a used refresh token may be presented again without revoking its family.
    pub refresh_token_reuse_interval: Duration,
    /// Whether anybody may sign up.
    pub enable_signup: bool,
    /// Whether somebody may sign in without an address (AN1).
    pub enable_anonymous_sign_ins: bool,
    /// Whether a user may add identities by hand (I6, I7).
    pub enable_manual_linking: bool,
    /// Whether e-mail sign-in is on.
    pub email_enabled: bool,
    /// Whether a new address must be confirmed before its account counts.
    pub confirm_email: bool,
    /// Whether the old address must agree to its change.
    pub double_confirm_changes: bool,
    /// Whether `/otp` answers alike for an unknown address (C12, M12).
    pub hide_unknown_users: bool,
    /// Length and life of one-time codes.
    pub otp: OtpLimits,
    /// What a password must be.
    pub passwords: Passwords,
    /// How long a session may live.
    pub sessions: SessionLimits,
    /// Rates.
    pub rate_limits: RateLimits,
    /// How the client's address is known.
    pub client_address: ClientAddress,
    /// Proof that a person asks, where it is on.
    pub captcha: Option<Captcha>,
    /// Server for outgoing mail; none means the local inbox.
    pub smtp: Option<Smtp>,
    /// Domains that no code is mailed to, subdomains included; lower case (M20).
    pub refused_domains: Vec<String>,
    /// Headers added to every mail; `$messageType` stands for the template's name (M40).
    pub mail_headers: BTreeMap<String, Vec<String>>,
    /// Hosts that links in mails may lead to in place of that of `external_url`, where a request
    /// came by them; lower case (W12).
    pub mail_hosts: Vec<String>,
    /// Templates by name (`magic_link`, `confirmation`, …).
    pub templates: BTreeMap<String, EmailTemplate>,
    /// Templates by name, then by locale such as `hi` (M39).
    pub localized_templates: BTreeMap<String, BTreeMap<String, EmailTemplate>>,
    /// Notices that are on, by name (`password_changed`, …; M36).
    pub notifications: BTreeMap<String, EmailTemplate>,
    /// Text messages.
    pub sms: Sms,
    /// Providers that are on, by name such as `google`.
    pub external: BTreeMap<String, Provider>,
    /// Issuers whose id_tokens are accepted beside those of the providers, without a slash at the
    /// end, and our client ids there (auth/CONTRACT.md I2).
    pub id_token_issuers: BTreeMap<String, Vec<String>>,
    /// Whether clients of the OAuth server can be kept; the server itself is not offered
    /// (auth/CONTRACT.md X1).
    pub oauth_clients: bool,
    /// Second factors.
    pub mfa: Mfa,
    /// Whether passkeys sign in.
    pub passkeys_enabled: bool,
    /// Who asks for the signatures of security keys; always there when passkeys are on.
    pub relying_party: Option<RelyingParty>,
    /// Where the service asks before it acts.
    pub hooks: Hooks,
    /// The log of what was done.
    pub audit_log: AuditLog,
    /// Whether what has ended is removed in the background (N1).
    pub cleanup: bool,
    /// Longest time for one request (W10).
    pub max_request_duration: Duration,
}

/// The log of what was done (auth/CONTRACT.md L7).
#[derive(Debug, Clone, Copy)]
pub struct AuditLog {
    /// Whether entries are stored; they are logged in any case.
    pub postgres: bool,
    /// Age at which entries are removed; none means never.
    pub retention: Option<Duration>,
}

/// Makes a section of its fields; those that are tried give their value, or all their errors at
/// once.
macro_rules! checked {
    ($section:ident { tried { $($tried:ident: $result:expr,)+ } $($field:ident: $value:expr,)+ }) => {{
        $(let $tried = $result;)+
        together!($($tried),+);
        Ok($section { $($tried,)+ $($field: $value,)+ })
    }};
}

/// `GOTRUE_…` variables, for what config.toml has no key for.
pub(super) struct Words<'a>(&'a Environment);

impl Auth {
    /// `project` is the folder that holds `supabase/`: template paths are relative to it.
    pub(crate) fn check(
        (raw, ours): (RawAuth, RawBanyanAuth),
        environment: &Environment,
        api_url: &str,
        project: &Path,
        reachability: &Reachability,
    ) -> Result<Self, ConfigError> {
        let (words, files) = (Words(environment), Files(project));
        let smtp = raw
            .email
            .smtp
            .clone()
            .map(|smtp| Smtp::check(smtp, &ours.email.smtp))
            .transpose()
            .map(Option::flatten);
        let has_mail_server = smtp.as_ref().is_ok_and(Option::is_some);
        let external_url = raw.external_url.clone().unwrap_or_else(|| format!("{api_url}/auth/v1"));
        checked!(Self {
            tried {
                smtp: smtp,
                site_url: site_url(&raw.site_url),
                jwt_expiry: jwt_expiry(raw.jwt_expiry),
                otp: email::otp(&raw.email),
                passwords: Passwords::check(&raw, &ours, &words),
                sessions: SessionLimits::check(&raw.sessions, &ours, &words),
                client_address: ClientAddress::check(&ours, &words, reachability),
                mfa: Mfa::check(&raw, &ours),
                audit_log: AuditLog::check(&ours, &words),
                cleanup: words.switch("DB_CLEANUP_ENABLED", ours.cleanup),
                max_request_duration: max_request_duration(&ours, &words),
                captcha: Captcha::check(raw.captcha, ours.captcha),
                mail_headers: email::headers(&words),
                templates: files.templates(raw.email.template),
                localized_templates: files.localized(ours.email.template),
                notifications: files.notifications(raw.email.notification),
                sms: Sms::check(raw.sms, &words),
                external: external::check(raw.external),
                id_token_issuers: external::id_token_issuers(ours.id_token_issuers, &words),
                relying_party: RelyingParty::check(raw.webauthn, raw.passkey.enabled, &raw.mfa.web_authn),
                hooks: Hooks::check(raw.hook),
            }
            enabled: raw.enabled,
            jwt_issuer: raw.jwt_issuer.unwrap_or_else(|| external_url.clone()),
            external_url: external_url,
            redirect_urls: raw.additional_redirect_urls,
            refresh_token_rotation: raw.enable_refresh_token_rotation,
            refresh_token_reuse_interval: Duration::from_secs(raw.refresh_token_reuse_interval),
            enable_signup: raw.enable_signup,
            enable_anonymous_sign_ins: raw.enable_anonymous_sign_ins,
            enable_manual_linking: raw.enable_manual_linking,
            email_enabled: raw.email.enabled,
            confirm_email: raw.email.enable_confirmations,
            double_confirm_changes: raw.email.double_confirm_changes,
            hide_unknown_users: ours.hide_unknown_users,
            rate_limits: RateLimits::check(&raw.rate_limit, has_mail_server),
            refused_domains: ours.email.refused_domains.iter().map(|domain| domain.to_lowercase()).collect(),
            mail_hosts: words.list("MAILER_EXTERNAL_HOSTS").iter().map(|host| host.to_lowercase()).collect(),
            oauth_clients: raw.oauth_server.enabled,
            passkeys_enabled: raw.passkey.enabled,
        })
    }

    /// Templates and notices of mails that there are not: one under a misspelt name would never be
    /// missed.
    pub(crate) fn unknown_mails(raw: &RawAuth, ours: &RawBanyanAuth) -> Vec<ConfigError> {
        email::unknown(&raw.email, &ours.email)
    }

    /// What the section switches on and this version does not offer, or cannot use, one sentence
    /// each.
    pub(crate) fn doubts(raw: &RawAuth) -> Vec<String> {
        let mut sentences = not_offered(raw);
        sentences.extend(external::doubts(&raw.external));
        sentences.extend(sms::doubts(raw));
        sentences.extend(redirects::doubts(&raw.additional_redirect_urls));
        sentences
    }
}

/// Where a user is sent when a link has done its work. A variable that is not set is told of
/// elsewhere.
fn site_url(raw: &str) -> Result<String, ConfigError> {
    if variable(raw).is_none() && !raw.contains("://") {
        let message = "must be a URL with its scheme, such as http://localhost:3000";
        return Err(ConfigError::value("auth.site_url", message));
    }
    Ok(raw.trim_end_matches('/').to_owned())
}

/// What the section switches on and this version does not offer, one sentence each.
fn not_offered(raw: &RawAuth) -> Vec<String> {
    let chains = raw.web3.iter().map(|(chain, switch)| (format!("web3.{chain}"), switch.enabled));
    let issuers =
        raw.third_party.iter().map(|(name, issuer)| (format!("third_party.{name}"), issuer.enabled));
    chains
        .chain(issuers)
        .chain([("oauth_server".to_owned(), raw.oauth_server.enabled)])
        .filter(|(_, enabled)| *enabled)
        .map(|(name, _)| format!("config.toml: `auth.{name}` is not offered by this version and stays off"))
        .collect()
}

impl AuditLog {
    fn check(ours: &RawBanyanAuth, words: &Words<'_>) -> Result<Self, ConfigError> {
        Ok(Self {
            postgres: !words.switch("AUDIT_LOG_DISABLE_POSTGRES", !ours.audit_log.postgres)?,
            retention: limit("auth.audit_log.retention", &ours.audit_log.retention)?,
        })
    }
}

impl Words<'_> {
    /// Value of `GOTRUE_<name>`.
    fn text(&self, name: &str) -> Option<&str> {
        self.0.get(&format!("GOTRUE_{name}"))
    }

    /// The items of `GOTRUE_<name>`, which commas part.
    fn list(&self, name: &str) -> Vec<String> {
        let items = self.text(name).unwrap_or_default().split(',').map(str::trim);
        items.filter(|item| !item.is_empty()).map(str::to_owned).collect()
    }

    /// `GOTRUE_<name>` as yes or no, in the words that Go reads.
    fn switch(&self, name: &str, default: bool) -> Result<bool, ConfigError> {
        self.text(name).map_or(Ok(default), |text| {
            switch(text).ok_or_else(|| ConfigError::value(&format!("GOTRUE_{name}"), "must be true or false"))
        })
    }
}

/// A time that bounds something; zero means unbounded.
fn limit(key: &str, text: &str) -> Result<Option<Duration>, ConfigError> {
    Ok(Some(super::duration(key, text)?).filter(|limit| !limit.is_zero()))
}

fn jwt_expiry(seconds: u64) -> Result<Duration, ConfigError> {
    if !(1..=604_800).contains(&seconds) {
        return Err(ConfigError::value("auth.jwt_expiry", "must be from 1 to 604800 seconds"));
    }
    Ok(Duration::from_secs(seconds))
}

fn max_request_duration(ours: &RawBanyanAuth, words: &Words<'_>) -> Result<Duration, ConfigError> {
    let text = words.text("MAX_REQUEST_DURATION").unwrap_or(&ours.max_request_duration);
    limit("auth.max_request_duration", text)?
        .ok_or_else(|| ConfigError::value("auth.max_request_duration", "must be more than 0s"))
}
