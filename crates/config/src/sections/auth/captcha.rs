//! Proof that a person asks.

use secrecy::SecretString;

use crate::{
    ConfigError,
    raw::{RawCaptcha, RawCaptchaService},
};

/// `[auth.captcha]`, where it is on (auth/CONTRACT.md CA1).
#[derive(Debug, Clone)]
pub struct Captcha {
    /// The provider of the puzzle.
    pub provider: CaptchaProvider,
    /// Our secret there.
    pub secret: SecretString,
    /// The address that checks an answer.
    pub url: String,
}

/// Providers of puzzles.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CaptchaProvider {
    /// hCaptcha.
    Hcaptcha,
    /// Cloudflare Turnstile.
    Turnstile,
}

impl Captcha {
    pub(super) fn check(raw: RawCaptcha, ours: RawCaptchaService) -> Result<Option<Self>, ConfigError> {
        if !raw.enabled {
            return Ok(None);
        }
        let (provider, url) = match raw.provider.as_str() {
            "hcaptcha" => (CaptchaProvider::Hcaptcha, "https://api.hcaptcha.com/siteverify"),
            "turnstile" => {
                (CaptchaProvider::Turnstile, "https://challenges.cloudflare.com/turnstile/v0/siteverify")
            }
            _ => return Err(ConfigError::value("auth.captcha.provider", "must be hcaptcha or turnstile")),
        };
        if raw.secret.is_empty() {
            return Err(ConfigError::value("auth.captcha.secret", "is required"));
        }
        let url = ours.url.unwrap_or_else(|| url.to_owned());
        Ok(Some(Self { provider, secret: SecretString::from(raw.secret), url }))
    }
}
