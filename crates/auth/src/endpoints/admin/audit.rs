use std::sync::Arc;

use axum::{
    extract::State,
    response::{IntoResponse, Response},
};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use time::{OffsetDateTime, UtcOffset};
use uuid::Uuid;

use super::paging::{MAX_PER_PAGE, PER_PAGE, links, number};
use crate::{
    context::ServiceContext,
    guards::bearer::Admin,
    store::audit::{self, Search},
    wire::{error::AuthError, request::Query},
};

/// Parameters of the query.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Parameters {
    page: String,
    per_page: String,
    query: String,
}

/// An entry of the log (CONTRACT.md L1).
#[derive(Debug, Serialize)]
struct EntryBody {
    id: Uuid,
    payload: Option<Value>,
    #[serde(with = "time::serde::rfc3339::option")]
    created_at: Option<OffsetDateTime>,
    ip_address: String,
}

/// `GET /admin/audit` (CONTRACT.md H47, D14): what was done, newest first. `query` is `author:`,
/// `action:` or `type:` and a part of the word.
pub(crate) async fn get(
    State(service): State<Arc<ServiceContext>>,
    _: Admin,
    Query(parameters): Query<Parameters>,
) -> Result<Response, AuthError> {
    let page = number(&parameters.page, 1, i64::MAX / MAX_PER_PAGE)?;
    let per_page = number(&parameters.per_page, PER_PAGE, MAX_PER_PAGE)?;
    let search = search(&parameters.query)?;
    let total = audit::count(&service.pool, search).await?;
    let found = audit::page(&service.pool, search, per_page, (page - 1) * per_page).await?;
    let entries: Vec<EntryBody> = found
        .into_iter()
        .map(|entry| EntryBody {
            id: entry.id,
            payload: entry.payload,
            created_at: entry.created_at.map(|at| at.to_offset(UtcOffset::UTC)),
            ip_address: entry.ip_address,
        })
        .collect();
    let links = links("/admin/audit", page, per_page, total);
    let headers = [("x-total-count", total.to_string()), ("link", links)];
    Ok((headers, axum::Json(entries)).into_response())
}

fn search(query: &str) -> Result<Search<'_>, AuthError> {
    let none = Search { author: None, action: None, log_type: None };
    if query.is_empty() {
        return Ok(none);
    }
    let wrong = || AuthError::validation("bad query: only author:, action: or type: and a word");
    let (column, text) = query.split_once(':').ok_or_else(wrong)?;
    match column {
        "author" => Ok(Search { author: Some(text), ..none }),
        "action" => Ok(Search { action: Some(text), ..none }),
        "type" => Ok(Search { log_type: Some(text), ..none }),
        _ => Err(wrong()),
    }
}
