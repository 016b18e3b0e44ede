use std::sync::Arc;

use axum::{
    extract::State,
    response::{IntoResponse, Response},
};
use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use serde::Deserialize;
use serde_json::{Value, json};
use time::OffsetDateTime;
use uuid::Uuid;

use super::super::paging::{MAX_PER_PAGE, PER_PAGE, bad_page, links, number};
use crate::{
    context::ServiceContext,
    domain::accounts,
    guards::bearer::Admin,
    store::{
        times,
        users::{self, Listing, User},
    },
    wire::{error::AuthError, request::Query},
};

/// Parameters of the query.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Parameters {
    page: String,
    per_page: String,
    sort: String,
    filter: Option<String>,
    email: Option<String>,
    phone: Option<String>,
    cursor: Option<String>,
    limit: Option<String>,
}

/// `GET /admin/users` (CONTRACT.md H40): accounts by page with the total in the headers (D1, D2),
/// by cursor (D3), or those of an exact address or number (D13).
pub(crate) async fn get(
    State(service): State<Arc<ServiceContext>>,
    _: Admin,
    Query(parameters): Query<Parameters>,
) -> Result<Response, AuthError> {
    let ascending = match parameters.sort.trim().to_ascii_lowercase().as_str() {
        "" | "created_at desc" => false,
        "created_at" | "created_at asc" => true,
        _ => return Err(AuthError::validation("Bad Sort Parameters: only created_at asc or desc")),
    };
    let by_page = !parameters.page.is_empty() || !parameters.per_page.is_empty();
    if let Some(found) = exact(&service, &parameters).await? {
        let total = i64::try_from(found.len()).unwrap_or(i64::MAX);
        return Ok((headers(1, PER_PAGE, total), body(found, None)).into_response());
    }
    if !by_page && (parameters.cursor.is_some() || parameters.limit.is_some()) {
        return after_cursor(&service, &parameters, ascending).await;
    }
    let page = number(&parameters.page, 1, i64::MAX / MAX_PER_PAGE)?;
    let per_page = number(&parameters.per_page, PER_PAGE, MAX_PER_PAGE)?;
    let filter = parameters.filter.as_deref().filter(|filter| !filter.is_empty());
    let total = users::count(&service.pool, filter).await?;
    let listing = Listing { filter, ascending, limit: per_page };
    let found = users::page(&service.pool, &listing, (page - 1) * per_page).await?;
    Ok((headers(page, per_page, total), body(found, None)).into_response())
}

/// The accounts of an address or number, if the request names one.
async fn exact(service: &ServiceContext, parameters: &Parameters) -> Result<Option<Vec<User>>, AuthError> {
    let given = |field: &Option<String>| {
        field.as_deref().map(str::trim).filter(|text| !text.is_empty()).map(str::to_lowercase)
    };
    if let Some(email) = given(&parameters.email) {
        return Ok(Some(users::by_exact_email(&service.pool, &email).await?));
    }
    match given(&parameters.phone) {
        None => Ok(None),
        Some(phone) => {
            let digits = phone.trim_start_matches('+').replace(' ', "");
            Ok(Some(users::by_exact_phone(&service.pool, &digits).await?))
        }
    }
}

/// The page after the account that the cursor names; one more is read, to know whether there are
/// more.
async fn after_cursor(
    service: &ServiceContext,
    parameters: &Parameters,
    ascending: bool,
) -> Result<Response, AuthError> {
    let limit = number(parameters.limit.as_deref().unwrap_or_default(), PER_PAGE, MAX_PER_PAGE)?;
    let text = parameters.cursor.as_deref().filter(|text| !text.is_empty());
    let after = text.map(|text| Cursor::read(text).ok_or_else(|| bad_page(text))).transpose()?;
    let filter = parameters.filter.as_deref().filter(|filter| !filter.is_empty());
    let after = after.map(|cursor| (cursor.created_at, cursor.id));
    let listing = Listing { filter, ascending, limit: limit + 1 };
    let mut found = users::page_after(&service.pool, &listing, after).await?;
    let has_more = found.len() > usize::try_from(limit).unwrap_or(usize::MAX);
    found.truncate(usize::try_from(limit).unwrap_or(usize::MAX));
    let next = found.last().filter(|_| has_more).map(|user| Cursor::of(user).write());
    let pagination = match &next {
        Some(next) => json!({"next_cursor": next, "has_more": true}),
        None => json!({"has_more": false}),
    };
    let link = next.map(|next| format!("</admin/users?cursor={next}&limit={limit}>; rel=\"next\""));
    let headers = link.map(|link| [("link", link)]);
    let body = body(found, Some(pagination));
    Ok(match headers {
        Some(headers) => (headers, body).into_response(),
        None => body.into_response(),
    })
}

fn body(found: Vec<User>, pagination: Option<Value>) -> axum::Json<Value> {
    let users: Vec<_> = found.into_iter().map(|user| accounts::body(user, None)).collect();
    let mut body = json!({"users": users, "aud": "authenticated"});
    if let Some(pagination) = pagination {
        body["pagination"] = pagination;
    }
    axum::Json(body)
}

fn headers(page: i64, per_page: i64, total: i64) -> [(&'static str, String); 2] {
    [("x-total-count", total.to_string()), ("link", links("/admin/users", page, per_page, total))]
}

/// Where a page ended.
struct Cursor {
    created_at: OffsetDateTime,
    id: Uuid,
}

impl Cursor {
    fn of(user: &User) -> Self {
        Self { created_at: user.created_at.unwrap_or(times::FIRST), id: user.id }
    }

    /// Base64url of microseconds and id.
    fn write(&self) -> String {
        let micros = i64::try_from(self.created_at.unix_timestamp_nanos() / 1000).unwrap_or(i64::MAX);
        let mut bytes = micros.to_be_bytes().to_vec();
        bytes.extend_from_slice(self.id.as_bytes());
        URL_SAFE_NO_PAD.encode(bytes)
    }

    fn read(text: &str) -> Option<Self> {
        let bytes = URL_SAFE_NO_PAD.decode(text).ok()?;
        let (micros, id) = bytes.split_at_checked(8)?;
        let micros = i64::from_be_bytes(micros.try_into().ok()?);
        let created_at = OffsetDateTime::from_unix_timestamp_nanos(i128::from(micros) * 1000).ok()?;
        Some(Self { created_at, id: Uuid::from_slice(id).ok()? })
    }
}
