//! Bodies in chunks, checksums (CONTRACT.md X03).

use super::client::{Ask, ask, base64, date, error, hash, hmac};
use crate::support::Stage;

const SIGNED: &str = "STREAMING-AWS4-HMAC-SHA256-PAYLOAD";
const SIGNED_WITH_TRAILER: &str = "STREAMING-AWS4-HMAC-SHA256-PAYLOAD-TRAILER";
const UNSIGNED: &str = "STREAMING-UNSIGNED-PAYLOAD-TRAILER";

async fn stage() -> Stage {
    let stage = Stage::new().await;
    stage.bucket("b", false).await;
    assert_eq!(ask(&stage, "PUT /b/a.txt").body("before").send().await.status, 200);
    stage
}

/// A request whose body comes in chunks, before the body is known.
fn chunked(stage: &Stage, payload: &str, size: usize) -> Ask {
    let size = size.to_string();
    let mut request = ask(stage, "PUT /b/a.txt").header("x-amz-decoded-content-length", &size);
    request.payload = payload.into();
    request
}

/// The chunks of a request, each signed.
fn signed_chunks(ask: &Ask, chunks: &[&str], trailer: Option<(&str, &str)>) -> String {
    let (key, mut previous) = (ask.keys.key(ask.at), ask.signature());
    let mut sign = |kind: &str, hashes: String| {
        let scope = ask.keys.scope(ask.at);
        let text = format!("AWS4-HMAC-SHA256-{kind}\n{}\n{scope}\n{previous}\n{hashes}", date(ask.at));
        previous = hex::encode(hmac(&key, text.as_bytes()));
        previous.clone()
    };
    let mut body = String::new();
    for chunk in chunks.iter().chain([&""]) {
        let signature = sign("PAYLOAD", format!("{}\n{}", hash(b""), hash(chunk.as_bytes())));
        let end = if chunk.is_empty() { "" } else { "\r\n" };
        body += &format!("{:x};chunk-signature={signature}\r\n{chunk}{end}", chunk.len());
    }
    if let Some((name, value)) = trailer {
        let signature = sign("TRAILER", hash(format!("{name}:{value}\n").as_bytes()));
        body += &format!("{name}:{value}\r\nx-amz-trailer-signature:{signature}\r\n");
    }
    body + "\r\n"
}

async fn put(request: &Ask, body: impl Into<Vec<u8>>) -> (u16, String) {
    let mut request = request.clone();
    request.body = body.into();
    error(&request.send().await)
}

async fn content(stage: &Stage) -> String {
    ask(stage, "GET /b/a.txt").send().await.text().to_owned()
}

// rows: X03 SignatureDoesNotMatch MissingContentLength
#[tokio::test]
async fn chunks_with_signatures_make_the_object() {
    let stage = stage().await;
    let request = chunked(&stage, SIGNED, 9);
    let body = signed_chunks(&request, &["hello", "moon"], None);
    assert_eq!(put(&request, body.clone()).await.0, 200);
    assert_eq!(content(&stage).await, "hellomoon");
    let wrong = (403, "SignatureDoesNotMatch".to_owned());
    assert_eq!(put(&request, body.replace("moon", "noon")).await, wrong);
    assert_eq!(put(&request, body.replacen(";chunk-signature=", ";chunk-signature=0", 1)).await, wrong);
    assert_eq!(put(&request, &body.as_bytes()[..60]).await.1, "IncompleteBody");
    assert_eq!(content(&stage).await, "hellomoon", "nothing of the wrong ones is left");
    let other = chunked(&stage, SIGNED, 8);
    let body = signed_chunks(&other, &["hello", "moon"], None);
    assert_eq!(put(&other, body).await, (400, "IncompleteBody".into()), "another size than announced");
    let mut without = ask(&stage, "PUT /b/a.txt");
    without.payload = SIGNED.into();
    let body = signed_chunks(&without, &["hello"], None);
    assert_eq!(put(&without, body).await, (400, "MissingContentLength".into()));
}

// rows: X03 InvalidChecksum
#[tokio::test]
async fn a_checksum_in_a_signed_trailer_is_verified() {
    let stage = stage().await;
    let request = chunked(&stage, SIGNED_WITH_TRAILER, 9).header("x-amz-trailer", "x-amz-checksum-crc32");
    let body = signed_chunks(&request, &["12345", "6789"], Some(("x-amz-checksum-crc32", "y/Q5Jg==")));
    assert_eq!(put(&request, body.clone()).await.0, 200);
    let wrong = (403, "SignatureDoesNotMatch".to_owned());
    assert_eq!(put(&request, body.replace("y/Q5Jg==", "y/Q5Jh==")).await, wrong);
    let other = signed_chunks(&request, &["12345", "6780"], Some(("x-amz-checksum-crc32", "y/Q5Jg==")));
    assert_eq!(put(&request, other).await, (400, "InvalidChecksum".into()));
    assert_eq!(content(&stage).await, "123456789");
}

// rows: X03
#[tokio::test]
async fn a_checksum_in_an_unsigned_trailer_is_verified() {
    let stage = stage().await;
    for (name, sum) in [
        ("x-amz-checksum-crc32", "y/Q5Jg=="),
        ("x-amz-checksum-crc32c", "4waSgw=="),
        ("x-amz-checksum-crc64nvme", "rosUhgp5mIg="),
        ("x-amz-checksum-sha1", "98O8HYCOBHMq32eZZczDTKeuNEE="),
        ("x-amz-checksum-sha256", "FeKw08M4keuw8e9gnsQZQgwg4yDOlMZfvIwzEkSOsiU="),
    ] {
        let request = chunked(&stage, UNSIGNED, 9).header("x-amz-trailer", name);
        let body = |text: &str| format!("9\r\n{text}\r\n0\r\n{name}:{sum}\r\n\r\n");
        assert_eq!(put(&request, body("123456789")).await.0, 200, "{name}");
        assert_eq!(put(&request, body("123456780")).await, (400, "InvalidChecksum".into()), "{name}");
        let missing = put(&request, "9\r\n123456789\r\n0\r\n\r\n").await;
        assert_eq!(missing, (400, "InvalidRequest".into()), "{name} is announced and does not come");
    }
    assert_eq!(content(&stage).await, "123456789");
}

// rows: X03
#[tokio::test]
async fn a_checksum_of_a_header_is_verified() {
    let stage = stage().await;
    let put = |name: &str, sum: &str| ask(&stage, "PUT /b/a.txt").header(name, sum).body("123456789");
    let md5 = "JfnnlDI7RTiF9RgfG2JNCw==";
    assert_eq!(put("content-md5", md5).send().await.status, 200);
    let wrong = base64(&[7; 16]);
    assert_eq!(error(&put("content-md5", &wrong).send().await), (400, "InvalidChecksum".into()));
    assert_eq!(error(&put("x-amz-checksum-crc32", "y/Q5Jh==").send().await).0, 400);
    let unsigned = ask(&stage, "PUT /b/a.txt").encoded("UNSIGNED-PAYLOAD", "plain");
    assert_eq!(unsigned.send().await.status, 200);
    assert_eq!(content(&stage).await, "plain");
}
