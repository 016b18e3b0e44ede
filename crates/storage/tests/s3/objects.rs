//! Objects one by one (CONTRACT.md X07, X09, X10).

use super::client::{ask, element, elements, error};
use crate::support::{Done, Stage, Who};

async fn stage() -> Stage {
    let stage = Stage::new().await;
    stage.bucket("b", false).await;
    stage
}

// rows: X07 X09 X10
#[tokio::test]
async fn an_object_of_s3_is_the_same_by_rest() {
    let stage = stage().await;
    let put = ask(&stage, "PUT /b/a%20b.txt")
        .header("content-type", "text/plain")
        .header("cache-control", "max-age=60")
        .header("x-amz-meta-school", "St. Mary")
        .body("hello");
    let put = put.send().await;
    assert_eq!((put.status, put.header("etag")), (200, Some("\"5d41402abc4b2a76b9719d911017c592\"")));
    let get = ask(&stage, "GET /b/a%20b.txt").send().await;
    let rest = stage.get_by(Who::Service, "/object/b/a%20b.txt").await;
    assert_eq!((get.text(), rest.text()), ("hello", "hello"));
    for name in ["etag", "content-type", "content-length", "cache-control", "last-modified"] {
        assert_eq!(get.header(name), rest.header(name), "{name}");
        assert!(get.header(name).is_some(), "{name}");
    }
    assert_eq!(get.header("cache-control"), Some("max-age=60"));
    assert_eq!(get.header("x-amz-meta-school"), Some("St. Mary"));
    assert_eq!(get.header("x-content-type-options"), Some("nosniff"));
    let info = stage.get_by(Who::Service, "/object/info/b/a%20b.txt").await.ok();
    assert_eq!(info["metadata"], serde_json::json!({"school": "St. Mary"}));
    let head = ask(&stage, "HEAD /b/a%20b.txt").send().await;
    assert_eq!((head.status, head.text()), (200, ""));
    assert_eq!(head.header("content-length"), Some("5"));
    assert_eq!(head.header("x-amz-meta-school"), Some("St. Mary"));
}

// rows: X10
#[tokio::test]
async fn an_object_of_rest_is_the_same_by_s3() {
    let stage = stage().await;
    stage.upload(Who::Service, "b/r.txt", "rest").await;
    let get = ask(&stage, "GET /b/r.txt").send().await;
    assert_eq!((get.text(), get.header("content-type")), ("rest", Some("text/plain")));
    let listed = ask(&stage, "GET /b?list-type=2").send().await;
    assert_eq!(elements(listed.text(), "ETag"), [get.header("etag").unwrap()]);
    assert_eq!(ask(&stage, "DELETE /b/r.txt").send().await.status, 204);
    assert_eq!(stage.get_by(Who::Service, "/object/b/r.txt").await.status, 400);
}

// rows: X07
#[tokio::test]
async fn ranges_and_conditions_are_those_of_http() {
    let stage = stage().await;
    stage.upload(Who::Service, "b/r.txt", "0123456789").await;
    let get = |name: &'static str, value: String| {
        let ask = ask(&stage, "GET /b/r.txt").header(name, &value);
        async move { ask.send().await }
    };
    let tag = ask(&stage, "HEAD /b/r.txt").send().await.header("etag").unwrap().to_owned();
    let part = get("range", "bytes=2-4".into()).await;
    assert_eq!((part.status, part.text()), (206, "234"));
    assert_eq!(part.header("content-range"), Some("bytes 2-4/10"));
    assert_eq!(error(&get("range", "bytes=20-".into()).await), (416, "InvalidRange".into()));
    assert_eq!(get("if-none-match", tag.clone()).await.status, 304);
    assert_eq!(get("if-match", tag).await.status, 200);
    assert_eq!(error(&get("if-match", "\"x\"".into()).await), (412, "PreconditionFailed".into()));
    let old = "Fri, 01 Jan 2010 00:00:00 GMT".to_owned();
    assert_eq!(error(&get("if-unmodified-since", old.clone()).await).0, 412);
    assert_eq!(get("if-modified-since", old).await.status, 200);
}

// rows: X07 D20
#[tokio::test]
async fn a_query_replaces_headers_but_lets_nothing_run() {
    let stage = stage().await;
    stage.upload(Who::Service, "b/r.txt", "<script>alert(1)</script>").await;
    let query = "response-cache-control=no-store&response-content-disposition=attachment\
                 &response-content-language=hi&response-content-type=application%2Fpdf";
    let get = ask(&stage, &format!("GET /b/r.txt?{query}")).send().await;
    for (name, value) in [
        ("cache-control", "no-store"),
        ("content-disposition", "attachment"),
        ("content-language", "hi"),
        ("content-type", "application/pdf"),
    ] {
        assert_eq!(get.header(name), Some(value), "{name}");
    }
    let html = ask(&stage, "GET /b/r.txt?response-content-type=text%2Fhtml").send().await;
    assert_eq!(html.header("content-type"), Some("text/plain"));
    let query = "response-content-disposition=inline&response-content-type=image%2Fsvg%2Bxml";
    let svg = ask(&stage, &format!("GET /b/r.txt?{query}")).send().await;
    assert_eq!(svg.header("content-disposition"), Some("attachment"));
    assert!(svg.header("content-security-policy").unwrap().contains("sandbox"));
    let put = stage.by(Who::Service, http::Method::POST, "/object/b/r.svg");
    put.body("image/svg+xml", "<svg/>").await.done();
    let query = "response-content-disposition=inline&response-content-type=text%2Fplain";
    let plain = ask(&stage, &format!("GET /b/r.svg?{query}")).send().await;
    assert_eq!(plain.header("content-disposition"), Some("attachment"), "as it was stored");
}

// rows: X07
#[tokio::test]
async fn an_object_may_be_written_only_where_there_is_none() {
    let stage = stage().await;
    let put = |text: &'static str| ask(&stage, "PUT /b/a.txt").header("if-none-match", "*").body(text);
    assert_eq!(put("first").send().await.status, 200);
    assert_eq!(error(&put("second").send().await), (412, "PreconditionFailed".into()));
    assert_eq!(ask(&stage, "PUT /b/a.txt").body("third").send().await.status, 200);
    let other = ask(&stage, "PUT /b/a.txt").header("if-match", "\"x\"").body("fourth");
    assert_eq!(error(&other.send().await), (501, "NotImplemented".into()));
    assert_eq!(ask(&stage, "GET /b/a.txt").send().await.text(), "third");
}

// rows: X07
#[tokio::test]
async fn an_upload_keeps_to_the_limits_and_names_of_rest() {
    let stage = stage().await;
    stage.sql("update storage.buckets set file_size_limit = 4, allowed_mime_types = '{text/plain}'").await;
    let put = |name: &str, kind: &str, text: &str| {
        ask(&stage, &format!("PUT /b/{name}")).header("content-type", kind).body(text)
    };
    assert_eq!(put("a.txt", "text/plain", "1234").send().await.status, 200);
    assert_eq!(error(&put("a.txt", "text/plain", "12345").send().await), (413, "EntityTooLarge".into()));
    assert_eq!(error(&put("a.txt", "image/png", "1").send().await), (415, "InvalidMimeType".into()));
    assert_eq!(error(&put("%E0%A4%85", "text/plain", "1").send().await), (400, "InvalidKey".into()));
    let nowhere = ask(&stage, "PUT /none/a.txt").body("1").send().await;
    assert_eq!(error(&nowhere), (404, "NoSuchBucket".into()));
    assert_eq!(put("folder/", "text/plain", "").send().await.status, 200);
    let folder = "select count(*) from storage.objects where name = 'folder/.emptyFolderPlaceholder'";
    assert_eq!(stage.number(folder).await, 1);
}

// rows: X07 X09
#[tokio::test]
async fn a_copy_takes_its_metadata_along_or_new_ones() {
    let stage = stage().await;
    let put =
        ask(&stage, "PUT /b/a%20b.txt").header("content-type", "text/plain").header("x-amz-meta-n", "1");
    let tag = put.body("copied").send().await.header("etag").unwrap().to_owned();
    let copy = |to: &str| ask(&stage, &format!("PUT /b/{to}")).header("x-amz-copy-source", "/b/a%20b.txt");
    let answer = copy("c.txt").send().await;
    assert_eq!(element(answer.text(), "ETag").as_deref(), Some(tag.as_str()), "{answer:?}");
    let get = ask(&stage, "GET /b/c.txt").send().await;
    assert_eq!((get.text(), get.header("x-amz-meta-n")), ("copied", Some("1")));
    let replace = copy("d.txt")
        .header("x-amz-metadata-directive", "REPLACE")
        .header("content-type", "text/csv")
        .header("x-amz-meta-m", "2");
    assert_eq!(replace.send().await.status, 200);
    let get = ask(&stage, "GET /b/d.txt").send().await;
    assert_eq!((get.text(), get.header("content-type")), ("copied", Some("text/csv")));
    assert_eq!((get.header("x-amz-meta-n"), get.header("x-amz-meta-m")), (None, Some("2")));
    // Onto itself, as clients set metadata.
    let itself = copy("a%20b.txt").header("x-amz-metadata-directive", "REPLACE").header("x-amz-meta-n", "3");
    assert_eq!(itself.send().await.status, 200);
    let get = ask(&stage, "GET /b/a%20b.txt").send().await;
    assert_eq!((get.text(), get.header("x-amz-meta-n")), ("copied", Some("3")));
}

// rows: X07
#[tokio::test]
async fn a_copy_is_made_under_conditions() {
    let stage = stage().await;
    let tag = ask(&stage, "PUT /b/a.txt").body("1").send().await.header("etag").unwrap().to_owned();
    let copy = |name: &'static str, value: String| {
        let ask = ask(&stage, "PUT /b/c.txt").header("x-amz-copy-source", "b/a.txt").header(name, &value);
        async move { error(&ask.send().await) }
    };
    let failed = (412, "PreconditionFailed".to_owned());
    assert_eq!(copy("x-amz-copy-source-if-match", tag.clone()).await.0, 200);
    assert_eq!(copy("x-amz-copy-source-if-match", "\"x\"".into()).await, failed);
    assert_eq!(copy("x-amz-copy-source-if-none-match", tag).await, failed);
    let (old, coming) = ("Fri, 01 Jan 2010 00:00:00 GMT", "Fri, 01 Jan 2100 00:00:00 GMT");
    assert_eq!(copy("x-amz-copy-source-if-unmodified-since", old.into()).await, failed);
    assert_eq!(copy("x-amz-copy-source-if-unmodified-since", coming.into()).await.0, 200);
    assert_eq!(copy("x-amz-copy-source-if-modified-since", coming.into()).await, failed);
    let missing = ask(&stage, "PUT /b/c.txt").header("x-amz-copy-source", "b/none.txt").send().await;
    assert_eq!(error(&missing), (404, "NoSuchKey".into()));
    let nameless = ask(&stage, "PUT /b/c.txt").header("x-amz-copy-source", "b").send().await;
    assert_eq!(error(&nameless), (400, "MissingParameter".into()));
}

// rows: X07 MalformedXML
#[tokio::test]
async fn objects_are_deleted_one_by_one_and_many_at_once() {
    let stage = stage().await;
    for name in ["a", "b & c", "d"] {
        stage.upload(Who::Service, &format!("b/{name}"), "1").await;
    }
    assert_eq!(ask(&stage, "DELETE /b/a").send().await.status, 204);
    assert_eq!(ask(&stage, "DELETE /b/a").send().await.status, 204, "it is gone already");
    assert_eq!(error(&ask(&stage, "DELETE /none/a").send().await), (404, "NoSuchBucket".into()));
    let delete = |body: String| ask(&stage, "POST /b?delete=").body(body);
    let keys = "<Object><Key>b &amp; c</Key></Object><Object><Key>none</Key></Object>";
    let answer = delete(format!("<Delete xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\">{keys}</Delete>"));
    assert_eq!(elements(answer.send().await.text(), "Key"), ["b & c", "none"]);
    let quiet = delete("<Delete><Object><Key>d</Key></Object><Quiet>true</Quiet></Delete>".into());
    assert_eq!(elements(quiet.send().await.text(), "Key").len(), 0);
    assert_eq!(stage.number("select count(*) from storage.objects").await, 0);
    let many = "<Object><Key>a</Key></Object>".repeat(1001);
    let others = ["<Delete><Object>", "<Delete/>", "<Other><Name>a</Name></Other>", ""].map(str::to_owned);
    for body in [format!("<Delete>{many}</Delete>")].into_iter().chain(others) {
        assert_eq!(error(&delete(body).send().await), (400, "MalformedXML".into()));
    }
}

// rows: X07
#[tokio::test]
async fn an_object_has_no_tags() {
    let stage = stage().await;
    stage.upload(Who::Service, "b/a", "1").await;
    let tagging = ask(&stage, "GET /b/a?tagging=").send().await;
    assert!(tagging.text().contains("<TagSet/>"), "{tagging:?}");
    assert_eq!(error(&ask(&stage, "GET /b/none?tagging=").send().await), (404, "NoSuchKey".into()));
}
