//! Second factors and passkeys.

use std::time::Duration;

use crate::{
    ConfigError,
    raw::{RawAuth, RawBanyanAuth, RawFactor, RawPhoneFactor, RawWebauthn},
};

/// `[auth.mfa]` (auth/CONTRACT.md F2, F3, F7, F8).
#[derive(Debug, Clone)]
pub struct Mfa {
    /// Most factors of a user, verified or not.
    pub max_enrolled_factors: u32,
    /// Codes of an authenticator application.
    pub totp: FactorSwitches,
    /// Codes by SMS.
    pub phone: FactorSwitches,
    /// Security keys and platform authenticators.
    pub web_authn: FactorSwitches,
    /// Codes by SMS: their form and pace.
    pub phone_code: PhoneCode,
    /// `true`: a challenge is answered only from the address that asked for it (F3).
    pub bind_challenges_to_address: bool,
}

/// Switches for one kind of factor.
#[derive(Debug, Clone, Copy)]
pub struct FactorSwitches {
    /// Whether new ones may be added.
    pub enroll: bool,
    /// Whether existing ones may be used.
    pub verify: bool,
}

/// Form and pace of a code sent as a second factor.
#[derive(Debug, Clone)]
pub struct PhoneCode {
    /// Digits, 6 to 10.
    pub length: u8,
    /// Text of the message; `{{ .Code }}` stands for the code.
    pub template: String,
    /// Shortest time between two messages of one factor.
    pub max_frequency: Duration,
}

/// `[auth.webauthn]`: who asks for a signature.
#[derive(Debug, Clone)]
pub struct RelyingParty {
    /// Domain the credentials belong to.
    pub id: String,
    /// Name that the browser shows.
    pub display_name: String,
    /// Origins that may ask.
    pub origins: Vec<String>,
}

impl Mfa {
    pub(super) fn check(raw: &RawAuth, ours: &RawBanyanAuth) -> Result<Self, ConfigError> {
        let raw = &raw.mfa;
        let switches =
            |raw: &RawFactor| FactorSwitches { enroll: raw.enroll_enabled, verify: raw.verify_enabled };
        Ok(Self {
            max_enrolled_factors: raw.max_enrolled_factors,
            totp: switches(&raw.totp),
            phone: FactorSwitches { enroll: raw.phone.enroll_enabled, verify: raw.phone.verify_enabled },
            web_authn: switches(&raw.web_authn),
            phone_code: phone_code(&raw.phone)?,
            bind_challenges_to_address: ours.mfa.bind_challenges_to_address,
        })
    }
}

fn phone_code(raw: &RawPhoneFactor) -> Result<PhoneCode, ConfigError> {
    if !(6..=10).contains(&raw.otp_length) {
        return Err(ConfigError::value("auth.mfa.phone.otp_length", "must be from 6 to 10"));
    }
    Ok(PhoneCode {
        length: raw.otp_length,
        template: raw.template.clone(),
        max_frequency: super::super::duration("auth.mfa.phone.max_frequency", &raw.max_frequency)?,
    })
}

impl RelyingParty {
    /// None where nobody asks for signatures; whoever does cannot do without a domain.
    pub(super) fn check(
        raw: RawWebauthn,
        passkeys: bool,
        factor: &RawFactor,
    ) -> Result<Option<Self>, ConfigError> {
        let asking = match (passkeys, factor.enroll_enabled, factor.verify_enabled) {
            (true, ..) => "auth.passkey.enabled",
            (_, true, _) => "auth.mfa.web_authn.enroll_enabled",
            (.., true) => "auth.mfa.web_authn.verify_enabled",
            _ => return Ok(None),
        };
        let Some(id) = raw.rp_id.filter(|id| !id.is_empty()) else {
            let message = format!("is required while {asking} is true");
            return Err(ConfigError::value("auth.webauthn.rp_id", message));
        };
        if id.contains([':', '/']) {
            let message = "must be a domain alone, such as localhost or school.example";
            return Err(ConfigError::value("auth.webauthn.rp_id", message));
        }
        if raw.rp_origins.is_empty() {
            return Err(ConfigError::value("auth.webauthn.rp_origins", "is required beside rp_id"));
        }
        for origin in &raw.rp_origins {
            check_origin(origin, &id)?;
        }
        let display_name = raw.rp_display_name.filter(|name| !name.is_empty()).unwrap_or_else(|| id.clone());
        Ok(Some(Self { id, display_name, origins: raw.rp_origins }))
    }
}

/// An origin must lie in the domain, or no browser would sign for it.
fn check_origin(origin: &str, id: &str) -> Result<(), ConfigError> {
    let host = url::Url::parse(origin).ok().and_then(|url| url.host_str().map(str::to_owned));
    match host {
        Some(host) if host == id || host.ends_with(&format!(".{id}")) => Ok(()),
        _ => Err(ConfigError::value(
            "auth.webauthn.rp_origins",
            format!("`{origin}` is no origin within the domain {id}"),
        )),
    }
}
