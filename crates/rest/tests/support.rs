//! A service on a database of its own, and the few words tests need to speak to it.

use banyan_db::Login;
use banyan_identity::{Caller, Identified};
use banyan_rest::{Settings, State};
use banyan_testkit::TestDatabase;
use banyan_web::{Body, full};
use bytes::Bytes;
use http::{HeaderMap, Method, Request, StatusCode};
use http_body_util::BodyExt;
use percent_encoding::{AsciiSet, CONTROLS, utf8_percent_encode};
use serde_json::Value;
use time::OffsetDateTime;

const WRITTEN: &AsciiSet = &CONTROLS
    .add(b' ')
    .add(b'"')
    .add(b'<')
    .add(b'>')
    .add(b'\\')
    .add(b'^')
    .add(b'`')
    .add(b'{')
    .add(b'|')
    .add(b'}');

/// A service that knows the school of `fixtures.sql`.
pub(crate) struct School {
    pub(crate) database: TestDatabase,
    pub(crate) state: State,
}

/// What came back.
#[derive(Debug)]
pub(crate) struct Reply {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    pub(crate) text: String,
}

impl Reply {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.text).unwrap_or_else(|_| panic!("no JSON: {self:?}"))
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).map(|value| value.to_str().expect("a text"))
    }

    /// The body, after a look at the status.
    #[track_caller]
    pub(crate) fn ok(&self) -> Value {
        assert_eq!(self.status, StatusCode::OK, "{}", self.text);
        self.json()
    }

    /// Status and code of an error.
    #[track_caller]
    pub(crate) fn refusal(&self) -> (u16, String) {
        let code = self.json()["code"].as_str().unwrap_or_else(|| panic!("no error: {self:?}")).to_owned();
        (self.status.as_u16(), code)
    }
}

/// A request in the making.
pub(crate) struct Ask<'a> {
    school: &'a School,
    caller: Identified,
    request: http::request::Builder,
    body: Bytes,
}

impl Ask<'_> {
    pub(crate) fn header(mut self, name: &str, value: &str) -> Self {
        self.request = self.request.header(name, value);
        self
    }

    pub(crate) fn prefer(self, value: &str) -> Self {
        self.header("prefer", value)
    }

    pub(crate) fn representation(self) -> Self {
        self.prefer("return=representation")
    }

    pub(crate) fn json(mut self, body: Value) -> Self {
        self.body = body.to_string().into();
        self.header("content-type", "application/json")
    }

    pub(crate) fn body(mut self, content_type: &str, body: impl Into<Bytes>) -> Self {
        self.body = body.into();
        self.header("content-type", content_type)
    }

    /// Something that was found out about the request before.
    pub(crate) fn extension(mut self, known: impl Clone + Send + Sync + 'static) -> Self {
        self.request = self.request.extension(known);
        self
    }

    /// A body without a `Content-Type`.
    pub(crate) fn bytes(mut self, body: impl Into<Bytes>) -> Self {
        self.body = body.into();
        self
    }

    pub(crate) fn by(mut self, caller: Caller) -> Self {
        self.caller = Ok(caller);
        self
    }

    pub(crate) fn identified(mut self, caller: Identified) -> Self {
        self.caller = caller;
        self
    }

    pub(crate) async fn send(self) -> Reply {
        let (status, headers, bytes) = self.raw().await;
        Reply { status, headers, text: String::from_utf8(bytes.to_vec()).expect("a text") }
    }

    /// Sends it; the body may be no text.
    pub(crate) async fn raw(self) -> (StatusCode, HeaderMap, Bytes) {
        let (parts, body) = self.response().await.into_parts();
        let bytes = body.collect().await.expect("a whole body").to_bytes();
        (parts.status, parts.headers, bytes)
    }

    /// Sends it; the answer as the service gave it.
    pub(crate) async fn response(self) -> http::Response<Body> {
        let body = full(self.body);
        let request: Request<Body> = self.request.body(body).expect("a request");
        banyan_rest::handle(&self.school.state, self.caller, request, OffsetDateTime::UNIX_EPOCH).await
    }
}

impl School {
    /// A request; characters that a URL cannot hold are encoded, so that tests read as people
    /// write.
    pub(crate) fn ask(&self, method: Method, path: &str) -> Ask<'_> {
        let path = utf8_percent_encode(path, WRITTEN).to_string();
        Ask {
            school: self,
            caller: Ok(Caller::anonymous()),
            request: Request::builder().method(method).uri(path),
            body: Bytes::new(),
        }
    }

    pub(crate) async fn get(&self, path: &str) -> Reply {
        self.ask(Method::GET, path).send().await
    }

    /// GET with an `Accept`, for bodies that may be no text.
    pub(crate) async fn raw(&self, path: &str, accept: &str) -> (StatusCode, HeaderMap, Bytes) {
        self.ask(Method::GET, path).header("accept", accept).raw().await
    }

    pub(crate) fn post(&self, path: &str, body: Value) -> Ask<'_> {
        self.ask(Method::POST, path).json(body)
    }

    pub(crate) fn patch(&self, path: &str, body: Value) -> Ask<'_> {
        self.ask(Method::PATCH, path).json(body)
    }

    /// Runs SQL as the project's own role.
    pub(crate) async fn sql(&self, sql: &'static str) {
        sqlx::raw_sql(sql).execute(self.database.pool(Login::Postgres)).await.expect("valid SQL");
    }

    /// The one number a query gives, as a superuser that looks into `public`.
    pub(crate) async fn number(&self, sql: &'static str) -> i64 {
        let mut look = self.database.pool(Login::Admin).begin().await.expect("a transaction");
        sqlx::raw_sql("set local search_path = public").execute(&mut *look).await.expect("valid SQL");
        sqlx::query_scalar(sql).fetch_one(&mut *look).await.expect("a number")
    }
}

/// The settings most tests use: one schema, at most 1,000 rows.
pub(crate) fn settings() -> Settings {
    Settings {
        schemas: vec!["public".to_owned()],
        extra_search_path: vec!["public".to_owned(), "extensions".to_owned()],
        max_rows: Some(1000),
        anonymous_role: Some("anon".to_owned()),
        public_url: "http://127.0.0.1:54321/rest/v1".to_owned(),
        ..Settings::default()
    }
}

pub(crate) async fn school() -> School {
    Box::pin(school_with(settings())).await
}

pub(crate) async fn school_with(settings: Settings) -> School {
    let database = Box::pin(banyan_testkit::platform_database()).await;
    let pool = database.pool(Login::Postgres);
    sqlx::raw_sql(include_str!("fixtures.sql")).execute(pool).await.expect("the school can be built");
    let state = State::new(database.database().clone(), settings);
    assert!(Box::pin(state.load()).await, "the schema can be read");
    School { database, state }
}

/// The school with what reading needs beside it.
pub(crate) async fn reading() -> School {
    Box::pin(reading_with(settings())).await
}

pub(crate) async fn reading_with(settings: Settings) -> School {
    let school = Box::pin(school_with(settings)).await;
    school.sql(include_str!("fixtures_reading.sql")).await;
    assert!(Box::pin(school.state.load()).await, "the schema can be read again");
    school
}

impl School {
    /// The numbers `id` of the rows at a path.
    #[track_caller]
    pub(crate) fn ids(&self, path: &str) -> impl Future<Output = Vec<i64>> {
        let caller = std::panic::Location::caller();
        let path = path.to_owned();
        async move {
            let reply = self.get(&path).await;
            assert_eq!(reply.status, StatusCode::OK, "{caller}: {path}: {}", reply.text);
            let rows = reply.json();
            rows.as_array().expect("rows").iter().filter_map(|row| row["id"].as_i64()).collect()
        }
    }
}
