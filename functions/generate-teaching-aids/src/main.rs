//! The `wasi:http` door of generate-teaching-aids.

#[cfg(target_arch = "wasm32")]
use wstd::http::{Body, Error, Request, Response};

#[cfg(target_arch = "wasm32")]
#[wstd::http_server]
async fn main(request: Request<Body>) -> Result<Response<Body>, Error> {
    banyan_functions::guest::serve::<generate_teaching_aids::TeachingAids>(request).await
}

#[cfg(not(target_arch = "wasm32"))]
fn main() {}
