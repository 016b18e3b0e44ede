//! A client of TUS.

use banyan_testkit::{Answer, Call};
use base64::{Engine as _, engine::general_purpose::STANDARD};
use http::Method;

use crate::support::{Stage, Who};

pub(crate) const BYTES: &str = "application/offset+octet-stream";

/// An upload, and who sends it.
#[derive(Clone)]
pub(crate) struct Upload {
    pub(crate) stage: Stage,
    pub(crate) who: Who,
    pub(crate) path: String,
}

/// A request of TUS.
pub(crate) fn call(stage: &Stage, who: Who, method: Method, path: &str) -> Call {
    stage.by(who, method, path).header("tus-resumable", "1.0.0")
}

/// The header `Upload-Metadata`.
pub(crate) fn metadata(pairs: &[(&str, &str)]) -> String {
    let pairs = pairs.iter().map(|(key, value)| format!("{key} {}", STANDARD.encode(value)));
    pairs.collect::<Vec<_>>().join(",")
}

/// A `POST` for an object of type `text/plain`, whose length is still to be told.
pub(crate) fn post(stage: &Stage, who: Who, bucket: &str, name: &str) -> Call {
    let pairs = [("bucketName", bucket), ("objectName", name), ("contentType", "text/plain")];
    call(stage, who, Method::POST, "/upload/resumable").header("upload-metadata", metadata(&pairs))
}

/// A number in a header.
pub(crate) fn number(answer: &Answer, header: &str) -> Option<u64> {
    answer.header(header).map(|value| value.parse().expect("a number"))
}

/// The path of an upload, as the service sees it.
pub(crate) fn path_of(created: &Answer) -> String {
    assert_eq!(created.status, 201, "{created:?}");
    let location = created.header("location").expect("a location");
    let (_, path) = location.split_once("/storage/v1").expect("the prefix of the service");
    path.to_owned()
}

impl Upload {
    /// Begins an upload of this length.
    pub(crate) async fn begin(stage: &Stage, who: Who, bucket: &str, name: &str, length: u64) -> Self {
        let created = post(stage, who, bucket, name).header("upload-length", length.to_string()).await;
        Self { stage: stage.clone(), who, path: path_of(&created) }
    }

    /// The same upload in the hands of somebody else.
    pub(crate) fn by(&self, who: Who) -> Self {
        Self { who, ..self.clone() }
    }

    pub(crate) fn call(&self, method: Method) -> Call {
        call(&self.stage, self.who, method, &self.path)
    }

    /// A `PATCH` whose body is still to be added.
    pub(crate) fn at(&self, offset: u64) -> Call {
        self.call(Method::PATCH).header("upload-offset", offset.to_string())
    }

    pub(crate) async fn patch(&self, offset: u64, bytes: impl Into<bytes::Bytes>) -> Answer {
        self.at(offset).body(BYTES, bytes).await
    }

    pub(crate) async fn head(&self) -> Answer {
        self.call(Method::HEAD).await
    }

    pub(crate) async fn delete(&self) -> Answer {
        self.call(Method::DELETE).await
    }

    /// How far it is.
    pub(crate) async fn offset(&self) -> u64 {
        let told = self.head().await;
        assert_eq!(told.status, 200, "{told:?}");
        number(&told, "upload-offset").expect("an offset")
    }
}

/// The text of an object.
pub(crate) async fn text_of(stage: &Stage, path: &str) -> String {
    let answer = stage.get_by(Who::Service, &format!("/object/authenticated/{path}")).await;
    assert_eq!(answer.status, 200, "{answer:?}");
    answer.text().to_owned()
}

/// Status and text of an error.
#[track_caller]
pub(crate) fn assert_refused(answer: &Answer, status: u16, text: &str) {
    assert_eq!((answer.status, answer.text().trim_end()), (status, text), "{answer:?}");
    assert_eq!(answer.header("content-type"), Some("text/plain; charset=utf-8"));
    assert_eq!(answer.header("tus-resumable"), Some("1.0.0"));
}
