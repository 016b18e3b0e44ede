//! Rows of buckets and objects as uploads and downloads read them.

use std::sync::Arc;

use banyan_db::{Param, Rows, Statement};

use super::Db;
use crate::{
    context::{RequestContext, ServiceContext},
    error::StorageError,
    model::Bucket,
};

const BUCKET: &str = "
select id, name, public, file_size_limit, to_json(allowed_mime_types)
from storage.buckets
where id = $1";

/// Finds a bucket with the rights of the service (CONTRACT.md R06, U13).
pub(crate) async fn bucket(
    service: &ServiceContext,
    context: &RequestContext,
    id: &str,
) -> Result<Option<Arc<Bucket>>, StorageError> {
    let db = Db::as_service(&service.database, context);
    let rows = db.read(&Statement::new(BUCKET, vec![Param::text(id.to_owned())])).await?;
    Ok(bucket_of(&rows).map(Arc::new))
}

fn bucket_of(rows: &Rows) -> Option<Bucket> {
    Some(Bucket {
        id: rows.text(0, 0)?.to_owned(),
        name: rows.text(0, 1)?.to_owned(),
        owner: None,
        public: rows.text(0, 2) == Some("t"),
        file_size_limit: rows.text(0, 3).and_then(|limit| limit.parse().ok()),
        allowed_mime_types: rows.text(0, 4).and_then(|types| serde_json::from_str(types).ok()),
        created_at: None,
        updated_at: None,
    })
}
