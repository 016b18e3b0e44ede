//! Several ranges in one answer (CONTRACT.md B4).

use std::ops::Range;

use banyan_web::{Body, BoxError};
use bytes::Bytes;
use futures_util::{StreamExt as _, TryStreamExt as _, stream};
use http::{HeaderMap, Response, StatusCode, header::CONTENT_TYPE};
use http_body::Frame;
use http_body_util::{BodyExt as _, StreamBody};

use super::{content_range, text, with_length};
use crate::{context::ServiceContext, domain::download, error::StorageError, wire::ServedObject};

/// Answers 206 with a part for each range. The first bytes are read before the answer begins.
pub(super) fn answer(
    service: &std::sync::Arc<ServiceContext>,
    object: &ServedObject,
    mut headers: HeaderMap,
    size: u64,
    ranges: Vec<Range<u64>>,
) -> Result<Response<Body>, StorageError> {
    let boundary = service.new_version().to_string();
    let kind = object.content_type.value.to_str().unwrap_or_default().to_owned();
    let head = |range: &Range<u64>| {
        let content_range = content_range(range, size);
        Bytes::from(format!(
            "\r\n--{boundary}\r\ncontent-type: {kind}\r\ncontent-range: {content_range}\r\n\r\n"
        ))
    };
    let end = Bytes::from(format!("\r\n--{boundary}--\r\n"));
    let parts: Vec<(Bytes, Range<u64>)> = ranges.into_iter().map(|range| (head(&range), range)).collect();
    let length = parts.iter().map(|(head, range)| head.len() as u64 + range.end - range.start).sum::<u64>();
    headers.insert(CONTENT_TYPE, text(&format!("multipart/byteranges; boundary={boundary}")));
    let length = length + end.len() as u64;
    let bodies = stream::iter(parts).then({
        let (service, object) = (std::sync::Arc::clone(service), object.clone());
        move |(head, range)| part(std::sync::Arc::clone(&service), object.clone(), size, head, range)
    });
    let pieces = bodies.try_flatten().chain(stream::iter([Ok(end)]));
    let body = StreamBody::new(pieces.map_ok(Frame::data)).boxed_unsync();
    Ok(with_length(StatusCode::PARTIAL_CONTENT, headers, length, body))
}

type Pieces = std::pin::Pin<Box<dyn futures_util::Stream<Item = Result<Bytes, BoxError>> + Send>>;

async fn part(
    service: std::sync::Arc<ServiceContext>,
    object: ServedObject,
    size: u64,
    head: Bytes,
    range: Range<u64>,
) -> Result<Pieces, BoxError> {
    let body = download::body(&service, &object, size, range).await?;
    Ok(Box::pin(stream::iter([Ok(head)]).chain(body.into_data_stream())))
}
