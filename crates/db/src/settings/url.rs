//! Settings from a `postgresql://` URL, for an external server.

use percent_encoding::percent_decode_str;
use secrecy::{ExposeSecret, SecretString};
use url::Url;

use super::{Address, DatabaseSettings, Tls};
use crate::ConnectError;

impl DatabaseSettings {
    /// Settings of an external server: `postgresql://user:password@host:port/database?sslmode=…`.
    ///
    /// The user must be a superuser; the password becomes that of the stack's own logins too, as in
    /// Supabase's compose file. `sslmode` is `disable`, `require` or `verify-full`; without it
    /// loopback is plain and every other host is verified. `sslrootcert` names a PEM file; `host`
    /// names the folder of a Unix socket.
    ///
    /// # Errors
    /// [`ConnectError::Url`]; its message holds no part of the URL that may be secret.
    pub fn from_url(url: &SecretString) -> Result<Self, ConnectError> {
        let parts = UrlParts::read(url)?;
        let password = parts.password.ok_or_else(|| wrong("it names no password"))?;
        let mut settings = Self { tls: parts.tls, ..Self::new(parts.address, password.into()) };
        if !parts.user.is_empty() {
            settings.admin_user = parts.user;
        }
        if !parts.database.is_empty() {
            settings.database = parts.database;
        }
        Ok(settings)
    }
}

fn wrong(message: &str) -> ConnectError {
    ConnectError::Url(message.to_owned())
}

struct UrlParts {
    user: String,
    password: Option<String>,
    address: Address,
    database: String,
    tls: Tls,
}

impl UrlParts {
    fn read(url: &SecretString) -> Result<Self, ConnectError> {
        let url = Url::parse(url.expose_secret()).map_err(|error| wrong(&error.to_string()))?;
        if !matches!(url.scheme(), "postgres" | "postgresql") {
            return Err(wrong("it does not start with postgresql://"));
        }
        let options = Options::read(&url)?;
        let address = address(&url, options.socket_folder)?;
        Ok(Self {
            user: decode(url.username())?,
            password: url.password().map(decode).transpose()?,
            tls: tls(&address, options.mode.as_deref(), options.root_certificate)?,
            address,
            database: decode(url.path().trim_start_matches('/'))?,
        })
    }
}

#[derive(Default)]
struct Options {
    mode: Option<String>,
    root_certificate: Option<String>,
    socket_folder: Option<String>,
}

impl Options {
    fn read(url: &Url) -> Result<Self, ConnectError> {
        let mut options = Self::default();
        for (name, value) in url.query_pairs() {
            let value = Some(value.into_owned());
            match &*name {
                "sslmode" => options.mode = value,
                "sslrootcert" => options.root_certificate = value,
                "host" => options.socket_folder = value,
                _ => return Err(ConnectError::Url(format!("its parameter {name} is unknown"))),
            }
        }
        Ok(options)
    }
}

fn decode(text: &str) -> Result<String, ConnectError> {
    let decoded = percent_decode_str(text).decode_utf8();
    decoded.map(Into::into).map_err(|_| ConnectError::Url("a part of it is no UTF-8".to_owned()))
}

fn address(url: &Url, socket_folder: Option<String>) -> Result<Address, ConnectError> {
    let port = url.port().unwrap_or(5432);
    match (socket_folder, url.host_str()) {
        (Some(folder), _) => Ok(Address::Socket { folder: folder.into(), port }),
        (None, Some(host)) if !host.is_empty() => {
            Ok(Address::Tcp { host: host.trim_matches(['[', ']']).to_owned(), port })
        }
        (None, _) => Err(ConnectError::Url("it names no host".to_owned())),
    }
}

fn tls(address: &Address, mode: Option<&str>, root_certificate: Option<String>) -> Result<Tls, ConnectError> {
    let root_certificate = root_certificate.map(Into::into);
    let is_near = match address {
        Address::Socket { .. } => true,
        Address::Tcp { host, .. } => {
            host == "localhost" || host.parse::<std::net::IpAddr>().is_ok_and(|ip| ip.is_loopback())
        }
    };
    match mode {
        None if is_near && root_certificate.is_none() => Ok(Tls::Off),
        None | Some("verify-full") => Ok(Tls::Verified { root_certificate }),
        Some("disable") => Ok(Tls::Off),
        // As in libpq, a root certificate makes `require` look at it.
        Some("require") if root_certificate.is_some() => Ok(Tls::Verified { root_certificate }),
        Some("require") => Ok(Tls::Unverified),
        Some(_) => Err(ConnectError::Url("sslmode must be disable, require or verify-full".to_owned())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(url: &str) -> Result<DatabaseSettings, ConnectError> {
        DatabaseSettings::from_url(&SecretString::from(url))
    }

    #[test]
    fn a_url_gives_address_login_and_encryption() {
        let settings = read("postgresql://me:p%40ss@db.example.com:6432/app?sslmode=require").expect("valid");
        assert_eq!(settings.address, Address::Tcp { host: "db.example.com".into(), port: 6432 });
        assert_eq!(settings.admin_user, "me");
        assert_eq!(settings.admin_password.expose_secret(), "p@ss");
        assert_eq!(settings.database, "app");
        assert_eq!(settings.tls, Tls::Unverified);
    }

    #[test]
    fn another_machine_is_verified_unless_the_url_says_otherwise() {
        let tls = |url| read(url).expect("valid").tls;
        assert_eq!(tls("postgresql://a:b@db.example.com"), Tls::Verified { root_certificate: None });
        assert_eq!(tls("postgresql://a:b@127.0.0.1"), Tls::Off);
        assert_eq!(tls("postgresql://a:b@[::1]/x"), Tls::Off);
        assert_eq!(tls("postgresql://a:b@db.example.com?sslmode=disable"), Tls::Off);
    }

    #[test]
    fn a_wrong_url_is_refused_without_showing_it() {
        for url in [
            "mysql://u:s3cret@h",
            "postgresql://u@h",
            "postgresql://u:s3cret@h?sslmode=prefer",
            "postgresql://u:s3cret@h?x=s3cret",
            "s3cret",
        ] {
            let error = read(url).expect_err("refused").to_string();
            assert!(!error.contains("s3cret"), "{error}");
        }
    }
}
