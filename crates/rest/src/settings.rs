//! Settings of the service, from the start and from the database.

use banyan_config::postgrest::{self, DataApi};

/// Settings of the service.
///
/// [`State`](crate::State) starts with the settings of the configuration. Each load of the schema
/// lays the settings `pgrst.*` of the database over them, so a request reads the settings of its
/// snapshot only.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settings {
    /// `db-schemas`: schemas that are shown; the first is the default.
    pub schemas: Vec<String>,
    /// `db-extra-search-path`: schemas added to the search path of each request.
    pub extra_search_path: Vec<String>,
    /// `db-max-rows`: most rows of a read at every level; none is no limit.
    pub max_rows: Option<i64>,
    /// `db-anon-role`: the role of a request without a token; none refuses it (CONTRACT.md T02).
    pub anonymous_role: Option<String>,
    /// `db-pre-request`: a function called before each statement, schema and name as written
    /// (CONTRACT.md G11).
    pub pre_request: Option<String>,
    /// `db-root-spec`: a function whose result replaces the root document (CONTRACT.md Q14).
    pub root_spec: Option<String>,
    /// `db-tx-end`: how transactions end (CONTRACT.md H08).
    pub transaction_end: TransactionEnd,
    /// `db-aggregates-enabled` (CONTRACT.md A01).
    pub aggregates: bool,
    /// `db-plan-enabled` (CONTRACT.md N11).
    pub plans: bool,
    /// `db-hoisted-tx-settings`: settings of a function that hold for its whole transaction
    /// (CONTRACT.md C31).
    pub hoisted_settings: Vec<String>,
    /// `app.settings.*`, by full name (CONTRACT.md G06).
    pub app_settings: Vec<(String, String)>,
    /// `openapi-mode` (CONTRACT.md Q02).
    pub document: DocumentMode,
    /// `openapi-security-active` (CONTRACT.md Q13).
    pub document_security: bool,
    /// Origin and path prefix under which clients reach the service, for the root document.
    pub public_url: String,
    /// `server-timing-enabled` (CONTRACT.md Y10).
    pub timing: bool,
    /// `server-trace-header`: a request header that is copied to the answer (CONTRACT.md Y11).
    pub trace_header: Option<String>,
    /// `server-cors-allowed-origins`; none allows every origin (CONTRACT.md Y06, Y07).
    pub allowed_origins: Option<Vec<String>>,
    /// `client-error-verbosity`: whether errors carry `details` and `hint` (CONTRACT.md X03).
    pub verbose_errors: bool,
    /// `log-query`: whether an answer carries the SQL it was made by, for the log
    /// (CONTRACT.md Z07).
    pub log_queries: bool,
    /// `url-use-legacy-target-names`: whether an aliased embed may be named by its target
    /// (CONTRACT.md J23).
    pub legacy_target_names: bool,
    /// Whether PATCH and DELETE without a filter change every row. Otherwise they are refused
    /// (CONTRACT.md M10).
    pub unfiltered_writes: bool,
}

/// How a transaction ends, and whether `Prefer: tx` may choose (CONTRACT.md H08).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct TransactionEnd {
    /// Whether nothing is kept, unless the request may choose and does.
    pub rollback: bool,
    /// Whether the request may choose.
    pub choice: bool,
}

/// The role whose rights the root document shows (CONTRACT.md Q02).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum DocumentMode {
    /// `follow-privileges`: the caller's.
    FollowPrivileges,
    /// `ignore-privileges`: everything that is exposed.
    IgnorePrivileges,
    /// `disabled`: there is no document.
    Disabled,
}

impl Default for Settings {
    /// The defaults of CONTRACT.md config db-schemas and the rows after it.
    fn default() -> Self {
        Self {
            schemas: vec!["public".to_owned()],
            extra_search_path: vec!["public".to_owned()],
            max_rows: None,
            anonymous_role: None,
            pre_request: None,
            root_spec: None,
            transaction_end: TransactionEnd { rollback: false, choice: false },
            aggregates: false,
            plans: false,
            hoisted_settings: [
                "statement_timeout",
                "plan_filter.statement_cost_limit",
                "default_transaction_isolation",
            ]
            .map(str::to_owned)
            .to_vec(),
            app_settings: Vec::new(),
            document: DocumentMode::FollowPrivileges,
            document_security: false,
            public_url: "http://localhost:3000".to_owned(),
            timing: false,
            trace_header: None,
            allowed_origins: None,
            verbose_errors: true,
            log_queries: false,
            legacy_target_names: true,
            unfiltered_writes: true,
        }
    }
}

impl From<&DataApi> for Settings {
    fn from(options: &DataApi) -> Self {
        Self {
            schemas: options.schemas.clone(),
            extra_search_path: options.extra_search_path.clone(),
            max_rows: options.max_rows,
            anonymous_role: options.anonymous_role.clone(),
            pre_request: options.pre_request.clone(),
            root_spec: options.root_spec.clone(),
            transaction_end: TransactionEnd {
                rollback: options.transaction_end.rollback,
                choice: options.transaction_end.choice,
            },
            aggregates: options.aggregates,
            plans: options.plans,
            hoisted_settings: options.hoisted_settings.clone(),
            app_settings: options.app_settings.clone(),
            document: match options.document {
                postgrest::DocumentMode::FollowPrivileges => DocumentMode::FollowPrivileges,
                postgrest::DocumentMode::IgnorePrivileges => DocumentMode::IgnorePrivileges,
                postgrest::DocumentMode::Disabled => DocumentMode::Disabled,
            },
            document_security: options.document_security,
            public_url: options
                .public_url
                .clone()
                .unwrap_or_else(|| format!("http://{}", options.listener.place())),
            timing: options.timing,
            trace_header: options.trace_header.clone(),
            allowed_origins: options.allowed_origins.clone(),
            verbose_errors: options.verbose_errors,
            log_queries: options.log_query,
            legacy_target_names: options.legacy_target_names,
            unfiltered_writes: options.unfiltered_writes,
        }
    }
}

impl Settings {
    /// `search_path` of a request in a schema: that schema, then the extra ones, as configured
    /// (CONTRACT.md G01).
    #[must_use]
    pub fn search_path(&self, schema: &str) -> String {
        let path = std::iter::once(schema).chain(self.extra_search_path.iter().map(String::as_str));
        path.map(banyan_db::sql::identifier).collect::<Vec<_>>().join(", ")
    }
}
