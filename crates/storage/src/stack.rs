//! The stack that a database belongs to, and the back end that holds its bytes (CONTRACT.md K08).
//!
//! The id of the stack is in the database and in a mark in the back end. A database that is new
//! gets an id of its own, so that it never takes the bytes of another for orphans. Where the two do
//! not match, requests are served and the sweep only reports.

use std::{path::PathBuf, time::Duration};

use banyan_config::{Storage, StorageBackend};
use banyan_db::{Database, Login, OwnDatabase, RunError};
use futures_util::{StreamExt, TryStreamExt, stream};
use rand::{RngCore, rngs::StdRng};
use time::{OffsetDateTime, format_description::well_known::Rfc3339};
use uuid::Uuid;

use crate::{
    blobs::{BlobError, BlobKey, BlobStore, Blobs, Disk, Mark, S3, WHOLE},
    store,
};

/// How long the back end may take to say that it is there.
const LONGEST: Duration = Duration::from_secs(5);

/// Why the bytes of the stack cannot be reached.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// The folder, or the service of S3.
    #[error("where the objects of storage lie: {0}")]
    Blobs(String),
    /// The database.
    #[error("the database of storage: {0}")]
    Database(#[from] RunError),
}

impl From<BlobError> for OpenError {
    fn from(error: BlobError) -> Self {
        Self::Blobs(error.to_string())
    }
}

/// Opens the back end of the settings for the stack of the database. A database that is new gets an
/// id, an empty back end its mark. With a quota the bytes of each owner are counted from then on
/// (CONTRACT.md B6). `rng` must be seeded from the system's randomness.
///
/// # Errors
/// [`OpenError`], also when the database is not prepared.
pub async fn open(config: &Storage, database: &Database, rng: &mut StdRng) -> Result<Blobs, OpenError> {
    let place = Place::of(config)?;
    let db = database.own(Login::StorageAdmin);
    store::usage::count(&db, config.quota_per_user.is_some()).await?;
    let id = id(&db, &place, rng).await?;
    let blobs = place.stack(id)?;
    if read_mark(&*blobs.store, Mark::Stack).await?.is_none() {
        mark_if_empty(&place, &blobs, id, &db).await?;
    }
    Ok(blobs)
}

/// The id of the stack in the database, made if there is none.
async fn id(db: &OwnDatabase, place: &Place, rng: &mut StdRng) -> Result<Uuid, OpenError> {
    if let Some(id) = store::stack::find(db).await? {
        return Ok(id);
    }
    let others = place.stacks().await?;
    if !others.is_empty() {
        tracing::warn!(
            stacks = others.join(" "),
            "storage: objects of other stacks lie here; they are left alone"
        );
    }
    let mut bytes = [0; 16];
    rng.fill_bytes(&mut bytes);
    store::stack::keep(db, uuid::Builder::from_random_bytes(bytes).into_uuid()).await?;
    let id = store::stack::find(db).await?;
    id.ok_or_else(|| OpenError::Blobs("the database keeps no id of the stack".to_owned()))
}

/// Marks a back end that is empty as this stack's.
async fn mark_if_empty(place: &Place, blobs: &Blobs, id: Uuid, db: &OwnDatabase) -> Result<(), OpenError> {
    if !place.is_empty(id).await? {
        tracing::warn!(stack.id = %id, "storage: the mark of the stack is missing among its objects; the sweep only reports");
        return Ok(());
    }
    if store::stack::has_objects(db).await? {
        tracing::warn!(stack.id = %id, "storage: there are objects in the database and no bytes in the back end");
    }
    Ok(write_mark(&*blobs.store, Mark::Stack, &id.to_string()).await?)
}

/// Whether the database and the back end still name the stack that was opened.
pub(crate) async fn is_matched(
    db: &OwnDatabase,
    blobs: &dyn BlobStore,
    opened: Uuid,
) -> Result<bool, OpenError> {
    let mark = read_mark(blobs, Mark::Stack).await?;
    let is_marked = mark.is_some_and(|mark| mark.trim() == opened.to_string());
    Ok(is_marked && store::stack::find(db).await? == Some(opened))
}

/// Whether the back end answers, marked or not.
pub(crate) async fn answers(blobs: &dyn BlobStore) -> bool {
    let mark = tokio::time::timeout(LONGEST, read_mark(blobs, Mark::Stack)).await;
    mark.is_ok_and(|mark| mark.is_ok())
}

/// When the database was reset last. Blobs that are older need no row.
pub(crate) async fn reset_at(blobs: &dyn BlobStore) -> Result<Option<OffsetDateTime>, BlobError> {
    let mark = read_mark(blobs, Mark::Reset).await?;
    Ok(mark.and_then(|mark| OffsetDateTime::parse(mark.trim(), &Rfc3339).ok()))
}

/// What PostgreSQL says of a database without a stack: no table, no schema, no login, no database,
/// or one that somebody began to drop.
const NO_STACK: [&str; 6] = ["42P01", "3F000", "28000", "28P01", "3D000", "55000"];

/// The id of a stack, while its database is made anew.
#[derive(Debug, Clone, Copy)]
pub struct KeptStack(Uuid);

impl KeptStack {
    /// The stack of this id, which [`KeptStack::id`] told before.
    #[must_use]
    pub fn of(id: Uuid) -> Self {
        Self(id)
    }

    /// The id, to be noted where a process that dies does not lose it.
    #[must_use]
    pub fn id(self) -> Uuid {
        self.0
    }

    /// To be called before a database is made anew. It notes the time in the back end: what is
    /// older then goes to the trash, however much it is (CONTRACT.md K11). None for a database
    /// without storage.
    ///
    /// # Errors
    /// [`OpenError`].
    pub async fn before_reset(
        config: &Storage,
        database: &Database,
        now: OffsetDateTime,
    ) -> Result<Option<Self>, OpenError> {
        let id = match store::stack::find(&database.own(Login::StorageAdmin)).await {
            Err(error) if error.code().is_some_and(|code| NO_STACK.contains(&code)) => None,
            id => id?,
        };
        let Some(id) = id else { return Ok(None) };
        let now = now.format(&Rfc3339).map_err(|error| OpenError::Blobs(error.to_string()))?;
        write_mark(&*Place::of(config)?.stack(id)?.store, Mark::Reset, &now).await?;
        Ok(Some(Self(id)))
    }

    /// To be called once the new database is prepared, before anybody may write to it. A service
    /// that runs meanwhile goes on: what it turned on at its start is on again, the count of bytes
    /// by owner and the queue of the webhook.
    ///
    /// # Errors
    /// [`OpenError::Database`].
    pub async fn after_reset(self, config: &Storage, database: &Database) -> Result<(), OpenError> {
        let db = database.own(Login::StorageAdmin);
        store::stack::keep(&db, self.0).await?;
        store::usage::count(&db, config.quota_per_user.is_some()).await?;
        Ok(store::events::Events::new(database).switch(config.webhook_url.is_some()).await?)
    }
}

/// Where the stacks lie that share a folder or a bucket, each below its id.
enum Place {
    Disk(PathBuf),
    S3(Box<S3>),
}

impl Place {
    fn of(config: &Storage) -> Result<Self, OpenError> {
        Ok(match &config.backend {
            StorageBackend::Disk { folder } => Self::Disk(folder.clone()),
            StorageBackend::S3(settings) => Self::S3(Box::new(S3::new(settings)?)),
        })
    }

    fn stack(&self, id: Uuid) -> Result<Blobs, BlobError> {
        Ok(match self {
            Self::Disk(folder) => Blobs::of_stack(Disk::open(&folder.join(id.to_string()))?, id),
            Self::S3(bucket) => Blobs::of_stack(bucket.below(&id.to_string()), id),
        })
    }

    /// The ids of all stacks.
    async fn stacks(&self) -> Result<Vec<String>, BlobError> {
        let names = match self {
            Self::Disk(folder) => Disk::open(folder)?.folders().await?,
            Self::S3(bucket) => bucket.folders("").await?,
        };
        Ok(names.into_iter().filter(|name| name.parse::<Uuid>().is_ok()).collect())
    }

    /// Whether nothing lies in a stack yet.
    async fn is_empty(&self, id: Uuid) -> Result<bool, BlobError> {
        let folders = match self {
            Self::Disk(folder) => Disk::open(&folder.join(id.to_string()))?.folders().await?,
            Self::S3(bucket) => bucket.folders(&id.to_string()).await?,
        };
        Ok(folders.iter().all(|name| name == "tmp"))
    }
}

async fn read_mark(blobs: &dyn BlobStore, mark: Mark) -> Result<Option<String>, BlobError> {
    let pieces = match blobs.get(&BlobKey::Mark(mark), WHOLE).await {
        Err(BlobError::NotFound) => return Ok(None),
        pieces => pieces?,
    };
    let whole = pieces.try_fold(Vec::new(), async |whole, piece| Ok([whole, piece.to_vec()].concat()));
    Ok(Some(String::from_utf8_lossy(&whole.await?).into_owned()))
}

async fn write_mark(blobs: &dyn BlobStore, mark: Mark, text: &str) -> Result<(), BlobError> {
    let size = text.len() as u64;
    let bytes = stream::iter([Ok(text.to_owned().into())]).boxed();
    blobs.put(&BlobKey::Mark(mark), bytes, Some(size)).await.map(drop)
}
