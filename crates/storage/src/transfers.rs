//! Which requests take as long as their bytes do.

use http::Method;

/// Below `/object`, these are calls and no buckets: their bodies are small.
const CALLS: [&str; 6] = ["list", "list-v2", "sign", "move", "info", "public"];

/// Whether a request brings the bytes of an object, or has the service copy them. It takes as long
/// as they do, so the server gives it no deadline and counts it apart from short ones. The path has
/// no prefix of the service.
#[must_use]
pub fn is_transfer(method: &Method, path: &str) -> bool {
    if !matches!(*method, Method::POST | Method::PUT | Method::PATCH) {
        return false;
    }
    let mut segments = path.trim_start_matches('/').splitn(3, '/');
    match (segments.next(), segments.next(), segments.next()) {
        (Some("s3"), ..) | (Some("upload"), Some("resumable"), _) | (Some("object"), Some("copy"), None) => {
            true
        }
        // A signed URL for an upload is asked for with POST, and used with PUT.
        (Some("object"), Some("upload"), Some(rest)) if rest.starts_with("sign/") => *method == Method::PUT,
        (Some("object"), Some(bucket), Some(_)) => !CALLS.contains(&bucket),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // rows: server/GW-TRANSFERS
    #[test]
    fn what_brings_or_copies_bytes_is_a_transfer() {
        for (method, path) in [
            ("POST", "/object/photos/a/b.jpg"),
            ("PUT", "/object/photos/b.jpg"),
            ("POST", "/object/upload/b.jpg"),
            ("PUT", "/object/upload/sign/photos/b.jpg"),
            ("POST", "/object/copy"),
            ("POST", "/upload/resumable"),
            ("POST", "/upload/resumable/sign"),
            ("PATCH", "/upload/resumable/cGhvdG9z"),
            ("PUT", "/s3/photos/b.jpg"),
            ("POST", "/s3/photos/b.jpg"),
        ] {
            assert!(is_transfer(&method.parse().unwrap(), path), "{method} {path}");
        }
        for (method, path) in [
            ("GET", "/object/photos/b.jpg"),
            ("POST", "/object/list/photos"),
            ("POST", "/object/list-v2/photos"),
            ("POST", "/object/sign/photos/b.jpg"),
            ("POST", "/object/upload/sign/photos/b.jpg"),
            ("POST", "/object/move"),
            ("DELETE", "/object/photos"),
            ("PUT", "/bucket/photos"),
            ("POST", "/bucket"),
            ("GET", "/s3/photos"),
            ("HEAD", "/upload/resumable/cGhvdG9z"),
            ("POST", "/"),
        ] {
            assert!(!is_transfer(&method.parse().unwrap(), path), "{method} {path}");
        }
    }
}
