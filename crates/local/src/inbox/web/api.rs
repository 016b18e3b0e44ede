//! Mailpit's calls (CONTRACT.md, the mail inbox), under `/api/v1/`.

use banyan_web::query_parameter;
use bytes::Bytes;
use http::{HeaderValue, Method, StatusCode, header};
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::{Answer, Call, respond, text};
use crate::inbox::{
    mail::{self, Summary},
    search::Query,
    store::Store,
};

/// Mails in one answer when the caller names no number, as Mailpit has it.
const DEFAULT_LIMIT: usize = 50;

pub(super) async fn answer(store: &Store, call: &Call<'_>, path: &str) -> Answer {
    let segments: Vec<&str> = path.split('/').collect();
    match (call.method, segments.as_slice()) {
        (&Method::GET, ["info"]) => info(store),
        (&Method::GET, ["messages"]) => list(store, call, ""),
        (&Method::GET, ["search"]) => {
            list(store, call, &query_parameter(call.uri, "query").unwrap_or_default())
        }
        (&Method::PUT, ["messages"]) => mark(store, call).await,
        (&Method::DELETE, ["messages"]) => delete(store, call).await,
        (&Method::DELETE, ["search"]) => delete_found(store, call).await,
        (&Method::GET, ["message", id]) => message(store, id).await,
        (&Method::GET, ["message", id, "headers"]) => headers(store, id).await,
        (&Method::GET, ["message", id, "raw"]) => raw(store, id).await,
        (&Method::GET, ["message", id, "part", number]) => part(store, id, number).await,
        _ => not_found(),
    }
}

fn info(store: &Store) -> Answer {
    let (messages, unread) = store.counts();
    json(&json!({
        "Version": concat!("banyan ", env!("CARGO_PKG_VERSION")),
        "LatestVersion": concat!("banyan ", env!("CARGO_PKG_VERSION")),
        "Database": "files",
        "DatabaseSize": store.bytes(),
        "Messages": messages,
        "Unread": unread,
        "Tags": {},
    }))
}

#[derive(Serialize)]
struct Page<'a> {
    total: usize,
    unread: usize,
    count: usize,
    messages_count: usize,
    messages_unread: usize,
    start: usize,
    tags: [&'a str; 0],
    messages: &'a [Summary],
}

fn list(store: &Store, call: &Call<'_>, query: &str) -> Answer {
    let query = Query::parse(query);
    let found = store.list(|mail| query.fits(mail));
    let (total, unread) = store.counts();
    let number = |name| query_parameter(call.uri, name).and_then(|text| text.parse::<usize>().ok());
    let start = number("start").unwrap_or(0).min(found.len());
    let end = found.len().min(start.saturating_add(number("limit").unwrap_or(DEFAULT_LIMIT)));
    let messages = &found[start..end];
    json(&Page {
        total,
        unread,
        count: messages.len(),
        messages_count: found.len(),
        messages_unread: found.iter().filter(|mail| !mail.read).count(),
        start,
        tags: [],
        messages,
    })
}

/// Body of the calls that name mails; no ids mean all.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Selection {
    #[serde(rename = "IDs", alias = "ids")]
    ids: Vec<String>,
    #[serde(rename = "Read", alias = "read")]
    read: bool,
    #[serde(rename = "Search", alias = "search")]
    search: String,
}

impl Selection {
    fn parse(body: &Bytes) -> Option<Self> {
        if body.is_empty() { Some(Self::default()) } else { serde_json::from_slice(body).ok() }
    }

    fn picks(&self, mail: &Summary) -> bool {
        self.ids.is_empty() || self.ids.contains(&mail.id)
    }
}

async fn mark(store: &Store, call: &Call<'_>) -> Answer {
    let Some(selection) = Selection::parse(&call.body) else { return bad_request() };
    let query = Query::parse(&selection.search);
    store.mark(selection.read, |mail| selection.picks(mail) && query.fits(mail)).await;
    ok()
}

async fn delete(store: &Store, call: &Call<'_>) -> Answer {
    let Some(selection) = Selection::parse(&call.body) else { return bad_request() };
    store.delete(|mail| selection.picks(mail)).await;
    ok()
}

/// An empty search deletes nothing: that is what `DELETE messages` is for.
async fn delete_found(store: &Store, call: &Call<'_>) -> Answer {
    match query_parameter(call.uri, "query").filter(|query| !query.trim().is_empty()) {
        None => bad_request(),
        Some(query) => {
            let query = Query::parse(&query);
            store.delete(|mail| query.fits(mail)).await;
            ok()
        }
    }
}

async fn message(store: &Store, id: &str) -> Answer {
    let Some(whole) = store.get(id).await else { return not_found() };
    store.mark(true, |mail| mail.id == whole.summary.id).await;
    json(&mail::read(&whole.summary, &whole.return_path, &whole.raw))
}

async fn headers(store: &Store, id: &str) -> Answer {
    match store.get(id).await {
        Some(whole) => json(&mail::headers(&whole.raw)),
        None => not_found(),
    }
}

async fn raw(store: &Store, id: &str) -> Answer {
    match store.get(id).await {
        Some(whole) => respond(StatusCode::OK, "text/plain; charset=utf-8", whole.raw),
        None => not_found(),
    }
}

/// A part with its own content type, behind a policy that lets nothing in it run.
async fn part(store: &Store, id: &str, number: &str) -> Answer {
    let Some(part) = store.get(id).await.and_then(|whole| mail::part(&whole.raw, number)) else {
        return not_found();
    };
    let mut response = respond(StatusCode::OK, &part.content_type, part.content);
    let name: String =
        part.file_name.chars().filter(|c| c.is_ascii_graphic() && !"\"\\;/".contains(*c)).collect();
    if let Ok(value) = HeaderValue::from_str(&format!("attachment; filename=\"{name}\"")) {
        response.headers_mut().insert(header::CONTENT_DISPOSITION, value);
    }
    response
}

fn json(value: &impl Serialize) -> Answer {
    match serde_json::to_vec(value) {
        Ok(body) => respond(StatusCode::OK, "application/json", body),
        Err(_) => text(StatusCode::INTERNAL_SERVER_ERROR, "The answer could not be written."),
    }
}

fn ok() -> Answer {
    text(StatusCode::OK, "ok")
}

fn not_found() -> Answer {
    text(StatusCode::NOT_FOUND, "404 page not found")
}

fn bad_request() -> Answer {
    text(StatusCode::BAD_REQUEST, "the request is not understood")
}
