use std::cell::RefCell;
use std::time::Duration;

use banyan_functions::transport::{Chunks, TransportError};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use http::{HeaderMap, Method, Request, Response};

use super::*;

/// A database that answers every call alike and remembers what it was asked.
struct FakeDatabase {
    status: u16,
    body: &'static str,
    asked: RefCell<Vec<String>>,
}

struct OneChunk(Option<Vec<u8>>);

impl Chunks for OneChunk {
    async fn next(&mut self) -> Option<Result<Vec<u8>, TransportError>> {
        self.0.take().map(Ok)
    }
}

impl Transport for FakeDatabase {
    type Body = OneChunk;

    async fn send(&self, request: Request<Vec<u8>>) -> Result<Response<OneChunk>, TransportError> {
        self.asked.borrow_mut().push(request.uri().to_string());
        let body = OneChunk(Some(self.body.as_bytes().to_vec()));
        Ok(Response::builder().status(self.status).body(body).unwrap())
    }

    async fn sleep(&self, _duration: Duration) {
        std::future::pending().await
    }

    fn now(&self) -> Duration {
        Duration::ZERO
    }

    fn jitter(&self) -> f64 {
        0.0
    }
}

async fn call(role: &str, database: &FakeDatabase) -> Result<Value, FunctionError> {
    let token = match role {
        "service_role" => "k".to_owned(),
        role => format!("h.{}.s", URL_SAFE_NO_PAD.encode(format!("{{\"role\":\"{role}\"}}"))),
    };
    let headers =
        HeaderMap::from_iter([(http::header::AUTHORIZATION, format!("Bearer {token}").parse().unwrap())]);
    let env = Env::from([("SUPABASE_URL", "http://gateway"), ("SUPABASE_SERVICE_ROLE_KEY", "k")]);
    sweep(&IncomingRequest { method: Method::POST, headers, body: Some(vec![]) }, database, &env).await
}

fn database(status: u16, body: &'static str) -> FakeDatabase {
    FakeDatabase { status, body, asked: RefCell::default() }
}

// rows: app/D17
#[tokio::test]
async fn a_sweep_answers_how_many_were_returned() {
    let database = database(200, "3");
    assert_eq!(call("service_role", &database).await.unwrap(), json!({ "returned": 3 }));
    assert_eq!(*database.asked.borrow(), ["http://gateway/rest/v1/rpc/sweep_deductions"]);
}

// rows: app/D17
#[tokio::test]
async fn nobody_but_the_service_role_may_sweep() {
    for role in ["anon", "authenticated", "postgres"] {
        let database = database(200, "3");
        assert_eq!(
            call(role, &database).await,
            Err(FunctionError::Refused(FunctionRefusal::Forbidden)),
            "{role}"
        );
        assert!(database.asked.borrow().is_empty());
    }
}

// rows: app/D17
#[tokio::test]
async fn a_database_that_fails_is_busy() {
    assert_eq!(
        call("service_role", &database(500, "{}")).await,
        Err(FunctionError::Refused(FunctionRefusal::Busy))
    );
    assert_eq!(
        call("service_role", &database(200, "null")).await,
        Err(FunctionError::Refused(FunctionRefusal::Busy))
    );
}
