//! Settings of one login from what libpq takes: a URI, `key=value` words, and variables for what
//! they leave open.

use std::{collections::BTreeMap, path::Path, time::Duration};

use percent_encoding::percent_decode_str;
use secrecy::{ExposeSecret, SecretString};

use super::{Address, DatabaseSettings, Tls, Wanted};
use crate::ConnectError;

/// Folders where servers put their sockets, as Debian and PostgreSQL itself have it.
const SOCKET_FOLDERS: [&str; 2] = ["/var/run/postgresql", "/tmp"];

/// Parameters and the variables that stand in for them.
const PARAMETERS: [(&str, &str); 12] = [
    ("host", "PGHOST"),
    ("hostaddr", "PGHOSTADDR"),
    ("port", "PGPORT"),
    ("user", "PGUSER"),
    ("password", "PGPASSWORD"),
    ("dbname", "PGDATABASE"),
    ("sslmode", "PGSSLMODE"),
    ("sslrootcert", "PGSSLROOTCERT"),
    ("application_name", "PGAPPNAME"),
    ("target_session_attrs", "PGTARGETSESSIONATTRS"),
    ("channel_binding", "PGCHANNELBINDING"),
    ("connect_timeout", "PGCONNECT_TIMEOUT"),
];

/// Parameters that libpq knows and that change nothing here.
const WITHOUT_EFFECT: [&str; 9] = [
    "fallback_application_name",
    "keepalives",
    "keepalives_idle",
    "keepalives_interval",
    "keepalives_count",
    "tcp_user_timeout",
    "client_encoding",
    "gssencmode",
    "sslsni",
];

impl DatabaseSettings {
    /// Settings of somebody else's database, as [`DatabaseSettings::of_one_login`] means it, from
    /// `postgresql://…` or `host=… dbname=…`; `variable` gives libpq's variables, and `USER`.
    /// Several hosts are tried in their order.
    ///
    /// # Errors
    /// [`ConnectError::Url`]; its message holds no part of the text that may be secret.
    pub fn of_one_login_from_libpq(
        text: &SecretString,
        variable: impl Fn(&str) -> Option<String>,
    ) -> Result<Self, ConnectError> {
        let text = text.expose_secret().trim();
        let said = match text.strip_prefix("postgresql://").or_else(|| text.strip_prefix("postgres://")) {
            Some(rest) => uri(rest)?,
            None if text.contains('=') => words(text)?,
            None if text.is_empty() => BTreeMap::new(),
            None => [("dbname".to_owned(), text.to_owned())].into(),
        };
        let get = |name: &str| {
            let (_, stand_in) = PARAMETERS.iter().find(|(known, _)| *known == name)?;
            said.get(name).cloned().or_else(|| variable(stand_in)).filter(|value| !value.is_empty())
        };
        let user = get("user").or_else(|| variable("USER")).ok_or_else(|| wrong("it names no user"))?;
        let (address, further) = addresses(get("host").or_else(|| get("hostaddr")), get("port"))?;
        let wanted = wanted(get("target_session_attrs").as_deref())?;
        if get("channel_binding").as_deref() == Some("require") {
            return Err(wrong("it requires channel binding, which is not offered"));
        }
        let remote = std::iter::once(&address).chain(&further).find(|it| matches!(it, Address::Tcp { .. }));
        let tls = match remote {
            None => Tls::Off,
            Some(_) => tls(get("sslmode").as_deref(), get("sslrootcert"))?,
        };
        let database = get("dbname").unwrap_or_else(|| user.clone());
        let password = get("password").unwrap_or_default();
        let settings = Self::of_one_login(address, user, password.into());
        let application_name = get("application_name").unwrap_or(settings.application_name.clone());
        let connect_timeout = match get("connect_timeout").as_deref().map(str::parse) {
            None | Some(Ok(0)) => settings.connect_timeout,
            Some(Ok(seconds)) => Duration::from_secs(seconds),
            Some(Err(_)) => return Err(wrong("its connect_timeout is no number of seconds")),
        };
        Ok(Self { further, wanted, database, tls, application_name, connect_timeout, ..settings })
    }
}

fn wrong(message: &str) -> ConnectError {
    ConnectError::Url(message.to_owned())
}

/// Hosts and ports are lists; one port is that of every host.
fn addresses(hosts: Option<String>, ports: Option<String>) -> Result<(Address, Vec<Address>), ConnectError> {
    let (hosts, ports) = (hosts.unwrap_or_default(), ports.unwrap_or_default());
    let ports: Vec<&str> = ports.split(',').collect();
    let count = hosts.split(',').count();
    if ports.len() > 1 && ports.len() != count {
        return Err(wrong("it names not as many ports as hosts"));
    }
    let port_of = |place: usize| ports.get(place).unwrap_or(&ports[0]);
    let mut all = hosts.split(',').enumerate().map(|(place, host)| address(host, port_of(place)));
    let first = all.next().expect("a split has a first part")?;
    Ok((first, all.collect::<Result<_, _>>()?))
}

fn address(host: &str, port: &str) -> Result<Address, ConnectError> {
    let port = match port {
        "" => 5432,
        port => port.parse().map_err(|_| wrong("its port is no number"))?,
    };
    Ok(match host {
        "" => Address::Socket { folder: own_socket_folder(port).into(), port },
        folder if folder.starts_with('/') => Address::Socket { folder: folder.into(), port },
        host => Address::Tcp { host: host.trim_matches(['[', ']']).to_owned(), port },
    })
}

fn wanted(name: Option<&str>) -> Result<Wanted, ConnectError> {
    Ok(match name {
        None | Some("any") => Wanted::Any,
        Some("read-write") => Wanted::ReadWrite,
        Some("read-only") => Wanted::ReadOnly,
        Some("primary") => Wanted::Primary,
        Some("standby") => Wanted::Standby,
        Some("prefer-standby") => Wanted::PreferStandby,
        Some(_) => return Err(wrong("its target_session_attrs is not known")),
    })
}

/// The folder that has the socket; none yet is no reason to look in the wrong place later.
fn own_socket_folder(port: u16) -> &'static str {
    let has = |folder: &&&str| Path::new(folder).join(format!(".s.PGSQL.{port}")).exists();
    SOCKET_FOLDERS.iter().find(has).unwrap_or(&SOCKET_FOLDERS[0])
}

fn tls(mode: Option<&str>, root: Option<String>) -> Result<Tls, ConnectError> {
    let root_certificate = root.map(Into::into);
    Ok(match mode {
        Some("disable") => Tls::Off,
        None | Some("allow" | "prefer") => Tls::Preferred,
        Some("require") if root_certificate.is_none() => Tls::Unverified,
        Some("require" | "verify-ca" | "verify-full") => Tls::Verified { root_certificate },
        Some(_) => return Err(wrong("its sslmode is not known")),
    })
}

/// `user:password@host:port,…/database?name=value&…`, every part of it optional.
fn uri(rest: &str) -> Result<BTreeMap<String, String>, ConnectError> {
    // A password may hold a question mark unescaped: as libpq has it, the login ends at the first
    // `@` before any `/`.
    let (login, rest) = match rest.find(['@', '/']) {
        Some(end) if rest[end..].starts_with('@') => (&rest[..end], &rest[end + 1..]),
        _ => ("", rest),
    };
    let (place, query) = rest.split_once('?').unwrap_or((rest, ""));
    let (hosts, database) = place.split_once('/').unwrap_or((place, ""));
    let (user, password) = login.split_once(':').unwrap_or((login, ""));
    let (hosts, ports): (Vec<_>, Vec<_>) = hosts.split(',').map(host_and_port).unzip();
    let ports = if ports.iter().all(|port| port.is_empty()) { String::new() } else { ports.join(",") };
    let hosts = hosts.join(",");
    let mut said = BTreeMap::new();
    let parts =
        [("user", user), ("password", password), ("host", &hosts), ("port", &ports), ("dbname", database)];
    for (name, value) in parts.into_iter().filter(|(_, value)| !value.is_empty()) {
        said.insert(name.to_owned(), decoded(value)?);
    }
    for pair in query.split('&').filter(|pair| !pair.is_empty()) {
        let (name, value) = pair.split_once('=').ok_or_else(|| wrong("a parameter of it has no value"))?;
        keep(&mut said, &decoded(name)?, decoded(value)?)?;
    }
    Ok(said)
}

/// The port follows the last colon, unless that is inside the brackets of an IPv6 address.
fn host_and_port(text: &str) -> (&str, &str) {
    match text.rsplit_once(':') {
        Some((host, port)) if !port.contains(']') => (host, port),
        _ => (text, ""),
    }
}

fn decoded(text: &str) -> Result<String, ConnectError> {
    let decoded = percent_decode_str(text).decode_utf8();
    decoded.map(Into::into).map_err(|_| wrong("a part of it is no UTF-8"))
}

fn keep(said: &mut BTreeMap<String, String>, name: &str, value: String) -> Result<(), ConnectError> {
    if PARAMETERS.iter().any(|(known, _)| *known == name) {
        said.insert(name.to_owned(), value);
    } else if !WITHOUT_EFFECT.contains(&name) {
        return Err(ConnectError::Url(format!("its parameter {name} is unknown")));
    }
    Ok(())
}

/// `name = value` words; a value may stand in single quotes, where `\` escapes.
fn words(text: &str) -> Result<BTreeMap<String, String>, ConnectError> {
    let mut said = BTreeMap::new();
    let mut rest = text.trim_start();
    while !rest.is_empty() {
        let (name, after) = rest.split_once('=').ok_or_else(|| wrong("a word of it has no value"))?;
        let (value, after) = word(after.trim_start())?;
        keep(&mut said, name.trim(), value)?;
        rest = after.trim_start();
    }
    Ok(said)
}

fn word(text: &str) -> Result<(String, &str), ConnectError> {
    let quoted = text.strip_prefix('\'');
    let mut signs = quoted.unwrap_or(text).char_indices();
    let mut value = String::new();
    while let Some((place, sign)) = signs.next() {
        match sign {
            '\\' => value.extend(signs.next().map(|(_, escaped)| escaped)),
            '\'' if quoted.is_some() => return Ok((value, signs.as_str())),
            sign if sign.is_whitespace() && quoted.is_none() => return Ok((value, &text[place..])),
            sign => value.push(sign),
        }
    }
    if quoted.is_some() { Err(wrong("a quote of it is not closed")) } else { Ok((value, "")) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Login;

    fn read(text: &str, variables: &[(&str, &str)]) -> Result<DatabaseSettings, ConnectError> {
        DatabaseSettings::of_one_login_from_libpq(&SecretString::from(text), |name| {
            variables.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned())
        })
    }

    fn shown(text: &str, variables: &[(&str, &str)]) -> (String, String, String, Address) {
        let settings = read(text, variables).expect(text);
        let password = settings.password(Login::Authenticator).expose_secret().to_owned();
        (settings.user(Login::Authenticator).to_owned(), password, settings.database, settings.address)
    }

    // rows: rest/config-db-uri
    #[test]
    fn is_a_uri_or_words_and_variables_fill_what_is_open() {
        let tcp = |host: &str, port| Address::Tcp { host: host.to_owned(), port };
        let texts = |user: &str, password: &str, database: &str| {
            (user.to_owned(), password.to_owned(), database.to_owned())
        };
        for (text, variables, (user, password, database), address) in [
            ("postgresql://u:p%40s@db:6432/app", &[][..], texts("u", "p@s", "app"), tcp("db", 6432)),
            (
                "postgres://u:?pass?special?@db/app",
                &[][..],
                texts("u", "?pass?special?", "app"),
                tcp("db", 5432),
            ),
            (
                "postgresql://u:p@db/app?application_name=api@prod&connect_timeout=3",
                &[][..],
                texts("u", "p", "app"),
                tcp("db", 5432),
            ),
            ("postgresql://u@[::1]:5/app?sslmode=disable", &[][..], texts("u", "", "app"), tcp("::1", 5)),
            (
                "host=db port=7 user=u password='a \\'b' dbname = app",
                &[][..],
                texts("u", "a 'b", "app"),
                tcp("db", 7),
            ),
            (
                "postgresql://",
                &[("PGHOST", "db"), ("PGUSER", "u"), ("PGPASSWORD", "p"), ("PGPORT", "9")][..],
                texts("u", "p", "u"),
                tcp("db", 9),
            ),
            ("app", &[("USER", "me"), ("PGHOST", "db")][..], texts("me", "", "app"), tcp("db", 5432)),
            (
                "postgresql:///app?host=/run/pg&user=u",
                &[][..],
                texts("u", "", "app"),
                Address::Socket { folder: "/run/pg".into(), port: 5432 },
            ),
        ] {
            assert_eq!(shown(text, variables), (user, password, database, address), "{text}");
        }
    }

    // rows: rest/L06
    #[test]
    fn several_servers_are_tried_in_order_each_at_its_port() {
        let tcp = |host: &str, port| Address::Tcp { host: host.to_owned(), port };
        let shown = |text: &str| {
            let settings = read(text, &[]).expect(text);
            (settings.addresses().cloned().collect::<Vec<_>>(), settings.wanted)
        };
        assert_eq!(shown("postgresql://u@a:1,[::1]:2/app"), (vec![tcp("a", 1), tcp("::1", 2)], Wanted::Any));
        assert_eq!(
            shown("postgresql://u@a,b:6/app?target_session_attrs=read-write"),
            (vec![tcp("a", 5432), tcp("b", 6)], Wanted::ReadWrite)
        );
        assert_eq!(
            shown("host=a,b port=7 user=u target_session_attrs=prefer-standby"),
            (vec![tcp("a", 7), tcp("b", 7)], Wanted::PreferStandby)
        );
        for text in ["host=a,b port=1,2,3 user=u", "host=a user=u target_session_attrs=best"] {
            assert!(read(text, &[]).is_err(), "{text}");
        }
    }

    #[test]
    fn encryption_is_preferred_unless_the_text_says_otherwise() {
        let tls = |text: &str| read(text, &[]).expect(text).tls;
        assert_eq!(tls("postgresql://u@db/app"), Tls::Preferred);
        assert_eq!(tls("postgresql://u@db/app?sslmode=disable"), Tls::Off);
        assert_eq!(tls("postgresql://u@db/app?sslmode=require"), Tls::Unverified);
        assert_eq!(tls("host=db user=u sslmode=verify-full"), Tls::Verified { root_certificate: None });
    }

    #[test]
    fn a_wrong_text_is_refused_without_showing_it() {
        for text in [
            "postgresql://s3cret@h?x=1",
            "host=h s3cret",
            "password='s3cret user=u",
            "postgresql://h/d",
            "postgresql://u:s3cret@h/d?channel_binding=require",
        ] {
            let error = read(text, &[]).expect_err(text).to_string();
            assert!(!error.contains("s3cret"), "{error}");
        }
    }
}
