//! A server outside of the stack that remembers what it was asked.

use std::{
    net::SocketAddr,
    sync::{Arc, Mutex},
};

use bytes::Bytes;
use http::{Request, Response};
use http_body_util::{BodyExt, Full};
use hyper::{body::Incoming, server::conn::http1, service::service_fn};
use hyper_util::rt::TokioIo;
use tokio::net::TcpListener;

#[derive(Clone)]
pub(crate) struct Outside {
    pub(crate) address: SocketAddr,
    asked: Arc<Mutex<Vec<String>>>,
    /// Paths of those whose body broke off.
    broken: Arc<Mutex<Vec<String>>>,
    /// Requests that are being answered now, and the most there ever were.
    running: Arc<Mutex<(usize, usize)>>,
}

impl Outside {
    pub(crate) async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let outside = Self {
            address: listener.local_addr().unwrap(),
            asked: Arc::default(),
            broken: Arc::default(),
            running: Arc::default(),
        };
        let this = outside.clone();
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let this = this.clone();
                let service = service_fn(move |request| {
                    let this = this.clone();
                    async move { Ok::<_, std::convert::Infallible>(this.answer(request).await) }
                });
                tokio::spawn(http1::Builder::new().serve_connection(TokioIo::new(stream), service));
            }
        });
        outside
    }

    /// The policy line that lets a function call this server.
    pub(crate) fn listed(&self) -> String {
        format!("outbound_hosts = [\"http://{}\"]", self.address)
    }

    pub(crate) fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    /// Path of each request so far.
    pub(crate) fn asked(&self) -> Vec<String> {
        self.asked.lock().unwrap().clone()
    }

    /// Path of each request so far whose body broke off.
    pub(crate) fn broken(&self) -> Vec<String> {
        self.broken.lock().unwrap().clone()
    }

    /// The most requests that were answered at a time.
    pub(crate) fn most_at_once(&self) -> usize {
        self.running.lock().unwrap().1
    }

    async fn answer(&self, request: Request<Incoming>) -> Response<Full<Bytes>> {
        let path = request.uri().path().to_owned();
        self.asked.lock().unwrap().push(path.clone());
        if path == "/slow" {
            {
                let mut running = self.running.lock().unwrap();
                running.0 += 1;
                running.1 = running.1.max(running.0);
            }
            tokio::time::sleep(std::time::Duration::from_millis(100)).await;
            self.running.lock().unwrap().0 -= 1;
        }
        if path == "/head" {
            let kilobytes = request.uri().query().unwrap().parse().unwrap();
            let lines = (0..kilobytes).map(|n| (format!("x-{n}"), "x".repeat(1015)));
            let response =
                lines.fold(Response::builder(), |response, (name, value)| response.header(name, value));
            return response.body(Full::default()).unwrap();
        }
        if path == "/redirect" {
            let moved = Response::builder().status(302).header("location", "/secret");
            return moved.body(Full::default()).unwrap();
        }
        if path == "/refuse" {
            // The body is read later, so that the connection is not reset while the answer is sent.
            tokio::spawn(async move {
                tokio::time::sleep(std::time::Duration::from_millis(100)).await;
                request.into_body().collect().await.map(drop)
            });
            return Response::builder().status(403).body("refused unread".into()).unwrap();
        }
        let host = request.headers()["host"].to_str().unwrap().to_owned();
        let body = request.into_body().collect().await;
        if body.is_err() {
            self.broken.lock().unwrap().push(path.clone());
        }
        let length = body.map_or(0, |body| body.to_bytes().len());
        let mut response = Response::new(Full::from(format!("{path} {length} bytes for {host}")));
        if path == "/last" {
            // Its connection is not kept for another call.
            response.headers_mut().insert("connection", "close".parse().unwrap());
        }
        response
    }
}
