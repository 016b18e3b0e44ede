//! Reads what a deployment sends: a component as `application/wasm`, or a form as the supabase CLI
//! sends it.

use banyan_web::{Body, query_parameter};
use bytes::Bytes;
use http::{HeaderMap, Request, header};
use multer::Multipart;
use serde::Deserialize;

use super::{ManagementError, from_json, read};
use crate::function_name::is_function_name;

/// The first bytes of a component.
const MAGIC: &[u8] = b"\0asm";

/// A deployment as it was sent.
#[derive(Debug)]
pub(super) struct Upload {
    pub(super) slug: String,
    pub(super) verify_jwt: Option<bool>,
    pub(super) component: Bytes,
    /// Whether it is only staged, to be activated by a bulk update.
    pub(super) is_staged: bool,
}

/// The part of a form that describes the other parts.
#[derive(Debug, Default, Deserialize)]
struct Metadata {
    #[serde(default)]
    entrypoint_path: String,
    verify_jwt: Option<bool>,
}

impl Upload {
    /// Reads `?slug=`, `?verify_jwt=`, `?bundleOnly=` and the body. A form may hold several files;
    /// the component is the one that the metadata calls the entrypoint.
    ///
    /// # Errors
    /// 400, 413 and 415 with what is wrong.
    pub(super) async fn of(request: Request<Body>) -> Result<Self, ManagementError> {
        let slug = query_parameter(request.uri(), "slug").unwrap_or_default();
        if !is_function_name(&slug) {
            return Err(ManagementError::Request("`slug` must be a function's name".to_owned()));
        }
        let verify_jwt = flag(&request, "verify_jwt")?;
        let is_staged = flag(&request, "bundleOnly")?.unwrap_or_default();
        let kind = kind(request.headers()).to_owned();
        let body = read(request.into_body()).await?;
        let (metadata, component) = match multer::parse_boundary(&kind) {
            Ok(boundary) => form(Multipart::new(whole(body), boundary)).await?,
            Err(_) if kind == "application/wasm" => (Metadata::default(), body),
            Err(_) => return Err(ManagementError::NoComponent(kind)),
        };
        Ok(Self { slug, verify_jwt: verify_jwt.or(metadata.verify_jwt), component, is_staged })
    }
}

fn flag(request: &Request<Body>, name: &str) -> Result<Option<bool>, ManagementError> {
    let text = query_parameter(request.uri(), name);
    let wrong = |_| ManagementError::Request(format!("`{name}` must be true or false"));
    text.map(|text| text.parse().map_err(wrong)).transpose()
}

fn kind(headers: &HeaderMap) -> &str {
    let kind = headers.get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
    kind.unwrap_or("a body without a type")
}

fn whole(body: Bytes) -> impl futures_util::Stream<Item = Result<Bytes, std::convert::Infallible>> {
    futures_util::stream::iter([Ok(body)])
}

async fn form(mut parts: Multipart<'_>) -> Result<(Metadata, Bytes), ManagementError> {
    let wrong = |error: multer::Error| ManagementError::Request(format!("no form as agreed: {error}"));
    let (mut metadata, mut files) = (Metadata::default(), Vec::new());
    while let Some(part) = parts.next_field().await.map_err(wrong)? {
        match (part.name(), part.file_name()) {
            (Some("metadata"), _) => metadata = from_json(&part.bytes().await.map_err(wrong)?)?,
            (Some("file"), Some(path)) => files.push((path.to_owned(), part.bytes().await.map_err(wrong)?)),
            _ => {}
        }
    }
    let entrypoint = normal(&metadata.entrypoint_path);
    let component = files.into_iter().find(|(path, _)| normal(path) == entrypoint);
    match component {
        Some((_, component)) if component.starts_with(MAGIC) => Ok((metadata, component)),
        _ => Err(ManagementError::NoComponent(format!("the entrypoint `{}`", metadata.entrypoint_path))),
    }
}

fn normal(path: &str) -> &str {
    path.trim_start_matches("./")
}
