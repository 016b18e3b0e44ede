//! `POST /object/sign/:bucket/*` (CONTRACT.md S01, S04).

use banyan_identity::Purpose;
use banyan_web::{Body, json_response};
use http::{Response, StatusCode};
use serde_json::{Map, json};

use crate::{
    context::Exchange,
    domain::signed_urls::{Grant, end},
    error::StorageError,
    model::ObjectPath,
    render::RenderOptions,
    store::objects,
    wire::Fields,
};

/// Signs a URL that reads an object. Where images are rendered, it may ask for an image of a size.
pub(crate) async fn sign(exchange: Exchange, path: ObjectPath) -> Result<Response<Body>, StorageError> {
    let fields = exchange.fields().await?;
    fields.require(&["expiresIn"])?;
    let seconds = fields.integer("expiresIn", 1)?.unwrap_or_default();
    let transformations =
        transformations(&fields)?.filter(|_| exchange.service.settings.image_transformation);
    let expires_at = end(exchange.context.now, seconds)?;
    if !objects::exists(exchange.as_caller()?, &path).await? {
        return Err(StorageError::NoSuchKey);
    }
    let route = if transformations.is_some() { "render/image" } else { "object" };
    let url = path.to_string();
    let claims: Map<_, _> =
        transformations.map(|it| ("transformations".to_owned(), it.into())).into_iter().collect();
    let grant = Grant { purpose: Purpose::Download, url: url.clone(), claims, expires_at };
    let token = grant.sign(&exchange.service, &exchange.context)?;
    Ok(json_response(StatusCode::OK, &json!({"signedURL": format!("/{route}/sign/{url}?token={token}")})))
}

/// The image that the body asks for, as the token says it: `height:200,resize:cover`. None where it
/// asks for the object itself.
fn transformations(fields: &Fields) -> Result<Option<String>, StorageError> {
    let Some(asked) = fields.object("transform")? else { return Ok(None) };
    let signed = RenderOptions::read(&asked)?.signed();
    Ok((!signed.is_empty()).then_some(signed))
}
