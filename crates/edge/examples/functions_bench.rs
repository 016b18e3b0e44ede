//! The function host that `scripts/bench` measures, without the rest of the stack.
//!
//! ```text
//! functions_bench serve <own folder> <name>=<component>...
//! functions_bench weigh <own folder> <name>=<component>...
//! ```
//! Run it by `cargo run --release -p banyan-edge --example functions_bench -- serve ...`.
//!
//! `serve` prints `listening <address>`: under `/functions` are the functions, under `/plain` the
//! same answers by hyper alone. `weigh` prints lines of `name value` that no load generator can
//! see, and ends. Compiled code stays in the folder: a second run measures what a start from it
//! takes. `reused` may use its instances again, `bench` may call `/plain/hello`.

use std::{
    convert::Infallible,
    path::{Path, PathBuf},
    process::ExitCode,
    sync::Arc,
    time::{Duration, Instant},
};

use banyan_config::{Config, Environment};
use banyan_edge::{Allocator, State, handle};
use banyan_identity::{Caller, Clock, Keyring};
use banyan_web::{Body, empty, full};
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

#[global_allocator]
static ALLOCATOR: Allocator = Allocator;

/// What answers.
struct Server {
    functions: State,
    client: Client<HttpConnector, Full<Bytes>>,
    target: String,
}

/// Name and component of each function.
type Components = Vec<(String, PathBuf)>;

fn main() -> Result<ExitCode, Failure> {
    if let Some(done) = banyan_edge::compile_if_asked() {
        return Ok(done);
    }
    tokio::runtime::Runtime::new()?.block_on(measure())?;
    Ok(ExitCode::SUCCESS)
}

async fn measure() -> Result<(), Failure> {
    let mut arguments = std::env::args().skip(1);
    let mode = arguments.next().ok_or("say `serve` or `weigh`")?;
    let folder = PathBuf::from(arguments.next().ok_or("name a folder of its own")?);
    let component = |argument: String| {
        let (name, path) = argument.split_once('=')?;
        Some((name.to_owned(), PathBuf::from(path)))
    };
    let components: Option<Components> = arguments.map(component).collect();
    let components = components.ok_or("name each function and its component")?;
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let origin = format!("http://{}", listener.local_addr()?);
    let config = project(&folder, &components, &origin)?;
    match mode.as_str() {
        "serve" => serve(host(&config).await?, listener, origin).await,
        "weigh" => weigh(&config, &components).await,
        _ => Err("say `serve` or `weigh`".into()),
    }
}

#[expect(clippy::print_stdout, reason = "the address is this program's output")]
async fn serve(functions: State, listener: TcpListener, origin: String) -> Result<(), Failure> {
    println!("listening {}", listener.local_addr()?);
    let client = Client::builder(TokioExecutor::new()).build_http();
    let server = Arc::new(Server { functions, client, target: format!("{origin}/plain/hello") });
    loop {
        let (stream, _) = listener.accept().await?;
        stream.set_nodelay(true)?;
        let server = Arc::clone(&server);
        let service = service_fn(move |request| answer(Arc::clone(&server), request));
        tokio::spawn(http1::Builder::new().serve_connection(TokioIo::new(stream), service));
    }
}

#[expect(clippy::print_stdout, reason = "figures are this program's output")]
async fn weigh(config: &Config, components: &Components) -> Result<(), Failure> {
    println!("before_mb {:.1}", resident("VmRSS"));
    let begun = Instant::now();
    let functions = host(config).await?;
    println!("load_ms {}", begun.elapsed().as_millis());
    println!("loaded_mb {:.1}", resident("VmRSS"));
    println!("loaded_own_mb {:.1}", resident("RssAnon"));
    let mut first = Vec::new();
    for (name, _) in components {
        let begun = Instant::now();
        call(&functions, &format!("/{name}")).await;
        first.push(begun.elapsed());
    }
    println!("answered_mb {:.1}", resident("VmRSS"));
    println!("answered_own_mb {:.1}", resident("RssAnon"));
    first.sort_unstable();
    println!("first_p50_us {}", first[first.len() / 2].as_micros());
    println!("first_p99_us {}", first[first.len() * 99 / 100].as_micros());
    let (name, _) = components.first().ok_or("name a function")?;
    println!("instance_us {:.1}", median_instance(&functions, name));
    Ok(())
}

/// A project with these functions, all open.
fn project(folder: &Path, components: &Components, origin: &str) -> Result<Config, Failure> {
    let supabase = folder.join("supabase");
    std::fs::create_dir_all(&supabase)?;
    let open = components.iter().map(|(name, _)| format!("[functions.{name}]\nverify_jwt = false\n"));
    let open: String = open.collect();
    let env = format!("[functions.bench.env]\nTARGET = \"{origin}/plain/hello\"\n");
    std::fs::write(supabase.join("config.toml"), open + &env)?;
    let ours =
        format!("[functions.reused]\nreuse = true\n[functions.bench]\noutbound_hosts = [\"{origin}\"]\n");
    std::fs::write(supabase.join("banyan.toml"), ours)?;
    let home = folder.join("state");
    let home = home.to_str().ok_or("the folder's name is no text")?;
    let config = banyan_config::load(folder, Environment::of([("BANYAN_HOME", home)]), 0)?.config;
    let place = config.paths.components();
    std::fs::create_dir_all(&place)?;
    for (name, component) in components {
        std::fs::copy(component, place.join(format!("{name}.wasm")))?;
    }
    Ok(config)
}

async fn host(config: &Config) -> Result<State, Failure> {
    let keyring = Arc::new(Keyring::new(&config.keys)?);
    let state = State::new(config, &keyring, Arc::new(|_| Box::pin(async { text("own") })))?;
    state.scan().await;
    state.wait_until_compiled().await;
    Ok(state)
}

async fn call(functions: &State, path: &str) {
    let empty = empty();
    let request = Request::get(path).header("host", "localhost").body(empty).expect("a path");
    let answer = handle(functions, Ok(Caller::anonymous()), request, Clock::system().now()).await;
    assert!(!answer.headers().contains_key("x-relay-error"), "{path}: {:?}", answer.headers());
    drop(answer.into_body().collect().await);
}

/// Microseconds to make a store, instantiate the function in it and drop both.
fn median_instance(functions: &State, name: &str) -> f64 {
    let time = || functions.instantiation_time(name).unwrap_or_default();
    let mut times: Vec<Duration> = (0..20_000).map(|_| time()).collect();
    times.sort_unstable();
    times[times.len() / 2].as_secs_f64() * 1e6
}

/// Megabytes by a field of `/proc/self/status`.
fn resident(field: &str) -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix(field));
    let kilobytes = line.and_then(|line| line.split_whitespace().nth(1)?.parse().ok());
    kilobytes.unwrap_or(0.0) / 1024.0
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
    let mut response = Response::new(full(text));
    let kind = HeaderValue::from_static("text/plain;charset=UTF-8");
    response.headers_mut().insert(header::CONTENT_TYPE, kind);
    response
}
