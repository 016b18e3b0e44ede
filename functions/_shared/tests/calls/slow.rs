//! A model that takes its time, by a clock that goes on only where everybody waits.

use std::cell::Cell;
use std::future::{Future, poll_fn};
use std::pin::pin;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use banyan_functions::env::Env;
use banyan_functions::error::FunctionError;
use banyan_functions::paid_call::{Settings, generate};
use banyan_functions::transport::{Chunks, Transport, TransportError};
use http::{Request, Response};
use serde_json::{Value, json};

use crate::moderation::Note;
use crate::paid::{FakeWallet, NOW, call};

/// Seconds that the model takes for each thing that it is asked, and how many documents it refuses
/// first.
#[derive(Debug, Clone, Copy)]
struct Pace {
    request: u64,
    writing: u64,
    document: u64,
    refused: u32,
}

/// The network with that model and that clock.
struct Slow {
    pace: Pace,
    now: Cell<Duration>,
    next: Cell<Option<Duration>>,
    documents: Cell<u32>,
}

struct Whole(Option<String>);

impl Chunks for Whole {
    async fn next(&mut self) -> Option<Result<Vec<u8>, TransportError>> {
        self.0.take().map(|wire| Ok(wire.into_bytes()))
    }
}

impl Slow {
    fn at(pace: Pace) -> Self {
        Self { pace, now: Cell::default(), next: Cell::default(), documents: Cell::default() }
    }

    async fn until(&self, moment: Duration) {
        poll_fn(|_| {
            if self.now.get() >= moment {
                return Poll::Ready(());
            }
            self.next.set(Some(self.next.get().map_or(moment, |next| next.min(moment))));
            Poll::Pending
        })
        .await;
    }

    /// Runs to the end; whenever nothing goes on, it is the next moment that somebody waits for.
    fn run<F: Future>(&self, future: F) -> F::Output {
        let mut future = pin!(future);
        loop {
            if let Poll::Ready(output) = future.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
                return output;
            }
            self.now.set(self.next.take().expect("who waits here waits for a moment"));
        }
    }

    /// How long the model takes for that, and what it says.
    fn answer(&self, data: &Value) -> (u64, String) {
        let judged =
            |level: &str, score| json!({ "level": level, "category": "none", "score": score }).to_string();
        match data["of"].as_str() {
            Some("request") => (self.pace.request, judged("safe", 1)),
            Some(_) => {
                self.documents.set(self.documents.get() + 1);
                let unfit = self.documents.get() <= self.pace.refused;
                (self.pace.document, if unfit { judged("toxic", 5) } else { judged("safe", 1) })
            }
            None => (self.pace.writing, "a sentence of the model".to_owned()),
        }
    }
}

impl Transport for Slow {
    type Body = Whole;

    async fn send(&self, request: Request<Vec<u8>>) -> Result<Response<Whole>, TransportError> {
        let body: Value = serde_json::from_slice(request.body()).expect("a call is JSON");
        let data = body["messages"][1]["content"].as_str().and_then(|text| serde_json::from_str(text).ok());
        let (seconds, text) = self.answer(&data.unwrap_or_default());
        self.until(self.now.get() + Duration::from_secs(seconds)).await;
        let event = json!({ "choices": [{ "delta": { "content": text }, "finish_reason": "stop" }] });
        Ok(Response::new(Whole(Some(format!("data: {event}\n\ndata: [DONE]\n\n")))))
    }

    async fn sleep(&self, duration: Duration) {
        self.until(self.now.get() + duration).await;
    }

    fn now(&self) -> Duration {
        self.now.get()
    }

    fn jitter(&self) -> f64 {
        0.5
    }
}

/// What comes of a note by that model within so many seconds, and when.
fn note(pace: Pace, seconds: u64) -> (Result<Value, FunctionError>, Duration) {
    note_for(&FakeWallet::paid(), pace, seconds)
}

fn note_for(wallet: &FakeWallet, pace: Pace, seconds: u64) -> (Result<Value, FunctionError>, Duration) {
    let milliseconds = (seconds * 1_000).to_string();
    let settings = Settings::from_env(&Env::from([
        ("LLM_BASE_URL", "https://m.test/v1"),
        ("LLM_MODEL", "m"),
        ("LLM_TIMEOUT_MS", milliseconds.as_str()),
    ]));
    let network = Slow::at(pace);
    let request = call(&json!({ "topic": "Chalk and duster" }));
    let answer = network.run(generate::<Note>(&request, &network, wallet, &settings, NOW));
    assert_eq!(wallet.completions() + wallet.failures().len(), 1, "{pace:?}: settled once");
    (answer, network.now())
}

// rows: GEN-8
#[test]
fn a_judge_that_takes_its_time_is_waited_for_where_there_is_time() {
    let pace = Pace { request: 12, writing: 19, document: 12, refused: 0 };
    let (answer, took) = note(pace, 110);
    assert_eq!(answer.expect("a note")["meta"]["generator"], "model");
    assert_eq!(took, Duration::from_secs(43));
    let (answer, _) = note(Pace { document: 19, refused: 1, ..pace }, 110);
    assert_eq!(answer.expect("another note")["meta"]["generator"], "model");
}

// rows: GEN-8
#[test]
fn a_judge_that_takes_too_long_ends_the_call_before_its_time_is_over() {
    for (request, document) in [(60, 1), (1, 60)] {
        let (answer, took) = note(Pace { request, writing: 5, document, refused: 0 }, 110);
        assert!(answer.is_err(), "{answer:?}");
        assert!(took < Duration::from_secs(60), "{took:?}");
    }
}

// rows: GEN-8 V20
#[test]
fn a_document_that_is_refused_when_no_time_is_left_for_another_is_refused_as_such() {
    for writing in [15, 5] {
        let (answer, took) = note(Pace { request: 8, writing, document: 9, refused: 1 }, 40);
        if writing == 15 {
            assert_eq!(answer.unwrap_err().code(), "unsafe_request");
            assert!(took < Duration::from_secs(40), "{took:?}");
        } else {
            assert_eq!(answer.expect("there is time for another")["meta"]["generator"], "model");
        }
    }
}

// rows: app/D10
#[test]
fn while_a_model_writes_the_wallet_hears_that_it_goes_on() {
    let wallet = FakeWallet::paid();
    let (answer, took) = note_for(&wallet, Pace { request: 12, writing: 19, document: 12, refused: 0 }, 110);
    assert!(answer.is_ok(), "{answer:?}");
    assert_eq!((took.as_secs(), wallet.words.get()), (43, 5), "every eight seconds");
}

// rows: app/D10
#[test]
fn what_was_given_back_meanwhile_is_not_written_to_its_end() {
    let wallet = FakeWallet::paid();
    wallet.ended_meanwhile.set(true);
    let (answer, took) = note_for(&wallet, Pace { request: 12, writing: 19, document: 12, refused: 0 }, 110);
    assert_eq!((answer, took), (Err(FunctionError::Cancelled), Duration::from_secs(8)));
}
