//! Calls to the project's own storage API: files in buckets.

use std::time::Duration;

use http::{HeaderMap, Method, Request};
use serde_json::json;

use crate::env::Env;
use crate::project::{Access, Allowance, ApiError, segment, send, send_for_json};
use crate::transport::Transport;

/// Time to send or to fetch one file.
const FILE_TIME: Duration = Duration::from_secs(60);

/// A call that carries no file.
const CALL: Allowance =
    Allowance { time: Duration::from_secs(10), answer: 1024 * 1024, status_in_body: true };

/// Words that stand in the place of a bucket's name in paths of other commands.
const ROUTES: [&str; 9] =
    ["authenticated", "copy", "info", "list", "list-v2", "move", "public", "sign", "upload"];

/// A file to be stored.
#[derive(Debug, Clone, Copy)]
pub struct Upload<'a> {
    /// Its type, such as `application/rtf`.
    pub content_type: &'a str,
    /// The content.
    pub bytes: &'a [u8],
    /// `true`: it may replace a file of the same name.
    pub upsert: bool,
    /// For how many seconds browsers may keep it.
    pub cache_seconds: u32,
}

impl<'a> Upload<'a> {
    /// A file that must be new, kept by browsers for an hour.
    pub fn new(content_type: &'a str, bytes: &'a [u8]) -> Self {
        Self { content_type, bytes, upsert: false, cache_seconds: 3600 }
    }
}

/// The project's storage API.
#[derive(Debug)]
pub struct StorageClient<'a, T> {
    transport: &'a T,
    access: Access,
}

impl<'a, T: Transport> StorageClient<'a, T> {
    /// A client with the right of `service_role`; address and key come from the environment.
    ///
    /// # Errors
    /// [`ApiError::NotConfigured`] when one of them is missing.
    pub fn from_env(transport: &'a T, env: &Env) -> Result<Self, ApiError> {
        Ok(Self { transport, access: Access::service(env)? })
    }

    /// A client with the caller's token: the policies of the buckets hold as for the caller.
    ///
    /// # Errors
    /// [`ApiError::NotConfigured`] when address or key is missing.
    pub fn as_caller(transport: &'a T, env: &Env, headers: &HeaderMap) -> Result<Self, ApiError> {
        Ok(Self { transport, access: Access::caller(env, headers)? })
    }

    /// Stores a file under a name, which may have folders: `papers/class-8.rtf`.
    ///
    /// # Errors
    /// See [`ApiError`]; 409 `KeyAlreadyExists` when the name is taken and `upsert` is false.
    pub async fn upload(&self, bucket: &str, name: &str, file: Upload<'_>) -> Result<(), ApiError> {
        let request = self
            .access
            .request(Method::POST, &of_object("/object", bucket, name)?)
            .header("content-type", file.content_type)
            .header("cache-control", format!("max-age={}", file.cache_seconds))
            .header("x-upsert", file.upsert.to_string())
            .body(file.bytes.to_vec())
            .map_err(|_| ApiError::Argument("content type"))?;
        let answer = send_for_json(self.transport, request, Allowance { time: FILE_TIME, ..CALL }).await?;
        answer["Key"].is_string().then_some(()).ok_or(ApiError::Shape)
    }

    /// The bytes of a file; nothing when there is none that the caller may read.
    ///
    /// # Errors
    /// See [`ApiError`]; `TooLarge` of the transport for a file of more than `most` bytes, of which
    /// no more is read.
    pub async fn download(&self, bucket: &str, name: &str, most: usize) -> Result<Option<Vec<u8>>, ApiError> {
        let request = self.without_body(Method::GET, &of_object("/object", bucket, name)?)?;
        match send(self.transport, request, Allowance { time: FILE_TIME, answer: most, ..CALL }).await {
            Ok(bytes) => Ok(Some(bytes)),
            Err(error) if error.is_not_found() => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// An address by which anybody may fetch a file, for this many seconds.
    ///
    /// # Errors
    /// See [`ApiError`]; 404 `NoSuchKey` for a file that the caller may not read.
    pub async fn signed_url(&self, bucket: &str, name: &str, seconds: u32) -> Result<String, ApiError> {
        let path = of_object("/object/sign", bucket, name)?;
        let request = self.access.json(Method::POST, &path, &json!({ "expiresIn": seconds }))?;
        let answer = send_for_json(self.transport, request, CALL).await?;
        let signed = answer["signedURL"].as_str().ok_or(ApiError::Shape)?;
        Ok(self.access.url(&format!("/storage/v1{signed}")))
    }

    /// Removes files and gives the names of those that were there and could be removed.
    ///
    /// # Errors
    /// See [`ApiError`].
    pub async fn remove(&self, bucket: &str, names: &[&str]) -> Result<Vec<String>, ApiError> {
        let path = format!("/storage/v1/object/{}", of_bucket(bucket)?);
        let request = self.access.json(Method::DELETE, &path, &json!({ "prefixes": names }))?;
        let answer = send_for_json(self.transport, request, CALL).await?;
        let removed = answer.as_array().ok_or(ApiError::Shape)?;
        removed.iter().map(|row| row["name"].as_str().map(str::to_owned).ok_or(ApiError::Shape)).collect()
    }

    fn without_body(&self, method: Method, path: &str) -> Result<Request<Vec<u8>>, ApiError> {
        self.access.request(method, path).body(Vec::new()).map_err(|_| ApiError::NotConfigured)
    }
}

/// A bucket's part of a path. The names of routes beside it are none, since they would lead to
/// another bucket.
fn of_bucket(bucket: &str) -> Result<String, ApiError> {
    segment(bucket).filter(|_| !ROUTES.contains(&bucket)).ok_or(ApiError::Argument("bucket"))
}

/// The path of a file below a route. Names are encoded, so that none leads elsewhere.
fn of_object(route: &str, bucket: &str, name: &str) -> Result<String, ApiError> {
    let bucket = of_bucket(bucket)?;
    let parts: Option<Vec<String>> = name.split('/').map(segment).collect();
    let name = parts.ok_or(ApiError::Argument("file name"))?.join("/");
    Ok(format!("/storage/v1{route}/{bucket}/{name}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_stays_below_its_bucket() {
        let path = |bucket, name| of_object("/object", bucket, name).ok();
        assert_eq!(
            path("papers", "8/a b?c#.rtf").as_deref(),
            Some("/storage/v1/object/papers/8/a%20b%3Fc%23.rtf")
        );
        for (bucket, name) in [
            ("papers", "../other/x"),
            ("papers", "a//b"),
            ("papers", ""),
            ("", "x"),
            ("..", "x"),
            ("authenticated", "private/x"),
            ("sign", "private/x"),
        ] {
            assert_eq!(path(bucket, name), None, "{bucket} {name}");
        }
        assert_eq!(path("a/b", "x").as_deref(), Some("/storage/v1/object/a%2Fb/x"));
    }
}
