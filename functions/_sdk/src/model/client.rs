//! The client: one call is several attempts over one or two providers inside one deadline.

use std::borrow::Cow;
use std::cell::Cell;
use std::time::Duration;

use http::{Method, Request, Response};
use serde_json::{Value, json};

use super::body::request_body;
use super::config::{ModelConfig, Provider};
use super::dialect::{Dialect, JsonMode};
use super::retry::{ATTEMPTS, Breaker, is_transient, pause};
use super::stream::{Gathered, Gathering, StreamFault};
use crate::log;
use crate::transport::{Chunks, Deadline, Transport, TransportError, read_all, within};

/// Longest text of a reply, in bytes.
const REPLY_LIMIT: usize = 512 * 1024;
/// Most bytes that it may come in: a server says some 300 of its own with every token.
const WIRE_LIMIT: usize = 32 * REPLY_LIMIT;

/// How long is waited for what a server says after a reply's end: its usage, that it is done.
const LAST_WORDS: Duration = Duration::from_millis(500);

/// One question to the model.
#[derive(Debug, Clone)]
pub struct Call {
    /// Short name of the object asked for, `[a-z_]`.
    pub name: &'static str,
    /// Fixed instructions; holds no text of the request.
    pub system: String,
    /// The data, sent as JSON text: material, never instructions.
    pub user: Value,
    /// JSON Schema of the reply, in the subset every server knows.
    pub schema: Value,
    /// Sampling temperature.
    pub temperature: f64,
    /// Most tokens of the reply.
    pub max_tokens: u32,
    /// Seed for servers that take one.
    pub seed: u64,
}

/// Tokens used.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Usage {
    /// Tokens read.
    pub input: u64,
    /// Tokens written.
    pub output: u64,
}

impl Usage {
    fn total(self) -> u64 {
        self.input.saturating_add(self.output)
    }
}

/// The text of the model.
#[derive(Debug, Clone, PartialEq)]
pub struct Reply {
    /// The text, unchecked.
    pub text: String,
    /// `true`: the token limit cut the text.
    pub cut: bool,
    /// Tokens used, estimated when the server did not say.
    pub usage: Usage,
    /// The model that answered.
    pub model: String,
}

/// Why no provider gave a reply.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ModelError {
    /// The time is over.
    #[error("the time for model calls is over")]
    Deadline,
    /// The model declined to answer.
    #[error("the model refused")]
    Refused,
    /// A provider answered, and not with a reply that can be read: the key or the model is none of
    /// its own, its filter does not let the call pass, or the call is not as it wants it. Whether
    /// what was asked for has brought that about is not known.
    #[error("the call was rejected: {0}")]
    Rejected(String),
    /// Every attempt failed; the last reason.
    #[error("no provider answered: {0}")]
    Unavailable(String),
}

impl ModelError {
    /// This error, or where it is none of a call that was rejected, that a provider was not
    /// available.
    fn or(self, why: String) -> Self {
        if matches!(self, Self::Rejected(_)) { self } else { Self::Unavailable(why) }
    }
}

/// The client of one request. It remembers for its later calls what each provider supports.
#[derive(Debug)]
pub struct ModelClient<'a, T> {
    transport: &'a T,
    config: &'a ModelConfig,
    states: Vec<ProviderState>,
    remark: Option<String>,
}

#[derive(Debug)]
struct ProviderState {
    dialect: Cell<Dialect>,
    breaker: Breaker,
}

/// Outcome of one attempt that gave no reply.
enum Fault {
    /// Ask again in another form, at once.
    Adapt(Dialect),
    /// Ask again later.
    Retry { reason: String, after: Option<Duration> },
    /// This provider will not answer anything.
    Final(String),
    /// This provider will not answer this.
    Rejected(String),
    /// The model declined.
    Refused,
}

impl<'a, T: Transport> ModelClient<'a, T> {
    /// A client for one request.
    pub fn new(transport: &'a T, config: &'a ModelConfig) -> Self {
        let state = |provider: &Provider| ProviderState {
            dialect: Cell::new(Dialect::new(provider.first_mode)),
            breaker: Breaker::default(),
        };
        Self { transport, config, states: config.providers.iter().map(state).collect(), remark: None }
    }

    /// The client that says this with each call, among the `problems` of its data.
    #[must_use]
    pub fn with_remark(self, remark: Option<String>) -> Self {
        Self { remark, ..self }
    }

    /// The transport, for deadlines and waiting.
    pub fn transport(&self) -> &'a T {
        self.transport
    }

    /// Calls that may run at a time.
    pub fn concurrency(&self) -> usize {
        self.config.limits.concurrency
    }

    /// The JSON mode that the first provider is known to accept.
    pub fn mode(&self) -> Option<JsonMode> {
        self.states.first().map(|state| state.dialect.get().mode)
    }

    /// Asks the model, the stand-in when the first provider fails.
    ///
    /// # Errors
    /// See [`ModelError`]. Dropping the future ends the call to the provider.
    pub async fn ask(&self, call: &Call, deadline: Deadline) -> Result<Reply, ModelError> {
        let call = &self.remarked(call);
        let mut error = ModelError::Unavailable("no provider is configured".to_owned());
        for (at, (provider, state)) in self.config.providers.iter().zip(&self.states).enumerate() {
            let others = self.states.len() - at - 1;
            if state.breaker.is_open(self.transport.now()) {
                error = error.or(format!("{} is resting after failures", provider.host()));
                continue;
            }
            match self.ask_provider(provider, state, call, (deadline, others)).await {
                Ok(reply) => return Ok(reply),
                Err(ModelError::Unavailable(why)) => error = error.or(why),
                Err(rejected @ ModelError::Rejected(_)) => error = rejected,
                Err(error) => return Err(error),
            }
        }
        Err(error)
    }

    /// The call with the remark, where there is one, among the problems that its data names.
    fn remarked<'c>(&self, call: &'c Call) -> Cow<'c, Call> {
        let Some(remark) = &self.remark else { return Cow::Borrowed(call) };
        let mut call = call.clone();
        match call.user.get_mut("problems").and_then(Value::as_array_mut) {
            Some(problems) => problems.push(json!(remark)),
            None => call.user["problems"] = json!([remark]),
        }
        Cow::Owned(call)
    }

    async fn ask_provider(
        &self,
        provider: &Provider,
        state: &ProviderState,
        call: &Call,
        (deadline, others): (Deadline, usize),
    ) -> Result<Reply, ModelError> {
        let (mut attempt, mut reason) = (0, String::new());
        while attempt < ATTEMPTS && !state.breaker.is_open(self.transport.now()) {
            if deadline.is_over(self.transport) {
                return Err(ModelError::Deadline);
            }
            let dialect = state.dialect.get();
            let after = match self.attempt(provider, dialect, call, (deadline, others)).await {
                Ok(reply) => {
                    state.breaker.succeeded();
                    return Ok(reply);
                }
                Err(Fault::Adapt(next)) => {
                    // A call beside this one may have learnt the same thing already.
                    if state.dialect.get() == dialect {
                        state.dialect.set(next);
                    }
                    continue;
                }
                Err(Fault::Refused) => return Err(ModelError::Refused),
                Err(Fault::Final(why)) => return Err(ModelError::Unavailable(why)),
                Err(Fault::Rejected(why)) => return Err(ModelError::Rejected(why)),
                Err(Fault::Retry { reason: why, after }) => {
                    state.breaker.failed(self.transport.now());
                    reason = why;
                    after
                }
            };
            log::info(
                "model call failed",
                &json!({ "provider.host": provider.host(), "attempt": attempt, "reason": reason }),
            );
            attempt += 1;
            if attempt < ATTEMPTS && !self.wait(attempt - 1, after, deadline).await {
                break;
            }
        }
        if deadline.is_over(self.transport) {
            Err(ModelError::Deadline)
        } else {
            Err(ModelError::Unavailable(reason))
        }
    }

    /// Waits before the next attempt; false when there is no time for it.
    async fn wait(&self, attempt: u32, after: Option<Duration>, deadline: Deadline) -> bool {
        let step = self.config.limits.back_off;
        let Some(duration) = pause(attempt, step, after, self.transport.jitter()) else { return false };
        if duration >= deadline.remaining(self.transport) {
            return false;
        }
        self.transport.sleep(duration).await;
        true
    }

    async fn attempt(
        &self,
        provider: &Provider,
        dialect: Dialect,
        call: &Call,
        (deadline, others): (Deadline, usize),
    ) -> Result<Reply, Fault> {
        let started = self.transport.now();
        let left = deadline.remaining(self.transport);
        let limit = self.config.limits.call.min(left);
        // A provider that says nothing leaves those behind it their part of the time.
        let first_byte = self.config.limits.first_byte.min(left.div_f64(others as f64 + 1.0));
        let exchange = self.exchange((provider, dialect), call, (first_byte, others));
        let gathered = match within(self.transport, limit, exchange).await {
            Ok(result) => result?,
            Err(_) => return Err(retry("the call took too long")),
        };
        let usage = gathered.usage.unwrap_or_else(|| estimate(call, &gathered.text));
        self.config.spent.add(usage.total().saturating_sub(estimate(call, "").total()));
        let elapsed = self.transport.now().saturating_sub(started).as_millis();
        log::info(
            "model call finished",
            &json!({ "provider.host": provider.host(), "model": provider.model, "call": call.name,
                "mode": format!("{:?}", dialect.mode), "finish_reason": gathered.finish_reason,
                "tokens.input": usage.input, "tokens.output": usage.output,
                "duration_ms": u64::try_from(elapsed).unwrap_or(u64::MAX) }),
        );
        Ok(Reply {
            cut: gathered.finish_reason == "length",
            text: gathered.text,
            usage,
            model: provider.model.clone(),
        })
    }

    async fn exchange(
        &self,
        (provider, dialect): (&Provider, Dialect),
        call: &Call,
        (first_byte, others): (Duration, usize),
    ) -> Result<Gathered, Fault> {
        let request = request(provider, &request_body(provider, dialect, call))?;
        let sent = within(self.transport, first_byte, self.transport.send(request)).await;
        let mut response = match sent {
            Ok(result) => result.map_err(|error| retry(&error.to_string()))?,
            Err(_) if others > 0 => return Err(Fault::Final("no answer in time".to_owned())),
            Err(_) => return Err(retry("no answer in time")),
        };
        if !response.status().is_success() {
            return Err(self.refused(&mut response, provider, dialect, call.max_tokens).await);
        }
        // From here on the prompt is paid for, whatever happens to the reply.
        self.config.spent.add(estimate(call, "").total());
        self.gather(response.body_mut(), first_byte).await
    }

    async fn gather(&self, body: &mut T::Body, first_byte: Duration) -> Result<Gathered, Fault> {
        let limits = self.config.limits;
        let (mut gathering, mut read, mut patience) = (Gathering::default(), 0, first_byte);
        while !gathering.is_done() {
            let chunk = match within(self.transport, patience, body.next()).await {
                Ok(Some(Ok(chunk))) => chunk,
                Ok(Some(Err(_))) | Err(_) if gathering.is_complete() => break,
                Ok(Some(Err(error))) => return Err(retry(&error.to_string())),
                Ok(None) => break,
                Err(_) => return Err(retry("the answer stalled")),
            };
            read += chunk.len();
            gathering.push(&chunk);
            if read > WIRE_LIMIT || gathering.written() > REPLY_LIMIT {
                return Err(Fault::Rejected("the reply is too long".to_owned()));
            }
            patience = if gathering.is_complete() { LAST_WORDS } else { limits.between_chunks };
        }
        gathering.finish().map_err(|fault| match fault {
            StreamFault::Cut => retry("the answer broke off"),
            StreamFault::Server(_) => retry("the server reported an error"),
            StreamFault::Refused => Fault::Refused,
        })
    }

    async fn refused(
        &self,
        response: &mut Response<T::Body>,
        provider: &Provider,
        dialect: Dialect,
        asked: u32,
    ) -> Fault {
        let status = response.status().as_u16();
        let after = retry_after(response);
        let read = within(
            self.transport,
            self.config.limits.between_chunks,
            read_all(response.body_mut(), 64 * 1024),
        );
        let text = match read.await {
            Ok(Ok(bytes)) => String::from_utf8_lossy(&bytes).into_owned(),
            _ => String::new(),
        };
        if matches!(status, 400 | 422)
            && let Some(next) = dialect.adapted(&text, provider.adaptive, asked)
        {
            return Fault::Adapt(next);
        }
        let reason = format!("{} answered {status}", provider.host());
        match status {
            _ if is_transient(status) => Fault::Retry { reason, after },
            500.. => Fault::Final(reason),
            _ => Fault::Rejected(reason),
        }
    }
}

fn request(provider: &Provider, body: &Value) -> Result<Request<Vec<u8>>, Fault> {
    let mut builder = Request::builder()
        .method(Method::POST)
        .uri(format!("{}/chat/completions", provider.base))
        .header("content-type", "application/json")
        .header("accept", "text/event-stream");
    if let Some(key) = &provider.key {
        builder = builder.header("authorization", format!("Bearer {key}"));
    }
    let request = builder.body(body.to_string().into_bytes());
    request.map_err(|_| Fault::Final("the provider's address is not usable".to_owned()))
}

fn retry(reason: &str) -> Fault {
    Fault::Retry { reason: reason.to_owned(), after: None }
}

fn retry_after<B>(response: &Response<B>) -> Option<Duration> {
    let seconds = response.headers().get("retry-after")?.to_str().ok()?.trim().parse().ok()?;
    Some(Duration::from_secs(seconds))
}

/// Tokens by characters: about four of Latin script, one and a half of an Indian one.
fn estimate(call: &Call, reply: &str) -> Usage {
    let tokens = |text: &str| {
        let latin = text.chars().filter(char::is_ascii).count();
        let other = text.chars().count() - latin;
        (latin as u64).div_ceil(4) + (other as u64 * 2).div_ceil(3)
    };
    Usage { input: tokens(&call.system) + tokens(&call.user.to_string()), output: tokens(reply) }
}

impl From<TransportError> for Fault {
    fn from(error: TransportError) -> Self {
        retry(&error.to_string())
    }
}
