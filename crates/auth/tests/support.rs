//! A service on a database of its own, spoken to as the gateway would.

use std::{ops::Deref, sync::Arc, time::Duration};

use banyan_auth::{State, handle};
use banyan_config::Config;
use banyan_db::{Database, Login};
use banyan_identity::{ApiKeys, Clock, Keyring, Verifier, VerifierPolicy};
use banyan_mail::MailQueue;
use banyan_testkit::{Answer, Service, TestDatabase};
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
    service: Service,
    pub(crate) mail: MailQueue,
    pub(crate) clock: Clock,
}

impl Deref for Stage {
    type Target = Service;

    fn deref(&self) -> &Service {
        &self.service
    }
}

/// The service as the gateway calls it: it is told who calls, and the time.
fn service(state: &State, keyring: &Arc<Keyring>, config: &Config, clock: &Clock) -> Service {
    let policy = VerifierPolicy::of_gateway(ApiKeys::new(&config.keys, false));
    let verifier = Arc::new(Verifier::new(Arc::clone(keyring), policy));
    let (state, clock) = (state.clone(), clock.clone());
    Service::of(move |request| {
        let (state, now) = (state.clone(), clock.now());
        let caller = verifier.identify(request.headers(), now);
        async move { handle(&state, caller, request, now).await }
    })
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
        let clock = Clock::fixed(OffsetDateTime::from_unix_timestamp(1_790_000_000).unwrap());
        Self {
            service: service(&state, &keyring, &config, &clock),
            state,
            database: Arc::new(database),
            keyring,
            config: Arc::new(config),
            mail,
            clock,
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
        let service = service(&state, &keyring, &self.config, &self.clock);
        Self { state, keyring, service, ..self.clone() }
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
        self.post("/otp", json!({"email": email})).await
    }

    pub(crate) async fn verify(&self, email: &str, code: &str) -> Answer {
        self.post("/verify", json!({"type": "email", "email": email, "token": code})).await
    }

    /// Signs in by code; each call is a session of its own.
    pub(crate) async fn sign_in(&self, email: &str) -> Answer {
        self.wait(2);
        let asked = self.ask(email).await;
        assert_eq!(asked.status, 200, "{}", asked.json());
        let code = self.code(email).await;
        let session = self.verify(email, &code).await;
        assert_eq!(session.status, 200, "{}", session.json());
        session
    }

    pub(crate) async fn refresh(&self, token: &str) -> Answer {
        self.post("/token?grant_type=refresh_token", json!({"refresh_token": token})).await
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
