//! Which requests take as long as their bytes do.

use http::Method;

/// Whether a request brings the bytes of an object, or has the service copy them. It takes as long
/// as they do, so the server gives it no deadline and counts it apart from short ones. The path has
/// no prefix of the service.
#[must_use]
pub fn is_transfer(method: &Method, path: &str) -> bool {
    let segments: Vec<&str> = path.trim_start_matches('/').splitn(6, '/').collect();
    match (method.as_str(), segments.as_slice()) {
        ("POST" | "PUT" | "PATCH", ["s3", ..] | ["upload", "resumable", ..]) => true,
        ("POST", ["object", "copy"]) => true,
        ("POST", segments @ ["object", _, _, ..]) => !is_call(segments),
        ("PUT", ["object", _, _, ..]) => true,
        _ => false,
    }
}

/// Whether the router takes a POST for a call, and not for an upload to a bucket of that name.
fn is_call(segments: &[&str]) -> bool {
    matches!(
        segments,
        ["object", "list" | "list-v2", _] | ["object", "sign", ..] | ["object", "upload", "sign", _, _, ..]
    )
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
            // Words that are calls elsewhere are buckets here.
            ("POST", "/object/public/b.jpg"),
            ("PUT", "/object/public/b.jpg"),
            ("POST", "/object/info/a/b.jpg"),
            ("PUT", "/object/info/b.jpg"),
            ("POST", "/object/move/b.jpg"),
            ("POST", "/object/copy/b.jpg"),
            ("PUT", "/object/list/b.jpg"),
            ("POST", "/object/list/a/b.jpg"),
            ("POST", "/object/list-v2/a/b.jpg"),
            ("PUT", "/object/sign/a/b.jpg"),
            ("POST", "/object/upload/sign"),
            ("POST", "/object/upload/sign/b.jpg"),
        ] {
            assert!(is_transfer(&method.parse().unwrap(), path), "{method} {path}");
        }
        for (method, path) in [
            ("GET", "/object/photos/b.jpg"),
            ("POST", "/object/list/photos"),
            ("POST", "/object/list-v2/photos"),
            ("POST", "/object/sign/photos"),
            ("POST", "/object/sign/photos/b.jpg"),
            ("POST", "/object/upload/sign/photos/a/b.jpg"),
            ("PUT", "/object/copy"),
            ("PATCH", "/object/photos/b.jpg"),
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
