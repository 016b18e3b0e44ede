//! Stage 5: status and headers. The body is what PostgreSQL built, untouched.

/// `Preference-Applied`
mod preference_applied;

/// Status and headers that functions and triggers set.
mod response_settings;

/// Deprecated names.
mod deprecation_warning;

/// The root document.
mod openapi;

/// `Server-Timing`
pub(crate) mod timing;

use banyan_web::{Body, empty, full};
use bytes::Bytes;
use futures_util::TryStreamExt as _;
use http::{HeaderMap, HeaderName, HeaderValue, Response, StatusCode, header};
use http_body::Frame;
use http_body_util::{BodyExt, StreamBody};
use hyper::ext::ReasonPhrase;
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::json;

use crate::{
    error::{Error, RangeFault},
    plan::{CallPlan, Conflict, Plan, ReadPlan, WriteKind, WritePlan},
    request::{
        ApiRequest, MediaType, Range,
        action::Mutation,
        preferences::{Count, Representation},
    },
    run::Outcome,
    schema::{Returns, Snapshot},
    settings::Settings,
};

const CONTENT_PROFILE: HeaderName = HeaderName::from_static("content-profile");
const PROXY_STATUS: HeaderName = HeaderName::from_static("proxy-status");
const SERVER: &str = concat!("banyan/", env!("CARGO_PKG_VERSION"));

/// The answer to a request.
///
/// # Errors
/// PGRST103, PGRST116, and PGRST111 and PGRST112 for settings of the answer that cannot be used.
pub fn of(
    request: &ApiRequest,
    plan: &Plan,
    mut outcome: Outcome,
    snapshot: &Snapshot,
) -> Result<Response<Body>, Error> {
    let (headers, status) = (outcome.headers.clone(), outcome.status.clone());
    let arriving = outcome.arriving.take();
    let mut draft = match plan {
        _ if plan.answer().is_some_and(|answer| answer.explain.is_some()) => {
            explained(request, plan, outcome)
        }
        Plan::Read(plan) => read(request, plan, outcome)?,
        Plan::Write(plan) => write(request, plan, outcome),
        Plan::Call(plan) => call(request, plan, outcome)?,
        Plan::Document(schema) => document(request, schema, &outcome, snapshot)?,
        Plan::Info(allow) => Draft::info(allow),
    };
    draft.arriving = arriving;
    draft.vary();
    deprecation_warning::warn(&mut draft, plan);
    response_settings::apply(&mut draft, headers.as_deref(), status.as_deref())?;
    Ok(draft.response(request.shape.action.is_head()))
}

/// An answer in the making.
struct Draft {
    status: StatusCode,
    headers: HeaderMap,
    body: Bytes,
    /// The body instead of `body`, while it arrives.
    arriving: Option<banyan_db::Body>,
}

impl Draft {
    fn new(status: StatusCode) -> Self {
        Self { status, headers: HeaderMap::new(), body: Bytes::new(), arriving: None }
    }

    fn info(allow: &str) -> Self {
        let mut draft = Self::new(StatusCode::OK);
        draft.set(header::ALLOW, allow);
        draft.set(header::ACCESS_CONTROL_ALLOW_ORIGIN, "*");
        draft
    }

    /// Values that cannot stand in a header are left out.
    fn set(&mut self, name: HeaderName, value: &str) {
        if let Ok(value) = HeaderValue::from_str(value) {
            self.headers.insert(name, value);
        }
    }

    /// Media type, and the schema where it was negotiated (CONTRACT.md N25, K05).
    fn content(&mut self, request: &ApiRequest, media: &MediaType, body: Bytes) {
        self.set(header::CONTENT_TYPE, &media.content_type());
        if request.shape.schema_negotiated {
            self.set(CONTENT_PROFILE, &request.shape.schema);
        }
        self.body = body;
    }

    fn vary(&mut self) {
        self.headers.insert(header::VARY, HeaderValue::from_static("Accept, Prefer, Range"));
    }

    /// Length of the body, except where there can be none (CONTRACT.md N24).
    fn response(mut self, head: bool) -> Response<Body> {
        let body = if head || self.status == StatusCode::NO_CONTENT {
            empty()
        } else {
            let length = self.arriving.as_ref().map_or(self.body.len(), banyan_db::Body::len);
            self.headers.insert(header::CONTENT_LENGTH, HeaderValue::from(length));
            match self.arriving {
                Some(arriving) => {
                    StreamBody::new(arriving.map_ok(Frame::data).map_err(Into::into)).boxed_unsync()
                }
                None => full(self.body),
            }
        };
        if self.status == StatusCode::SERVICE_UNAVAILABLE {
            self.headers.entry(header::RETRY_AFTER).or_insert(HeaderValue::from_static("1"));
        }
        let mut response = Response::new(body);
        *response.status_mut() = self.status;
        *response.headers_mut() = self.headers;
        response
    }
}

fn read(request: &ApiRequest, plan: &ReadPlan, outcome: Outcome) -> Result<Draft, Error> {
    if plan.answer.is_singular() && outcome.page != 1 {
        return Err(Error::NotSingular(outcome.page));
    }
    let mut draft = rows(request.range, &outcome)?;
    draft.set(header::CONTENT_LOCATION, &content_location(request, &plan.relation.name));
    draft.content(request, &plan.answer.media, outcome.body);
    preference_applied::set(&mut draft.headers, request, &preference_applied::Applied::read());
    Ok(draft)
}

fn content_location(request: &ApiRequest, relation: &str) -> String {
    let path = utf8_percent_encode(relation, UNRESERVED);
    match request.canonical_query.as_str() {
        "" => format!("/{path}"),
        query => format!("/{path}?{query}"),
    }
}

const UNRESERVED: &percent_encoding::AsciiSet =
    &NON_ALPHANUMERIC.remove(b'-').remove(b'_').remove(b'.').remove(b'~');

/// Status and `Content-Range` of rows (CONTRACT.md R07 to R09).
fn rows(range: Range, outcome: &Outcome) -> Result<Draft, Error> {
    let status = match outcome.total {
        None => StatusCode::OK,
        Some(total) if range.offset > total => {
            return Err(Error::Range(RangeFault::OutOfBounds { offset: range.offset, total }));
        }
        Some(total) if outcome.page < total => StatusCode::PARTIAL_CONTENT,
        Some(_) => StatusCode::OK,
    };
    let mut draft = Draft::new(status);
    draft.set(
        header::CONTENT_RANGE,
        &content_range(range.offset, range.offset + outcome.page - 1, outcome.total),
    );
    Ok(draft)
}

fn content_range(first: i64, last: i64, total: Option<i64>) -> String {
    let rows = match total {
        Some(0) => "*".to_owned(),
        _ if first > last => "*".to_owned(),
        _ => format!("{first}-{last}"),
    };
    let total = total.map_or_else(|| "*".to_owned(), |total| total.to_string());
    format!("{rows}/{total}")
}

fn write(request: &ApiRequest, plan: &WritePlan, outcome: Outcome) -> Draft {
    let representation = request.shape.preferences.representation;
    let full = representation == Some(Representation::Full);
    let mut draft = Draft::new(write_status(plan, &outcome, full));
    let counted = matches!(plan.count, Some(Count::Exact | Count::Estimated)).then_some(outcome.page);
    let range = match plan.mutation {
        Mutation::Insert | Mutation::Delete => Some(content_range(1, 0, counted)),
        Mutation::Update => Some(content_range(0, outcome.page - 1, counted)),
        Mutation::Upsert => None,
    };
    if let Some(range) = range {
        draft.set(header::CONTENT_RANGE, &range);
    }
    if let (Some(names), Some(values)) = (&plan.location, &outcome.location) {
        draft.set(header::LOCATION, &location(&plan.relation.name, names, values));
    }
    if full {
        draft.content(request, &plan.answer.media, outcome.body);
    }
    preference_applied::set(&mut draft.headers, request, &preference_applied::Applied::write(plan));
    draft
}

/// CONTRACT.md W04, W12, M02
fn write_status(plan: &WritePlan, outcome: &Outcome, full: bool) -> StatusCode {
    let none_new = outcome.inserted.unwrap_or_default() <= 0;
    match (plan.mutation, &plan.kind) {
        (Mutation::Insert, WriteKind::Insert(Some(Conflict { merge: true, .. }))) if none_new => {
            StatusCode::OK
        }
        (Mutation::Insert, _) => StatusCode::CREATED,
        (Mutation::Upsert, _) if full && !none_new => StatusCode::CREATED,
        (_, _) if full => StatusCode::OK,
        (_, _) => StatusCode::NO_CONTENT,
    }
}

/// `/t?id=eq.1` (CONTRACT.md I15)
fn location(relation: &str, names: &[String], values: &[Option<String>]) -> String {
    let encode = |text: &str| utf8_percent_encode(text, UNRESERVED).to_string();
    let filters = names.iter().zip(values).map(|(name, value)| match value {
        Some(value) => format!("{}=eq.{}", encode(name), encode(value)),
        None => format!("{}=is.null", encode(name)),
    });
    format!("/{}?{}", encode(relation), filters.collect::<Vec<_>>().join("&"))
}

fn call(request: &ApiRequest, plan: &CallPlan, outcome: Outcome) -> Result<Draft, Error> {
    let mut draft = rows(request.range, &outcome)?;
    preference_applied::set(&mut draft.headers, request, &preference_applied::Applied::call());
    if plan.function.returns() == Returns::Void {
        draft.status = StatusCode::NO_CONTENT;
    } else {
        draft.content(request, &plan.answer.media, outcome.body);
    }
    Ok(draft)
}

/// A plan: always 200, even of a write (CONTRACT.md N11).
fn explained(request: &ApiRequest, plan: &Plan, outcome: Outcome) -> Draft {
    let mut draft = Draft::new(StatusCode::OK);
    if let Some(answer) = plan.answer() {
        draft.content(request, &answer.media, outcome.body);
    }
    draft
}

fn document(
    request: &ApiRequest,
    schema: &str,
    outcome: &Outcome,
    snapshot: &Snapshot,
) -> Result<Draft, Error> {
    let body = openapi::document(schema, &outcome.body, &snapshot.catalog, &snapshot.settings)?;
    let mut draft = Draft::new(StatusCode::OK);
    draft.content(request, &MediaType::OpenApi, body);
    Ok(draft)
}

/// The answer for an error (CONTRACT.md X01, X02). What the database said of a failure of ours is
/// logged, not answered.
#[must_use]
pub fn of_error(error: &Error, head: bool, settings: &Settings) -> Response<Body> {
    let wire = error.wire();
    if wire.status.is_server_error() {
        tracing::warn!(error = error as &dyn std::error::Error, error.code = wire.code, "request failed");
    }
    let body = if settings.verbose_errors {
        serde_json::to_vec(&wire).expect("texts and JSON values are JSON")
    } else {
        json!({"code": wire.code, "message": wire.message}).to_string().into()
    };
    let mut draft = Draft::new(wire.status);
    draft.set(header::CONTENT_TYPE, &MediaType::Json.content_type());
    draft.set(PROXY_STATUS, &format!("PostgREST; error={}", wire.code));
    if let Error::Range(RangeFault::OutOfBounds { total, .. }) = error {
        draft.set(header::CONTENT_RANGE, &format!("*/{total}"));
    }
    for (name, _) in &wire.headers {
        draft.headers.remove(name);
    }
    for (name, value) in wire.headers {
        draft.headers.append(name, value);
    }
    draft.body = body.into();
    let mut response = draft.response(head);
    if let Some(reason) = wire.reason.and_then(|reason| ReasonPhrase::try_from(reason.into_bytes()).ok()) {
        response.extensions_mut().insert(reason);
    }
    response
}

/// Headers of every answer, errors too (CONTRACT.md Y09, Y11). `trace` is the request's header that
/// is copied, by name.
pub fn sign(headers: &mut HeaderMap, trace: Option<(HeaderName, HeaderValue)>) {
    headers.entry(header::SERVER).or_insert(HeaderValue::from_static(SERVER));
    headers.extend(trace);
}
