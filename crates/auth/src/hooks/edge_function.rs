//! A hook that is a function of the project, called inside the process (CONTRACT.md HK12).

use std::time::Duration;

use banyan_web::{Body, full, read_body};
use http::{Request, Response, StatusCode, header};
use secrecy::ExposeSecret;
use serde_json::Value;

use super::LARGEST_ANSWER;
use crate::{context::ServiceContext, wire::error::HookError};

/// Time limit of the call.
const LONGEST: Duration = Duration::from_secs(5);

/// Pause before a function that is still being compiled is called again.
const PAUSE: Duration = Duration::from_millis(250);

/// Posts the input to the function as the holder of the service key.
pub(super) async fn ask(service: &ServiceContext, name: &str, input: &Value) -> Result<Value, HookError> {
    let call = service.functions.get().ok_or(HookError::NoFunctions)?;
    let asking = async {
        loop {
            let answer = call(request(service, name, input).ok_or(HookError::NoFunctions)?).await;
            if answer.headers().get("sb-error-code").is_none_or(|code| code != "FUNCTION_NOT_READY") {
                return read(answer).await;
            }
            tokio::time::sleep(PAUSE).await;
        }
    };
    tokio::time::timeout(LONGEST, asking).await.unwrap_or(Err(HookError::Timeout))
}

fn request(service: &ServiceContext, name: &str, input: &Value) -> Option<Request<Body>> {
    let key = service.service_key.expose_secret();
    Request::post(format!("/functions/v1/{name}"))
        .header(header::CONTENT_TYPE, "application/json")
        .header(header::AUTHORIZATION, format!("Bearer {key}"))
        .header("apikey", key)
        .body(full(input.to_string()))
        .ok()
}

async fn read(answer: Response<Body>) -> Result<Value, HookError> {
    let (head, body) = answer.into_parts();
    if head.status == StatusCode::NO_CONTENT {
        return Ok(Value::Null);
    }
    if !matches!(head.status, StatusCode::OK | StatusCode::ACCEPTED) {
        return Err(HookError::Status(head.status.as_u16()));
    }
    let body = read_body(body, LARGEST_ANSWER).await.map_err(super::unread)?;
    serde_json::from_slice(&body).map_err(|error| HookError::Output(error.to_string()))
}

#[cfg(test)]
mod tests {
    use http_body_util::{BodyExt, Empty};

    use super::*;

    // rows: HK12
    #[tokio::test]
    async fn an_answer_that_ends_early_is_not_called_too_large() {
        let cut =
            Empty::new().map_err(|never| match never {}).with_trailers(async { Some(Err("cut".into())) });
        let refused = read(Response::new(cut.boxed_unsync())).await;
        assert!(matches!(refused, Err(HookError::Unavailable)), "{refused:?}");
        let refused = read(Response::new(full(vec![b' '; LARGEST_ANSWER + 1]))).await;
        assert!(matches!(refused, Err(HookError::TooLarge(_))), "{refused:?}");
    }
}
