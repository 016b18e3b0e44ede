//! A page of the objects of a bucket, as the lists answer it.

use crate::{
    domain::served,
    error::StorageError,
    s3::{
        listing::{CommonPrefix, Encoding, cut, limit, split},
        request::SignedRequest,
    },
    store::delimited_lists::{self, Entry, ListedObject, Page},
};

/// A page of the objects of a bucket that the caller may see.
pub(super) struct ObjectPage {
    pub(super) encoding: Encoding,
    /// Most entries.
    pub(super) limit: u32,
    pub(super) folders: Vec<CommonPrefix>,
    pub(super) objects: Vec<ListedObject>,
    /// The last entry, if there are more.
    pub(super) next: Option<String>,
}

impl ObjectPage {
    /// Reads the page that begins behind `after`. Whether there is such a bucket, everybody may
    /// know.
    ///
    /// # Errors
    /// `NoSuchBucket`, `InvalidParameter`, and those of the database.
    pub(super) async fn read(request: &SignedRequest, after: &str) -> Result<Self, StorageError> {
        let (encoding, limit) = (Encoding::of(request)?, limit(request, "max-keys")?);
        let exchange = &request.exchange;
        served::bucket(&exchange.service, &exchange.context, request.bucket())
            .await?
            .ok_or(StorageError::NoSuchBucket)?;
        let page = Page {
            bucket: request.bucket(),
            prefix: request.query.get("prefix").unwrap_or_default(),
            delimiter: request.query.text("delimiter").unwrap_or_default(),
            after,
            limit: limit + 1,
        };
        let mut entries = delimited_lists::objects(exchange.as_caller()?, &page).await?;
        let is_truncated = cut(&mut entries, limit) && limit > 0;
        let next = entries.last().filter(|_| is_truncated).map(name);
        let (folders, objects) = split(entries, encoding);
        Ok(Self { encoding, limit, folders, objects, next })
    }
}

fn name(entry: &Entry<ListedObject>) -> String {
    match entry {
        Entry::Folder(name) => name.clone(),
        Entry::Item(object) => object.name.clone(),
    }
}
