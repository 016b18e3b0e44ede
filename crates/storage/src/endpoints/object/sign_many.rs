//! `POST /object/sign/:bucket` (CONTRACT.md S02).

use std::collections::HashSet;

use banyan_identity::Purpose;
use banyan_web::{Body, json_response};
use http::{Response, StatusCode};
use serde_json::{Map, Value, json};

use crate::{
    context::Exchange,
    domain::signed_urls::{Grant, end},
    error::StorageError,
    model::BucketName,
    store::objects,
};

/// Names in a request.
const MOST_NAMES: usize = 1000;

/// Signs URLs that read objects, one for each name in the order of the request.
pub(crate) async fn sign_many(exchange: Exchange, bucket: String) -> Result<Response<Body>, StorageError> {
    let fields = exchange.fields().await?;
    fields.require(&["expiresIn", "paths"])?;
    let seconds = fields.integer("expiresIn", 1)?.unwrap_or_default();
    let names = fields.required_texts("paths", MOST_NAMES)?;
    let bucket = BucketName::new(&bucket)?;
    let expires_at = end(exchange.context.now, seconds)?;
    let visible = objects::existing(exchange.as_caller()?, bucket.as_str(), &names).await?;
    let visible: HashSet<String> = visible.into_iter().collect();
    let sign = |name: &String| {
        if !visible.contains(name) {
            return Ok(missing(name));
        }
        let url = format!("{}/{name}", bucket.as_str());
        let grant = Grant { purpose: Purpose::Download, url: url.clone(), claims: Map::new(), expires_at };
        let token = grant.sign(&exchange.service, &exchange.context)?;
        let signed = format!("/object/sign/{url}?token={token}");
        Ok(json!({"error": null, "path": name, "signedURL": signed}))
    };
    let signed = names.iter().map(sign).collect::<Result<Vec<Value>, StorageError>>()?;
    Ok(json_response(StatusCode::OK, &signed))
}

/// What is hidden looks like what is not there (CONTRACT.md R09).
fn missing(name: &str) -> Value {
    let error = "Either the object does not exist or you do not have access to it";
    json!({"error": error, "path": name, "signedURL": null})
}
