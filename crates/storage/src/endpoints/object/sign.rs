//! `POST /object/sign/:bucket/*` (CONTRACT.md S01, S04).

use banyan_identity::Purpose;
use banyan_web::{Body, json_response};
use http::{Response, StatusCode};
use serde_json::{Map, Value, json};

use crate::{
    context::Exchange,
    domain::signed_urls::{Grant, end},
    error::StorageError,
    model::ObjectPath,
    store::objects,
    wire::Fields,
};

/// Signs a URL that reads an object. Where images are rendered, it may ask for an image of a size.
pub(crate) async fn sign(exchange: Exchange, path: ObjectPath) -> Result<Response<Body>, StorageError> {
    let fields = exchange.fields().await?;
    fields.require(&["expiresIn"])?;
    let seconds = fields.integer("expiresIn", 1)?.unwrap_or_default();
    let claims = transformation(&fields)?.filter(|_| exchange.service.settings.image_transformation);
    let expires_at = end(exchange.context.now, seconds)?;
    if !objects::exists(exchange.as_caller()?, &path).await? {
        return Err(StorageError::NoSuchKey);
    }
    let route = if claims.is_some() { "render/image" } else { "object" };
    let url = path.to_string();
    let claims = claims.unwrap_or_default();
    let grant = Grant { purpose: Purpose::Download, url: url.clone(), claims, expires_at };
    let token = grant.sign(&exchange.service, &exchange.context)?;
    Ok(json_response(StatusCode::OK, &json!({"signedURL": format!("/{route}/sign/{url}?token={token}")})))
}

/// The claims of a token for a rendered image: `transformations` such as
/// `height:200,width:200,resize:cover,quality:60`, and `format`. None where the body asks for none.
fn transformation(fields: &Fields) -> Result<Option<Map<String, Value>>, StorageError> {
    let Some(asked) = fields.object("transform")? else { return Ok(None) };
    let [height, width] = ["height", "width"].map(|name| asked.integer(name, 0));
    let [height, width] = [height?, width?].map(|size| size.filter(|size| *size > 0));
    let resize = asked.choice("resize", &["cover", "contain", "fill"])?.unwrap_or("cover");
    let quality = quality(&asked)?;
    let format = asked.choice("format", &["origin", "avif", "webp"])?;
    let has_size = height.is_some() || width.is_some();
    let parts = [
        height.map(|height| format!("height:{}", height.min(MOST_PIXELS))),
        width.map(|width| format!("width:{}", width.min(MOST_PIXELS))),
        has_size.then(|| format!("resize:{resize}")),
        quality.map(|quality| format!("quality:{quality}")),
        format.filter(|format| *format != "origin").map(|format| format!("format:{format}")),
    ];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    if parts.is_empty() {
        return Ok(None);
    }
    let mut claims = Map::from_iter([("transformations".to_owned(), parts.join(",").into())]);
    if let Some(format) = format {
        claims.insert("format".to_owned(), format.into());
    }
    Ok(Some(claims))
}

/// Most pixels of a side.
const MOST_PIXELS: i64 = 2000;

fn quality(asked: &Fields) -> Result<Option<i64>, StorageError> {
    let quality = asked.integer("quality", 20)?;
    match quality {
        Some(quality) if quality > 100 => Err(asked.fault("quality", "must be <= 100")),
        other => Ok(other),
    }
}
