use banyan_config::postgrest::Layers;
use http::header::{
    ACCESS_CONTROL_ALLOW_CREDENTIALS, ACCESS_CONTROL_ALLOW_HEADERS, ACCESS_CONTROL_ALLOW_METHODS,
    ACCESS_CONTROL_ALLOW_ORIGIN, ACCESS_CONTROL_EXPOSE_HEADERS, ACCESS_CONTROL_MAX_AGE, VARY,
};

use super::{
    any_origin::{EXPOSED, METHODS},
    *,
};

const ANY_ORIGIN: CorsRule = CorsRule::AnyOrigin { cookies: false };

fn request(method: Method, headers: &[(&str, &str)]) -> Request<()> {
    let mut request = Request::builder().method(method);
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    request.body(()).expect("a request")
}

/// A preflight of a page that wants to send these headers.
fn preflight(rule: &CorsRule, origin: &str, asked: &str) -> Option<Response<Body>> {
    let headers = [
        ("origin", origin),
        ("access-control-request-method", "POST"),
        ("access-control-request-headers", asked),
    ];
    rule.preflight(&request(Method::OPTIONS, &headers))
}

/// The headers of an answer to a page of this origin.
fn actual(rule: &CorsRule, origin: &str) -> HeaderMap {
    let mut headers = HeaderMap::new();
    rule.allow(&mut headers, Some(&HeaderValue::from_str(origin).expect("a header value")));
    headers
}

// rows: edge/C08 GW-PREFLIGHT
#[test]
fn a_preflight_echoes_the_headers_asked_for() {
    let response = preflight(&ANY_ORIGIN, "https://app.example", "traceparent, x-region").expect("an answer");
    assert_eq!(response.status(), StatusCode::NO_CONTENT);
    assert_eq!(response.headers()[ACCESS_CONTROL_ALLOW_HEADERS], "traceparent, x-region");
}

// rows: auth/W7 auth/E1 GW-CORS GW-EXPOSED
#[test]
fn clients_of_auth_may_send_cookies_and_read_what_they_need() {
    let wanted =
        "authorization, content-type, x-client-info, x-supabase-api-version, x-jwt-aud, x-use-cookie, apikey";
    let rule = CorsRule::AnyOrigin { cookies: true };
    let response = preflight(&rule, "https://app.example", wanted).expect("an answer");
    let headers = response.headers();
    assert_eq!(headers[ACCESS_CONTROL_ALLOW_ORIGIN], "https://app.example");
    assert_eq!(headers[ACCESS_CONTROL_ALLOW_CREDENTIALS], "true");
    assert_eq!(headers[ACCESS_CONTROL_ALLOW_HEADERS], wanted);
    for method in ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"] {
        assert!(METHODS.contains(method), "{method}");
    }
    for exposed in
        ["x-total-count", "link", "x-supabase-api-version", "x-sb-error-code", "x-sb-redirect-refused"]
    {
        assert!(EXPOSED.contains(exposed), "{exposed}");
    }
    assert!(headers.contains_key(ACCESS_CONTROL_MAX_AGE) && headers.get_all(VARY).iter().count() == 2);
}

// rows: GW-EXPOSED storage/T03
#[test]
fn clients_of_storage_may_read_where_an_upload_is_and_how_far_it_came() {
    let exposed: Vec<_> = EXPOSED.split(", ").collect();
    for name in [
        "location",
        "upload-offset",
        "upload-length",
        "upload-metadata",
        "upload-expires",
        "tus-resumable",
        "tus-max-size",
        "tus-complete",
        "etag",
        "content-range",
        "x-transformations",
    ] {
        assert!(exposed.contains(&name), "{name}");
    }
}

// rows: edge/F06 GW-CORS
#[test]
fn a_header_the_function_set_is_not_repeated() {
    let mut headers = HeaderMap::new();
    headers.insert(ACCESS_CONTROL_ALLOW_ORIGIN, HeaderValue::from_static("https://school.example"));
    ANY_ORIGIN.allow(&mut headers, None);
    let all: Vec<_> = headers.get_all(ACCESS_CONTROL_ALLOW_ORIGIN).iter().collect();
    assert_eq!(all, ["https://school.example"]);
}

/// The rule of `banyan serve rest`, with these origins allowed.
fn postgrest(allowed: Option<&[&str]>) -> CorsRule {
    let mut options = Layers::default().check(&[]).expect("options");
    options.allowed_origins = allowed.map(|all| all.iter().map(|&origin| origin.to_owned()).collect());
    CorsRule::Postgrest(Arc::new(ArcSwap::from_pointee(options)))
}

// rows: rest/Y05 rest/Y06
#[test]
fn a_preflight_from_anywhere_allows_what_was_asked_for() {
    let rule = postgrest(None);
    let origin = "https://school.example";
    let answer = preflight(&rule, origin, "apikey, X-Client-Info,content-type").expect("an answer");
    assert_eq!(answer.status(), StatusCode::OK);
    let headers = answer.headers();
    assert_eq!(headers[ACCESS_CONTROL_ALLOW_ORIGIN], "*");
    assert_eq!(headers[ACCESS_CONTROL_ALLOW_METHODS], "GET, POST, PATCH, PUT, DELETE, OPTIONS, HEAD");
    assert_eq!(
        headers[ACCESS_CONTROL_ALLOW_HEADERS],
        "Authorization, apikey, X-Client-Info, content-type, Accept, Accept-Language, Content-Language"
    );
    assert_eq!(headers[ACCESS_CONTROL_MAX_AGE], "86400");
    assert!(!headers.contains_key(ACCESS_CONTROL_ALLOW_CREDENTIALS));
    assert!(!headers.contains_key(ACCESS_CONTROL_EXPOSE_HEADERS));
    let plain = request(Method::OPTIONS, &[("origin", origin)]);
    assert!(rule.preflight(&plain).is_none(), "OPTIONS by itself is no preflight");
    let of_no_page = request(Method::OPTIONS, &[("access-control-request-method", "GET")]);
    assert!(rule.preflight(&of_no_page).is_none());
}

// rows: rest/Y07
#[test]
fn only_listed_origins_are_allowed_and_with_credentials() {
    let rule = postgrest(Some(&["https://school.example", "https://other.example"]));
    let headers = actual(&rule, "https://other.example");
    assert_eq!(headers[ACCESS_CONTROL_ALLOW_ORIGIN], "https://other.example");
    assert_eq!(headers[ACCESS_CONTROL_ALLOW_CREDENTIALS], "true");
    for stranger in ["https://school.example.evil", "http://school.example"] {
        assert!(actual(&rule, stranger).is_empty(), "{stranger}");
        assert!(preflight(&rule, stranger, "").is_none(), "{stranger}");
    }
}

// rows: rest/Y08
#[test]
fn actual_requests_expose_headers_to_scripts() {
    let rule = postgrest(None);
    let headers = actual(&rule, "https://school.example");
    assert_eq!(headers[ACCESS_CONTROL_ALLOW_ORIGIN], "*");
    assert_eq!(
        headers[ACCESS_CONTROL_EXPOSE_HEADERS],
        "Content-Encoding, Content-Location, Content-Range, Content-Type, Date, Location, Server, \
         Transfer-Encoding, Range-Unit"
    );
    let mut none = HeaderMap::new();
    rule.allow(&mut none, None);
    assert!(none.is_empty(), "no origin, no headers");
}
