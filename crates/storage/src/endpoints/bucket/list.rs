//! `GET /bucket` (CONTRACT.md B02, B09).

use banyan_web::Body;
use http::Response;

use crate::{
    context::Exchange,
    error::StorageError,
    store::buckets::{self, Page},
    wire::{Fields, written_json},
};

/// Lists the buckets that the caller may see.
pub(crate) async fn list(exchange: Exchange) -> Result<Response<Body>, StorageError> {
    let db = exchange.as_caller()?;
    let query = Fields::of_query(&exchange.parts.uri);
    let page = Page {
        limit: query.integer("limit", 1)?,
        offset: query.integer("offset", 0)?,
        column: query.choice("sortColumn", &["id", "name", "created_at", "updated_at"])?,
        is_descending: query.choice("sortOrder", &["asc", "desc"])? == Some("desc"),
        search: query.text("search")?.unwrap_or_default(),
        has_type: !is_old_python(&exchange),
    };
    Ok(written_json(buckets::list(db, &page).await?))
}

/// Clients of Python that break off when a bucket has a type.
fn is_old_python(exchange: &Exchange) -> bool {
    let is_before = |header: &str, name: &str, version: [u32; 3]| {
        let found = exchange.header(header).and_then(|value| version_after(value, name));
        found.is_some_and(|found| found < version)
    };
    is_before("x-client-info", "supabase-py/", [2, 18, 0])
        || is_before("user-agent", "supabase-py/storage3 v", [0, 12, 1])
}

/// The version that follows a name in a header.
fn version_after(header: &str, name: &str) -> Option<[u32; 3]> {
    let header = header.to_ascii_lowercase();
    let (_, rest) = header.split_once(name)?;
    let digits = |c: char| !c.is_ascii_digit() && c != '.';
    let mut numbers = rest.split(digits).next()?.split('.').map(str::parse);
    Some([numbers.next()?.ok()?, numbers.next()?.ok()?, numbers.next()?.ok()?])
}

#[cfg(test)]
mod tests {
    use super::*;

    // rows: B09
    #[test]
    fn the_version_of_a_client_is_read() {
        assert_eq!(version_after("supabase-py/storage3 v0.12.0", "supabase-py/storage3 v"), Some([0, 12, 0]));
        assert_eq!(version_after("x supabase-py/2.17.3 y", "supabase-py/"), Some([2, 17, 3]));
        assert_eq!(version_after("supabase-js/2.17.3", "supabase-py/"), None);
        assert_eq!(version_after("supabase-py/2.x", "supabase-py/"), None);
    }
}
