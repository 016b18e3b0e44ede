//! A call that is paid for: a wallet in memory and a network that is not there.

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::time::Duration;

use banyan_functions::handler::IncomingRequest;
use banyan_functions::rest::RestError;
use banyan_functions::transport::{Chunks, Transport, TransportError};
use banyan_functions::wallet::{Claim, ClaimRequest, Wallet};
use http::{HeaderMap, Method, Request, Response, StatusCode};
use serde_json::{Value, json};

/// 21 November 2026, a little before midnight in India.
pub(crate) const NOW: u64 = 1_795_285_000;

/// The clock of a test: sleeping makes time pass at once. Its random numbers never repeat.
#[derive(Default)]
pub(crate) struct Offline(Cell<Duration>, Cell<u32>);

pub(crate) struct NoBody;

impl Chunks for NoBody {
    async fn next(&mut self) -> Option<Result<Vec<u8>, TransportError>> {
        None
    }
}

impl Transport for Offline {
    type Body = NoBody;

    async fn send(&self, _request: Request<Vec<u8>>) -> Result<Response<NoBody>, TransportError> {
        Err(TransportError::Connection("no network".to_owned()))
    }

    async fn sleep(&self, duration: Duration) {
        self.0.set(self.0.get() + duration);
    }

    fn now(&self) -> Duration {
        self.0.get()
    }

    fn jitter(&self) -> f64 {
        self.1.set(self.1.get() + 1);
        0.5 + f64::from(self.1.get()) / 1e6
    }
}

/// What the function told the wallet, in order.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Event {
    Claimed { tool: String, owner: String, key: String, body_hash: String },
    Completed(Value),
    Failed(String),
    GivenUp(String),
    Refused(String),
}

/// A wallet that answers claims from a list and writes down what happens.
#[derive(Default)]
pub(crate) struct FakeWallet {
    pub(crate) claims: RefCell<VecDeque<Claim>>,
    pub(crate) events: RefCell<Vec<Event>>,
    pub(crate) refuses_result: Cell<bool>,
    pub(crate) broken_completions: Cell<u32>,
    pub(crate) admin: Cell<bool>,
    /// Claims that are heard, and whose answers are lost.
    pub(crate) lost_answers: Cell<u32>,
    /// The numbers that calls claimed under, in order.
    pub(crate) claim_ids: RefCell<Vec<String>>,
    /// Whether the answer is lost, too, when all claims of the list are told.
    pub(crate) lost_at_the_end: Cell<bool>,
    /// The claims that were heard without an answer, and the numbers they came under.
    pub(crate) heard: RefCell<Vec<(String, Claim)>>,
    /// Times that giving up is not heard.
    pub(crate) lost_give_ups: Cell<u32>,
    /// Tool and hash of the requests that were refused as unsafe.
    pub(crate) refusals: RefCell<Vec<(String, String)>>,
    /// How often it was said that the work goes on.
    pub(crate) words: Cell<u32>,
    /// Whether it was given back before that was said.
    pub(crate) ended_meanwhile: Cell<bool>,
    /// Tokens that models have used today.
    pub(crate) model_tokens: Cell<u64>,
    /// Whether nobody can say that.
    pub(crate) counts_no_tokens: Cell<bool>,
    /// What is said to wait after a refusal.
    pub(crate) wait_after_refusal: Cell<u64>,
    /// A sample is read for an estimate.
    pub(crate) is_reading: Cell<bool>,
}

impl FakeWallet {
    pub(crate) fn paid() -> Self {
        Self::answering([Claim::Claimed { generation_id: "g-1".to_owned(), attempt: 1 }])
    }

    pub(crate) fn answering(claims: impl IntoIterator<Item = Claim>) -> Self {
        Self { claims: RefCell::new(claims.into_iter().collect()), ..Self::default() }
    }

    pub(crate) fn failures(&self) -> Vec<String> {
        let events = self.events.borrow();
        events
            .iter()
            .filter_map(|event| if let Event::Failed(reason) = event { Some(reason.clone()) } else { None })
            .collect()
    }

    /// The tools whose refused calls had their deduction back.
    pub(crate) fn refused(&self) -> Vec<String> {
        let events = self.events.borrow();
        events
            .iter()
            .filter_map(|event| if let Event::Refused(tool) = event { Some(tool.clone()) } else { None })
            .collect()
    }

    pub(crate) fn completions(&self) -> usize {
        self.events.borrow().iter().filter(|event| matches!(event, Event::Completed(_))).count()
    }
}

impl Wallet for FakeWallet {
    async fn claim(&self, request: ClaimRequest<'_>) -> Result<Claim, RestError> {
        self.events.borrow_mut().push(Event::Claimed {
            tool: request.tool.to_owned(),
            owner: request.owner.to_owned(),
            key: request.request_key.to_owned(),
            body_hash: request.body_hash.to_owned(),
        });
        self.claim_ids.borrow_mut().push(request.claim_id.to_owned());
        let mut heard = self.heard.borrow_mut();
        let known = heard.iter().position(|(number, _)| number == request.claim_id);
        if self.lost_answers.get() > 0 {
            self.lost_answers.set(self.lost_answers.get() - 1);
            let is_claimed = |claim: &mut Claim| known.is_none() && matches!(claim, Claim::Claimed { .. });
            let claimed = self.claims.borrow_mut().pop_front_if(is_claimed);
            heard.extend(claimed.map(|claimed| (request.claim_id.to_owned(), claimed)));
            return Err(RestError::Transport(TransportError::Timeout));
        }
        if let Some(known) = known {
            return Ok(heard[known].1.clone());
        }
        let lost = RestError::Transport(TransportError::Timeout);
        let at_the_end = if self.lost_at_the_end.get() { lost } else { RestError::NotConfigured };
        self.claims.borrow_mut().pop_front().ok_or(at_the_end)
    }

    async fn refuse(&self, owner: &str, tool: &str) -> Result<bool, RestError> {
        assert_eq!(owner, USER);
        if self.lost_give_ups.get() > 0 {
            self.lost_give_ups.set(self.lost_give_ups.get() - 1);
            return Err(RestError::Transport(TransportError::Timeout));
        }
        self.events.borrow_mut().push(Event::Refused(tool.to_owned()));
        Ok(true)
    }

    async fn extend_lease(&self, generation_id: &str) -> Result<bool, RestError> {
        assert_eq!(generation_id, "g-1");
        self.words.set(self.words.get() + 1);
        Ok(!self.ended_meanwhile.get())
    }

    async fn complete(&self, generation_id: &str, result: &Value) -> Result<bool, RestError> {
        assert_eq!(generation_id, "g-1");
        if self.broken_completions.get() > 0 {
            self.broken_completions.set(self.broken_completions.get() - 1);
            return Err(RestError::Transport(TransportError::Timeout));
        }
        if holds_a_zero(result) {
            // "unsupported Unicode escape sequence"
            return Err(RestError::Status { status: StatusCode::BAD_REQUEST, code: "22P05".to_owned() });
        }
        self.events.borrow_mut().push(Event::Completed(result.clone()));
        Ok(!self.refuses_result.get())
    }

    async fn fail(&self, generation_id: &str, reason: &str) -> Result<bool, RestError> {
        assert_eq!(generation_id, "g-1");
        self.events.borrow_mut().push(Event::Failed(reason.to_owned()));
        Ok(true)
    }

    async fn fail_claim(&self, owner: &str, claim_id: &str, _reason: &str) -> Result<bool, RestError> {
        assert_eq!(owner, USER);
        if self.lost_give_ups.get() > 0 {
            self.lost_give_ups.set(self.lost_give_ups.get() - 1);
            return Err(RestError::Transport(TransportError::Timeout));
        }
        self.events.borrow_mut().push(Event::GivenUp(claim_id.to_owned()));
        Ok(self.heard.borrow().iter().any(|(number, _)| number == claim_id))
    }

    async fn note_refusal(&self, owner: &str, tool: &str, body_hash: &str) -> Result<u64, RestError> {
        assert_eq!((owner, body_hash.len()), (USER, 64));
        self.refusals.borrow_mut().push((tool.to_owned(), body_hash.to_owned()));
        Ok(self.wait_after_refusal.get())
    }

    async fn begin_sample_reading(&self, owner: &str) -> Result<bool, RestError> {
        assert_eq!(owner, USER);
        Ok(!self.is_reading.replace(true))
    }

    async fn end_sample_reading(&self, owner: &str) -> Result<bool, RestError> {
        assert_eq!(owner, USER);
        Ok(self.is_reading.replace(false))
    }

    async fn note_model_tokens(&self, tokens: u64) -> Result<u64, RestError> {
        if self.counts_no_tokens.get() {
            return Err(RestError::Transport(TransportError::Timeout));
        }
        self.model_tokens.set(self.model_tokens.get() + tokens);
        Ok(self.model_tokens.get())
    }

    async fn is_admin(&self, user: &str) -> Result<bool, RestError> {
        assert_eq!(user, USER);
        Ok(self.admin.get())
    }
}

/// Whether U+0000 stands in a text or a name, which jsonb does not take.
fn holds_a_zero(value: &Value) -> bool {
    match value {
        Value::String(text) => text.contains('\0'),
        Value::Array(values) => values.iter().any(holds_a_zero),
        Value::Object(fields) => {
            fields.iter().any(|(name, value)| name.contains('\0') || holds_a_zero(value))
        }
        _ => false,
    }
}

pub(crate) const USER: &str = "3f2504e0-4f89-41d3-9a0c-0305e82c3301";

/// A call by [`USER`].
pub(crate) fn call(body: &Value) -> IncomingRequest {
    call_as(&json!({ "role": "authenticated", "sub": USER }), body)
}

pub(crate) fn call_as(claims: &Value, body: &Value) -> IncomingRequest {
    let name = http::HeaderName::from_static(banyan_functions::caller::HEADER);
    let headers = HeaderMap::from_iter([(name, claims.to_string().parse().expect("visible ASCII"))]);
    IncomingRequest { method: Method::POST, headers, body: Some(body.to_string().into_bytes()) }
}
