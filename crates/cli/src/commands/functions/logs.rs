//! `banyan functions logs`: the newest lines of a running stack's functions, and those to come
//! (edge/CONTRACT.md W07).

use anyhow::Context;
use http::Method;
use http_body_util::BodyExt;
use serde::Deserialize;

use crate::{arguments::Output, management::Management, output};

#[derive(Debug, Deserialize)]
struct Line {
    timestamp: String,
    function: String,
    level: String,
    message: String,
    request_id: Option<String>,
}

/// Shows each line as it comes; as JSON every field that it has. A name that nothing is known of is
/// no function's, unless it is waited for.
pub(super) async fn run(
    stack: &Management,
    slug: Option<&str>,
    follow: bool,
    form: Output,
) -> anyhow::Result<()> {
    if let Some(slug) = slug {
        anyhow::ensure!(banyan_edge::is_function_name(slug), "`{slug}` is no function's name");
    }
    let function = slug.map(|slug| format!("&function={slug}")).unwrap_or_default();
    let path = format!("/logs?follow={follow}{function}");
    let mut body = stack.open(Method::GET, &path, None).await?.into_body();
    let (mut text, mut is_empty) = (Vec::new(), true);
    while let Some(frame) = body.frame().await {
        text.extend(frame.context("the stack is gone")?.into_data().unwrap_or_default());
        while let Some(end) = text.iter().position(|byte| *byte == b'\n') {
            let line: Vec<u8> = text.drain(..=end).collect();
            is_empty = false;
            match form {
                Output::Json => output::line(String::from_utf8_lossy(line.trim_ascii_end())),
                Output::Pretty | Output::Env => output::line(shown(&serde_json::from_slice(&line)?)),
            }
        }
    }
    match slug {
        Some(slug) if is_empty => {
            stack.send(Method::GET, &format!("/functions/{slug}"), None).await.map(drop)
        }
        _ => Ok(()),
    }
}

/// A line for people. What follows the first line of a message is set in, so that none can pass for
/// a line of the log.
fn shown(line: &Line) -> String {
    let Line { timestamp, function, level, message, request_id } = line;
    let request_id = request_id.as_deref().unwrap_or("-");
    let (timestamp, message) =
        (to_the_millisecond(timestamp), output::harmless(message).replace('\n', "\n    "));
    format!("{timestamp} {level:<5} [{function}] {request_id} {message}")
}

/// A time with three digits behind the second, so that what follows stands in columns.
fn to_the_millisecond(timestamp: &str) -> String {
    let Some(time) = timestamp.strip_suffix('Z') else { return timestamp.to_owned() };
    let (second, fraction) = time.split_once('.').unwrap_or((time, ""));
    format!("{second}.{fraction:0<3}Z")
}

#[cfg(test)]
mod tests {
    use super::*;

    // rows: edge/W07
    #[test]
    fn a_message_of_several_lines_forges_none() {
        let line = Line {
            timestamp: "2026-01-02T03:04:05Z".to_owned(),
            function: "hello".to_owned(),
            level: "error".to_owned(),
            message: "one\n2026-01-02T03:04:06.000Z info  [other] - all is well".to_owned(),
            request_id: None,
        };
        assert_eq!(
            shown(&line),
            "2026-01-02T03:04:05.000Z error [hello] - one\n    2026-01-02T03:04:06.000Z info  [other] - all is well"
        );
    }

    // rows: edge/W07
    #[test]
    fn times_are_of_one_width() {
        for (told, shown) in
            [("24Z", "24.000Z"), ("24.2Z", "24.200Z"), ("24.24Z", "24.240Z"), ("24.245Z", "24.245Z")]
        {
            assert_eq!(
                to_the_millisecond(&format!("2026-01-02T03:04:{told}")),
                format!("2026-01-02T03:04:{shown}")
            );
        }
    }
}
