//! Hooks: functions that the service asks before it acts.

use base64::{Engine as _, engine::general_purpose::STANDARD};
use secrecy::SecretSlice;

use crate::{
    ConfigError,
    error::together,
    raw::{RawHook, RawHooks},
};

/// `[auth.hook]`: the hook of each point, if there is one (auth/CONTRACT.md HK1).
#[derive(Debug, Clone, Default)]
pub struct Hooks {
    /// Adds to and takes from the claims of an access token.
    pub custom_access_token: Option<Hook>,
    /// Sends the mails in our stead.
    pub send_email: Option<Hook>,
    /// Sends the text messages.
    pub send_sms: Option<Hook>,
    /// Judges an attempt with a second factor.
    pub mfa_verification_attempt: Option<Hook>,
    /// Judges an attempt with a password.
    pub password_verification_attempt: Option<Hook>,
    /// May refuse a new account.
    pub before_user_created: Option<Hook>,
    /// Hears of a new account.
    pub after_user_created: Option<Hook>,
}

/// The target of a hook (auth/CONTRACT.md HK2, HK12).
#[derive(Debug, Clone)]
pub enum Hook {
    /// `pg-functions://<database>/<schema>/<function>`.
    Postgres {
        /// Schema of the function.
        schema: String,
        /// Its name.
        function: String,
    },
    /// `https://…`, or `http://` to this machine.
    Http {
        /// Address that is posted to.
        url: String,
        /// Keys that sign the request, at least one.
        secrets: Vec<SecretSlice<u8>>,
    },
    /// `functions:///<name>`: a function of this project, called inside the process.
    Function {
        /// Its name.
        name: String,
    },
}

impl std::fmt::Display for Hook {
    /// Its address, of a server the origin alone: many services have the key in the path, others in
    /// the query.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Postgres { schema, function } => write!(f, "pg-functions://postgres/{schema}/{function}"),
            Self::Function { name } => write!(f, "functions:///{name}"),
            Self::Http { url, .. } => match url::Url::parse(url) {
                Ok(url) => f.write_str(&url.origin().ascii_serialization()),
                Err(_) => f.write_str("an address"),
            },
        }
    }
}

impl Hooks {
    /// All configured hooks, each with the name of its point.
    pub fn all(&self) -> impl Iterator<Item = (&'static str, &Hook)> {
        let points = [
            ("custom_access_token", &self.custom_access_token),
            ("send_email", &self.send_email),
            ("send_sms", &self.send_sms),
            ("mfa_verification_attempt", &self.mfa_verification_attempt),
            ("password_verification_attempt", &self.password_verification_attempt),
            ("before_user_created", &self.before_user_created),
            ("after_user_created", &self.after_user_created),
        ];
        points.into_iter().filter_map(|(point, hook)| Some((point, hook.as_ref()?)))
    }

    pub(super) fn check(raw: RawHooks) -> Result<Self, ConfigError> {
        macro_rules! each {
            ($($point:ident),+ $(,)?) => {{
                $(let $point = Hook::check(stringify!($point), raw.$point);)+
                together!($($point),+);
                Ok(Self { $($point),+ })
            }};
        }
        each!(
            custom_access_token,
            send_email,
            send_sms,
            mfa_verification_attempt,
            password_verification_attempt,
            before_user_created,
            after_user_created,
        )
    }
}

impl Hook {
    fn check(point: &str, raw: RawHook) -> Result<Option<Self>, ConfigError> {
        if !raw.enabled {
            return Ok(None);
        }
        let key = format!("auth.hook.{point}");
        let wrong = |message: &str| ConfigError::value(&format!("{key}.uri"), message);
        let url = url::Url::parse(&raw.uri).map_err(|_| wrong("is required and must be a URL"))?;
        let hook = match url.scheme() {
            "pg-functions" => postgres(&url).ok_or_else(|| {
                wrong("must be pg-functions://<database>/<schema>/<function>, in letters, digits and _")
            })?,
            "functions" => function(&url).ok_or_else(|| wrong("must be functions:///<name>"))?,
            "https" => http(&key, raw.uri, &raw.secrets)?,
            "http" if is_this_machine(&url) => http(&key, raw.uri, &raw.secrets)?,
            "http" => {
                let far = wrong("may be http only to localhost, 127.0.0.1, ::1 or host.docker.internal");
                let unsigned = http(&key, raw.uri, &raw.secrets).err();
                return Err(ConfigError::all(std::iter::once(far).chain(unsigned).collect()));
            }
            _ => return Err(wrong("must start with https://, pg-functions:// or functions:///")),
        };
        Ok(Some(hook))
    }
}

fn postgres(url: &url::Url) -> Option<Hook> {
    let mut names = url.path().trim_start_matches('/').split('/');
    let (schema, function) = (names.next()?, names.next()?);
    let plain = |name: &str| {
        name.len() <= 63
            && name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
            && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
    };
    (plain(schema) && plain(function) && names.next().is_none())
        .then(|| Hook::Postgres { schema: schema.to_owned(), function: function.to_owned() })
}

fn function(url: &url::Url) -> Option<Hook> {
    let name = url.path().trim_start_matches('/');
    let plain = !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || "_-".contains(c));
    (plain && url.host_str().unwrap_or_default().is_empty()).then(|| Hook::Function { name: name.to_owned() })
}

fn http(key: &str, url: String, secrets: &str) -> Result<Hook, ConfigError> {
    let secrets: Option<Vec<SecretSlice<u8>>> =
        secrets.split('|').filter(|secret| !secret.is_empty()).map(secret).collect();
    match secrets {
        Some(secrets) if !secrets.is_empty() => Ok(Hook::Http { url, secrets }),
        _ => Err(ConfigError::value(
            &format!("{key}.secrets"),
            "must be one or more of v1,whsec_<base64 of 24 bytes or more>, joined by |",
        )),
    }
}

/// `v1,whsec_<base64>`; a key shorter than 24 bytes is none (auth/CONTRACT.md HK3).
fn secret(text: &str) -> Option<SecretSlice<u8>> {
    let key = STANDARD.decode(text.strip_prefix("v1,whsec_")?).ok()?;
    (key.len() >= 24).then(|| SecretSlice::from(key))
}

fn is_this_machine(url: &url::Url) -> bool {
    matches!(url.host_str(), Some("localhost" | "127.0.0.1" | "[::1]" | "host.docker.internal"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECRET: &str = "v1,whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";

    fn check(uri: &str, secrets: &str) -> Result<Option<Hook>, ConfigError> {
        Hook::check("send_sms", RawHook { enabled: true, uri: uri.into(), secrets: secrets.into() })
    }

    // rows: auth/HK2 CFG-HOOKS
    #[test]
    fn only_the_documented_targets_are_accepted() {
        for uri in [
            "https://a.example/hook",
            "http://localhost:9000/x",
            "http://[::1]/x",
            "http://host.docker.internal",
        ] {
            assert!(matches!(check(uri, SECRET), Ok(Some(Hook::Http { .. }))), "{uri}");
        }
        assert!(matches!(
            check("pg-functions://postgres/public/my_hook", ""),
            Ok(Some(Hook::Postgres { schema, function })) if schema == "public" && function == "my_hook"
        ));
        for uri in [
            "http://a.example",
            "http://127.0.0.1.a.example",
            "pg-functions://postgres/public",
            "ftp://x/y",
            "",
            "pg-functions://postgres/public/f;drop",
            "pg-functions://postgres/a/b/c",
        ] {
            assert!(check(uri, SECRET).is_err(), "{uri}");
        }
    }

    // rows: auth/HK3 CFG-HOOKS
    #[test]
    fn an_http_hook_needs_secrets_in_their_form() {
        for secrets in ["", "v1,whsec_short", "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "v1,whsec_!!!"] {
            assert!(check("https://a.example", secrets).is_err(), "{secrets}");
        }
        let two = format!("{SECRET}|{SECRET}");
        assert!(
            matches!(check("https://a.example", &two), Ok(Some(Hook::Http { secrets, .. })) if secrets.len() == 2)
        );
    }

    #[test]
    fn a_hook_is_shown_without_what_its_address_keeps_secret() {
        let shown = |uri: &str| check(uri, SECRET).expect("right").expect("on").to_string();
        let address = "https://me:pass@a.example:8443/services/s3cret?key=s3cret#s3cret";
        assert_eq!(shown(address), "https://a.example:8443");
        assert_eq!(shown("pg-functions://postgres/public/f"), "pg-functions://postgres/public/f");
        assert_eq!(shown("functions:///greet"), "functions:///greet");
    }

    // rows: auth/HK12
    #[test]
    fn a_function_of_the_project_is_a_target() {
        assert!(
            matches!(check("functions:///greet", ""), Ok(Some(Hook::Function { name })) if name == "greet")
        );
        assert!(check("functions://elsewhere/greet", "").is_err());
    }
}
