//! The server that `scripts/bench functions` measures: under `/functions` a function host without the rest of the stack,
//! under `/plain` the same answers by hyper alone.
//!
//! ```text
//! cargo run --release -p banyan-edge --example functions_bench -- <folder of components> <own folder> [compile]
//! ```
//! With `compile` it compiles what the folder holds and ends. Else it prints lines of `name value`: how long things take that no load generator can see, then `listening <address>`.

use std::{
    convert::Infallible,
    path::{Path, PathBuf},
    sync::Arc,
    time::{Duration, Instant},
};

use banyan_config::{Config, Environment};
use banyan_edge::{Body, State, handle};
use banyan_identity::{Caller, Clock, Keyring};
use bytes::Bytes;
use futures_util::stream;
use http::{HeaderValue, Request, Response, header};
use http_body::Frame;
use http_body_util::{BodyExt, Full, StreamBody};
use hyper::{body::Incoming, server::conn::http1, service::service_fn};
use hyper_util::{
    client::legacy::{Client, connect::HttpConnector},
    rt::{TokioExecutor, TokioIo},
};
use tokio::net::TcpListener;

type Failure = Box<dyn std::error::Error + Send + Sync>;

/// Copies of `hello` that are called in turn.
const TURNS: usize = 100;

/// What answers.
struct Server {
    functions: State,
    client: Client<HttpConnector, Full<Bytes>>,
    target: String,
}

#[tokio::main]
#[expect(clippy::print_stdout, reason = "figures and address are this program's output")]
async fn main() -> Result<(), Failure> {
    let mut arguments = std::env::args().skip(1);
    let guests = PathBuf::from(arguments.next().ok_or("name the folder of components")?);
    let folder = PathBuf::from(arguments.next().ok_or("name a folder of its own")?);
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let address = listener.local_addr()?;
    let target = format!("http://{address}/plain/hello");
    let config = project(&folder, &guests, &target)?;
    if arguments.next().is_some() {
        host(&config).await?;
        return Ok(());
    }
    let begun = Instant::now();
    let functions = host(&config).await?;
    println!("load_all_ms {}", begun.elapsed().as_millis());
    let begun = Instant::now();
    call(&functions, "/hello").await;
    println!("first_answer_us {}", begun.elapsed().as_micros());
    println!("instance_us {:.1}", median_instance(&functions));
    println!("rss_mb {}", resident());
    println!("listening {address}");
    let client = Client::builder(TokioExecutor::new()).build_http();
    let server = Arc::new(Server { functions, client, target });
    loop {
        let (stream, _) = listener.accept().await?;
        stream.set_nodelay(true)?;
        let server = Arc::clone(&server);
        let service = service_fn(move |request| answer(Arc::clone(&server), request));
        tokio::spawn(http1::Builder::new().serve_connection(TokioIo::new(stream), service));
    }
}

/// A project with `hello`, the same with instances that are used again, `bench`, and copies of `hello`.
fn project(folder: &Path, guests: &Path, target: &str) -> Result<Config, Failure> {
    let supabase = folder.join("supabase");
    std::fs::create_dir_all(&supabase)?;
    let origin = target.strip_suffix("/plain/hello").ok_or("an address of this server")?;
    let names = ["hello", "reused", "bench"].map(str::to_owned).into_iter();
    let names: Vec<String> = names.chain((0..TURNS).map(|n| format!("n{n}"))).collect();
    let open: String = names.iter().map(|name| format!("[functions.{name}]\nverify_jwt = false\n")).collect();
    let env = format!("[functions.bench.env]\nTARGET = \"{target}\"\n");
    std::fs::write(supabase.join("config.toml"), open + &env)?;
    let ours =
        format!("[functions.reused]\nreuse = true\n[functions.bench]\noutbound_hosts = [\"{origin}\"]\n");
    std::fs::write(supabase.join("banyan.toml"), ours)?;
    let home = folder.join("state");
    let home = home.to_str().ok_or("the folder's name is no text")?;
    let config = banyan_config::load(folder, Environment::of([("BANYAN_HOME", home)]), 0)?.config;
    let components = config.paths.components();
    std::fs::create_dir_all(&components)?;
    for name in names {
        let guest = if name == "bench" { "bench.wasm" } else { "hello.wasm" };
        std::fs::copy(guests.join(guest), components.join(format!("{name}.wasm")))?;
    }
    Ok(config)
}

async fn host(config: &Config) -> Result<State, Failure> {
    let keyring = Arc::new(Keyring::new(&config.keys)?);
    let state = State::new(config, &keyring, Arc::new(|_| Box::pin(async { text("own") })))?;
    state.load().await;
    Ok(state)
}

async fn call(functions: &State, path: &str) {
    let empty = Full::default().map_err(|never| match never {}).boxed_unsync();
    let request = Request::get(path).header("host", "localhost").body(empty).expect("a path");
    let answer = handle(functions, Ok(Caller::anonymous()), request, Clock::system().now()).await;
    assert_eq!(answer.status(), 200, "{path}");
    drop(answer.into_body().collect().await);
}

/// Microseconds to make a store, instantiate `hello` in it and drop both.
fn median_instance(functions: &State) -> f64 {
    let time = || functions.time_of_instance("hello").unwrap_or_default();
    let mut times: Vec<Duration> = (0..20_000).map(|_| time()).collect();
    times.sort_unstable();
    times[times.len() / 2].as_secs_f64() * 1e6
}

fn resident() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    line.and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok()).unwrap_or_default() / 1024
}

async fn answer(server: Arc<Server>, request: Request<Incoming>) -> Result<Response<Body>, Failure> {
    let path = request.uri().path_and_query().map_or("/", |path| path.as_str()).to_owned();
    if let Some(path) = path.strip_prefix("/functions") {
        let mut request = request.map(|body| body.map_err(Into::into).boxed_unsync());
        *request.uri_mut() = path.parse()?;
        let caller = Ok(Caller::anonymous());
        return Ok(handle(&server.functions, caller, request, Clock::system().now()).await);
    }
    match path.as_str() {
        "/plain/json" => {
            let body = request.into_body().collect().await?.to_bytes();
            let value: serde_json::Value = serde_json::from_slice(&body)?;
            Ok(text(value.to_string()))
        }
        "/plain/fetch" => {
            let outgoing = Request::get(&server.target).body(Full::default())?;
            let answer = server.client.request(outgoing).await?;
            Ok(answer.map(|body| body.map_err(Into::into).boxed_unsync()))
        }
        "/plain/stream" => {
            let chunks = (0..160).map(|_| Ok::<_, Infallible>(Frame::data(vec![b'x'; 64 << 10].into())));
            let body = StreamBody::new(stream::iter(chunks)).map_err(|never| match never {});
            Ok(Response::new(body.boxed_unsync()))
        }
        _ => Ok(text("Hello World")),
    }
}

fn text(text: impl Into<Bytes>) -> Response<Body> {
    let mut response = Response::new(Full::new(text.into()).map_err(|never| match never {}).boxed_unsync());
    let kind = HeaderValue::from_static("text/plain;charset=UTF-8");
    response.headers_mut().insert(header::CONTENT_TYPE, kind);
    response
}
