//! The two places that a body of a copy or a move names.

use crate::{context::Exchange, error::StorageError, model::ObjectPath, wire::Fields};

/// Where an object is, and where it goes.
pub(super) struct TwoPlaces {
    pub(super) from: ObjectPath,
    pub(super) to: ObjectPath,
}

impl TwoPlaces {
    /// Reads `bucketId`, `sourceKey`, `destinationBucket` and `destinationKey`.
    pub(super) fn read(exchange: &Exchange, fields: &Fields) -> Result<Self, StorageError> {
        fields.require(&["sourceKey", "bucketId", "destinationKey"])?;
        let bucket = fields.required_text("bucketId")?;
        let source = fields.required_text("sourceKey")?;
        let destination_bucket = fields.text("destinationBucket")?.filter(|bucket| !bucket.is_empty());
        let destination = fields.required_text("destinationKey")?;
        let unicode = exchange.service.settings.unicode_names;
        Ok(Self {
            from: ObjectPath::new(&bucket, &source, unicode)?,
            to: ObjectPath::new(&destination_bucket.unwrap_or(bucket), &destination, unicode)?,
        })
    }
}
