use std::fmt;

use banyan_config::{Auth, FactorSwitches};

/// What a second factor is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FactorKind {
    Totp,
    Phone,
    WebAuthn,
}

impl FactorKind {
    /// The kind of a name in requests and tables.
    pub(crate) fn parse(name: &str) -> Option<Self> {
        [Self::Totp, Self::Phone, Self::WebAuthn].into_iter().find(|kind| kind.name() == name)
    }

    /// Its name in requests and tables.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Totp => "totp",
            Self::Phone => "phone",
            Self::WebAuthn => "webauthn",
        }
    }

    /// The method that it adds to a session (CONTRACT.md T13).
    pub(crate) fn method(self) -> &'static str {
        match self {
            Self::Totp => "totp",
            Self::Phone => "mfa/phone",
            Self::WebAuthn => "mfa/webauthn",
        }
    }

    /// Error code while enrolling is off.
    pub(crate) fn enroll_off_code(self) -> &'static str {
        match self {
            Self::Totp => "mfa_totp_enroll_not_enabled",
            Self::Phone => "mfa_phone_enroll_not_enabled",
            Self::WebAuthn => "mfa_webauthn_enroll_not_enabled",
        }
    }

    /// Error code while verifying is off.
    pub(crate) fn verify_off_code(self) -> &'static str {
        match self {
            Self::Totp => "mfa_totp_verify_not_enabled",
            Self::Phone => "mfa_phone_verify_not_enabled",
            Self::WebAuthn => "mfa_webauthn_verify_not_enabled",
        }
    }

    /// What the project lets its users do with it.
    pub(crate) fn switches(self, settings: &Auth) -> FactorSwitches {
        match self {
            Self::Totp => settings.mfa.totp,
            Self::Phone => settings.mfa.phone,
            Self::WebAuthn => settings.mfa.web_authn,
        }
    }
}

impl fmt::Display for FactorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Totp => "TOTP",
            Self::Phone => "Phone",
            Self::WebAuthn => "WebAuthn",
        })
    }
}
