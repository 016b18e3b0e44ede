//! Web pages that may use a stack with the public demo keys. Everybody has the secret one, and CORS
//! lets every page ask, so else any page that a developer looks at could read and change all that
//! is in the stack.

use banyan_config::{Auth, Config, is_of_this_machine};
use http::{HeaderMap, HeaderValue, Method, header::ORIGIN};
use url::Url;

const FETCH_SITE: &str = "sec-fetch-site";
const FETCH_MODE: &str = "sec-fetch-mode";
const FETCH_DEST: &str = "sec-fetch-dest";
/// What browsers send where they fetch an address ahead, before anybody goes there.
const AHEAD: [&str; 2] = ["sec-purpose", "purpose"];

/// The pages that may use a project with demo keys.
pub(crate) struct AllowedPages {
    /// Where the stack itself is reached.
    own: Vec<String>,
    auth: Auth,
}

impl AllowedPages {
    /// None for a project with keys of its own: its keys say who may ask, whatever page they are
    /// on.
    pub(crate) fn of(config: &Config) -> Option<Self> {
        config.keys.everybody_knows()?;
        let own = [config.api_url(), &config.auth.external_url];
        let own = own.iter().filter_map(|url| Some(Url::parse(url).ok()?.origin().ascii_serialization()));
        Some(Self { own: own.collect(), auth: config.auth.clone() })
    }

    /// Whether a request may be answered: it comes from no page, or from one of the project's.
    /// `null` is the origin of a page that hides its own, as any page may. What a page only embeds
    /// has no origin; where the browser says that the page is of another site, it is refused, in a
    /// frame too. People come by links from anywhere, as from a mail.
    pub(crate) fn may_ask(&self, method: &Method, headers: &HeaderMap) -> bool {
        let origins = headers.get_all(ORIGIN);
        let names_origin = origins.iter().next().is_some();
        let is_of_project = origins.iter().map(HeaderValue::to_str).all(|origin| match origin {
            Ok(origin) => is_of_this_machine(origin) || self.is_of_project(origin),
            Err(_) => false,
        });
        is_of_project && (names_origin || !is_cross_site(headers) || is_visit(method, headers))
    }

    fn is_of_project(&self, origin: &str) -> bool {
        self.own.iter().any(|own| own == origin) || banyan_auth::is_page_of_project(&self.auth, origin)
    }
}

/// Whether a browser says that a page of another site asks.
fn is_cross_site(headers: &HeaderMap) -> bool {
    headers.get_all(FETCH_SITE).iter().any(|site| site == "cross-site")
}

/// Whether somebody goes to the address, and no page merely embeds it.
fn is_visit(method: &Method, headers: &HeaderMap) -> bool {
    (method == Method::GET || method == Method::HEAD) && shows(headers)
}

/// Whether a page may lead back to the project by a form or a link, as that of a provider does: the
/// browser shows the answer as a page of its own.
pub(crate) fn may_return(headers: &HeaderMap) -> bool {
    !is_cross_site(headers) || shows(headers)
}

/// Whether the answer takes the place of the whole page. In a frame nobody need see what is asked
/// for, and ahead of a visit nobody has asked.
fn shows(headers: &HeaderMap) -> bool {
    let says = |name, word: &str| {
        let said = headers.get_all(name);
        said.iter().next().is_some() && said.iter().all(|value| value == word)
    };
    let is_ahead = AHEAD.iter().any(|name| headers.contains_key(*name));
    says(FETCH_MODE, "navigate") && says(FETCH_DEST, "document") && !is_ahead
}

#[cfg(test)]
mod tests {
    use banyan_identity::{NewKey, OsRng};
    use http::HeaderName;

    use super::*;

    fn pages(auth: &str) -> Option<AllowedPages> {
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::create_dir(folder.path().join("supabase")).expect("made");
        let key = NewKey::Es256.make(uuid::Uuid::from_u128(1), &mut OsRng).expect("a key");
        std::fs::write(folder.path().join("supabase/keys.json"), format!("[{key}]")).expect("written");
        std::fs::write(folder.path().join("supabase/config.toml"), format!("[auth]\n{auth}\n"))
            .expect("written");
        let loaded = banyan_config::load(folder.path(), banyan_config::Environment::of([]), 0);
        AllowedPages::of(&loaded.expect("loads").config)
    }

    // rows: GW-PAGES
    #[test]
    fn with_demo_keys_only_pages_of_this_machine_and_of_the_project_may_ask() {
        let pages = pages(
            "site_url = \"http://localhost:3000\"\nadditional_redirect_urls = [\"https://app.example/**\", \"myapp://back\"]",
        );
        let pages = pages.expect("demo keys");
        let may_ask = |origin: &'static [u8]| {
            let origin = HeaderValue::from_bytes(origin).expect("a header value");
            pages.may_ask(&Method::GET, &[(ORIGIN, origin)].into_iter().collect())
        };
        assert!(pages.may_ask(&Method::GET, &HeaderMap::new()), "a client that is no page");
        for own in [
            "http://localhost:3000",
            "http://127.0.0.1:5173",
            "https://[::1]",
            "http://app.localhost",
            "capacitor://localhost",
            "https://app.example",
        ] {
            assert!(may_ask(own.as_bytes()), "{own}");
        }
        for foreign in [
            "null",
            "",
            "https://evil.example",
            "http://app.example",
            "https://app.example:8443",
            "https://app.example.evil.example",
            "http://localhost.evil.example",
            "http://localhost@evil.example",
            "file://",
            "\u{e9}",
        ] {
            assert!(!may_ask(foreign.as_bytes()), "{foreign}");
        }
        let two = ["http://localhost:3000", "https://evil.example"];
        let two = two.map(|origin| (ORIGIN, HeaderValue::from_static(origin)));
        let mut headers = HeaderMap::new();
        for (name, origin) in two {
            headers.append(name, origin);
        }
        assert!(!pages.may_ask(&Method::GET, &headers), "every origin that is named counts");
    }

    // rows: GW-PAGES
    #[test]
    fn with_demo_keys_a_page_of_another_site_embeds_nothing_and_links_go_on() {
        let pages = pages("additional_redirect_urls = [\"https://app.example/**\"]").expect("demo keys");
        let may_ask = |method: &Method, all: &[_]| pages.may_ask(method, &said(all));
        let foreign = (FETCH_SITE, "cross-site");
        for mode in ["no-cors", "cors", "same-origin", "websocket", ""] {
            assert!(!may_ask(&Method::GET, &[foreign, (FETCH_MODE, mode), DOCUMENT]), "{mode}");
        }
        assert!(!may_ask(&Method::GET, &[foreign]));
        assert!(may_ask(&Method::GET, &[foreign, VISIT, DOCUMENT]), "a link in a mail");
        assert!(may_ask(&Method::HEAD, &[foreign, VISIT, DOCUMENT]));
        assert!(!may_ask(&Method::POST, &[foreign, VISIT, DOCUMENT]), "a form");
        let origin = ("origin", "https://evil.example");
        assert!(!may_ask(&Method::GET, &[foreign, VISIT, DOCUMENT, origin]));
        assert!(may_ask(&Method::POST, &[foreign, (FETCH_MODE, "cors"), ("origin", "https://app.example")]));
        for site in ["same-origin", "same-site", "none"] {
            assert!(may_ask(&Method::GET, &[(FETCH_SITE, site), (FETCH_MODE, "no-cors")]), "{site}");
        }
    }

    /// What no page can send in another's name: somebody goes to an address, and sees what is
    /// there.
    const VISIT: (&str, &str) = (FETCH_MODE, "navigate");
    const DOCUMENT: (&str, &str) = (FETCH_DEST, "document");

    fn said(all: &[(&'static str, &'static str)]) -> HeaderMap {
        let header = |(name, value)| (HeaderName::from_static(name), HeaderValue::from_static(value));
        all.iter().copied().map(header).collect()
    }

    // rows: GW-PAGES
    #[test]
    fn with_demo_keys_a_page_of_another_site_shows_nothing_in_a_frame() {
        let pages = pages("").expect("demo keys");
        let may_ask = |all: &[_]| pages.may_ask(&Method::GET, &said(all));
        let foreign = (FETCH_SITE, "cross-site");
        for dest in ["iframe", "frame", "embed", "object", "fencedframe", "empty", ""] {
            let framed = [foreign, VISIT, (FETCH_DEST, dest)];
            assert!(!may_ask(&framed), "{dest}");
            assert!(!may_return(&said(&framed)), "{dest}");
            for site in ["same-origin", "same-site", "none"] {
                let own = [(FETCH_SITE, site), VISIT, (FETCH_DEST, dest)];
                assert!(may_ask(&own) && may_return(&said(&own)), "{dest} {site}");
            }
        }
        assert!(!may_ask(&[foreign, VISIT]), "every browser that says one says the other");
        for ahead in [("sec-purpose", "prefetch;prerender"), ("purpose", "prefetch")] {
            assert!(!may_ask(&[foreign, VISIT, DOCUMENT, ahead]), "nobody went there yet: {ahead:?}");
        }
    }

    // rows: GW-PAGES
    #[test]
    fn with_demo_keys_a_provider_leads_back_by_a_form_or_a_link_that_is_seen() {
        let (foreign, origin) = ((FETCH_SITE, "cross-site"), ("origin", "https://appleid.apple.com"));
        assert!(may_return(&said(&[foreign, origin, VISIT, DOCUMENT])), "its form");
        assert!(may_return(&said(&[origin])), "from a browser that says no more");
        assert!(!may_return(&said(&[foreign, origin, (FETCH_MODE, "no-cors"), (FETCH_DEST, "empty")])));
    }

    // rows: GW-PAGES-OWN
    #[test]
    fn with_keys_of_its_own_a_stack_answers_every_page() {
        let keys = "jwt_secret = \"0123456789abcdef0123456789abcdef0123\"\n\
                    secret_key = \"sb_secret_0123456789abcdef\"\n\
                    publishable_key = \"sb_publishable_0123456789abcdef\"";
        assert!(pages(keys).is_some(), "the demo signing key is left");
        assert!(pages(&format!("{keys}\nsigning_keys_path = \"keys.json\"")).is_none());
    }
}
