//! A project that a function sends mail through: a database that answers claims, and a mail queue.

use std::cell::{Cell, RefCell};
use std::time::Duration;

use banyan_functions::env::Env;
use banyan_functions::handler::IncomingRequest;
use banyan_functions::transport::{Chunks, Transport, TransportError};
use http::{HeaderMap, Method, Request, Response};
use serde_json::{Value, json};

pub(crate) const SENDER: &str = "3f2504e0-4f89-41d3-9a0c-0305e82c3301";

/// Answers claims with one outcome, and handings over with a list of statuses; the last one stays.
pub(crate) struct FakeProject {
    pub(crate) outcome: &'static str,
    pub(crate) queue: RefCell<Vec<u16>>,
    pub(crate) claims: RefCell<Vec<Value>>,
    pub(crate) mails: RefCell<Vec<Value>>,
    slept: Cell<Duration>,
}

impl FakeProject {
    pub(crate) fn answering(outcome: &'static str, queue: &[u16]) -> Self {
        Self {
            outcome,
            queue: RefCell::new(queue.to_vec()),
            claims: RefCell::default(),
            mails: RefCell::default(),
            slept: Cell::default(),
        }
    }

    fn answer(&self, path: &str, body: Value) -> (u16, Value) {
        if path == "/rest/v1/rpc/claim_mail" {
            self.claims.borrow_mut().push(body);
            let row = json!({ "outcome": self.outcome, "mail_id": "m-1", "retry_after": 7 });
            return (200, json!([row]));
        }
        assert_eq!(path, "/mail/v1/messages");
        self.mails.borrow_mut().push(body);
        let mut queue = self.queue.borrow_mut();
        let status = if queue.len() > 1 { queue.remove(0) } else { queue[0] };
        (status, json!({ "id": 1, "code": "x" }))
    }
}

pub(crate) struct Whole(Option<Vec<u8>>);

impl Chunks for Whole {
    async fn next(&mut self) -> Option<Result<Vec<u8>, TransportError>> {
        self.0.take().map(Ok)
    }
}

impl Transport for FakeProject {
    type Body = Whole;

    async fn send(&self, request: Request<Vec<u8>>) -> Result<Response<Whole>, TransportError> {
        assert_eq!(request.headers()["authorization"], "Bearer key");
        let body = serde_json::from_slice(request.body()).expect("JSON");
        let (status, answer) = self.answer(request.uri().path(), body);
        let body = Whole(Some(answer.to_string().into_bytes()));
        Ok(Response::builder().status(status).body(body).expect("a response"))
    }

    async fn sleep(&self, duration: Duration) {
        // A time-out of a call never comes; a pause between two tries is over at once.
        if duration > Duration::from_secs(5) {
            std::future::pending::<()>().await;
        }
        self.slept.set(self.slept.get() + duration);
    }

    fn now(&self) -> Duration {
        self.slept.get()
    }

    fn jitter(&self) -> f64 {
        0.5
    }
}

pub(crate) fn env() -> Env {
    Env::from([
        ("SUPABASE_URL", "http://stack.local"),
        ("SUPABASE_SERVICE_ROLE_KEY", "key"),
        ("PRODUCT_NAME", "Shikshak Saathi"),
    ])
}

/// A call of the signed-in [`SENDER`] with this address.
pub(crate) fn call(address: &str, body: &Value) -> IncomingRequest {
    call_as(&json!({ "role": "authenticated", "sub": SENDER, "email": address }), body)
}

pub(crate) fn call_as(claims: &Value, body: &Value) -> IncomingRequest {
    let name = http::HeaderName::from_static(banyan_functions::caller::HEADER);
    let headers = HeaderMap::from_iter([(name, claims.to_string().parse().expect("visible ASCII"))]);
    IncomingRequest { method: Method::POST, headers, body: Some(body.to_string().into_bytes()) }
}
