//! A form with one file (CONTRACT.md U04, X07).

use std::{
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    task::{Context, Poll},
};

use banyan_web::Body;
use bytes::{Bytes, BytesMut};
use futures_util::{Stream, StreamExt as _, stream};
use http::header::CONTENT_TYPE;
use multer::{Field, Multipart};

use super::Incoming;
use crate::{
    blobs::{BlobError, ByteStream},
    domain::upload::{Declared, body_stream, parse_user_metadata},
    error::StorageError,
};

/// Fields that may stand before the file of a form of storage-js.
const MOST_FIELDS: usize = 10;

/// Longest field in bytes.
const LONGEST_FIELD: usize = 1 << 20;

/// Bytes that a form may have before its file, and after it.
const BESIDE_THE_FILE: u64 = 2 << 20;

/// A form, read up to the bytes of its file.
pub(crate) struct Form {
    /// Names and values of the fields before the file, in the order of the form.
    pub(crate) fields: Vec<(String, String)>,
    /// The type of the file, without parameters.
    pub(crate) file_type: Option<String>,
    pub(crate) file_name: Option<String>,
    /// They end in an error where the form does not end as forms end.
    pub(crate) bytes: ByteStream,
}

/// Reads a form of storage-js up to the bytes of its file.
pub(super) async fn incoming(
    content_type: &str,
    content_length: Option<u64>,
    x_robots_tag: Option<String>,
    body: Body,
) -> Result<Incoming, StorageError> {
    let form = read_form(content_type, body, MOST_FIELDS).await?;
    let declared = Fields::of(form.fields).declared(form.file_type, content_length, x_robots_tag);
    Ok(Incoming { declared, bytes: form.bytes })
}

/// Reads a form with at most `most_fields` fields up to the bytes of its file.
///
/// # Errors
/// `InvalidRequest` for what is no such form.
pub(crate) async fn read_form(
    content_type: &str,
    body: Body,
    most_fields: usize,
) -> Result<Form, StorageError> {
    let boundary = multer::parse_boundary(content_type).map_err(unreadable)?;
    let allowance = Allowance::default();
    let pieces = Gated { bytes: body_stream(body), allowance: allowance.clone(), gave: false };
    let mut form = Multipart::new(pieces, boundary);
    let mut fields = Vec::new();
    let file = loop {
        let Some(part) = form.next_field().await.map_err(unreadable)? else {
            return Err(StorageError::InvalidRequest("the form has no file".to_owned()));
        };
        if is_file(&part) {
            break part;
        }
        if fields.len() == most_fields {
            return Err(StorageError::InvalidRequest("the form has too many fields".to_owned()));
        }
        fields.push((part.name().unwrap_or_default().to_owned(), value_of(part).await?));
    };
    allowance.open();
    let (file_type, file_name) = (type_of(&file), file.file_name().map(str::to_owned));
    let state = FileOfForm { file: Some(file), form, allowance };
    let bytes = Box::pin(stream::try_unfold(state, FileOfForm::next));
    Ok(Form { fields, file_type, file_name, bytes })
}

fn is_file(part: &Field<'_>) -> bool {
    part.file_name().is_some() || type_of(part).is_some_and(|kind| kind == "application/octet-stream")
}

/// The type of a part, without parameters.
fn type_of(part: &Field<'_>) -> Option<String> {
    let value = part.headers().get(CONTENT_TYPE)?.to_str().ok()?;
    let essence = value.split(';').next().unwrap_or_default().trim();
    (!essence.is_empty()).then(|| essence.to_ascii_lowercase())
}

/// What the fields before the file say.
#[derive(Default)]
struct Fields {
    cache_seconds: Option<String>,
    metadata: Option<String>,
    user_metadata: Option<String>,
    content_type: Option<String>,
}

impl Fields {
    fn of(sent: Vec<(String, String)>) -> Self {
        let mut fields = Self::default();
        for (name, value) in sent {
            let value = Some(value).filter(|value| !value.is_empty());
            match name.as_str() {
                "cacheControl" => fields.cache_seconds = value,
                "metadata" => fields.metadata = value,
                "userMetadata" => fields.user_metadata = value,
                "contentType" => fields.content_type = value,
                _ => {}
            }
        }
        fields
    }

    fn declared(
        self,
        file_type: Option<String>,
        content_length: Option<u64>,
        x_robots_tag: Option<String>,
    ) -> Declared {
        let cache_control = self.cache_seconds.map(|seconds| format!("max-age={seconds}"));
        let content_type = self.content_type.or(file_type);
        Declared {
            mimetype: content_type.unwrap_or_else(|| "text/plain".to_owned()),
            cache_control: cache_control.unwrap_or_else(|| "no-cache".to_owned()),
            size: None,
            content_length,
            user_metadata: self.metadata.or(self.user_metadata).as_deref().and_then(parse_user_metadata),
            x_robots_tag,
        }
    }
}

/// The text of a field.
async fn value_of(mut part: Field<'_>) -> Result<String, StorageError> {
    let mut value = BytesMut::new();
    while let Some(piece) = part.chunk().await.map_err(unreadable)? {
        value.extend_from_slice(&piece);
        if value.len() > LONGEST_FIELD {
            return Err(StorageError::EntityTooLarge);
        }
    }
    Ok(String::from_utf8_lossy(&value).into_owned())
}

/// The file of a form on its way.
struct FileOfForm {
    file: Option<Field<'static>>,
    form: Multipart<'static>,
    allowance: Allowance,
}

impl FileOfForm {
    /// The next piece. The file is whole only when the form has ended as forms end.
    async fn next(mut self) -> Result<Option<(Bytes, Self)>, BlobError> {
        let Some(file) = &mut self.file else { return Ok(None) };
        if let Some(piece) = file.chunk().await.map_err(in_stream)? {
            return Ok(Some((piece, self)));
        }
        self.file = None;
        self.allowance.close();
        while let Some(part) = self.form.next_field().await.map_err(in_stream)? {
            if is_file(&part) {
                let refusal = StorageError::InvalidRequest("the form has more than one file".to_owned());
                return Err(BlobError::Source(Box::new(refusal)));
            }
        }
        Ok(None)
    }
}

/// How many bytes the form may still have at this place.
#[derive(Clone)]
struct Allowance(Arc<AtomicU64>);

impl Default for Allowance {
    fn default() -> Self {
        Self(Arc::new(AtomicU64::new(BESIDE_THE_FILE)))
    }
}

impl Allowance {
    /// The file begins, whose bytes are counted by another.
    fn open(&self) {
        self.0.store(u64::MAX, Ordering::Relaxed);
    }

    /// The file has ended.
    fn close(&self) {
        self.0.store(BESIDE_THE_FILE, Ordering::Relaxed);
    }

    fn take(&self, bytes: usize) -> Result<(), BlobError> {
        let left = self.0.load(Ordering::Relaxed);
        let left = left.checked_sub(bytes as u64).ok_or_else(|| {
            BlobError::Source(Box::new(StorageError::InvalidRequest("the form is too large".to_owned())))
        })?;
        self.0.store(left, Ordering::Relaxed);
        Ok(())
    }
}

/// Gives the parser one piece each time it is asked. The parser takes all that is there into its
/// memory, which would be the whole of a fast body.
struct Gated {
    bytes: ByteStream,
    allowance: Allowance,
    gave: bool,
}

impl Stream for Gated {
    type Item = Result<Bytes, BlobError>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        if std::mem::take(&mut self.gave) {
            cx.waker().wake_by_ref();
            return Poll::Pending;
        }
        let polled = self.bytes.poll_next_unpin(cx);
        if let Poll::Ready(Some(Ok(piece))) = &polled {
            self.gave = true;
            if let Err(refusal) = self.allowance.take(piece.len()) {
                return Poll::Ready(Some(Err(refusal)));
            }
        }
        polled
    }
}

fn in_stream(error: multer::Error) -> BlobError {
    BlobError::Source(Box::new(unreadable(error)))
}

/// What is wrong with a form: it is cut or malformed, or its body ended in an error of its own.
fn unreadable(error: multer::Error) -> StorageError {
    match error {
        multer::Error::StreamReadFailed(cause) => match cause.downcast::<BlobError>() {
            Ok(error) => StorageError::from(*error),
            Err(_) => StorageError::Aborted,
        },
        other => StorageError::InvalidRequest(format!("the form cannot be read: {other}")),
    }
}
