//! A project whose storage has one sample or none.

use std::cell::RefCell;
use std::io::{Cursor, Write as _};
use std::time::Duration;

use banyan_functions::env::Env;
use banyan_functions::transport::{Chunks, Transport, TransportError};
use http::{Request, Response};
use serde_json::Value;

use crate::paid::{USER, call};

/// The name of the sample below its bucket.
pub(crate) fn marker(kind: &str) -> String {
    format!("{USER}/0b9a1a52-1b4e-4c1e-8f0e-5a2f6c1d7e90.{kind}")
}

/// The variables that lead to the project.
pub(crate) const PROJECT: [(&str, &str); 2] =
    [("SUPABASE_URL", "http://project.test"), ("SUPABASE_ANON_KEY", "anon")];

/// A DOCX of these paragraphs; those that begin with `#` are bold.
pub(crate) fn docx(paragraphs: &[&str]) -> Vec<u8> {
    let paragraph = |text: &&str| match text.strip_prefix('#') {
        Some(heading) => format!("<w:p><w:r><w:rPr><w:b/></w:rPr><w:t>{heading}</w:t></w:r></w:p>"),
        None => format!("<w:p><w:r><w:t>{text}</w:t></w:r></w:p>"),
    };
    let body: String = paragraphs.iter().map(paragraph).collect();
    let document = format!("<w:document xmlns:w=\"w\"><w:body>{body}</w:body></w:document>");
    let mut archive = zip::ZipWriter::new(Cursor::new(Vec::new()));
    archive.start_file("word/document.xml", zip::write::SimpleFileOptions::default()).expect("a part begins");
    archive.write_all(document.as_bytes()).expect("a part is written");
    archive.finish().expect("a ZIP").into_inner()
}

/// A call by [`USER`] with a token.
pub(crate) fn signed_call(body: &Value) -> banyan_functions::handler::IncomingRequest {
    let mut incoming = call(body);
    incoming.headers.insert("authorization", "Bearer token-of-the-caller".parse().expect("visible ASCII"));
    incoming
}

/// The environment of a project, and more.
pub(crate) fn project() -> Env {
    Env::from(PROJECT)
}

/// A network in which the project's storage answers, and all else is as with another one.
pub(crate) struct FakeStorage<T> {
    network: T,
    sample: Option<Vec<u8>>,
    /// Address and token of each call of storage.
    pub(crate) asked: RefCell<Vec<(String, String)>>,
}

impl<T> FakeStorage<T> {
    pub(crate) fn new(network: T, sample: Option<Vec<u8>>) -> Self {
        Self { network, sample, asked: RefCell::default() }
    }
}

/// The body of an answer of storage, or of the other network.
pub(crate) enum FakeStorageBody<B> {
    Whole(Option<Vec<u8>>),
    Other(B),
}

impl<B: Chunks> Chunks for FakeStorageBody<B> {
    async fn next(&mut self) -> Option<Result<Vec<u8>, TransportError>> {
        match self {
            Self::Whole(bytes) => bytes.take().map(Ok),
            Self::Other(body) => body.next().await,
        }
    }
}

impl<T: Transport> Transport for FakeStorage<T> {
    type Body = FakeStorageBody<T::Body>;

    async fn send(&self, request: Request<Vec<u8>>) -> Result<Response<Self::Body>, TransportError> {
        if request.uri().host() != Some("project.test") {
            return Ok(self.network.send(request).await?.map(FakeStorageBody::Other));
        }
        let token = request.headers()["authorization"].to_str().expect("visible ASCII").to_owned();
        self.asked.borrow_mut().push((request.uri().path().to_owned(), token));
        let missing = || br#"{"statusCode":"404","error":"not_found","code":"NoSuchKey"}"#.to_vec();
        let status = if self.sample.is_some() { 200 } else { 400 };
        let body = FakeStorageBody::Whole(Some(self.sample.clone().unwrap_or_else(missing)));
        Ok(Response::builder().status(status).body(body).expect("a status"))
    }

    async fn sleep(&self, duration: Duration) {
        self.network.sleep(duration).await;
    }

    fn now(&self) -> Duration {
        self.network.now()
    }

    fn jitter(&self) -> f64 {
        self.network.jitter()
    }
}
