use std::sync::Arc;

use axum::{
    extract::State,
    response::{IntoResponse, Response},
};
use serde::Deserialize;
use serde_json::json;

use crate::{accounts, bearer::Admin, error::AuthError, request::Query, state::Inner, store::users};

/// Accounts of one page when the request names no number, and the most it may name.
pub(super) const PER_PAGE: i64 = 50;
pub(super) const MOST_PER_PAGE: i64 = 1000;

/// Parameters of the query.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Parameters {
    page: String,
    per_page: String,
    sort: String,
    filter: Option<String>,
    email: Option<String>,
}

/// `GET /admin/users` (auth.md H40, D1, D2, D13): a page of accounts, with the total in the headers.
pub(crate) async fn get(
    State(inner): State<Arc<Inner>>,
    _: Admin,
    Query(parameters): Query<Parameters>,
) -> Result<Response, AuthError> {
    let page = number(&parameters.page, 1, i64::MAX / MOST_PER_PAGE)?;
    let per_page = number(&parameters.per_page, PER_PAGE, MOST_PER_PAGE)?;
    let ascending = match parameters.sort.trim().to_ascii_lowercase().as_str() {
        "" | "created_at desc" => false,
        "created_at" | "created_at asc" => true,
        _ => return Err(AuthError::validation("bad sort: only created_at asc or desc")),
    };
    let filter = parameters.filter.as_deref().filter(|filter| !filter.is_empty());
    let email = parameters.email.map(|email| email.trim().to_lowercase()).filter(|email| !email.is_empty());
    let email = email.as_deref();
    let total = users::count(&inner.pool, filter, email).await?;
    let found = users::page(&inner.pool, filter, email, ascending, per_page, (page - 1) * per_page).await?;
    let users: Vec<_> = found.into_iter().map(|user| accounts::body(user, None)).collect();
    let headers = [("x-total-count", total.to_string()), ("link", links("/admin/users", page, per_page, total))];
    Ok((headers, axum::Json(json!({"users": users, "aud": "authenticated"}))).into_response())
}

pub(super) fn number(text: &str, default: i64, most: i64) -> Result<i64, AuthError> {
    if text.is_empty() {
        return Ok(default);
    }
    match text.parse::<i64>() {
        Ok(number) if number >= 1 => Ok(number.min(most)),
        _ => Err(AuthError::validation(format!("Bad Pagination Parameters: `{}`", text.escape_debug()))),
    }
}

/// `page` comes first: clients read only what follows the first `=` (auth.md D2).
pub(super) fn links(path: &str, page: i64, per_page: i64, total: i64) -> String {
    let last = ((total + per_page - 1) / per_page).max(1);
    let link = |page, name| format!("<{path}?page={page}&per_page={per_page}>; rel=\"{name}\"");
    if page < last {
        format!("{}, {}", link(page + 1, "next"), link(last, "last"))
    } else {
        link(last, "last")
    }
}
