//! Two servers on one port for measuring: `/wasm/...` answers from a function with a fresh instance for every request,
//! `/plain` the same bytes without wasm.
//!
//! ```text
//! cargo run --release -p banyan-edge --example hello_bench -- <component.wasm> [port]
//! wrk -t1 -c16 -d10s --latency http://127.0.0.1:<port>/plain
//! wrk -t1 -c16 -d10s --latency http://127.0.0.1:<port>/wasm
//! ```
//! It prints one line, `listening on <address>`, when it is ready.

use std::{convert::Infallible, path::PathBuf, sync::Arc};

use banyan_config::Environment;
use banyan_edge::{Body, State, handle};
use banyan_identity::{Caller, Clock, Keyring};
use bytes::Bytes;
use http::{Request, Response, header};
use http_body_util::{BodyExt, Full};
use hyper::{body::Incoming, server::conn::http1, service::service_fn};
use hyper_util::rt::TokioIo;
use tokio::net::TcpListener;

type Failure = Box<dyn std::error::Error + Send + Sync>;

#[tokio::main]
#[expect(clippy::print_stdout, reason = "the address is this program's output")]
async fn main() -> Result<(), Failure> {
    let mut arguments = std::env::args().skip(1);
    let component = PathBuf::from(arguments.next().ok_or("name the component to serve")?);
    let port: u16 = arguments.next().map_or(Ok(0), |port| port.parse())?;
    let folder = tempfile::tempdir()?;
    let state = Arc::new(host(folder.path(), &component).await?);
    let listener = TcpListener::bind(("127.0.0.1", port)).await?;
    println!("listening on {}", listener.local_addr()?);
    loop {
        let (stream, _) = listener.accept().await?;
        stream.set_nodelay(true)?;
        let state = Arc::clone(&state);
        let service = service_fn(move |request| answer(Arc::clone(&state), request));
        tokio::spawn(http1::Builder::new().serve_connection(TokioIo::new(stream), service));
    }
}

async fn host(folder: &std::path::Path, component: &std::path::Path) -> Result<State, Failure> {
    let supabase = folder.join("supabase");
    std::fs::create_dir(&supabase)?;
    std::fs::write(supabase.join("config.toml"), "[functions.wasm]\nverify_jwt = false\n")?;
    let home = folder.join("state");
    let environment =
        Environment::of([("BANYAN_HOME", home.to_str().ok_or("the folder's name is no text")?)]);
    let config = banyan_config::load(folder, environment, 0)?.config;
    std::fs::create_dir_all(config.paths.components())?;
    std::fs::copy(component, config.paths.components().join("wasm.wasm"))?;
    let keyring = Arc::new(Keyring::new(&config.keys)?);
    let state = State::new(&config, &keyring, Arc::new(|_| Box::pin(async { plain() })))?;
    state.load().await;
    Ok(state)
}

async fn answer(state: Arc<State>, request: Request<Incoming>) -> Result<Response<Body>, Infallible> {
    if request.uri().path() == "/plain" {
        return Ok(plain());
    }
    let request = request.map(|body| body.map_err(Into::into).boxed_unsync());
    Ok(handle(&state, Ok(Caller::anonymous()), request, Clock::system().now()).await)
}

fn plain() -> Response<Body> {
    let body = Full::new(Bytes::from_static(b"Hello World")).map_err(|never| match never {}).boxed_unsync();
    let mut response = Response::new(body);
    let value = header::HeaderValue::from_static("text/plain;charset=UTF-8");
    response.headers_mut().insert(header::CONTENT_TYPE, value);
    response
}
