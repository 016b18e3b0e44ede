//! The client of a running stack's storage service: asks `/storage/v1` with the secret key.

use std::{fmt, path::Path, time::Duration};

use anyhow::Context;
use banyan_config::{Config, SeedBucket};
use banyan_web::{
    Body,
    tls_client::{self, Client, Versions},
};
use bytes::Bytes;
use futures_util::stream;
use http::{Method, Request, Response, StatusCode, header};
use http_body_util::{BodyExt, StreamBody};
use hyper::body::{Frame, Incoming};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use secrecy::ExposeSecret;
use serde::{Deserialize, de::DeserializeOwned};
use serde_json::{Value, json};
use tokio::io::AsyncReadExt as _;

use crate::{content_types, running_stack};

/// Entries of one page of a list.
pub(crate) const PAGE: usize = 100;
/// How long an upload is stored by caches where nobody says it: as storage-js has it.
pub(crate) const CACHE_CONTROL: &str = "max-age=3600";
/// How long a stack is waited for to be there at all.
const CONNECT: Duration = Duration::from_secs(10);
/// Bytes of a file that are read at a time.
const PIECE: usize = 64 << 10;
/// What a path of a URL holds as it is.
const PATH: &AsciiSet = &NON_ALPHANUMERIC.remove(b'/').remove(b'-').remove(b'_').remove(b'.').remove(b'~');

/// The storage service of a running stack.
#[derive(Clone)]
pub(crate) struct StorageClient {
    client: Client<Body>,
    origin: String,
    key: String,
}

/// What the service refused.
#[derive(Debug)]
pub(crate) struct Refused {
    status: StatusCode,
    body: String,
}

/// Printed as the supabase CLI prints it.
impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let body = crate::output::harmless(&self.body);
        write!(f, "Error status {}: {body}", self.status.as_u16())
    }
}

impl std::error::Error for Refused {}

/// Whether an error is a refusal with this word in `error`.
pub(crate) fn is_refusal(error: &anyhow::Error, word: &str) -> bool {
    let body = error.downcast_ref::<Refused>().map(|refused| refused.body.as_str());
    let body: Option<Value> = body.and_then(|body| serde_json::from_str(body).ok());
    body.is_some_and(|body| body["error"] == word)
}

/// A bucket.
#[derive(Debug, Deserialize)]
pub(crate) struct Bucket {
    pub(crate) id: String,
    pub(crate) name: String,
}

/// An entry of a list: an object, or a folder, which has no id.
#[derive(Debug, Deserialize)]
pub(crate) struct Entry {
    pub(crate) name: String,
    pub(crate) id: Option<String>,
}

/// A message of the service.
#[derive(Debug, Deserialize)]
pub(crate) struct Message {
    pub(crate) message: String,
}

/// What is said of an upload beside its bytes.
#[derive(Debug, Clone)]
pub(crate) struct UploadOptions {
    pub(crate) cache_control: String,
    /// None: by the first bytes of the file and its name.
    pub(crate) content_type: Option<String>,
    /// Whether it may replace an object.
    pub(crate) overwrite: bool,
}

impl StorageClient {
    /// The storage service of the project's running stack.
    pub(crate) fn of_running(config: &Config) -> anyhow::Result<Self> {
        let record = running_stack::require(&config.paths.state)?;
        Ok(Self::at(&record.api_url, config.keys.secret_key.expose_secret()))
    }

    /// The service of a stack at `origin`, asked with `key`.
    pub(crate) fn at(origin: &str, key: &str) -> Self {
        let mut dialer = tls_client::dialer();
        dialer.set_connect_timeout(Some(CONNECT));
        let client = tls_client::pool().build(tls_client::connector(dialer, Versions::Http1));
        Self { client, origin: origin.trim_end_matches('/').to_owned(), key: key.to_owned() }
    }

    pub(crate) async fn buckets(&self) -> anyhow::Result<Vec<Bucket>> {
        self.call(Method::GET, "bucket", None).await
    }

    pub(crate) async fn create_bucket(&self, id: &str, bucket: &SeedBucket) -> anyhow::Result<()> {
        let mut body = settings(bucket);
        body["name"] = id.into();
        self.call(Method::POST, "bucket", Some(body)).await.map(|_: Value| ())
    }

    pub(crate) async fn update_bucket(&self, id: &str, bucket: &SeedBucket) -> anyhow::Result<()> {
        let path = format!("bucket/{id}");
        self.call(Method::PUT, &path, Some(settings(bucket))).await.map(|_: Value| ())
    }

    pub(crate) async fn delete_bucket(&self, id: &str) -> anyhow::Result<Message> {
        self.call(Method::DELETE, &format!("bucket/{id}"), None).await
    }

    /// One page of what lies directly below the folder of a prefix, and begins as the prefix does.
    pub(crate) async fn list(&self, bucket: &str, prefix: &str, page: usize) -> anyhow::Result<Vec<Entry>> {
        let (folder, name) = prefix.split_at(prefix.rfind('/').map_or(0, |slash| slash + 1));
        let body = json!({"prefix": folder, "search": name, "limit": PAGE, "offset": PAGE * page});
        self.call(Method::POST, &format!("object/list/{bucket}"), Some(body)).await
    }

    pub(crate) async fn move_object(&self, bucket: &str, from: &str, to: &str) -> anyhow::Result<Message> {
        let body = json!({"bucketId": bucket, "sourceKey": from, "destinationKey": to});
        self.call(Method::POST, "object/move", Some(body)).await
    }

    /// Deletes objects by their names, and gives the names of those that were there.
    pub(crate) async fn remove(&self, bucket: &str, names: &[String]) -> anyhow::Result<Vec<String>> {
        let path = format!("object/{bucket}");
        let removed: Vec<Entry> =
            self.call(Method::DELETE, &path, Some(json!({ "prefixes": names }))).await?;
        Ok(removed.into_iter().map(|entry| entry.name).collect())
    }

    /// Uploads a file. `path` is the bucket and the name.
    pub(crate) async fn upload(
        &self,
        path: &str,
        file: &Path,
        options: &UploadOptions,
    ) -> anyhow::Result<()> {
        let cannot = || format!("failed to open file: {}", file.display());
        let kind = match &options.content_type {
            Some(kind) => kind.clone(),
            None => content_types::of_file(file).with_context(cannot)?,
        };
        let open = tokio::fs::File::open(file).await.with_context(cannot)?;
        let length = open.metadata().await.with_context(cannot)?.len();
        let mut request = self
            .request(Method::POST, &format!("object/{path}"))
            .header(header::CONTENT_TYPE, kind)
            .header(header::CONTENT_LENGTH, length)
            .header(header::CACHE_CONTROL, &options.cache_control);
        if options.overwrite {
            request = request.header("x-upsert", "true");
        }
        self.send(request.body(pieces(open))?).await.map(drop)
    }

    /// The answer with the bytes of an object. `path` is the bucket and the name.
    pub(crate) async fn download(&self, path: &str) -> anyhow::Result<Response<Incoming>> {
        let request = self.request(Method::GET, &format!("object/{path}"));
        self.send(request.body(banyan_web::empty())?).await
    }

    async fn call<T: DeserializeOwned>(
        &self,
        method: Method,
        path: &str,
        body: Option<Value>,
    ) -> anyhow::Result<T> {
        let mut request = self.request(method, path);
        let body = match body {
            None => banyan_web::empty(),
            Some(body) => {
                request = request.header(header::CONTENT_TYPE, "application/json");
                banyan_web::full(body.to_string())
            }
        };
        let answer = self.send(request.body(body)?).await?;
        let bytes = answer.into_body().collect().await.context("the answer broke off")?.to_bytes();
        serde_json::from_slice(&bytes).context("the storage service answers in a form of its own")
    }

    fn request(&self, method: Method, path: &str) -> http::request::Builder {
        let path = utf8_percent_encode(path, PATH);
        Request::builder()
            .method(method)
            .uri(format!("{}/storage/v1/{path}", self.origin))
            .header("apikey", &self.key)
    }

    async fn send(&self, request: Request<Body>) -> anyhow::Result<Response<Incoming>> {
        let answer = self.client.request(request).await;
        let answer = answer.with_context(|| format!("cannot reach {}", self.origin))?;
        let status = answer.status();
        if status.is_success() {
            return Ok(answer);
        }
        let body = answer.into_body().collect().await.map(|body| body.to_bytes()).unwrap_or_default();
        Err(Refused { status, body: String::from_utf8_lossy(&body).into_owned() }.into())
    }
}

fn settings(bucket: &SeedBucket) -> Value {
    json!({
        "public": bucket.public,
        "file_size_limit": bucket.file_size_limit,
        "allowed_mime_types": Some(&bucket.allowed_mime_types).filter(|types| !types.is_empty()),
    })
}

/// The bytes of a file, as they are read.
fn pieces(file: tokio::fs::File) -> Body {
    let pieces = stream::try_unfold(file, |mut file| async move {
        let mut piece = Vec::with_capacity(PIECE);
        let read = (&mut file).take(PIECE as u64).read_to_end(&mut piece).await?;
        Ok::<_, banyan_web::BoxError>((read > 0).then(|| (Frame::data(Bytes::from(piece)), file)))
    });
    StreamBody::new(pieces).boxed_unsync()
}
