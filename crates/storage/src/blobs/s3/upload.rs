//! One upload in parts.

use std::{
    fmt::Write,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use banyan_web::{Body, full, read_body};
use bytes::Bytes;
use futures_util::TryStreamExt;
use http::{
    Method, Request, Response, StatusCode,
    header::{CONTENT_LENGTH, ETAG},
};
use http_body::Frame;
use http_body_util::{BodyExt, StreamBody};
use object_store::{
    multipart::MultipartStore,
    path::Path,
    signer::{SignedUrlOptions, Signer},
};

use super::{HeldPart, LARGEST_HELD, S3, Source};
use crate::blobs::{BlobError, BlobKey, ByteStream, PartId, PartsId};

/// How long the signature of a request is valid that is sent at once.
const SIGNATURE_LIFE: Duration = Duration::from_secs(300);

/// What is read of an answer.
const LONGEST_ANSWER: usize = 64 * 1024;

/// An upload in parts. One that this process began is aborted when it is dropped before it is
/// completed.
pub(super) struct Upload<'a> {
    s3: &'a S3,
    path: Path,
    id: String,
    abort_on_drop: bool,
}

impl<'a> Upload<'a> {
    pub(super) async fn begin(s3: &'a S3, key: &BlobKey) -> Result<Self, BlobError> {
        let path = s3.path(key);
        let id = s3.client.create_multipart(&path).await?;
        Ok(Self { s3, path, id, abort_on_drop: true })
    }

    pub(super) fn of(s3: &'a S3, key: &BlobKey, id: &PartsId) -> Self {
        Self { s3, path: s3.path(key), id: id.0.clone(), abort_on_drop: false }
    }

    /// Sends a part, from memory if it is small enough.
    pub(super) async fn put(
        &self,
        number: u32,
        bytes: ByteStream,
        size: Option<u64>,
    ) -> Result<(PartId, u64), BlobError> {
        if let Some(size) = size.filter(|size| *size > LARGEST_HELD) {
            return Ok((self.put_streamed(number, bytes, size).await?, size));
        }
        let counted = size.unwrap_or(LARGEST_HELD);
        let memory = self.s3.memory.take(counted.min(LARGEST_HELD)).await;
        let part = Source::new(bytes).part(LARGEST_HELD, memory).await?;
        if !part.is_last {
            return Err(BlobError::Service("a part of unknown size is too large".to_owned()));
        }
        let size = part.size;
        Ok((self.put_held(number, part).await?, size))
    }

    pub(super) async fn put_held(&self, number: u32, part: HeldPart) -> Result<PartId, BlobError> {
        let index = number.saturating_sub(1) as usize;
        let sent = self.s3.client.put_part(&self.path, &self.id, index, part.payload).await?;
        Ok(PartId(sent.content_id))
    }

    /// Sends a part as it arrives.
    async fn put_streamed(&self, number: u32, bytes: ByteStream, size: u64) -> Result<PartId, BlobError> {
        let refusal = Refusal::default();
        let mut request = self.signed(Method::PUT, Some(number)).await?.map(|()| refusal.body(bytes));
        request.headers_mut().insert(CONTENT_LENGTH, size.into());
        let sent = self.s3.connection.send(request).await;
        let answer = sent.map_err(|error| refusal.take().unwrap_or(error))?;
        let tag = answer.headers().get(ETAG).and_then(|tag| tag.to_str().ok()).map(str::to_owned);
        read(answer).await?;
        tag.map(PartId).ok_or_else(|| BlobError::Service("a part has no tag".to_owned()))
    }

    /// Makes one blob of the parts. Their numbers may have gaps, which `object_store` does not
    /// know.
    pub(super) async fn complete(mut self, parts: &[(u32, PartId)]) -> Result<(), BlobError> {
        let request = self.signed(Method::POST, None).await?.map(|()| full(list_of(parts)));
        let answer = read(self.s3.connection.send(request).await?).await?;
        // The service may find only after the head of its answer that it cannot.
        if answer.windows(6).any(|word| word == b"<Error") {
            return Err(BlobError::Service(String::from_utf8_lossy(&answer).into_owned()));
        }
        self.abort_on_drop = false;
        Ok(())
    }

    /// A signed request of this upload, without its body.
    async fn signed(&self, method: Method, part: Option<u32>) -> Result<Request<()>, BlobError> {
        let options = self.query(part);
        let signing = self.s3.client.signed_url_opts(method.clone(), &self.path, SIGNATURE_LIFE, &options);
        let url = signing.await?;
        let request = Request::builder().method(method).uri(url.as_str()).body(());
        request.map_err(|error| BlobError::Service(error.to_string()))
    }

    fn query(&self, part: Option<u32>) -> SignedUrlOptions {
        let part = part.map(|number| ("partNumber", number.to_string()));
        SignedUrlOptions::default().with_query(part.into_iter().chain([("uploadId", self.id.clone())]))
    }
}

impl Drop for Upload<'_> {
    fn drop(&mut self) {
        if self.abort_on_drop
            && let Ok(runtime) = tokio::runtime::Handle::try_current()
        {
            let (client, path, id) = (self.s3.client.clone(), self.path.clone(), self.id.clone());
            runtime.spawn(async move {
                if let Err(error) = client.abort_multipart(&path, &id).await {
                    tracing::warn!(blob = %path, %error, "storage: an upload that ended early was not aborted");
                }
            });
        }
    }
}

/// What the source of a body says when it ends early. The client of HTTP would hide it.
#[derive(Clone, Default)]
struct Refusal(Arc<Mutex<Option<BlobError>>>);

impl Refusal {
    fn body(&self, bytes: ByteStream) -> Body {
        let refusal = self.clone();
        let bytes = bytes.map_ok(Frame::data).map_err(move |error| {
            let told = error.to_string();
            *refusal.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
            told.into()
        });
        StreamBody::new(bytes).boxed_unsync()
    }

    fn take(&self) -> Option<BlobError> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

/// The body of an answer that is a success.
async fn read(answer: Response<Body>) -> Result<Bytes, BlobError> {
    let status = answer.status();
    let body = read_body(answer.into_body(), LONGEST_ANSWER).await;
    let body = body.map_err(|error| BlobError::Service(error.to_string()))?;
    match status {
        StatusCode::NOT_FOUND => Err(BlobError::NotFound),
        status if status.is_success() => Ok(body),
        status => Err(BlobError::Service(format!("{status}: {}", String::from_utf8_lossy(&body)))),
    }
}

/// The parts, as the service takes them.
fn list_of(parts: &[(u32, PartId)]) -> String {
    let mut xml = r#"<CompleteMultipartUpload xmlns="http://s3.amazonaws.com/doc/2006-03-01/">"#.to_owned();
    for (number, PartId(tag)) in parts {
        let tag = tag.replace('&', "&amp;").replace('<', "&lt;");
        let _ = write!(xml, "<Part><PartNumber>{number}</PartNumber><ETag>{tag}</ETag></Part>");
    }
    xml + "</CompleteMultipartUpload>"
}
