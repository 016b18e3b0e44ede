//! Bodies in XML.

use banyan_web::{Body, full};
use http::{HeaderValue, Response, StatusCode, header::CONTENT_TYPE};
use serde::{Serialize, de::DeserializeOwned};

use crate::error::StorageError;

/// The namespace of all answers.
const NAMESPACE: &str = "http://s3.amazonaws.com/doc/2006-03-01/";

/// The answer `200` with a document in the namespace of S3. Names of fields are those of elements.
pub(super) fn answer<T: Serialize>(root: &'static str, content: &T) -> Response<Body> {
    let text = written(root, content);
    // The root is what comes first.
    document(StatusCode::OK, &text.replacen(root, &format!("{root} xmlns=\"{NAMESPACE}\""), 1))
}

/// An error. It has no namespace.
pub(super) fn error<T: Serialize>(status: StatusCode, content: &T) -> Response<Body> {
    document(status, &written("Error", content))
}

fn written<T: Serialize>(root: &str, content: &T) -> String {
    quick_xml::se::to_string_with_root(root, content).expect("answers are XML")
}

fn document(status: StatusCode, text: &str) -> Response<Body> {
    let mut response = Response::new(full(format!("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n{text}")));
    *response.status_mut() = status;
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/xml"));
    response
}

/// Reads a document that a client sent, whatever its root is called.
pub(super) fn read<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, StorageError> {
    let text = std::str::from_utf8(bytes).map_err(|_| StorageError::MalformedXml)?;
    quick_xml::de::from_str(text).map_err(|_| StorageError::MalformedXml)
}
