//! Several ranges in one answer (CONTRACT.md B4).

use std::{ops::Range, pin::Pin, sync::Arc};

use banyan_web::{Body, BoxError};
use bytes::Bytes;
use futures_util::{Stream, StreamExt as _, TryStreamExt as _, stream};
use http::{HeaderMap, Response, StatusCode, header::CONTENT_TYPE};
use http_body::Frame;
use http_body_util::{BodyExt as _, StreamBody};

use super::{content_range, text, with_length};
use crate::{context::ServiceContext, domain::download, error::StorageError, wire::ServedObject};

/// A range, and the lines above it.
type Part = (Bytes, Range<u64>);

type Pieces = Pin<Box<dyn Stream<Item = Result<Bytes, BoxError>> + Send>>;

/// Answers 206 with a part for each range. The first part is opened before the answer begins, each
/// other one when the one before it has been read.
pub(super) async fn answer(
    service: &Arc<ServiceContext>,
    object: &ServedObject,
    mut headers: HeaderMap,
    size: u64,
    ranges: Vec<Range<u64>>,
) -> Result<Response<Body>, StorageError> {
    let boundary = service.new_version().to_string();
    let end = Bytes::from(format!("\r\n--{boundary}--\r\n"));
    let mut parts: Vec<Part> =
        ranges.into_iter().map(|range| (lines_above(object, &boundary, &range, size), range)).collect();
    let of_part = |(lines, range): &Part| lines.len() as u64 + range.end - range.start;
    let length = parts.iter().map(of_part).sum::<u64>() + end.len() as u64;
    let (lines, range) = parts.remove(0);
    let first = with_lines(lines, download::body(service, object, size, range).await?);
    let (service, object) = (Arc::clone(service), object.clone());
    let others = stream::iter(parts).then(move |(lines, range)| {
        let (service, object) = (Arc::clone(&service), object.clone());
        async move {
            let body = download::body(&service, &object, size, range).await.map_err(BoxError::from)?;
            Ok::<_, BoxError>(with_lines(lines, body))
        }
    });
    let pieces = first.chain(others.try_flatten()).chain(stream::iter([Ok(end)]));
    headers.insert(CONTENT_TYPE, text(&format!("multipart/byteranges; boundary={boundary}")));
    let body = StreamBody::new(pieces.map_ok(Frame::data)).boxed_unsync();
    Ok(with_length(StatusCode::PARTIAL_CONTENT, headers, length, body))
}

fn lines_above(object: &ServedObject, boundary: &str, range: &Range<u64>, size: u64) -> Bytes {
    let kind = object.content_type.value.to_str().unwrap_or_default();
    let range = content_range(range, size);
    Bytes::from(format!("\r\n--{boundary}\r\ncontent-type: {kind}\r\ncontent-range: {range}\r\n\r\n"))
}

fn with_lines(lines: Bytes, body: Body) -> Pieces {
    Box::pin(stream::iter([Ok(lines)]).chain(body.into_data_stream()))
}
