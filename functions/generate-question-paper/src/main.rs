//! The `wasi:http` door of generate-question-paper.

#[cfg(target_arch = "wasm32")]
use wstd::http::{Body, Error, Request, Response};

#[cfg(target_arch = "wasm32")]
#[wstd::http_server]
async fn main(request: Request<Body>) -> Result<Response<Body>, Error> {
    banyan_functions::guest::serve::<generate_question_paper::QuestionPaper>(request).await
}

#[cfg(not(target_arch = "wasm32"))]
fn main() {}
