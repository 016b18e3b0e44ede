//! What every request works with: settings, database, bytes, keys.

use std::sync::{Arc, Mutex, PoisonError};

use banyan_config::Storage;
use banyan_db::{Database, Login, OwnDatabase};
use banyan_identity::{Caller, Keyring, Verifier};
use banyan_web::{Body, empty};
use http::request::Parts;
use rand::{RngCore, rngs::StdRng};
use uuid::Uuid;

use crate::{
    blobs::BlobStore,
    cache::Caches,
    error::StorageError,
    model::Version,
    patience::WholeRead,
    render::{RenderRate, Renderer},
    request_context::RequestContext,
    stack,
    store::Db,
    wire::{Fields, read_json},
    writers::Writers,
};

/// What every request works with.
pub(crate) struct ServiceContext {
    pub(crate) settings: Storage,
    pub(crate) database: Database,
    pub(crate) blobs: Arc<dyn BlobStore>,
    /// The stack whose bytes `blobs` holds; none where nothing says so.
    pub(crate) stack: Option<Uuid>,
    pub(crate) caches: Arc<Caches>,
    pub(crate) renderer: Renderer,
    /// None without a bound.
    pub(crate) render_rate: Option<RenderRate>,
    pub(crate) keyring: Arc<Keyring>,
    /// Says of whom a session token of S3 is.
    pub(crate) verifier: Verifier,
    /// The key of role `anon`, which signs for sessions of S3.
    pub(crate) anon_key: String,
    pub(crate) rng: Mutex<StdRng>,
    /// Who writes to which resumable upload.
    pub(crate) writers: Writers,
    /// Origin under which clients reach the stack.
    pub(crate) external_url: String,
}

impl ServiceContext {
    /// The database as the service's own login, for what no role of the API sees.
    pub(crate) fn own_database(&self) -> OwnDatabase {
        self.database.own(Login::StorageAdmin)
    }

    /// Whether database and back end still name the stack that was opened. Where not, nothing is
    /// removed.
    pub(crate) async fn is_matched(&self) -> bool {
        let Some(opened) = self.stack else { return false };
        match stack::is_matched(&self.own_database(), &*self.blobs, opened).await {
            Ok(is_matched) => is_matched,
            Err(error) => {
                tracing::warn!(%error, "storage: the mark of the stack cannot be read");
                false
            }
        }
    }

    /// A new version for bytes that are about to be written.
    pub(crate) fn new_version(&self) -> Version {
        let mut bytes = [0; 16];
        self.rng.lock().unwrap_or_else(PoisonError::into_inner).fill_bytes(&mut bytes);
        Version(uuid::Builder::from_random_bytes(bytes).into_uuid())
    }
}

/// One request on its way through an endpoint.
pub(crate) struct Exchange {
    pub(crate) service: Arc<ServiceContext>,
    pub(crate) context: RequestContext,
    pub(crate) parts: Parts,
    /// For what is read whole. The body has its own.
    pub(crate) patience: WholeRead,
    /// Taken once, by [`Exchange::take_body`]. Bodies cannot be shared among threads without a
    /// lock.
    pub(crate) body: Mutex<Body>,
}

impl Exchange {
    /// The same, named for policies (CONTRACT.md R08).
    pub(crate) fn doing(mut self, operation: &'static str) -> Self {
        self.context.operation = operation;
        self
    }

    /// Takes the body, once.
    pub(crate) fn take_body(&self) -> Body {
        std::mem::replace(&mut self.body.lock().unwrap_or_else(PoisonError::into_inner), empty())
    }

    /// The fields of a body of JSON. The caller must be somebody, who is asked first.
    pub(crate) async fn fields(&self) -> Result<Fields, StorageError> {
        self.context.caller()?;
        let body = self.take_body();
        Fields::of_body(self.patience.whole(read_json(&self.parts.headers, body)).await?)
    }

    /// The caller of an endpoint that only the service key opens.
    pub(crate) fn service_caller(&self) -> Result<&Caller, StorageError> {
        let caller = self.context.caller()?;
        if caller.is_service() { Ok(caller) } else { Err(StorageError::WrongRole) }
    }

    /// A header that is text.
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.parts.headers.get(name)?.to_str().ok()
    }

    /// The database as the caller, under row-level security.
    pub(crate) fn as_caller(&self) -> Result<Db<'_>, StorageError> {
        Ok(Db::new(&self.service.database, &self.context, self.context.caller()?))
    }

    /// The database as `service_role`, which row-level security does not bind.
    pub(crate) fn as_service(&self) -> Db<'_> {
        Db::as_service(&self.service.database, &self.context)
    }
}
