//! The clients of the project's own APIs against a server that answers as auth and storage do.

#[path = "../support/mod.rs"]
#[expect(dead_code, reason = "a model server is for other tests")]
mod support;

mod server;

use banyan_functions::auth::{AccountChange, AuthClient};
use banyan_functions::env::Env;
use banyan_functions::project::ApiError;
use banyan_functions::rest::RestClient;
use banyan_functions::storage::{StorageClient, Upload};
use banyan_functions::transport::TransportError;
use http::HeaderMap;
use serde_json::{Value, json};
use server::{Asked, Server};
use support::Tcp;

const ID: &str = "3f2504e0-4f89-41d3-9a0c-0305e82c3301";

/// The environment of a function of this project, and the headers of a call by a signed-in user.
fn project(server: &Server) -> (Env, HeaderMap) {
    let env = Env::from([
        ("SUPABASE_URL", server.origin.as_str()),
        ("SUPABASE_ANON_KEY", "anon"),
        ("SUPABASE_SERVICE_ROLE_KEY", "service"),
    ]);
    (env, HeaderMap::from_iter([(http::header::AUTHORIZATION, "Bearer theirs".parse().expect("ASCII"))]))
}

fn account() -> Value {
    json!({ "id": ID, "aud": "authenticated", "email": "asha@school.example", "phone": "",
            "app_metadata": { "plan": "free" }, "user_metadata": {}, "banned_until": null })
}

fn is_by(asked: &Asked, authorization: &str, key: &str) {
    assert_eq!((asked.header("authorization"), asked.header("apikey")), (authorization, key), "{asked:?}");
}

#[tokio::test]
async fn the_account_behind_a_token_is_asked_for_as_the_caller() {
    let server = Server::start(|asked| match asked.header("authorization") {
        "Bearer theirs" => (200, account()),
        "Bearer broken" => (500, json!({})),
        _ => {
            (403, json!({ "code": 403, "error_code": "bad_jwt", "msg": "invalid claim: missing sub claim" }))
        }
    })
    .await;
    let ((env, headers), tcp) = (project(&server), Tcp::new());
    let user =
        AuthClient::as_caller(&tcp, &env, &headers).unwrap().user().await.unwrap().expect("an account");
    assert_eq!((user.id.as_str(), user.email.as_str()), (ID, "asha@school.example"));
    assert_eq!((&user.app_metadata["plan"], user.banned_until), (&json!("free"), None));
    let nobody = AuthClient::as_caller(&tcp, &env, &HeaderMap::new()).unwrap().user().await.unwrap();
    assert_eq!(nobody, None, "an API key is nobody");
    let broken = HeaderMap::from_iter([(http::header::AUTHORIZATION, "Bearer broken".parse().unwrap())]);
    let failed = AuthClient::as_caller(&tcp, &env, &broken).unwrap().user().await;
    assert!(matches!(failed, Err(ApiError::Status { .. })), "a failure is not nobody: {failed:?}");
    let asked = server.asked();
    assert_eq!((asked[0].method.as_str(), asked[0].path.as_str()), ("GET", "/auth/v1/user"));
    is_by(&asked[0], "Bearer theirs", "anon");
}

#[tokio::test]
async fn accounts_are_found_listed_and_changed_by_the_service_role() {
    let server = Server::start(|asked| match (asked.method.as_str(), asked.path.as_str()) {
        ("GET", "/auth/v1/admin/users?page=2&per_page=50") => {
            (200, json!({ "users": [account()], "aud": "x" }))
        }
        ("GET" | "PUT", path) if path.ends_with(ID) => (200, account()),
        _ => (404, json!({ "code": 404, "error_code": "user_not_found", "msg": "User not found" })),
    })
    .await;
    let ((env, _), tcp) = (project(&server), Tcp::new());
    let auth = AuthClient::from_env(&tcp, &env).unwrap();
    assert_eq!(auth.find(&ID.to_uppercase()).await.unwrap().expect("an account").id, ID);
    assert_eq!(auth.find("3f2504e0-4f89-41d3-9a0c-0305e82c3302").await.unwrap(), None);
    assert_eq!(auth.list(2, 50).await.unwrap().len(), 1);
    let change = AccountChange {
        ban_duration: Some("24h".to_owned()),
        app_metadata: Some(json!({ "plan": null })),
        ..AccountChange::default()
    };
    assert_eq!(auth.update(ID, &change).await.unwrap().id, ID);
    let asked = server.asked();
    is_by(&asked[0], "Bearer service", "service");
    assert_eq!(
        asked.last().unwrap().json(),
        json!({ "ban_duration": "24h", "app_metadata": { "plan": null } })
    );
    for id in ["", "../settings", "x?y", &format!("{ID}/factors")] {
        assert!(matches!(auth.find(id).await, Err(ApiError::Argument(_))), "{id}");
    }
    assert_eq!(server.asked().len(), asked.len(), "what is no id is not sent");
}

#[tokio::test]
async fn a_file_is_stored_fetched_and_removed() {
    let server = Server::start(|asked| match (asked.method.as_str(), asked.path.as_str()) {
        ("POST", "/storage/v1/object/papers/8/a%20b.rtf") => {
            (200, json!({ "Id": ID, "Key": "papers/8/a b.rtf" }))
        }
        ("GET", "/storage/v1/object/papers/8/a%20b.rtf") => (200, json!("the bytes")),
        ("DELETE", "/storage/v1/object/papers") => (200, json!([{ "name": "8/a b.rtf", "metadata": {} }])),
        ("POST", _) => (
            400,
            json!({ "statusCode": "409", "error": "Duplicate", "message": "x", "code": "KeyAlreadyExists" }),
        ),
        _ => (400, json!({ "statusCode": "404", "error": "not_found", "message": "x", "code": "NoSuchKey" })),
    })
    .await;
    let ((env, headers), tcp) = (project(&server), Tcp::new());
    let storage = StorageClient::as_caller(&tcp, &env, &headers).unwrap();
    let file = Upload { upsert: true, ..Upload::new("application/rtf", b"bytes") };
    storage.upload("papers", "8/a b.rtf", file).await.unwrap();
    let sent = server.asked().remove(0);
    is_by(&sent, "Bearer theirs", "anon");
    assert_eq!((sent.header("content-type"), sent.header("x-upsert")), ("application/rtf", "true"));
    assert_eq!((sent.header("cache-control"), sent.body.as_slice()), ("max-age=3600", b"bytes".as_slice()));
    let taken = storage.upload("papers", "other", Upload::new("text/plain", b"")).await.unwrap_err();
    let ApiError::Status { status, code } = taken else { panic!("{taken:?}") };
    assert_eq!((status.as_u16(), code.as_str()), (409, "KeyAlreadyExists"));
    let fetched = storage.download("papers", "8/a b.rtf", 100).await.unwrap();
    assert_eq!(fetched.as_deref(), Some(b"\"the bytes\"".as_slice()));
    assert_eq!(storage.download("papers", "none", 100).await.unwrap(), None);
    let large = storage.download("papers", "8/a b.rtf", 5).await;
    assert!(matches!(large, Err(ApiError::Transport(TransportError::TooLarge))), "{large:?}");
    assert_eq!(storage.remove("papers", &["8/a b.rtf", "none"]).await.unwrap(), ["8/a b.rtf"]);
    assert_eq!(server.asked().last().unwrap().json(), json!({ "prefixes": ["8/a b.rtf", "none"] }));
}

#[tokio::test]
async fn a_signed_address_is_whole_and_the_service_role_may_ask_for_it() {
    let server = Server::start(|asked| {
        assert_eq!((asked.method.as_str(), asked.json()), ("POST", json!({ "expiresIn": 60 })));
        (200, json!({ "signedURL": format!("{}?token=t", asked.path.trim_start_matches("/storage/v1")) }))
    })
    .await;
    let ((env, _), tcp) = (project(&server), Tcp::new());
    let storage = StorageClient::from_env(&tcp, &env).unwrap();
    let url = storage.signed_url("papers", "8/x.rtf", 60).await.unwrap();
    assert_eq!(url, format!("{}/storage/v1/object/sign/papers/8/x.rtf?token=t", server.origin));
    is_by(&server.asked()[0], "Bearer service", "service");
    let elsewhere = storage.signed_url("papers", "../../auth/v1/user", 60).await;
    assert!(matches!(elsewhere, Err(ApiError::Argument(_))), "{elsewhere:?}");
}

#[tokio::test]
async fn sql_functions_are_called_as_the_caller_too() {
    let server = Server::start(|_| (200, json!(7))).await;
    let ((env, headers), tcp) = (project(&server), Tcp::new());
    let rest = RestClient::as_caller(&tcp, &env, &headers).unwrap();
    assert_eq!(rest.rpc("balance", &json!({ "of": ID })).await.unwrap(), json!(7));
    let asked = server.asked().remove(0);
    assert_eq!((asked.path.as_str(), asked.json()), ("/rest/v1/rpc/balance", json!({ "of": ID })));
    is_by(&asked, "Bearer theirs", "anon");
}
