//! Web pages that may use a stack with the public demo keys. Everybody has the secret one, and CORS
//! lets every page ask, so else any page that a developer looks at could read and change all that
//! is in the stack.

use banyan_config::{Auth, Config, is_of_this_machine};
use http::{HeaderMap, HeaderValue, header::ORIGIN};
use url::Url;

/// What is said to a page that is none of the project's.
pub(crate) const FOREIGN_PAGE: &str = "This stack runs with the public demo keys, so it answers no web page but those of this machine and of the project. \
    For a page of another origin make that auth.site_url, or add it to auth.additional_redirect_urls in config.toml; \
    or give the stack keys of its own: auth.jwt_secret, the API keys and auth.signing_keys_path.";

/// The pages of a project with demo keys.
pub(crate) struct Pages {
    /// Where the stack itself is reached.
    own: Vec<String>,
    auth: Auth,
}

impl Pages {
    /// None for a project with keys of its own: its keys say who may ask, whatever page they are
    /// on.
    pub(crate) fn of(config: &Config) -> Option<Self> {
        config.keys.everybody_knows()?;
        let own = [config.api_url(), &config.auth.external_url];
        let own = own.iter().filter_map(|url| Some(Url::parse(url).ok()?.origin().ascii_serialization()));
        Some(Self { own: own.collect(), auth: config.auth.clone() })
    }

    /// Whether a request may be answered: it comes from no page, or from one of the project's.
    /// `null` is the origin of a page that hides its own, as any page may.
    pub(crate) fn may_ask(&self, headers: &HeaderMap) -> bool {
        headers.get_all(ORIGIN).iter().map(HeaderValue::to_str).all(|origin| match origin {
            Ok(origin) => is_of_this_machine(origin) || self.is_of_project(origin),
            Err(_) => false,
        })
    }

    fn is_of_project(&self, origin: &str) -> bool {
        self.own.iter().any(|own| own == origin) || banyan_auth::is_page_of_project(&self.auth, origin)
    }
}

#[cfg(test)]
mod tests {
    use banyan_identity::{NewKey, OsRng};

    use super::*;

    fn pages(auth: &str) -> Option<Pages> {
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::create_dir(folder.path().join("supabase")).expect("made");
        let key = NewKey::Es256.make(uuid::Uuid::from_u128(1), &mut OsRng).expect("a key");
        std::fs::write(folder.path().join("supabase/keys.json"), format!("[{key}]")).expect("written");
        std::fs::write(folder.path().join("supabase/config.toml"), format!("[auth]\n{auth}\n"))
            .expect("written");
        let loaded = banyan_config::load(folder.path(), banyan_config::Environment::of([]), 0);
        Pages::of(&loaded.expect("loads").config)
    }

    #[test]
    fn with_demo_keys_only_pages_of_this_machine_and_of_the_project_may_ask() {
        let pages = pages(
            "site_url = \"http://localhost:3000\"\nadditional_redirect_urls = [\"https://app.example/**\", \"myapp://back\"]",
        );
        let pages = pages.expect("demo keys");
        let may_ask = |origin: &'static [u8]| {
            let origin = HeaderValue::from_bytes(origin).expect("a header value");
            pages.may_ask(&[(ORIGIN, origin)].into_iter().collect())
        };
        assert!(pages.may_ask(&HeaderMap::new()), "a client that is no page");
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
        assert!(!pages.may_ask(&headers), "every origin that is named counts");
    }

    #[test]
    fn with_keys_of_its_own_a_stack_answers_every_page() {
        let keys = "jwt_secret = \"0123456789abcdef0123456789abcdef0123\"\n\
                    secret_key = \"sb_secret_0123456789abcdef\"\n\
                    publishable_key = \"sb_publishable_0123456789abcdef\"";
        assert!(pages(keys).is_some(), "the demo signing key is left");
        assert!(pages(&format!("{keys}\nsigning_keys_path = \"keys.json\"")).is_none());
    }
}
