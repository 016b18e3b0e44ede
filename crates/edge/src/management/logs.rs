//! `/logs`: the newest lines, and the lines to come, one JSON object a line.

use std::sync::Arc;

use banyan_web::{Body, BoxError, query_parameter};
use bytes::Bytes;
use futures_util::stream;
use http::{HeaderValue, Method, Request, Response, header};
use http_body::Frame;
use http_body_util::{BodyExt, StreamBody};
use tokio::sync::watch;

use super::{ManagementError, of_bytes, require_method};
use crate::{
    State,
    logs::log_buffer::{LogBuffer, LogLine},
};

/// `?function=` asks for one function's lines, `?after=` for those after an id. `?follow=true`
/// stays and sends the lines to come.
pub(super) fn handle_path(state: &State, request: &Request<Body>) -> Result<Response<Body>, ManagementError> {
    require_method(request, &[Method::GET])?;
    let after = match query_parameter(request.uri(), "after") {
        None => 0,
        Some(id) => {
            id.parse().map_err(|_| ManagementError::Request("`after` must be a line's id".to_owned()))?
        }
    };
    let log_buffer = &state.registry().log.buffer;
    let reader = Reader {
        log_buffer: Arc::clone(log_buffer),
        more: log_buffer.follow(),
        function: query_parameter(request.uri(), "function"),
        after,
    };
    if query_parameter(request.uri(), "follow").as_deref() != Some("true") {
        return Ok(of_bytes(reader.lines(), "application/x-ndjson"));
    }
    let chunks = stream::unfold(reader, |mut reader| async {
        let lines = reader.next().await?;
        Some((Ok::<_, BoxError>(Frame::data(lines)), reader))
    });
    let mut response = Response::new(StreamBody::new(chunks).boxed_unsync());
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static("application/x-ndjson"));
    Ok(response)
}

/// The position of one reader.
struct Reader {
    log_buffer: Arc<LogBuffer>,
    more: watch::Receiver<u64>,
    function: Option<String>,
    after: u64,
}

impl Reader {
    fn lines(&self) -> Bytes {
        self.log_buffer
            .after(self.after, self.function.as_deref())
            .iter()
            .map(as_text)
            .collect::<String>()
            .into()
    }

    /// Waits for lines. Returns nothing once there will be no more.
    async fn next(&mut self) -> Option<Bytes> {
        loop {
            let last = *self.more.borrow_and_update();
            let lines = self.lines();
            self.after = self.after.max(last);
            if !lines.is_empty() {
                return Some(lines);
            }
            self.more.changed().await.ok()?;
        }
    }
}

fn as_text(line: &LogLine) -> String {
    serde_json::to_string(line).expect("a line is JSON") + "\n"
}
