//! `POST /bucket` (CONTRACT.md B01).

use banyan_web::{Body, json_response};
use http::{Response, StatusCode};
use serde_json::json;

use super::settings;
use crate::{
    context::Exchange,
    error::StorageError,
    model::BucketName,
    store::buckets::{self, NewBucket},
};

/// Makes a bucket. Its id is its name, unless the body says otherwise.
pub(crate) async fn create(exchange: Exchange) -> Result<Response<Body>, StorageError> {
    let fields = exchange.fields().await?;
    let name = fields.required_text("name")?;
    let id = fields.text("id")?.filter(|id| !id.is_empty());
    let settings = settings::read(&fields, exchange.service.settings.file_size_limit)?;
    let kind = fields.choice("type", &["STANDARD", "ANALYTICS"])?;
    let name = BucketName::new(&name)?;
    let id = id.map(|id| BucketName::new(&id)).transpose()?;
    if kind == Some("ANALYTICS") {
        return Err(StorageError::FeatureNotEnabled("Analytics buckets are not enabled"));
    }
    let bucket = NewBucket { id: id.as_ref().unwrap_or(&name), name: &name, settings: &settings };
    buckets::insert(exchange.as_caller()?, &bucket).await?;
    Ok(json_response(StatusCode::OK, &json!({"name": name.as_str()})))
}
