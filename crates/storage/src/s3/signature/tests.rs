//! The examples of AWS's own description of signatures, and what must not pass.

use http::{HeaderMap, HeaderName, Method};
use time::{Duration, OffsetDateTime, macros::datetime};

use super::*;

/// What the examples of AWS are signed with.
const ACCESS_KEY: &str = "AKIAIOSFODNN7EXAMPLE";
const SECRET: &str = "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY";
const HOST: &str = "examplebucket.s3.amazonaws.com";
const THEN: OffsetDateTime = datetime!(2013-05-24 00:00 UTC);
const NO_BYTES: &str = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

/// A request, and when it arrives.
struct Arrival {
    method: Method,
    path: String,
    query: String,
    headers: HeaderMap,
    now: OffsetDateTime,
    secret: &'static str,
}

impl Arrival {
    fn new(method: Method, path: &str, query: &str, headers: &[(&str, &str)]) -> Self {
        let header = |(name, value): &(&str, &str)| -> (HeaderName, http::HeaderValue) {
            (name.parse().unwrap(), value.parse().unwrap())
        };
        let headers = headers.iter().map(header).chain([header(&("host", HOST))]).collect();
        Self { method, path: path.into(), query: query.into(), headers, now: THEN, secret: SECRET }
    }

    /// One whose signature stands in the header `Authorization`.
    fn signed(method: Method, path: &str, query: &str, headers: &[(&str, &str)], signature: &str) -> Self {
        let mut all = headers.to_vec();
        let mut names: Vec<&str> = headers.iter().map(|(name, _)| *name).chain(["host"]).collect();
        names.sort_unstable();
        let credential = format!("{ACCESS_KEY}/20130524/us-east-1/s3/aws4_request");
        let names = names.join(";");
        let authorization =
            format!("AWS4-HMAC-SHA256 Credential={credential}, SignedHeaders={names}, Signature={signature}");
        all.push(("authorization", &authorization));
        Self::new(method, path, query, &all)
    }

    fn with_header(mut self, name: &'static str, value: &str) -> Self {
        self.headers.insert(name, value.parse().unwrap());
        self
    }

    fn check(&self) -> Result<(), StorageError> {
        let query = Query::of(&self.query);
        let claim = Claim::of_request(&self.headers, &query)?;
        let key = SigningKey::new(self.secret, &claim.scope);
        let signed = Signed {
            method: &self.method,
            path: &self.path,
            query: &query,
            headers: &self.headers,
            host: None,
        };
        signed.check(&claim, &key, self.now)
    }

    fn code(&self) -> &'static str {
        self.check().err().map_or("accepted", |error| error.wire().code)
    }
}

/// `GET /test.txt` of its first ten bytes.
fn get() -> Arrival {
    Arrival::signed(
        Method::GET,
        "/test.txt",
        "",
        &[("range", "bytes=0-9"), ("x-amz-content-sha256", NO_BYTES), ("x-amz-date", "20130524T000000Z")],
        "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41",
    )
}

/// `GET /test.txt` by a URL that is valid for a day.
fn signed_url() -> Arrival {
    let query = format!(
        "X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential={ACCESS_KEY}%2F20130524%2Fus-east-1%2Fs3%2F\
         aws4_request&X-Amz-Date=20130524T000000Z&X-Amz-Expires=86400&X-Amz-SignedHeaders=host&X-Amz-\
         Signature=aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404"
    );
    Arrival::new(Method::GET, "/test.txt", &query, &[])
}

// rows: X02
#[test]
fn the_examples_of_aws_are_signed() {
    let plain = [("x-amz-content-sha256", NO_BYTES), ("x-amz-date", "20130524T000000Z")];
    let put = Arrival::signed(
        Method::PUT,
        "/test$file.text",
        "",
        &[
            ("date", "Fri, 24 May 2013 00:00:00 GMT"),
            ("x-amz-content-sha256", "44ce7dd67c959e0d3524ffac1771dfbba87d2b6b4b4e99e42034a8b803f8b072"),
            ("x-amz-date", "20130524T000000Z"),
            ("x-amz-storage-class", "REDUCED_REDUNDANCY"),
        ],
        "98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd",
    );
    let lifecycle = Arrival::signed(
        Method::GET,
        "/",
        "lifecycle",
        &plain,
        "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543",
    );
    let list = Arrival::signed(
        Method::GET,
        "/",
        "max-keys=2&prefix=J",
        &plain,
        "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7",
    );
    for (name, example) in
        [("get", get()), ("put", put), ("lifecycle", lifecycle), ("list", list), ("URL", signed_url())]
    {
        assert_eq!(example.code(), "accepted", "{name}");
    }
}

// rows: X02
#[test]
fn a_request_that_was_changed_is_not_signed() {
    let changed = |change: fn(&mut Arrival)| {
        let mut arrival = get();
        change(&mut arrival);
        arrival.code()
    };
    let wrong = "SignatureDoesNotMatch";
    assert_eq!(changed(|get| get.method = Method::HEAD), wrong);
    assert_eq!(changed(|get| get.path = "/other.txt".into()), wrong);
    assert_eq!(changed(|get| get.path = "/storage/v1/s3/test.txt".into()), wrong);
    assert_eq!(changed(|get| get.query = "versionId=1".into()), wrong);
    assert_eq!(changed(|get| get.secret = "another"), wrong);
    assert_eq!(get().with_header("range", "bytes=0-99").code(), wrong);
    assert_eq!(get().with_header("host", "other.example").code(), wrong);
    assert_eq!(get().with_header("x-amz-content-sha256", &NO_BYTES.replace('e', "f")).code(), wrong);
    assert_eq!(get().with_header("x-amz-date", "20130524T000001Z").code(), wrong);
    let authorization = get().headers["authorization"].to_str().unwrap().to_owned();
    for (from, to) in [
        ("us-east-1", "auto"),
        ("20130524/", "20130523/"),
        ("20130524/", "2013/"),
        ("Signature=f0", "Signature=f1"),
        ("Signature=f0e8", "Signature="),
    ] {
        let forged = authorization.replace(from, to);
        assert_eq!(get().with_header("authorization", &forged).code(), wrong, "{from} {to}");
    }
}

// rows: X02
#[test]
fn a_claim_of_another_form_is_refused() {
    let authorization = get().headers["authorization"].to_str().unwrap().to_owned();
    for (from, to) in [
        ("/s3/", "/iam/"),
        ("aws4_request", "aws5_request"),
        (ACCESS_KEY, ""),
        ("Credential=", "Credentials="),
        ("SignedHeaders=", "Headers="),
        ("Signature=", "Sign="),
    ] {
        let broken = authorization.replace(from, to);
        assert_eq!(get().with_header("authorization", &broken).code(), "InvalidSignature", "{from}");
    }
    assert_eq!(get().with_header("x-amz-date", "yesterday").code(), "InvalidSignature");
    assert_eq!(get().with_header("authorization", "AWS key:signature").code(), "AccessDenied");
    assert_eq!(Arrival::new(Method::GET, "/", "Signature=x&AWSAccessKeyId=y", &[]).code(), "AccessDenied");
    let told = |query| match Claim::of_request(&HeaderMap::new(), &Query::of(query)) {
        Err(error) => error.to_string(),
        Ok(_) => "accepted".to_owned(),
    };
    assert!(told("Signature=x&AWSAccessKeyId=y").contains("Only AWS4-HMAC-SHA256 is supported"));
    assert!(told("").contains("Missing signature"));
}

// rows: X02
#[test]
fn what_changes_a_request_has_to_be_signed() {
    let copy = |arrival: Arrival| arrival.with_header("x-amz-copy-source", "private/secret.txt").code();
    assert_eq!(copy(get()), "AccessDenied");
    assert_eq!(copy(signed_url()), "AccessDenied");
    assert_eq!(get().with_header("x-amz-user-agent", "any").code(), "accepted");
    let authorization = get().headers["authorization"].to_str().unwrap().replace("=host;", "=");
    assert_eq!(get().with_header("authorization", &authorization).code(), "AccessDenied", "no host");
}

// rows: X02
#[test]
fn a_signature_counts_for_a_time() {
    let at = |mut arrival: Arrival, after: Duration| {
        arrival.now += after;
        arrival.code()
    };
    assert_eq!(at(get(), Duration::minutes(15)), "accepted");
    assert_eq!(at(get(), Duration::minutes(-15)), "accepted");
    assert_eq!(at(get(), Duration::seconds(901)), "RequestTimeTooSkewed", "old");
    assert_eq!(at(get(), Duration::seconds(-901)), "RequestTimeTooSkewed", "of the future");
    assert_eq!(at(signed_url(), Duration::DAY), "accepted");
    assert_eq!(at(signed_url(), Duration::DAY + Duration::SECOND), "ExpiredToken");
    assert_eq!(at(signed_url(), Duration::seconds(-901)), "RequestTimeTooSkewed", "of the future");
}

// rows: X02
#[test]
fn a_signed_url_is_good_for_itself_alone() {
    let with = |from: &str, to: &str| {
        let mut url = signed_url();
        assert!(url.query.contains(from), "{from}");
        url.query = url.query.replace(from, to);
        url.code()
    };
    assert_eq!(with("Expires=86400", "Expires=86401"), "SignatureDoesNotMatch");
    assert_eq!(with("Expires=86400", "Expires=604801"), "InvalidSignature", "longer than a week");
    assert_eq!(with("Expires=86400", "Expires=0"), "InvalidSignature");
    assert_eq!(with("SHA256", "SHA1"), "InvalidSignature");
    assert_eq!(with("&X-Amz-Expires=86400", ""), "InvalidSignature");
    assert_eq!(with("us-east-1", "us-east-2"), "SignatureDoesNotMatch");
    assert_eq!(
        with("X-Amz-Algorithm", "response-content-type=text/html&X-Amz-Algorithm"),
        "SignatureDoesNotMatch"
    );
    assert_eq!(signed_url().with_header("authorization", "Bearer other").code(), "accepted");
}

// rows: X02
#[test]
fn a_path_may_be_escaped_in_more_than_one_way() {
    assert_eq!(canonical::paths("/b/a%20b"), ["/b/a%20b"]);
    assert_eq!(canonical::paths("/b/a(1)"), ["/b/a%281%29", "/b/a(1)"]);
    assert_eq!(canonical::paths("/b/%e4"), ["/b/%E4", "/b/%e4"]);
}
