use std::collections::HashMap;

use base64::{
    Engine,
    engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD},
};
use http::{Request, Response, StatusCode, header};
use http_body_util::{BodyExt, Full};
use hyper::body::{Bytes, Incoming};
use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};

use super::{Behaviour, CLIENT_ID, CLIENT_SECRET, Shared, Ticket, draw, hold};

type Answer = Response<Full<Bytes>>;
type Fields = HashMap<String, String>;

/// Answers one request.
pub(super) async fn answer(shared: &Shared, request: Request<Incoming>) -> Answer {
    let (head, body) = request.into_parts();
    let path = head.uri.path().to_owned();
    hold(&shared.asked).push(path.clone());
    let query = fields(head.uri.query().unwrap_or_default().as_bytes());
    let body = body.collect().await.map(|body| body.to_bytes()).unwrap_or_default();
    let authorization = head.headers.get(header::AUTHORIZATION).and_then(|value| value.to_str().ok());
    match path.as_str() {
        _ if hold(&shared.behaviour).away => json_answer(StatusCode::SERVICE_UNAVAILABLE, &json!({})),
        "/.well-known/openid-configuration" => json_answer(StatusCode::OK, &discovery(&shared.issuer)),
        "/keys" => json_answer(StatusCode::OK, &shared.keyring.public_jwks()),
        "/authorize" => authorize(shared, &query),
        "/decide" => decide(shared, &query),
        "/token" => token(shared, authorization, &fields(&body)),
        "/userinfo" => userinfo(shared, authorization),
        _ => json_answer(StatusCode::NOT_FOUND, &json!({"error": "not_found"})),
    }
}

fn discovery(issuer: &str) -> Value {
    json!({
        "issuer": issuer,
        "authorization_endpoint": format!("{issuer}/authorize"),
        "token_endpoint": format!("{issuer}/token"),
        "userinfo_endpoint": format!("{issuer}/userinfo"),
        "jwks_uri": format!("{issuer}/keys"),
        "response_types_supported": ["code"],
        "subject_types_supported": ["public"],
        "id_token_signing_alg_values_supported": ["ES256"],
        "code_challenge_methods_supported": ["S256"],
        "token_endpoint_auth_methods_supported": ["client_secret_basic"],
    })
}

/// Sends the browser back at once where the test said who signs in, else asks.
fn authorize(shared: &Shared, query: &Fields) -> Answer {
    let given = |name: &str| query.get(name).cloned().unwrap_or_default();
    if given("client_id") != CLIENT_ID || given("response_type") != "code" || given("redirect_uri").is_empty()
    {
        return json_answer(StatusCode::BAD_REQUEST, &json!({"error": "invalid_request"}));
    }
    let Behaviour { person, refuses, .. } = hold(&shared.behaviour).clone();
    match (refuses, person) {
        (Some(error), _) => refuse(query, &error),
        (None, Some(person)) => grant(shared, query, person),
        (None, None) => ask(query),
    }
}

fn refuse(query: &Fields, error: &str) -> Answer {
    back(query, &[("error", error), ("error_description", "The person said no")])
}

fn grant(shared: &Shared, query: &Fields, person: Map<String, Value>) -> Answer {
    let code = draw();
    let ticket = Ticket {
        person,
        redirect_uri: query.get("redirect_uri").cloned().unwrap_or_default(),
        challenge: query.get("code_challenge").cloned(),
        nonce: query.get("nonce").cloned(),
    };
    hold(&shared.codes).insert(code.clone(), ticket);
    back(query, &[("code", &code)])
}

fn back(query: &Fields, pairs: &[(&str, &str)]) -> Answer {
    let mut encoded = url::form_urlencoded::Serializer::new(String::new());
    encoded.extend_pairs(pairs);
    if let Some(state) = query.get("state") {
        encoded.append_pair("state", state);
    }
    let target = query.get("redirect_uri").cloned().unwrap_or_default();
    let separator = if target.contains('?') { '&' } else { '?' };
    let location = format!("{target}{separator}{}", encoded.finish());
    build(Response::builder().status(StatusCode::FOUND).header(header::LOCATION, location), String::new())
}

/// A form for a person: who to be, yes or no.
fn ask(query: &Fields) -> Answer {
    let hidden: String = query
        .iter()
        .map(|(name, value)| {
            format!("<input type=\"hidden\" name=\"{}\" value=\"{}\">", escaped(name), escaped(value))
        })
        .collect();
    let page = format!(
        "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><title>Test provider</title>\
         <h1>Sign in with the test provider</h1><form action=\"/decide\">{hidden}\
         <p><label>E-mail <input name=\"email\" type=\"email\" value=\"asha@example.com\"></label></p>\
         <p><label>Name <input name=\"name\" value=\"Asha K\"></label></p>\
         <p><label><input name=\"verified\" type=\"checkbox\" checked> the address is verified</label></p>\
         <button name=\"answer\" value=\"yes\">Sign in</button> <button name=\"answer\" value=\"no\">Refuse</button>\
         </form></html>"
    );
    build(Response::builder().header(header::CONTENT_TYPE, "text/html; charset=utf-8"), page)
}

fn decide(shared: &Shared, query: &Fields) -> Answer {
    if query.get("answer").map(String::as_str) != Some("yes") {
        return refuse(query, "access_denied");
    }
    let email = query.get("email").cloned().unwrap_or_default();
    let person = json!({
        "sub": format!("{:x}", Sha256::digest(&email)),
        "email": email,
        "email_verified": query.contains_key("verified"),
        "name": query.get("name"),
    });
    grant(shared, query, person.as_object().cloned().unwrap_or_default())
}

/// Exchanges a code, once, for who was promised it.
fn token(shared: &Shared, authorization: Option<&str>, form: &Fields) -> Answer {
    let refused = |error: &str| json_answer(StatusCode::BAD_REQUEST, &json!({"error": error}));
    let behaviour = hold(&shared.behaviour).clone();
    if behaviour.broken {
        return json_answer(StatusCode::BAD_GATEWAY, &json!({"error": "server_error"}));
    }
    if !is_our_client(authorization) {
        return refused("invalid_client");
    }
    let given = |name: &str| form.get(name).map(String::as_str).unwrap_or_default();
    let Some(ticket) = hold(&shared.codes).remove(given("code")) else { return refused("invalid_grant") };
    let proven = ticket
        .challenge
        .is_none_or(|challenge| challenge == URL_SAFE_NO_PAD.encode(Sha256::digest(given("code_verifier"))));
    if given("grant_type") != "authorization_code" || given("redirect_uri") != ticket.redirect_uri || !proven
    {
        return refused("invalid_grant");
    }
    let access_token = draw();
    hold(&shared.people).insert(access_token.clone(), ticket.person.clone());
    let mut answer = json!({
        "access_token": access_token, "refresh_token": draw(), "token_type": "Bearer", "expires_in": 3600,
    });
    if !behaviour.without_id_token {
        let mut claims = ticket.person;
        claims.insert("nonce".into(), json!(ticket.nonce));
        let hash = Sha256::digest(&access_token);
        claims.insert("at_hash".into(), json!(URL_SAFE_NO_PAD.encode(&hash[..16])));
        claims.extend(behaviour.id_token);
        answer["id_token"] = json!(shared.id_token(claims));
    }
    json_answer(StatusCode::OK, &answer)
}

/// RFC 6749 section 2.3.1: both parts are encoded as in a form before they are joined.
fn is_our_client(authorization: Option<&str>) -> bool {
    let decoded = authorization
        .and_then(|value| value.strip_prefix("Basic "))
        .and_then(|text| STANDARD.decode(text).ok())
        .and_then(|bytes| String::from_utf8(bytes).ok());
    let plain = |text: &str| {
        url::form_urlencoded::parse(format!("v={text}").as_bytes())
            .next()
            .map(|(_, value)| value.into_owned())
    };
    decoded.as_deref().and_then(|pair| pair.split_once(':')).is_some_and(|(id, secret)| {
        plain(id).as_deref() == Some(CLIENT_ID) && plain(secret).as_deref() == Some(CLIENT_SECRET)
    })
}

fn userinfo(shared: &Shared, authorization: Option<&str>) -> Answer {
    let token = authorization.and_then(|value| value.strip_prefix("Bearer ")).unwrap_or_default();
    match hold(&shared.people).get(token) {
        Some(person) => json_answer(StatusCode::OK, &Value::Object(person.clone())),
        None => json_answer(StatusCode::UNAUTHORIZED, &json!({"error": "invalid_token"})),
    }
}

fn fields(encoded: &[u8]) -> Fields {
    url::form_urlencoded::parse(encoded).into_owned().collect()
}

fn json_answer(status: StatusCode, body: &Value) -> Answer {
    build(
        Response::builder().status(status).header(header::CONTENT_TYPE, "application/json"),
        body.to_string(),
    )
}

fn build(response: http::response::Builder, body: String) -> Answer {
    response.body(Full::from(body)).expect("headers of plain letters")
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('"', "&quot;").replace('<', "&lt;")
}
