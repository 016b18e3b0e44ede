//! Bytes on their way out.

use banyan_storage::Blobs;
use banyan_testkit::{Answer, Call};
use http::Method;
use serde_json::json;

use crate::support::{ASHA, Done, OWN_FOLDER, RAVI, Stage, Who, assert_error};

const NO_BUCKET: [&str; 4] = ["404", "Bucket not found", "NoSuchBucket", "Bucket not found"];
const NO_KEY: [&str; 4] = ["404", "not_found", "NoSuchKey", "Object not found"];

/// A public bucket `b` with `1`, ten digits.
async fn digits() -> Stage {
    let stage = Stage::new().await;
    stage.bucket("b", true).await;
    stage
        .by(Who::Service, Method::POST, "/object/b/1")
        .body("text/plain", "0123456789")
        .header("cache-control", "max-age=60")
        .await
        .done();
    stage
}

const TAG: &str = "\"781e5e245d69b566979b86e28d23f2c7\"";

// rows: D01 D02 D03 R03 R09 NoSuchBucket NoSuchKey
#[tokio::test]
async fn who_may_read_what() {
    let stage = Stage::new().await;
    stage.bucket("open", true).await;
    stage.bucket("shut", false).await;
    stage.sql(OWN_FOLDER).await;
    for bucket in ["open", "shut"] {
        stage.upload(Who::Service, &format!("{bucket}/{ASHA}/1"), "hers").await.done();
    }
    let read = |who, group: &str, bucket: &str, name: &str| {
        stage.get_by(who, &format!("/object{group}/{bucket}/{ASHA}/{name}"))
    };
    for who in [Who::Nobody, Who::Anon, Who::User(RAVI), Who::User(ASHA), Who::Service] {
        assert_eq!(read(who, "/public", "open", "1").await.text(), "hers", "{who:?}");
        assert_eq!(read(who, "", "open", "1").await.text(), "hers", "{who:?}");
        assert_error(&read(who, "/public", "open", "2").await, 400, NO_KEY);
        assert_error(&read(who, "/public", "shut", "1").await, 400, NO_BUCKET);
        assert_error(&read(who, "/public", "none", "1").await, 400, NO_BUCKET);
    }
    for group in ["", "/authenticated"] {
        for who in [Who::Anon, Who::User(RAVI)] {
            assert_error(&read(who, group, "shut", "1").await, 400, NO_KEY);
            assert_error(&read(who, group, "shut", "2").await, 400, NO_KEY);
        }
        for who in [Who::User(ASHA), Who::Service] {
            assert_eq!(read(who, group, "shut", "1").await.text(), "hers", "{who:?}");
            assert_error(&read(who, group, "none", "1").await, 400, NO_BUCKET);
        }
    }
    assert_error(&read(Who::Nobody, "", "shut", "1").await, 400, NO_BUCKET);
    let denied = read(Who::Nobody, "/authenticated", "open", "1").await;
    assert_eq!(denied.error(), (400, "AccessDenied"), "{denied:?}");
    let bad = stage.get(&format!("/object/open/{ASHA}/1")).header("authorization", "Bearer x").await;
    assert_eq!(bad.text(), "hers", "a bad token is none");
}

// rows: D10 D11 D16 D19 C09 O02
#[tokio::test]
async fn an_answer_says_what_the_row_says() {
    let stage = digits().await;
    let get = stage.get("/object/public/b/1?cacheNonce=7&x=y").await;
    let head = stage.call(Method::HEAD, "/object/public/b/1").await;
    assert_eq!((get.text(), head.bytes.len()), ("0123456789", 0));
    for answer in [get, head] {
        assert_eq!(answer.status, 200);
        for (name, value) in [
            ("content-type", "text/plain"),
            ("content-length", "10"),
            ("etag", TAG),
            ("cache-control", "max-age=60"),
            ("accept-ranges", "bytes"),
            ("x-robots-tag", "none"),
            ("x-content-type-options", "nosniff"),
        ] {
            assert_eq!(answer.header(name), Some(value), "{name}");
        }
        assert!(answer.header("last-modified").is_some_and(|date| date.ends_with(" GMT")), "{answer:?}");
    }
}

// rows: D12 D15
#[tokio::test]
async fn a_client_that_has_the_object_is_told_so() {
    let stage = digits().await;
    let get = |name: &'static str, value: String| stage.get("/object/public/b/1").header(name, value);
    let modified = get("x", String::new()).await.header("last-modified").expect("a date").to_owned();
    for (name, value) in [
        ("if-none-match", TAG.to_owned()),
        ("if-none-match", "*".to_owned()),
        ("if-modified-since", modified),
    ] {
        let answer = get(name, value).await;
        assert_eq!((answer.status, answer.bytes.len(), answer.header("etag")), (304, 0, Some(TAG)));
        assert_eq!(answer.header("cache-control"), Some("max-age=60"));
        assert_eq!(answer.header("content-type"), None);
    }
    let other = get("if-none-match", "\"x\"".to_owned()).await;
    assert_eq!(other.status, 200);
    assert_eq!(other.header("cache-control"), Some("max-age=60, stale-while-revalidate=30"));
    let head = stage.call(Method::HEAD, "/object/public/b/1").header("if-none-match", "\"x\"").await;
    assert_eq!(head.header("cache-control"), Some("max-age=60, must-revalidate"));
}

// rows: D13 InvalidRange E01
#[tokio::test]
async fn one_range_is_206_and_one_outside_416() {
    let stage = digits().await;
    let get = |range: &'static str| stage.get("/object/public/b/1").header("range", range);
    for (range, bytes, content_range) in [
        ("bytes=0-3", "0123", "bytes 0-3/10"),
        ("bytes=7-", "789", "bytes 7-9/10"),
        ("bytes=-2", "89", "bytes 8-9/10"),
        ("bytes=5-500", "56789", "bytes 5-9/10"),
    ] {
        let answer = get(range).await;
        assert_eq!((answer.status, answer.text()), (206, bytes), "{range}");
        assert_eq!(answer.header("content-range"), Some(content_range));
        assert_eq!(answer.header("content-length"), Some(bytes.len().to_string().as_str()));
    }
    for range in ["bytes=10-", "bytes=x", "bytes=3-2", "lines=1-2"] {
        let answer = get(range).await;
        assert_error(&answer, 416, ["416", "invalid_range", "InvalidRange", "invalid range provided"]);
        assert_eq!(answer.header("content-range"), Some("bytes */10"));
    }
    let head = stage.call(Method::HEAD, "/object/public/b/1").header("range", "bytes=0-3").await;
    assert_eq!((head.status, head.header("content-length")), (200, Some("10")));
}

// rows: B4
#[tokio::test]
async fn several_ranges_come_as_parts() {
    let stage = digits().await;
    let answer = stage.get("/object/public/b/1").header("range", "bytes=8-9,0-1,4-4").await;
    assert_eq!(answer.status, 206);
    let kind = answer.header("content-type").expect("a type");
    let boundary = kind.strip_prefix("multipart/byteranges; boundary=").expect("a boundary");
    let part = |range: &str, bytes: &str| {
        format!(
            "\r\n--{boundary}\r\ncontent-type: text/plain\r\ncontent-range: bytes {range}/10\r\n\r\n{bytes}"
        )
    };
    let expected =
        part("8-9", "89") + &part("0-1", "01") + &part("4-4", "4") + &format!("\r\n--{boundary}--\r\n");
    assert_eq!(answer.text(), expected);
    assert_eq!(answer.header("content-length"), Some(expected.len().to_string().as_str()));
    assert_eq!(answer.header("content-range"), None);
}

// rows: B4
#[tokio::test]
async fn a_range_of_another_version_is_the_whole() {
    let stage = digits().await;
    for (condition, status) in [(TAG, 206), ("\"x\"", 200), ("W/\"x\"", 200)] {
        let answer =
            stage.get("/object/public/b/1").header("range", "bytes=0-3").header("if-range", condition).await;
        assert_eq!(answer.status, status, "{condition}");
    }
}

// rows: D14
#[tokio::test]
async fn a_download_has_the_name_that_is_asked_for() {
    let stage = digits().await;
    for (query, disposition) in [
        ("", None),
        ("?download", Some("attachment;")),
        ("?download=", Some("attachment;")),
        ("?download=a.txt", Some("attachment; filename=a.txt; filename*=UTF-8''a.txt")),
        (
            "?download=a%20%22b%22%0D%0A;.txt",
            Some("attachment; filename=a%20%22b%22%0D%0A%3B.txt; filename*=UTF-8''a%20%22b%22%0D%0A%3B.txt"),
        ),
        ("?download=%E0%A4%95", Some("attachment; filename=%E0%A4%95; filename*=UTF-8''%E0%A4%95")),
    ] {
        let answer = stage.get(&format!("/object/public/b/1{query}")).await;
        assert_eq!(answer.header("content-disposition"), disposition, "{query}");
    }
}

/// Uploads with a type, and reads again.
async fn served(stage: &Stage, stored: &str) -> Answer {
    let body = "<script>alert(1)</script>";
    let call: Call = stage.by(Who::Service, Method::PUT, "/object/b/x.html").body(stored, body);
    call.await.done();
    stage.get("/object/public/b/x.html").await
}

// rows: D20 D10
#[tokio::test]
async fn no_object_runs_in_the_origin_of_the_application() {
    let stage = Stage::new().await;
    stage.bucket("b", true).await;
    for stored in [
        "text/html",
        "Text/HTML; charset=utf-8",
        "image/png, text/html",
        "text/javascript",
        "application/x-javascript",
        "image/png;text/html",
    ] {
        let answer = served(&stage, stored).await;
        assert_eq!(answer.header("content-type"), Some("text/plain"), "{stored}");
        assert_eq!(answer.header("x-content-type-options"), Some("nosniff"));
    }
    for stored in [
        "image/svg+xml",
        "application/xhtml+xml",
        "text/xml",
        "text/rdf",
        "application/hta",
        "application/octet-stream",
        "multipart/x-mixed-replace",
        "message/rfc822",
    ] {
        let answer = served(&stage, stored).await;
        assert_eq!(answer.header("content-disposition"), Some("attachment"), "{stored}");
        assert_eq!(answer.header("content-security-policy"), Some("default-src 'none'; sandbox"));
        assert_eq!(answer.header("x-content-type-options"), Some("nosniff"));
    }
    let player = "default-src 'none'; media-src 'self'; form-action 'none'";
    for (stored, policy) in [
        ("application/pdf", None),
        ("image/png", Some("default-src 'none'; sandbox")),
        ("image/jpeg", Some("default-src 'none'; sandbox")),
        ("video/mp4", Some(player)),
    ] {
        let answer = served(&stage, stored).await;
        assert_eq!(answer.header("content-type"), Some(stored));
        assert_eq!(answer.header("content-disposition"), None, "{stored} is shown");
        assert_eq!(answer.header("content-security-policy"), policy, "{stored}");
        assert_eq!(answer.header("x-content-type-options"), Some("nosniff"));
    }
    let unknown = served(&stage, "not a type").await;
    assert_eq!(unknown.header("content-type"), Some("application/octet-stream"));
}

// rows: D17 D16 NoSuchKey
#[tokio::test]
async fn a_row_without_bytes_says_so_and_is_not_kept() {
    let stage = Stage::new().await;
    stage.bucket("b", true).await;
    stage
        .sql(
            "insert into storage.objects (bucket_id, name, version, metadata) values
             ('b', 'none', null, '{\"size\": 5}'),
             ('b', 'lost', '5f0c8e1e-0000-4000-8000-000000000001', '{\"size\": 5}')",
        )
        .await;
    for name in ["none", "lost"] {
        let answer = stage.get(&format!("/object/public/b/{name}")).await;
        let body = ["404", "Not found", "NoSuchKey", "The resource was not found"];
        assert_error(&answer, 400, body);
        assert_eq!(answer.header("cache-control"), Some("no-store"));
        let head = stage.call(Method::HEAD, &format!("/object/public/b/{name}")).await;
        assert_eq!((head.status, head.header("content-length")), (200, Some("5")), "from the row alone");
    }
}

// rows: D18
#[tokio::test]
async fn a_large_object_is_streamed_whole_and_in_part() {
    let folder = tempfile::tempdir().expect("a folder");
    let blobs = Blobs::in_folder(folder.path()).expect("a back end");
    let stage = Stage::of(banyan_testkit::config(), blobs).await;
    stage.bucket("b", true).await;
    let large: Vec<u8> = (0..3_000_000_u32).map(|number| (number % 251) as u8).collect();
    stage.by(Who::Service, Method::POST, "/object/b/1").body("a/b", large.clone()).await.done();
    assert_eq!(stage.get("/object/public/b/1").await.bytes, large);
    let part = stage.get("/object/public/b/1").header("range", "bytes=1999990-2000009").await;
    assert_eq!(part.bytes, large[1_999_990..2_000_010]);
    let parts = stage.get("/object/public/b/1").header("range", "bytes=0-9,-10").await;
    let has = |wanted: &[u8]| parts.bytes.windows(10).any(|window| window == wanted);
    assert!(has(&large[..10]) && has(&large[2_999_990..]));
    let mut unread = stage.get("/object/public/b/1").response().await;
    assert!(http_body_util::BodyExt::frame(unread.body_mut()).await.is_some(), "and the rest is not read");
}

// rows: D01 U16
#[tokio::test]
async fn what_is_kept_in_memory_follows_every_change() {
    let stage = digits().await;
    let read = async || stage.get("/object/public/b/1").await;
    for _ in 0..3 {
        assert_eq!(read().await.text(), "0123456789");
    }
    stage.by(Who::Service, Method::PUT, "/object/b/1").bytes("new").await.done();
    assert_eq!(read().await.text(), "new");
    let place = json!({"bucketId": "b", "sourceKey": "1", "destinationKey": "2"});
    stage.post_by(Who::Service, "/object/move", place).await.done();
    assert_error(&read().await, 400, NO_KEY);
    assert_eq!(stage.get("/object/public/b/2").await.text(), "new");
    stage.by(Who::Service, Method::PUT, "/bucket/b").json(json!({"public": false})).await.done();
    assert_error(&stage.get("/object/public/b/2").await, 400, NO_BUCKET);
    stage.by(Who::Service, Method::PUT, "/bucket/b").json(json!({"public": true})).await.done();
    assert_eq!(stage.get("/object/public/b/2").await.text(), "new");
    stage.delete_by(Who::Service, "/object/b/2", json!({})).await.done();
    assert_error(&stage.get("/object/public/b/2").await, 400, NO_KEY);
}

// rows: K07 U16
#[tokio::test]
async fn what_another_node_changed_is_seen_as_soon_as_the_database_tells() {
    let stage = digits().await;
    let other = stage.another_node();
    let read = async || stage.get("/object/public/b/1").await;
    for (bytes, private) in [("new", false), ("newer", true)] {
        // The row may be kept by now, or not yet: either way what follows must be seen.
        read().await.done();
        other.by(Who::Service, Method::PUT, "/object/b/1").bytes(bytes).await.done();
        while read().await.text() != bytes {
            tokio::task::yield_now().await;
        }
        let access = json!({"public": !private});
        other.by(Who::Service, Method::PUT, "/bucket/b").json(access).await.done();
    }
    while read().await.status == 200 {
        tokio::task::yield_now().await;
    }
    assert_error(&read().await, 400, NO_BUCKET);
}
