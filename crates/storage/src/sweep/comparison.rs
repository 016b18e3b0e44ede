//! Blobs compared with rows, shard by shard.

use std::collections::HashSet;

use time::{Date, OffsetDateTime};

use super::{
    Swept,
    orphans::{self, Orphans},
};
use crate::{
    blobs::{BlobError, BlobKey, StoredBlob},
    context::ServiceContext,
    error::StorageError,
    model::Version,
    stack,
    store::versions,
};

/// Folders whose blobs belong to a version.
const AREAS: [&str; 3] = ["objects", "tails", "parts"];

/// Rows that are read at a time.
const PAGE: usize = 2000;

/// Objects without bytes of one shard that are looked at again and named in the log.
const MOST_MISSING: usize = 100;

/// How long trash is kept.
const TRASH_LIFE: time::Duration = time::Duration::days(7);

/// Compares all blobs with all rows. Without the mark of this stack it only reports.
pub(super) async fn run(
    service: &ServiceContext,
    now: OffsetDateTime,
    swept: &mut Swept,
) -> Result<(), StorageError> {
    let mut found = Orphans::new(now, stack::reset_at(&*service.blobs).await?);
    for shard in 0..=255 {
        let objects = compare(service, shard, &mut found).await?;
        swept.missing += missing(service, shard, objects).await?;
    }
    found.look_at(service, service.blobs.list("tmp/").await?).await?;
    (swept.blobs, swept.orphans, swept.orphan_bytes) = (found.blobs, found.count, found.bytes);
    if !service.is_matched().await {
        tracing::warn!(
            blobs = found.blobs,
            orphans = found.count,
            "storage: the back end is not marked as this stack's; nothing is removed"
        );
        return Ok(());
    }
    swept.discarded = orphans::discard(service, &found, &now.date().to_string()).await?;
    empty_trash(service, now.date()).await
}

/// Looks at the blobs of a shard. Returns the versions of its objects that have bytes.
async fn compare(
    service: &ServiceContext,
    shard: u8,
    found: &mut Orphans,
) -> Result<HashSet<Version>, StorageError> {
    let mut objects = HashSet::new();
    for area in AREAS {
        let blobs = service.blobs.list(&format!("{area}/{shard:02x}/")).await?;
        if area == "objects" {
            objects = blobs.iter().filter_map(StoredBlob::version).collect();
        }
        found.look_at(service, blobs).await?;
    }
    Ok(objects)
}

/// Counts the objects of a shard that have a row and no bytes, and names them in the log.
async fn missing(
    service: &ServiceContext,
    shard: u8,
    with_bytes: HashSet<Version>,
) -> Result<u64, StorageError> {
    let before = shard.checked_add(1).map_or_else(|| "g".to_owned(), |next| format!("{next:02x}"));
    let (mut after, mut count) = (format!("{shard:02x}"), 0);
    loop {
        let page = versions::of_objects(&service.own_database(), &after, &before, PAGE).await?;
        for version in page.iter().filter(|version| !with_bytes.contains(version)).take(MOST_MISSING) {
            count += u64::from(is_missing(service, *version).await?);
        }
        match page.last() {
            Some(last) if page.len() == PAGE => after = last.to_string(),
            _ => return Ok(count),
        }
    }
}

/// Whether an object still has a row and no bytes: it may have been written after the list.
async fn is_missing(service: &ServiceContext, version: Version) -> Result<bool, StorageError> {
    let is_absent = matches!(service.blobs.size(&BlobKey::Object(version)).await, Err(BlobError::NotFound));
    if !is_absent || !versions::is_of_object(&service.own_database(), version).await? {
        return Ok(false);
    }
    tracing::error!(object.version = %version, "storage: the bytes of an object are missing");
    Ok(true)
}

/// Deletes the trash of days that are long past. What is no date is left alone.
async fn empty_trash(service: &ServiceContext, today: Date) -> Result<(), StorageError> {
    for name in service.blobs.discarded().await? {
        if orphans::read_date(&name).is_some_and(|date| today - date > TRASH_LIFE) {
            service.blobs.delete_discarded(&name).await?;
        }
    }
    Ok(())
}
