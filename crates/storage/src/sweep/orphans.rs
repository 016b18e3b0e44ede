//! Blobs without a row, and what becomes of them.

use time::{Date, Duration, OffsetDateTime, macros::format_description};

use crate::{
    blobs::{BlobError, StoredBlob},
    context::ServiceContext,
    error::StorageError,
    store::versions,
};

/// A blob that is younger may belong to an upload whose row is still to come.
const LONGEST_UPLOAD: Duration = Duration::hours(24);

/// Blobs that are compared with rows in one statement.
const PAGE: usize = 1000;

/// Orphans that are moved between two looks at the rows.
const PAGE_OF_MOVES: usize = 100;

/// Orphans that are kept in mind for the trash. What is beyond them is found the next time.
const MOST_KEPT: usize = 10_000;

/// Orphans that are never too many.
const FEW: u64 = 20;

/// Of a hundred blobs, how many may be orphans.
const MOST_PERCENT: u64 = 5;

/// Blobs without a row.
pub(super) struct Orphans {
    now: OffsetDateTime,
    reset_at: Option<OffsetDateTime>,
    /// Blobs that were looked at.
    pub(super) blobs: u64,
    /// Those that no row names.
    pub(super) count: u64,
    /// What they take.
    pub(super) bytes: u64,
    /// Those of them that a reset of the database does not explain.
    surprising: u64,
    kept: Vec<StoredBlob>,
}

impl Orphans {
    pub(super) fn new(now: OffsetDateTime, reset_at: Option<OffsetDateTime>) -> Self {
        Self { now, reset_at, blobs: 0, count: 0, bytes: 0, surprising: 0, kept: Vec::new() }
    }

    /// Compares blobs with the rows of today. The blobs were listed first, so that a row which came
    /// meanwhile is seen.
    pub(super) async fn look_at(
        &mut self,
        service: &ServiceContext,
        blobs: Vec<StoredBlob>,
    ) -> Result<(), StorageError> {
        self.blobs += blobs.len() as u64;
        let old: Vec<_> = blobs.into_iter().filter(|blob| self.age(blob) > LONGEST_UPLOAD).collect();
        for page in old.chunks(PAGE) {
            without_row(service, page).await?.into_iter().for_each(|orphan| self.add(orphan));
        }
        Ok(())
    }

    fn add(&mut self, orphan: &StoredBlob) {
        let is_explained = self.reset_at.is_some_and(|reset| OffsetDateTime::from(orphan.modified) < reset);
        self.count += 1;
        self.bytes += orphan.size;
        self.surprising += u64::from(!is_explained);
        if self.kept.len() < MOST_KEPT {
            self.kept.push(orphan.clone());
        }
    }

    fn age(&self, blob: &StoredBlob) -> Duration {
        self.now - OffsetDateTime::from(blob.modified)
    }

    /// Whether so many have no row that rather the rows are missing.
    fn are_too_many(&self) -> bool {
        self.surprising > FEW && self.surprising * 100 > self.blobs * MOST_PERCENT
    }
}

/// Those of the blobs that no row names. Bytes of an unfinished upload are named by its row alone:
/// an object that has the version has no use for them.
async fn without_row<'a>(
    service: &ServiceContext,
    blobs: &'a [StoredBlob],
) -> Result<Vec<&'a StoredBlob>, StorageError> {
    let db = service.own_database();
    let versions = |unfinished: bool| {
        let blobs = blobs.iter().filter(|blob| is_unfinished(blob) == unfinished);
        blobs.filter_map(StoredBlob::version).collect::<Vec<_>>()
    };
    let named = versions::named(&db, &versions(false)).await?;
    let unfinished = versions::unfinished(&db, &versions(true)).await?;
    let has_row = |blob: &&StoredBlob| {
        let named = if is_unfinished(blob) { &unfinished } else { &named };
        blob.version().is_some_and(|version| named.contains(&version))
    };
    Ok(blobs.iter().filter(|blob| !has_row(blob)).collect())
}

/// Whether a blob is of an upload that is no object yet.
fn is_unfinished(blob: &StoredBlob) -> bool {
    blob.key.starts_with("parts/") || blob.key.starts_with("tails/")
}

/// Moves orphans to the trash of a date. Returns how many. Since they were found, a dump may have
/// been restored, or the database may be another: right before each move that is asked again.
pub(super) async fn discard(
    service: &ServiceContext,
    orphans: &Orphans,
    date: &str,
) -> Result<u64, StorageError> {
    if orphans.are_too_many() {
        tracing::error!(
            orphans = orphans.count,
            blobs = orphans.blobs,
            "storage: too many blobs have no row; nothing is removed. Is it the right database?"
        );
        return Ok(0);
    }
    let mut discarded = 0;
    for page in orphans.kept.chunks(PAGE_OF_MOVES) {
        if !service.is_matched().await {
            return Ok(discarded);
        }
        for orphan in without_row(service, page).await? {
            discarded += u64::from(is_moved(service, &orphan.key, date).await?);
        }
    }
    Ok(discarded)
}

/// Moves a blob to the trash; `false` if another did.
async fn is_moved(service: &ServiceContext, key: &str, date: &str) -> Result<bool, StorageError> {
    match service.blobs.discard(key, date).await {
        Ok(()) => Ok(true),
        Err(BlobError::NotFound) => Ok(false),
        Err(error) => Err(error.into()),
    }
}

/// Reads the name of a folder of the trash.
pub(super) fn read_date(name: &str) -> Option<Date> {
    Date::parse(name, format_description!("[year]-[month]-[day]")).ok()
}
