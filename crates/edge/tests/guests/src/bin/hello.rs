//! The smallest function behind the SDK's door: a constant text. Also what the bench measures.

use banyan_sdk::guest::Call;
use http::{Response, header::CONTENT_TYPE};
use wstd::http::Error;

banyan_sdk::http_function!(hello);

async fn hello(_call: Call) -> Result<Response<Vec<u8>>, Error> {
    let text = b"Hello World".to_vec();
    Ok(Response::builder().header(CONTENT_TYPE, "text/plain;charset=UTF-8").body(text)?)
}

fn main() {}
