//! An OpenID Connect provider for tests, and for a browser by hand: `cargo run --release -p
//! banyan-testkit --example oidc_provider`.
//!
//! It speaks HTTP on a port of loopback and does what a real one does: discovery, keys, the
//! authorization code flow with client authentication and proof keys, one use per code, id_tokens
//! and userinfo. Who signs in is what the test says.

/// What its endpoints answer.
mod endpoints;

use std::{
    collections::HashMap,
    net::SocketAddr,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use banyan_identity::{Keyring, NewKey, OsRng};
use http_body_util::Full;
use hyper::{body::Bytes, service::service_fn};
use hyper_util::{
    rt::{TokioExecutor, TokioIo},
    server::conn::auto,
};
use secrecy::SecretString;
use serde_json::{Map, Value, json};
use tokio::{net::TcpListener, task::JoinHandle};

/// Name of the client that the provider knows.
pub const CLIENT_ID: &str = "banyan-client";
/// Its secret.
pub const CLIENT_SECRET: &str = "banyan secret: with / and +";

/// A running provider. It stops when this is dropped.
pub struct OidcProvider {
    address: SocketAddr,
    shared: Arc<Shared>,
    task: JoinHandle<()>,
}

/// How the provider behaves.
#[derive(Debug, Clone, Default)]
pub struct Behaviour {
    /// Claims of whoever signs in; none asks in the browser.
    pub person: Option<Map<String, Value>>,
    /// The person says no, with this error.
    pub refuses: Option<String>,
    /// The token endpoint gives no id_token.
    pub without_id_token: bool,
    /// Claims that replace those of the id_token alone; null takes one out.
    pub id_token: Map<String, Value>,
    /// The token endpoint fails.
    pub broken: bool,
    /// Every endpoint fails.
    pub away: bool,
}

struct Shared {
    issuer: String,
    keyring: Keyring,
    now: Mutex<i64>,
    behaviour: Mutex<Behaviour>,
    codes: Mutex<HashMap<String, Ticket>>,
    people: Mutex<HashMap<String, Map<String, Value>>>,
    asked: Mutex<Vec<String>>,
}

/// What a code stands for.
struct Ticket {
    person: Map<String, Value>,
    redirect_uri: String,
    challenge: Option<String>,
    nonce: Option<String>,
}

impl std::fmt::Debug for OidcProvider {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("OidcProvider").field("address", &self.address).finish_non_exhaustive()
    }
}

impl OidcProvider {
    /// A provider on a free port, whose clock stands at `now` (Unix seconds).
    ///
    /// # Panics
    /// When the port cannot be had.
    pub async fn start(port: u16, now: i64) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", port)).await.expect("a port of loopback");
        let address = listener.local_addr().expect("it listens");
        let shared = Arc::new(Shared {
            issuer: format!("http://{address}"),
            keyring: new_keyring(),
            now: Mutex::new(now),
            behaviour: Mutex::default(),
            codes: Mutex::default(),
            people: Mutex::default(),
            asked: Mutex::default(),
        });
        let task = tokio::spawn(serve(listener, Arc::clone(&shared)));
        Self { address, shared, task }
    }

    /// Its issuer, which is also its base address.
    #[must_use]
    pub fn issuer(&self) -> &str {
        &self.shared.issuer
    }

    /// Who signs in from now on: id, address, whether the provider vouches for it, and more claims.
    pub fn person(&self, sub: &str, email: &str, verified: bool, more: &Value) {
        let mut claims = Map::new();
        claims.insert("sub".into(), json!(sub));
        if !email.is_empty() {
            claims.insert("email".into(), json!(email));
            claims.insert("email_verified".into(), json!(verified));
        }
        claims.extend(more.as_object().cloned().unwrap_or_default());
        self.behave(|behaviour| behaviour.person = Some(claims));
    }

    /// Changes how it behaves.
    pub fn behave(&self, change: impl FnOnce(&mut Behaviour)) {
        change(&mut hold(&self.shared.behaviour));
    }

    /// Sets its clock.
    pub fn set_time(&self, now: i64) {
        *hold(&self.shared.now) = now;
    }

    /// An id_token for these claims, as the provider signs it.
    #[must_use]
    pub fn id_token(&self, claims: &Value) -> String {
        self.shared.id_token(claims.as_object().cloned().unwrap_or_default())
    }

    /// Goes to an address of the provider as a browser would; gives where it is sent on to, empty
    /// if nowhere.
    ///
    /// # Panics
    /// When the address cannot be read or the provider does not answer.
    pub async fn visit(&self, address: &str) -> String {
        let url = url::Url::parse(address).expect("an address");
        let stream = tokio::net::TcpStream::connect(self.address).await.expect("it listens");
        let (mut sender, connection) =
            hyper::client::conn::http1::handshake(TokioIo::new(stream)).await.expect("it speaks HTTP");
        let connection = tokio::spawn(connection);
        let request = http::Request::get(&url[url::Position::BeforePath..])
            .header(http::header::HOST, self.address.to_string())
            .body(Full::<Bytes>::default())
            .expect("a request");
        let answer = sender.send_request(request).await.expect("it answers");
        connection.abort();
        let location = answer.headers().get(http::header::LOCATION);
        location.and_then(|value| value.to_str().ok()).unwrap_or_default().to_owned()
    }

    /// The paths it was asked for, oldest first.
    #[must_use]
    pub fn asked(&self) -> Vec<String> {
        hold(&self.shared.asked).clone()
    }
}

impl Drop for OidcProvider {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl Shared {
    fn now(&self) -> i64 {
        *hold(&self.now)
    }

    /// Signs claims, with issuer, audience and times unless they say otherwise; null takes a claim
    /// out.
    fn id_token(&self, claims: Map<String, Value>) -> String {
        let mut all = Map::new();
        all.insert("iss".into(), json!(self.issuer));
        all.insert("aud".into(), json!(CLIENT_ID));
        all.insert("iat".into(), json!(self.now()));
        all.insert("exp".into(), json!(self.now() + 3600));
        all.extend(claims);
        all.retain(|_, value| !value.is_null());
        self.keyring.sign(&all).expect("claims are JSON")
    }
}

fn hold<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A text that nobody guesses.
fn draw() -> String {
    uuid::Uuid::new_v4().simple().to_string()
}

fn new_keyring() -> Keyring {
    let key = NewKey::Es256.make(uuid::Uuid::new_v4(), &mut OsRng).expect("a key");
    let mut keys = crate::config().keys;
    keys.signing_keys = vec![SecretString::from(key.to_string())];
    keys.own_signing_keys = true;
    Keyring::new(&keys).expect("a key that signs")
}

async fn serve(listener: TcpListener, shared: Arc<Shared>) {
    while let Ok((stream, _)) = listener.accept().await {
        let shared = Arc::clone(&shared);
        tokio::spawn(async move {
            let service = service_fn(|request| {
                let shared = Arc::clone(&shared);
                async move {
                    Ok::<http::Response<Full<Bytes>>, std::convert::Infallible>(
                        endpoints::answer(&shared, request).await,
                    )
                }
            });
            // A client that goes away is its own affair.
            let _ = auto::Builder::new(TokioExecutor::new())
                .serve_connection(TokioIo::new(stream), service)
                .await;
        });
    }
}
