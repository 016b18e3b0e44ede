//! A browser between the application, the service and a provider.

use std::collections::HashMap;

use banyan_testkit::Answer;
use banyan_testkit::oidc::{CLIENT_ID, CLIENT_SECRET, OidcProvider};
use serde_json::json;

use crate::support::{ASHA, Stage};

/// Public base of the service in tests.
const BASE: &str = "http://127.0.0.1:54321/auth/v1";
/// Where the application is, and may be returned to.
pub(crate) const APP: &str = "http://localhost:5173/welcome";

/// A service with Google, played by a provider of the test's own.
pub(crate) struct World {
    pub(crate) stage: Stage,
    pub(crate) google: OidcProvider,
}

/// Where a browser ended up, and what it took along.
#[derive(Debug)]
pub(crate) struct Landing {
    pub(crate) status: u16,
    pub(crate) place: String,
    pub(crate) query: HashMap<String, String>,
    pub(crate) fragment: HashMap<String, String>,
}

impl Landing {
    pub(crate) fn of(answer: &Answer) -> Self {
        let location = answer.header("location").unwrap_or_default();
        let url = url::Url::parse(location).unwrap_or_else(|_| panic!("{location:?}: {}", answer.json()));
        let pairs = |text: &str| url::form_urlencoded::parse(text.as_bytes()).into_owned().collect();
        let origin = match url.origin() {
            url::Origin::Opaque(_) => format!("{}://{}", url.scheme(), url.host_str().unwrap_or_default()),
            origin => origin.ascii_serialization(),
        };
        Self {
            status: answer.status,
            place: format!("{origin}{}", url.path()),
            query: pairs(url.query().unwrap_or_default()),
            fragment: pairs(url.fragment().unwrap_or_default()),
        }
    }

    pub(crate) fn token(&self) -> &str {
        self.fragment.get("access_token").unwrap_or_else(|| panic!("no session: {self:?}"))
    }

    /// Error and its code, which query and fragment both name.
    pub(crate) fn error(&self) -> (&str, &str) {
        let text = |name: &str| {
            let found = self.query.get(name).map(String::as_str).unwrap_or_default();
            assert_eq!(self.fragment.get(name).map(String::as_str).unwrap_or_default(), found, "{self:?}");
            found
        };
        (text("error"), text("error_code"))
    }
}

/// A browser on its way back from the provider.
#[derive(Debug, Clone)]
pub(crate) struct Return {
    /// Path and query at the service.
    pub(crate) path: String,
    pub(crate) cookie: String,
}

impl World {
    /// A service with these settings of `[auth]` besides.
    pub(crate) async fn new(auth: &str) -> Self {
        Self::with(auth, "", "").await
    }

    /// The same with settings of the provider, and further sections.
    pub(crate) async fn with(auth: &str, provider: &str, sections: &str) -> Self {
        let google = OidcProvider::start(0, 1_790_000_000).await;
        google.person(
            "117",
            ASHA,
            true,
            &json!({"name": "Asha K", "picture": "https://pictures.example/a.png"}),
        );
        let stage = Stage::with(&format!(
            "[auth]\nadditional_redirect_urls = [\"http://localhost:5173/**\"]\n{auth}\n
            [auth.external.google]\nenabled = true\nclient_id = \"{CLIENT_ID},other-client\"\n
            secret = \"{CLIENT_SECRET}\"\nurl = \"{}\"\n{provider}\n{sections}",
            google.issuer()
        ))
        .await;
        Self { stage, google }
    }

    /// Lets time pass everywhere.
    pub(crate) fn wait(&self, seconds: u64) {
        self.stage.wait(seconds);
        self.google.set_time(self.stage.now().unix_timestamp());
    }

    /// Path of `/authorize` for the application, with more parameters.
    pub(crate) fn authorize(more: &str) -> String {
        let redirect = url::form_urlencoded::byte_serialize(APP.as_bytes()).collect::<String>();
        format!("/authorize?provider=google&redirect_to={redirect}{more}")
    }

    /// To the provider and back to the service's door.
    pub(crate) async fn leave(&self, path: &str) -> Return {
        let away = self.stage.get(path).await;
        assert_eq!(away.status, 302, "{}", away.json());
        let cookie =
            away.header("set-cookie").unwrap_or_default().split(';').next().unwrap_or_default().to_owned();
        self.come_back(away.header("location").unwrap_or_default(), cookie).await
    }

    /// From an address of the provider back to the service's door.
    pub(crate) async fn come_back(&self, address: &str, cookie: String) -> Return {
        let back = self.google.visit(address).await;
        let path = back.strip_prefix(BASE).unwrap_or_else(|| panic!("{back:?}")).to_owned();
        Return { path, cookie }
    }

    /// Through the service's door.
    pub(crate) async fn enter(&self, back: &Return) -> Landing {
        Landing::of(&self.stage.get(&back.path).header("cookie", &back.cookie).await)
    }

    /// The whole way.
    pub(crate) async fn sign_in(&self, more: &str) -> Landing {
        let back = self.leave(&Self::authorize(more)).await;
        self.enter(&back).await
    }
}
