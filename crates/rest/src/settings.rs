//! What the service is told at start.

use banyan_config::Api;

/// Settings of the service (rest.md section 25), fixed for the life of the process.
#[derive(Debug, Clone)]
pub struct Settings {
    /// Schemas that are shown; the first is the default.
    pub schemas: Vec<String>,
    /// Schemas added to the search path of each request.
    pub extra_search_path: Vec<String>,
    /// Most rows of a read at every level; none is no limit.
    pub max_rows: Option<i64>,
    /// Origin and path prefix under which clients reach the service, for the root document.
    pub public_url: String,
}

impl Settings {
    /// Settings from section `[api]`; a `max_rows` of 0 is no limit.
    #[must_use]
    pub fn new(api: &Api) -> Self {
        Self {
            schemas: api.schemas.clone(),
            extra_search_path: api.extra_search_path.clone(),
            max_rows: i64::try_from(api.max_rows).ok().filter(|rows| *rows > 0),
            public_url: format!("{}/rest/v1", api.external_url),
        }
    }

    /// `search_path` of a request in a schema (rest.md G01).
    #[must_use]
    pub fn search_path(&self, schema: &str) -> String {
        let mut path: Vec<&str> = vec![schema];
        for extra in &self.extra_search_path {
            if !path.contains(&extra.as_str()) {
                path.push(extra);
            }
        }
        path.into_iter().map(banyan_db::sql::identifier).collect::<Vec<_>>().join(", ")
    }
}
