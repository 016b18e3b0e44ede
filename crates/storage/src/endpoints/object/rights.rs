//! Whose rights find the object that is read.

use crate::{
    context::Exchange,
    domain::served::{self, Rights},
    error::StorageError,
};

/// The rights of everybody. A private bucket looks like one that is not there (CONTRACT.md D01).
pub(crate) async fn of_everybody(exchange: &Exchange, bucket: &str) -> Result<Rights, StorageError> {
    let found = served::bucket(&exchange.service, &exchange.context, bucket).await?;
    let is_public = found.is_some_and(|bucket| bucket.public);
    if is_public { Ok(Rights::Service) } else { Err(StorageError::NoSuchBucket) }
}

/// The rights of the caller: in a public bucket those of everybody, in a private one those that the
/// policies give. To nobody in particular a private bucket looks like one that is not there
/// (CONTRACT.md D02, D03).
pub(crate) async fn of_caller(exchange: &Exchange, bucket: &str) -> Result<Rights, StorageError> {
    let found = served::bucket(&exchange.service, &exchange.context, bucket).await?;
    let is_public = found.ok_or(StorageError::NoSuchBucket)?.public;
    if !is_public && exchange.context.caller().is_err() {
        return Err(StorageError::NoSuchBucket);
    }
    Ok(if is_public { Rights::Service } else { Rights::Caller })
}
