//! A service on a database of its own, spoken to as the gateway would.

use std::{net::IpAddr, sync::Arc, time::Duration};

use banyan_auth::{State, handle};
use banyan_config::Config;
use banyan_db::{Database, Login};
use banyan_identity::{ApiKeys, Clock, Keyring, Peer, Policy, Verifier};
use banyan_mail::MailQueue;
use banyan_testkit::TestDatabase;
use banyan_web::{Body, full};
use http::{HeaderMap, Method, Request};
use http_body_util::BodyExt;
use rand::{SeedableRng, rngs::StdRng};
use secrecy::ExposeSecret;
use serde_json::{Value, json};
use sqlx::PgPool;
use time::OffsetDateTime;

pub(crate) const ASHA: &str = "asha@example.com";
pub(crate) const RAVI: &str = "ravi@example.com";

/// A service, its database and its clock.
#[derive(Clone)]
pub(crate) struct Stage {
    state: State,
    database: Arc<TestDatabase>,
    keyring: Arc<Keyring>,
    config: Arc<Config>,
    pub(crate) mail: MailQueue,
    pub(crate) clock: Clock,
}

/// What came back.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Value,
    /// The body as it came, where it is no JSON.
    pub(crate) page: String,
}

impl Answer {
    /// Status and error code, whichever form the error has.
    pub(crate) fn error(&self) -> (u16, &str) {
        let code = self.body["error_code"].as_str().or(self.body["code"].as_str());
        (self.status, code.unwrap_or_default())
    }

    pub(crate) fn text(&self, field: &str) -> &str {
        self.body[field].as_str().unwrap_or_else(|| panic!("no {field} in {}", self.body))
    }

    pub(crate) fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", |value| value.to_str().unwrap())
    }
}

/// One request before it is sent.
pub(crate) struct Call<'a> {
    stage: &'a Stage,
    request: http::request::Builder,
    peer: Peer,
    body: Vec<u8>,
}

impl Call<'_> {
    pub(crate) fn bearer(self, token: &str) -> Self {
        self.header("authorization", &format!("Bearer {token}"))
    }

    pub(crate) fn header(mut self, name: &str, value: &str) -> Self {
        self.request = self.request.header(name, value);
        self
    }

    pub(crate) fn from(mut self, ip: impl Into<IpAddr>) -> Self {
        self.peer = Peer::Tcp((ip.into(), 40_000).into());
        self
    }

    /// Asked by a function, in the process.
    pub(crate) fn by_function(mut self, name: &str) -> Self {
        self.peer = Peer::Function(name.into());
        self
    }

    pub(crate) fn json(mut self, body: &Value) -> Self {
        self.body = body.to_string().into();
        self
    }

    pub(crate) fn raw(mut self, body: &str) -> Self {
        self.body = body.as_bytes().to_vec();
        self
    }

    /// A body that may be no text.
    pub(crate) fn bytes(mut self, body: &[u8]) -> Self {
        self.body = body.to_vec();
        self
    }

    pub(crate) async fn send(self) -> Answer {
        let body = full(self.body);
        let mut request: Request<Body> = self.request.body(body).unwrap();
        request.extensions_mut().insert(self.peer);
        let stage = self.stage;
        let policy = Policy::of_gateway(ApiKeys::new(&stage.config.keys, false));
        let verifier = Verifier::new(Arc::clone(&stage.keyring), policy);
        let caller = verifier.identify(request.headers(), stage.now());
        let answer = handle(&stage.state, caller, request, stage.now()).await;
        let (parts, body) = answer.into_parts();
        let bytes = body.collect().await.unwrap().to_bytes();
        Answer {
            status: parts.status.as_u16(),
            headers: parts.headers,
            page: String::from_utf8_lossy(&bytes).into_owned(),
            body: serde_json::from_slice(&bytes).unwrap_or(Value::Null),
        }
    }
}

impl Stage {
    pub(crate) async fn new() -> Self {
        Self::with("").await
    }

    /// A service of a project with this config.toml.
    pub(crate) async fn with(toml: &str) -> Self {
        Self::of(banyan_testkit::config_with(toml)).await
    }

    pub(crate) async fn of(config: Config) -> Self {
        let database = Box::pin(banyan_testkit::platform_database()).await;
        let keyring = Arc::new(Keyring::new(&config.keys).unwrap());
        let mail = MailQueue::new(database.pool(Login::Admin).clone());
        let dice = StdRng::from_os_rng();
        let state = State::new(&config, &database, Arc::clone(&keyring), mail.clone(), dice).unwrap();
        let start = OffsetDateTime::from_unix_timestamp(1_790_000_000).unwrap();
        Self {
            state,
            database: Arc::new(database),
            keyring,
            config: Arc::new(config),
            mail,
            clock: Clock::fixed(start),
        }
    }

    /// Why a service with this configuration does not start.
    pub(crate) fn refused_with(&self, config: &Config) -> String {
        let keyring = Arc::clone(&self.keyring);
        let dice = StdRng::from_os_rng();
        let made = State::new(config, &self.database, keyring, self.mail.clone(), dice);
        made.expect_err("it starts").to_string()
    }

    /// Another node of the same project: it shares the database, and nothing else.
    pub(crate) fn another_node(&self) -> Self {
        let mail = MailQueue::new(self.sql().clone());
        let keyring = Arc::new(Keyring::new(&self.config.keys).unwrap());
        let state =
            State::new(&self.config, &self.database, Arc::clone(&keyring), mail, StdRng::from_os_rng())
                .unwrap();
        Self { state, keyring, ..self.clone() }
    }

    /// What the service was made of.
    pub(crate) fn config(&self) -> &Config {
        &self.config
    }

    pub(crate) fn now(&self) -> OffsetDateTime {
        self.clock.now()
    }

    pub(crate) fn wait(&self, seconds: u64) {
        self.clock.advance(Duration::from_secs(seconds));
    }

    pub(crate) fn call(&self, method: Method, path: &str) -> Call<'_> {
        let request = Request::builder().method(method).uri(path);
        Call { stage: self, request, peer: Peer::Tcp(([192, 0, 2, 1], 40_000).into()), body: Vec::new() }
    }

    pub(crate) fn get(&self, path: &str) -> Call<'_> {
        self.call(Method::GET, path)
    }

    pub(crate) fn post(&self, path: &str, body: &Value) -> Call<'_> {
        self.call(Method::POST, path).json(body)
    }

    pub(crate) fn put(&self, path: &str, body: &Value) -> Call<'_> {
        self.call(Method::PUT, path).json(body)
    }

    pub(crate) fn call_functions_by(&self, call: banyan_auth::FunctionCall) {
        self.state.call_functions_by(call);
    }

    pub(crate) fn state(&self) -> &State {
        &self.state
    }

    pub(crate) fn service_key(&self) -> String {
        self.config.keys.secret_key.expose_secret().to_owned()
    }

    pub(crate) fn anon_key(&self) -> &str {
        &self.config.keys.anon_key
    }

    pub(crate) fn claims(&self, token: &str) -> Value {
        serde_json::from_str(self.keyring.check_signature(token).unwrap().json()).unwrap()
    }

    pub(crate) fn database(&self) -> &Database {
        &self.database
    }

    /// The superuser's pool.
    pub(crate) fn sql(&self) -> &PgPool {
        self.database.pool(Login::Admin)
    }

    pub(crate) async fn execute(&self, statement: &'static str) {
        sqlx::raw_sql(statement).execute(self.sql()).await.unwrap();
    }

    pub(crate) async fn number(&self, query: &'static str) -> i64 {
        sqlx::query_scalar(query).fetch_one(self.sql()).await.unwrap()
    }

    /// Mails queued for an address, oldest first: subject and text. A quiet answer may come before
    /// its mail: where there is none, a moment is given.
    pub(crate) async fn mails(&self, to: &str) -> Vec<(String, String)> {
        let mut mails = self.queued(to).await;
        for _ in 0..5 {
            if mails.is_empty() {
                tokio::time::sleep(Duration::from_millis(100)).await;
                mails = self.queued(to).await;
            }
        }
        mails
    }

    async fn queued(&self, to: &str) -> Vec<(String, String)> {
        sqlx::query_as(
            "select subject, text_body from mail.messages where $1 = any(recipients) order by created_at, id",
        )
        .bind(to)
        .fetch_all(self.sql())
        .await
        .unwrap()
    }

    /// The code of the newest mail to an address.
    pub(crate) async fn code(&self, to: &str) -> String {
        let (subject, text) = self.mails(to).await.pop().expect("a mail");
        code_in(&text).or(code_in(&subject)).expect("a code of six digits")
    }

    pub(crate) async fn ask(&self, email: &str) -> Answer {
        self.post("/otp", &json!({"email": email})).send().await
    }

    pub(crate) async fn verify(&self, email: &str, code: &str) -> Answer {
        self.post("/verify", &json!({"type": "email", "email": email, "token": code})).send().await
    }

    /// Signs in by code; each call is a session of its own.
    pub(crate) async fn sign_in(&self, email: &str) -> Answer {
        self.wait(2);
        let asked = self.ask(email).await;
        assert_eq!(asked.status, 200, "{}", asked.body);
        let code = self.code(email).await;
        let session = self.verify(email, &code).await;
        assert_eq!(session.status, 200, "{}", session.body);
        session
    }

    pub(crate) async fn refresh(&self, token: &str) -> Answer {
        self.post("/token?grant_type=refresh_token", &json!({"refresh_token": token})).send().await
    }
}

/// The code in a text; tokens of its links may hold six digits, too.
pub(crate) fn code_in(text: &str) -> Option<String> {
    let mut words = text.split_whitespace().filter(|word| !word.contains("://"));
    let digits = |word: &str| {
        word.split(|c: char| !c.is_ascii_digit()).find(|part| part.len() == 6).map(str::to_owned)
    };
    words.find_map(digits)
}

/// Another code of six digits.
pub(crate) fn wrong(code: &str, step: u32) -> String {
    format!("{:06}", (code.parse::<u32>().unwrap() + step) % 1_000_000)
}
