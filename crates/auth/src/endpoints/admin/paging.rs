//! Lists by page (CONTRACT.md D1, D2).

use crate::wire::error::AuthError;

/// Rows of one page when the request names no number.
pub(super) const PER_PAGE: i64 = 50;
/// Most rows of one page.
pub(super) const MAX_PER_PAGE: i64 = 1000;

/// A number of the query.
///
/// # Errors
/// 400 `validation_failed` for what is no positive number.
pub(super) fn number(text: &str, default: i64, most: i64) -> Result<i64, AuthError> {
    if text.is_empty() {
        return Ok(default);
    }
    match text.parse::<i64>() {
        Ok(number) if number >= 1 => Ok(number.min(most)),
        _ => Err(bad_page(text)),
    }
}

/// `page` comes first: clients read only what follows the first `=` (CONTRACT.md D2).
pub(super) fn links(path: &str, page: i64, per_page: i64, total: i64) -> String {
    let last = ((total + per_page - 1) / per_page).max(1);
    let link = |page, name| format!("<{path}?page={page}&per_page={per_page}>; rel=\"{name}\"");
    if page < last {
        format!("{}, {}", link(page + 1, "next"), link(last, "last"))
    } else {
        link(last, "last")
    }
}

pub(super) fn bad_page(text: &str) -> AuthError {
    AuthError::validation(format!("Bad Pagination Parameters: `{}`", text.escape_debug()))
}
