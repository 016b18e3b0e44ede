//! Outgoing mail and the local inbox.

use secrecy::SecretString;

use crate::{
    ConfigError,
    raw::{RawBanyanSmtp, RawLocalSmtp, RawSmtp},
};

/// `[auth.email.smtp]`: the server that mails go to.
#[derive(Debug, Clone)]
pub struct Smtp {
    /// Host name, also checked in its certificate.
    pub host: String,
    /// Port.
    pub port: u16,
    /// When TLS begins.
    pub tls: SmtpTls,
    /// User name; empty means no authentication.
    pub user: String,
    /// Password.
    pub pass: SecretString,
    /// Sender address.
    pub admin_email: String,
    /// Sender name.
    pub sender_name: String,
}

/// `[auth.email.smtp] tls` of banyan.toml: when a conversation with the mail server is encrypted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SmtpTls {
    /// By STARTTLS, which a server on this machine need not offer.
    Opportunistic,
    /// By STARTTLS, or not at all.
    StartTls,
    /// TLS begins with the first byte.
    Implicit,
}

/// `[local_smtp]`: the inbox that stands in for a mail server on one machine (local/CONTRACT.md
/// LOC-INBOX).
#[derive(Debug, Clone)]
pub struct LocalSmtp {
    /// `true`: the inbox runs.
    pub enabled: bool,
    /// Port of its web page and Mailpit API; 0 lets the system choose.
    pub port: u16,
    /// Port of its SMTP listener; none lets the system choose one on loopback.
    pub smtp_port: Option<u16>,
    /// Sender address of the stack's mails when no SMTP server is set.
    pub admin_email: String,
    /// Sender name.
    pub sender_name: String,
}

impl Smtp {
    pub(crate) fn check(raw: RawSmtp, ours: &RawBanyanSmtp) -> Result<Option<Self>, ConfigError> {
        let tls = SmtpTls::check(&ours.tls, raw.port)?;
        if !raw.enabled {
            return Ok(None);
        }
        for (key, value) in [("host", &raw.host), ("admin_email", &raw.admin_email)] {
            if value.is_empty() {
                return Err(ConfigError::value(&format!("auth.email.smtp.{key}"), "is required"));
            }
        }
        Ok(Some(Self {
            host: raw.host,
            port: raw.port,
            tls,
            user: raw.user,
            pass: SecretString::from(raw.pass),
            admin_email: raw.admin_email,
            sender_name: raw.sender_name,
        }))
    }
}

impl SmtpTls {
    /// Port 465 is registered for TLS from the first byte; every other port begins in the clear
    /// unless told.
    fn check(word: &str, port: u16) -> Result<Self, ConfigError> {
        match (word, port) {
            ("implicit", _) | ("auto", 465) => Ok(Self::Implicit),
            ("starttls", _) => Ok(Self::StartTls),
            ("auto", _) => Ok(Self::Opportunistic),
            _ => Err(ConfigError::value("auth.email.smtp.tls", "must be auto, starttls or implicit")),
        }
    }
}

impl LocalSmtp {
    pub(crate) fn check(raw: RawLocalSmtp, port_offset: u16) -> Result<Self, ConfigError> {
        let moved = |key, port| if port == 0 { Ok(0) } else { super::offset(key, port, port_offset) };
        Ok(Self {
            enabled: raw.enabled,
            port: moved("local_smtp.port", raw.port)?,
            smtp_port: raw.smtp_port.map(|port| moved("local_smtp.smtp_port", port)).transpose()?,
            admin_email: raw.admin_email,
            sender_name: raw.sender_name,
        })
    }
}
