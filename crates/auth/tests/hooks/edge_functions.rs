//! Hooks that are functions of the project's own.

use super::hook;
use crate::support::{ASHA, RAVI, Stage};
use banyan_testkit::CapturedLog;
use banyan_web::{Body, full};
use http_body_util::BodyExt;
use serde_json::{Value, json};
use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering::Relaxed},
};
use std::time::{Duration, Instant};

// rows: HK12
#[tokio::test]
async fn a_function_that_is_being_compiled_is_waited_for() {
    let stage = Stage::with(&hook("before_user_created", "functions:///judge")).await;
    let (began, asked) = (Instant::now(), Arc::new(AtomicUsize::new(0)));
    let count = Arc::clone(&asked);
    stage.call_functions_by(Arc::new(move |_: http::Request<Body>| {
        let is_early = count.fetch_add(1, Relaxed) < 2;
        Box::pin(async move {
            let mut answer = http::Response::new(full("{}"));
            if is_early {
                *answer.status_mut() = http::StatusCode::SERVICE_UNAVAILABLE;
                answer
                    .headers_mut()
                    .insert("sb-error-code", http::HeaderValue::from_static("FUNCTION_NOT_READY"));
            }
            answer
        })
    }));
    assert_eq!(stage.ask(ASHA).await.status, 200);
    assert_eq!(asked.load(Relaxed), 3);
    assert!(began.elapsed() >= Duration::from_millis(500), "it paused");
}

// rows: HK12
#[tokio::test]
async fn a_function_of_the_project_is_asked_inside_the_process() {
    let stage = Stage::with(&hook("before_user_created", "functions:///judge")).await;
    let (written, _listening) = CapturedLog::listen();
    assert_eq!(stage.ask(ASHA).await.status, 500, "nobody hosts functions yet");
    let told = written.lines("a hook failed");
    assert!(told[0].contains("before_user_created") && told[0].contains("functions:///judge"), "{told:?}");
    stage.call_functions_by(Arc::new(|request: http::Request<Body>| {
        Box::pin(async move {
            assert_eq!(request.uri().path(), "/functions/v1/judge");
            assert!(request.headers()["authorization"].to_str().unwrap().starts_with("Bearer ey"));
            let body = request.into_body().collect().await.unwrap().to_bytes();
            let event: Value = serde_json::from_slice(&body).unwrap();
            let answer = if event["user"]["email"] == ASHA {
                json!({})
            } else {
                json!({"error": {"http_code": 403, "message": "not you"}})
            };
            http::Response::new(full(answer.to_string()))
        })
    }));
    assert_eq!(stage.ask(ASHA).await.status, 200);
    assert_eq!(stage.ask(RAVI).await.field("msg"), "not you");
}
