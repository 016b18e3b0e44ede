//! A service on a database of its own, and the few words tests need to speak to it.

use std::{ops::Deref, sync::Arc};

use banyan_db::Login;
use banyan_identity::Caller;
use banyan_rest::{Settings, State};
use banyan_testkit::{Call, Service, TestDatabase};
use time::OffsetDateTime;

/// A service that knows the school of `fixtures.sql`.
pub(crate) struct School {
    pub(crate) database: TestDatabase,
    pub(crate) state: Arc<State>,
    service: Service,
}

impl Deref for School {
    type Target = Service;

    fn deref(&self) -> &Service {
        &self.service
    }
}

/// Preferences of a request.
pub(crate) trait Preferring {
    /// Adds a header `Prefer`.
    fn prefer(self, value: &str) -> Self;

    /// Asks for the rows that are written.
    fn representation(self) -> Self;
}

impl Preferring for Call {
    fn prefer(self, value: &str) -> Self {
        self.header("prefer", value)
    }

    fn representation(self) -> Self {
        self.prefer("return=representation")
    }
}

impl School {
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
    let state = Arc::new(State::new(database.database().clone(), settings));
    assert!(Box::pin(state.load()).await, "the schema can be read");
    School { database, service: service(Arc::clone(&state)), state }
}

/// The data API, told who calls by [`banyan_testkit::Call::by`]; else nobody does.
fn service(state: Arc<State>) -> Service {
    Service::of(move |mut request| {
        let state = Arc::clone(&state);
        let caller = request.extensions_mut().remove().unwrap_or_else(|| Ok(Caller::anonymous()));
        async move { banyan_rest::handle(&state, caller, request, OffsetDateTime::UNIX_EPOCH).await }
    })
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
            assert_eq!(reply.status, 200, "{caller}: {path}: {reply:?}");
            let rows = reply.json();
            rows.as_array().expect("rows").iter().filter_map(|row| row["id"].as_i64()).collect()
        }
    }
}
