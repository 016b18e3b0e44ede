//! Sign-in by text message.

use std::{collections::BTreeMap, time::Duration};

use time::{OffsetDateTime, format_description::well_known::Rfc3339};

use super::Words;
use crate::{
    ConfigError,
    raw::{RawAuth, RawSms},
};

/// `[auth.sms]`.
#[derive(Debug, Clone)]
pub struct Sms {
    /// Whether a phone number signs in and up.
    pub enabled: bool,
    /// Whether a new number must be confirmed before its account counts.
    pub confirm: bool,
    /// Text of the message; `{{ .Code }}` stands for the code.
    pub template: String,
    /// Shortest time between two messages to one number.
    pub max_frequency: Duration,
    /// Digits of a code.
    pub otp_length: u8,
    /// Time until a code stops working.
    pub otp_expiry: Duration,
    /// Codes that always hold for a number, without a message; numbers without `+`.
    pub test_otp: BTreeMap<String, String>,
    /// When the codes above stop holding; none means never (auth/CONTRACT.md V12).
    pub test_otp_valid_until: Option<OffsetDateTime>,
    /// The provider that is switched on, such as `twilio`; sending through it fails when it is
    /// tried.
    pub provider: Option<&'static str>,
}

impl Sms {
    pub(super) fn check(raw: RawSms, words: &Words<'_>) -> Result<Self, ConfigError> {
        let provider = provider(&raw);
        let number = |(number, code): (String, String)| (number.trim_start_matches('+').to_owned(), code);
        Ok(Self {
            enabled: raw.enable_signup,
            confirm: raw.enable_confirmations,
            template: raw.template,
            max_frequency: super::super::duration("auth.sms.max_frequency", &raw.max_frequency)?,
            // Fixed by the CLI (auth/CONTRACT.md X13).
            otp_length: 6,
            otp_expiry: Duration::from_secs(6000),
            test_otp: raw.test_otp.into_iter().map(number).collect(),
            test_otp_valid_until: words.text("SMS_TEST_OTP_VALID_UNTIL").map(moment).transpose()?,
            provider,
        })
    }
}

/// The provider that is switched on.
fn provider(raw: &RawSms) -> Option<&'static str> {
    let providers = [
        ("twilio", raw.twilio.enabled),
        ("twilio_verify", raw.twilio_verify.enabled),
        ("messagebird", raw.messagebird.enabled),
        ("textlocal", raw.textlocal.enabled),
        ("vonage", raw.vonage.enabled),
    ];
    providers.into_iter().find_map(|(name, enabled)| enabled.then_some(name))
}

/// What is switched on and needs a text message, while nothing is there to send one: one sentence
/// each.
pub(super) fn doubts(raw: &RawAuth) -> Vec<String> {
    if raw.hook.send_sms.enabled {
        return Vec::new();
    }
    let way = "text messages go out by [auth.hook.send_sms] alone, which is off";
    let phone = raw.mfa.phone.enroll_enabled || raw.mfa.phone.verify_enabled;
    let provider = provider(&raw.sms)
        .map(|name| format!("config.toml: `auth.sms.{name}` is not offered by this version: {way}"));
    // Numbers of test_otp sign in without a message.
    let sign_in = (raw.sms.enable_signup && raw.sms.test_otp.is_empty())
        .then(|| format!("config.toml: `auth.sms.enable_signup` is on and no code can be sent: {way}"));
    let factor = phone.then(|| format!("config.toml: `auth.mfa.phone` is on and no code can be sent: {way}"));
    provider.into_iter().chain(sign_in).chain(factor).collect()
}

fn moment(text: &str) -> Result<OffsetDateTime, ConfigError> {
    OffsetDateTime::parse(text, &Rfc3339).map_err(|_| {
        ConfigError::value("GOTRUE_SMS_TEST_OTP_VALID_UNTIL", "is no time such as 2030-01-01T00:00:00Z")
    })
}
