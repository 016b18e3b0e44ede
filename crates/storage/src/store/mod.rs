//! The SQL of schema `storage`, a file for each table.
//!
//! Every statement runs as a role of the API, in one pipeline with what policies may ask: as the
//! caller where row-level security decides, as `service_role` where the service has decided.

/// The table `storage.buckets`.
pub(crate) mod buckets;

/// The table `storage.objects`, as lists and single objects read and change it.
pub(crate) mod objects;

/// Pages of objects.
pub(crate) mod lists;

/// Rows of `storage.objects` that uploads write.
pub(crate) mod uploads;

/// Changes that the webhook is still to be told of.
pub(crate) mod events;
/// Rows of resumable uploads.
pub(crate) mod resumable_uploads;

/// Pages of objects and of unfinished uploads, with folders.
pub(crate) mod delimited_lists;

/// Rows of `storage.s3_multipart_uploads` and of its parts.
pub(crate) mod multipart_uploads;

/// Versions whose bytes are to be deleted.
pub(crate) mod garbage;

/// Versions as the sweep compares them with blobs.
pub(crate) mod versions;

/// The id of the stack.
pub(crate) mod stack;

/// Bytes of the objects of each owner.
pub(crate) mod usage;

use std::{borrow::Cow, sync::LazyLock};

use banyan_db::{Database, Param, Rows, RunAs, Statement};
use banyan_identity::Caller;
use bytes::Bytes;
use uuid::Uuid;

use crate::{error::StorageError, request_context::RequestContext};

/// `service_role`, for what the service does itself.
static SERVICE: LazyLock<Caller> = LazyLock::new(Caller::service);

/// The database as one role, for one request.
#[derive(Clone, Copy)]
pub(crate) struct Db<'a> {
    database: &'a Database,
    context: &'a RequestContext,
    caller: &'a Caller,
}

impl<'a> Db<'a> {
    pub(crate) fn new(database: &'a Database, context: &'a RequestContext, caller: &'a Caller) -> Self {
        Self { database, context, caller }
    }

    pub(crate) fn as_service(database: &'a Database, context: &'a RequestContext) -> Self {
        Self::new(database, context, &SERVICE)
    }

    /// Whose rights apply.
    pub(crate) fn caller(&self) -> &'a Caller {
        self.caller
    }

    /// Reads; the statement may be sent a second time, and must not write.
    pub(crate) async fn read(&self, statement: &Statement) -> Result<Rows, StorageError> {
        self.run(statement, |run| RunAs { read_only: true, ..run }).await
    }

    /// Writes, in a transaction of its own.
    pub(crate) async fn write(&self, statement: &Statement) -> Result<Rows, StorageError> {
        self.run(statement, |run| run).await
    }

    /// Writes, and rolls back: whether the caller would be allowed to (CONTRACT.md U10).
    pub(crate) async fn rehearse(&self, statement: &Statement) -> Result<Rows, StorageError> {
        self.run(statement, |run| RunAs { rollback: true, ..run }).await
    }

    async fn run(
        &self,
        statement: &Statement,
        change: impl FnOnce(RunAs<'_>) -> RunAs<'_>,
    ) -> Result<Rows, StorageError> {
        let settings = self.settings();
        let run = RunAs { settings: &settings, ..RunAs::new(self.caller, statement) };
        Ok(self.database.run_as(&change(run)).await?)
    }

    /// What policies may ask (CONTRACT.md R07). The claims themselves are set by `run_as`.
    fn settings(&self) -> [(&'static str, Cow<'a, str>); 10] {
        let context = self.context;
        let claims = self.caller.claims();
        [
            ("search_path", "storage, public, extensions".into()),
            ("lock_timeout", "5s".into()),
            ("request.jwt.claim.role", self.caller.role().into()),
            ("request.jwt.claim.sub", claims.text("sub").unwrap_or_default().into()),
            ("request.jwt", "".into()),
            ("request.headers", context.headers.as_str().into()),
            ("request.method", context.method.as_str().into()),
            ("request.path", context.original_path.as_str().into()),
            ("storage.operation", context.operation.into()),
            ("storage.allow_delete_query", "true".into()),
        ]
    }
}

/// Whom what this caller makes belongs to: the claim `sub`, be it a UUID or not (CONTRACT.md U12).
pub(crate) fn owner_of(caller: &Caller) -> Option<String> {
    caller.claims().text("sub").filter(|sub| !sub.is_empty()).map(str::to_owned)
}

/// An owner as parameters for the columns `owner`, which takes UUIDs alone, and `owner_id`.
fn owner(id: Option<&str>) -> [Param; 2] {
    [optional(id.and_then(|id| id.parse::<Uuid>().ok())), optional(id)]
}

/// A parameter that is a text.
pub(crate) fn text(value: &str) -> Param {
    Param::text(value.to_owned())
}

/// A parameter of any simple type, or null.
fn optional(value: Option<impl ToString>) -> Param {
    value.map_or_else(Param::null, |value| Param::text(value.to_string()))
}

/// A parameter that is a list of texts, as JSON. Texts with a NUL are left out: no row has one, and
/// PostgreSQL refuses it.
fn json_texts(values: &[impl AsRef<str>]) -> Param {
    let values: Vec<&str> = values.iter().map(AsRef::as_ref).filter(|value| !value.contains('\0')).collect();
    Param::text(serde_json::json!(values).to_string())
}

/// JSON that a statement of one row and one column wrote.
fn written(rows: &Rows) -> Option<Bytes> {
    rows.get(0, 0).cloned()
}
