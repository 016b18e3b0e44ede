//! What a request presents to say who calls, before anything of it is checked.

use std::{borrow::Cow, fmt};

use http::{HeaderMap, HeaderName, header::AUTHORIZATION};
use url::form_urlencoded;

use crate::{Proof, TokenError};

const APIKEY: HeaderName = HeaderName::from_static("apikey");
/// The key of a client that opens a socket and can send headers.
const X_API_KEY: HeaderName = HeaderName::from_static("x-api-key");

/// The credentials of a request. They are secret, so they have no text form: `Debug` says which are
/// there and nothing of them.
#[derive(Clone, Default)]
pub struct Credentials<'a> {
    authorization: Authorization<'a>,
    api_key: Option<Cow<'a, str>>,
}

/// What `Authorization` holds.
#[derive(Clone, Default)]
pub(crate) enum Authorization<'a> {
    /// Nothing.
    #[default]
    Absent,
    /// The token of the scheme Bearer.
    Bearer(Cow<'a, str>),
    /// One word without a scheme.
    Bare(&'a str),
    /// Another scheme.
    OtherScheme,
}

impl fmt::Debug for Credentials<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let authorization = !matches!(self.authorization, Authorization::Absent);
        out.debug_struct("Credentials")
            .field("authorization", &authorization)
            .field("api_key", &self.api_key.is_some())
            .finish()
    }
}

impl<'a> Credentials<'a> {
    /// Reads the headers `Authorization` and `apikey`. A header that is sent twice is refused,
    /// since two readers could take different ones.
    ///
    /// # Errors
    /// [`TokenError::Repeated`] and [`TokenError::Unreadable`] for a header of such a form, and
    /// [`TokenError::Empty`] for `Bearer` alone.
    pub fn from_headers(headers: &'a HeaderMap) -> Result<Self, TokenError> {
        let authorization = match header(headers, AUTHORIZATION)? {
            None => Authorization::Absent,
            Some(value) => bearer(value)?,
        };
        Ok(Self { authorization, api_key: header(headers, APIKEY)?.map(Cow::Borrowed) })
    }

    /// Reads the query of a socket's address, since browsers send no headers with it: `apikey`, and
    /// `access_token` in the place of a bearer. Whitespace in them does not count, as in the
    /// reference.
    ///
    /// # Errors
    /// [`TokenError::Repeated`] for a parameter that is there twice.
    pub fn from_query(query: &str) -> Result<Credentials<'static>, TokenError> {
        let bearer = parameter(query, "access_token")?.map(|token| Authorization::Bearer(Cow::Owned(token)));
        let api_key = parameter(query, "apikey")?.map(Cow::Owned);
        Ok(Credentials { authorization: bearer.unwrap_or_default(), api_key })
    }

    /// The same credentials, with those of a query where the headers have none.
    ///
    /// # Errors
    /// As [`Credentials::from_query`].
    pub fn or_query(self, query: &str) -> Result<Self, TokenError> {
        let of_query = Self::from_query(query)?;
        let authorization = match self.authorization {
            Authorization::Absent => of_query.authorization,
            of_headers => of_headers,
        };
        Ok(Self { authorization, api_key: self.api_key.or(of_query.api_key) })
    }

    /// Reads what a request for a socket presents: the headers, the query where they have nothing,
    /// and the header `x-api-key` before any other key (realtime/CONTRACT.md C2).
    ///
    /// # Errors
    /// As [`Credentials::from_headers`] and [`Credentials::from_query`].
    pub fn of_socket(headers: &'a HeaderMap, query: &str) -> Result<Self, TokenError> {
        let credentials = Self::from_headers(headers)?.or_query(query)?;
        let api_key = header(headers, X_API_KEY)?.map(Cow::Borrowed).or(credentials.api_key);
        Ok(Self { api_key, ..credentials })
    }

    /// The same credentials, where a token counts that `Authorization` holds without the word
    /// `Bearer` (storage/CONTRACT.md C02).
    #[must_use]
    pub fn or_bare_token(self) -> Self {
        match self.authorization {
            Authorization::Bare(token) => {
                Self { authorization: Authorization::Bearer(Cow::Borrowed(token)), ..self }
            }
            _ => self,
        }
    }

    /// The same credentials with the token that a message on a socket brings. An opaque key is no
    /// token: it changes nothing.
    #[must_use]
    pub fn with_access_token<'b>(&'b self, token: &'b str) -> Credentials<'b> {
        let mut credentials: Credentials<'b> = self.clone();
        if !token.starts_with("sb_") {
            credentials.authorization = Authorization::Bearer(Cow::Borrowed(token));
        }
        credentials
    }

    /// The text that proved who calls.
    #[must_use]
    pub fn text(&self, proof: Proof) -> Option<&str> {
        match (proof, &self.authorization) {
            (Proof::Authorization, Authorization::Bearer(token)) => Some(token),
            (Proof::ApiKey, _) => self.api_key(),
            _ => None,
        }
    }

    pub(crate) fn authorization(&self) -> &Authorization<'a> {
        &self.authorization
    }

    pub(crate) fn api_key(&self) -> Option<&str> {
        self.api_key.as_deref()
    }
}

/// The text of a header that may be there once; nothing where it is missing or empty.
fn header(headers: &HeaderMap, name: HeaderName) -> Result<Option<&str>, TokenError> {
    let mut all = headers.get_all(&name).iter();
    let first = all.next();
    if all.next().is_some() {
        return Err(TokenError::Repeated);
    }
    let text = first.map(|value| value.to_str().map_err(|_| TokenError::Unreadable)).transpose()?;
    Ok(text.map(str::trim).filter(|text| !text.is_empty()))
}

fn bearer(value: &str) -> Result<Authorization<'_>, TokenError> {
    let (scheme, token) = value.split_once(' ').unwrap_or((value, ""));
    match token.trim() {
        "" if scheme.eq_ignore_ascii_case("bearer") => Err(TokenError::Empty),
        "" => Ok(Authorization::Bare(scheme)),
        token if scheme.eq_ignore_ascii_case("bearer") => Ok(Authorization::Bearer(Cow::Borrowed(token))),
        _ => Ok(Authorization::OtherScheme),
    }
}

/// A parameter that may be there once; nothing where it is missing or empty.
fn parameter(query: &str, name: &str) -> Result<Option<String>, TokenError> {
    let mut all = form_urlencoded::parse(query.as_bytes()).filter(|(found, _)| found == name);
    let first = all.next();
    if all.next().is_some() {
        return Err(TokenError::Repeated);
    }
    let text = first.map(|(_, value)| value.split_whitespace().collect::<String>());
    Ok(text.filter(|text| !text.is_empty()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn query(query: &str) -> (Option<String>, Option<String>) {
        let credentials = Credentials::from_query(query).expect("read");
        let text = |proof| credentials.text(proof).map(str::to_owned);
        (text(Proof::Authorization), text(Proof::ApiKey))
    }

    // rows: server/GW-SOCKET-KEYS
    #[test]
    fn a_socket_brings_its_key_and_its_token_in_the_query() {
        let some = |text: &str| Some(text.to_owned());
        assert_eq!(query("apikey=a.b.c&vsn=2.0.0"), (None, some("a.b.c")));
        assert_eq!(query("vsn=1.0.0&access_token=t&apikey=k"), (some("t"), some("k")));
        assert_eq!(query("apikey=%20a.%62.c%0A"), (None, some("a.b.c")), "escapes and whitespace");
        assert_eq!(query("apikey=&APIKEY=x&xapikey=y"), (None, None));
        for repeated in ["apikey=a&apikey=a", "apikey=a&api%6bey=b", "access_token=a&access_token="] {
            assert_eq!(Credentials::from_query(repeated).err(), Some(TokenError::Repeated), "{repeated}");
        }
    }

    // rows: server/GW-SOCKET-KEYS
    #[test]
    fn a_header_counts_before_the_parameter_that_stands_for_it() {
        let text = |headers: &[(HeaderName, &'static str)], query: &str| {
            let named = |(name, value): &(HeaderName, &'static str)| (name.clone(), value.parse().unwrap());
            let headers: HeaderMap = headers.iter().map(named).collect();
            let read = Credentials::from_headers(&headers).expect("read").or_query(query).expect("read");
            [Proof::Authorization, Proof::ApiKey].map(|proof| read.text(proof).map(str::to_owned))
        };
        let some = |text: &str| Some(text.to_owned());
        let both = "apikey=q&access_token=q";
        assert_eq!(text(&[], both), [some("q"), some("q")]);
        assert_eq!(text(&[(APIKEY, "h")], both), [some("q"), some("h")]);
        assert_eq!(text(&[(AUTHORIZATION, "Bearer h")], both), [some("h"), some("q")]);
        assert_eq!(text(&[(AUTHORIZATION, "Basic h")], both), [None, some("q")], "no bearer beside it");
    }

    // rows: realtime/C2
    #[test]
    fn the_key_of_a_socket_may_come_in_a_header_of_its_own() {
        let key = |header: &'static str| {
            let headers = [(X_API_KEY, header.parse().unwrap())].into_iter().collect();
            let read = Credentials::of_socket(&headers, "apikey=q").expect("read");
            read.text(Proof::ApiKey).map(str::to_owned)
        };
        assert_eq!(key("h").as_deref(), Some("h"), "it wins");
        assert_eq!(key(" ").as_deref(), Some("q"));
    }

    // rows: server/GW-SOCKET-KEYS
    #[test]
    fn a_message_on_a_socket_brings_a_newer_token_but_no_key() {
        let of_socket = Credentials::from_query("apikey=k&access_token=old").expect("read");
        let joined = of_socket.with_access_token("new");
        assert_eq!(joined.text(Proof::Authorization), Some("new"));
        assert_eq!(joined.text(Proof::ApiKey), Some("k"));
        let key = of_socket.with_access_token("sb_secret_x");
        assert_eq!(key.text(Proof::Authorization), Some("old"), "the socket's own counts");
    }

    // rows: storage/C02
    #[test]
    fn a_token_without_the_word_bearer_counts_where_it_may() {
        let read = |value: &'static str| {
            let headers: HeaderMap = [(AUTHORIZATION, value.parse().unwrap())].into_iter().collect();
            let read = |bare: bool| {
                let credentials = Credentials::from_headers(&headers).expect("read");
                let credentials = if bare { credentials.or_bare_token() } else { credentials };
                credentials.text(Proof::Authorization).map(str::to_owned)
            };
            [read(false), read(true)]
        };
        let some = |text: &str| Some(text.to_owned());
        assert_eq!(read("a.b.c"), [None, some("a.b.c")]);
        assert_eq!(read("bEARER a.b.c"), [some("a.b.c"), some("a.b.c")]);
        assert_eq!(read("AWS4-HMAC-SHA256 Credential=x"), [None, None], "a signature of S3");
        assert_eq!(read(""), [None, None], "an empty header is none");
    }

    // rows: server/GW-LOG
    #[test]
    fn credentials_do_not_show_what_they_hold() {
        let shown =
            format!("{:?}", Credentials::from_query("apikey=secret1&access_token=secret2").expect("read"));
        assert!(!shown.contains("secret"), "{shown}");
    }
}
