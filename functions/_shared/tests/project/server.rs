//! A server that does what a test tells it and remembers what it was asked.

use std::convert::Infallible;
use std::sync::{Arc, Mutex};

use http::{HeaderMap, Request, Response};
use http_body_util::{BodyExt as _, Full};
use hyper::body::{Bytes, Incoming};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use serde_json::Value;
use tokio::net::TcpListener;

/// One request.
#[derive(Debug, Clone)]
pub(crate) struct Asked {
    pub(crate) method: String,
    /// With the query.
    pub(crate) path: String,
    headers: HeaderMap,
    pub(crate) body: Vec<u8>,
}

impl Asked {
    pub(crate) fn header(&self, name: &str) -> &str {
        self.headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default()
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).expect("a JSON body")
    }
}

/// A running server; it ends with the test.
pub(crate) struct Server {
    pub(crate) origin: String,
    asked: Arc<Mutex<Vec<Asked>>>,
}

impl Server {
    /// Starts a server that answers with the status and the JSON of `script`.
    pub(crate) async fn start(script: impl Fn(&Asked) -> (u16, Value) + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let origin = format!("http://{}", listener.local_addr().expect("bound"));
        let asked = Arc::new(Mutex::new(Vec::new()));
        let (seen, script) = (Arc::clone(&asked), Arc::new(script));
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let (seen, script) = (Arc::clone(&seen), Arc::clone(&script));
                let service = service_fn(move |request| {
                    let (seen, script) = (Arc::clone(&seen), Arc::clone(&script));
                    async move { Ok::<_, Infallible>(answer(request, &seen, &*script).await) }
                });
                tokio::spawn(http1::Builder::new().serve_connection(TokioIo::new(stream), service));
            }
        });
        Self { origin, asked }
    }

    /// The requests so far.
    pub(crate) fn asked(&self) -> Vec<Asked> {
        self.asked.lock().expect("no test panics with the lock").clone()
    }
}

async fn answer(
    request: Request<Incoming>,
    seen: &Mutex<Vec<Asked>>,
    script: &(dyn Fn(&Asked) -> (u16, Value) + Send + Sync),
) -> Response<Full<Bytes>> {
    let (head, body) = request.into_parts();
    let body = body.collect().await.expect("a body").to_bytes().to_vec();
    let path = head.uri.path_and_query().map_or_else(String::new, ToString::to_string);
    let asked = Asked { method: head.method.to_string(), path, headers: head.headers, body };
    let (status, body) = script(&asked);
    seen.lock().expect("no test panics with the lock").push(asked);
    let body = Full::from(body.to_string());
    Response::builder().status(status).body(body).expect("a response")
}
