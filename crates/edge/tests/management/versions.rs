//! Deployments and their versions (CONTRACT.md G06, G08 to G10).

use std::fs;

use banyan_testkit::Answer;
use banyan_testkit::hostile_components;
use bytes::Bytes;
use futures_util::stream;
use http::Method;
use http_body::Frame;
use http_body_util::{BodyExt, StreamBody};
use serde_json::{Value, json};

use super::{JSON, WASM, deploy, deploy_as, empty};
use crate::support::{OfThePlatform, World, component, load};

// rows: G09 G10
#[tokio::test(flavor = "multi_thread")]
async fn a_deployment_is_served_at_once_and_each_is_a_version() {
    let world = empty().await;
    assert_eq!(world.get("/hello").await.status, 404);
    let first = deploy(&world, "hello", "hello").await;
    assert_eq!(first.status, 201, "{first:?}");
    let first = first.json();
    assert_eq!(world.get("/hello").await.text(), "Hello World");
    let names: Vec<&str> = first.as_object().unwrap().keys().map(String::as_str).collect();
    for field in [
        "id",
        "slug",
        "name",
        "status",
        "version",
        "created_at",
        "updated_at",
        "verify_jwt",
        "import_map",
        "import_map_path",
        "entrypoint_path",
        "ezbr_sha256",
    ] {
        assert!(names.contains(&field), "{field} is not in {names:?}");
    }
    assert_eq!((&first["status"], &first["version"]), (&json!("ACTIVE"), &json!(1)));
    let second = deploy(&world, "hello", "mirror").await.json();
    assert_eq!((&second["version"], &second["id"]), (&json!(2), &first["id"]));
    assert_eq!(second["created_at"], first["created_at"]);
    assert_ne!(second["ezbr_sha256"], first["ezbr_sha256"]);
    assert_eq!(world.get("/hello").await.json()["path"], "/hello");
    let one = world.manage(Method::GET, "/functions/hello", "", "").await.json();
    assert_eq!(one, second);
    let all = world.manage(Method::GET, "/functions", "", "").await.json();
    assert_eq!(all, json!([second]));
}

/// A form as the supabase CLI sends it: metadata, and each file under its path in the project.
async fn deploy_form(world: &World, query: &str, metadata: &Value, files: &[(&str, Vec<u8>)]) -> Answer {
    let mut body = Vec::new();
    let mut part = |head: &str, content: &[u8]| {
        body.extend_from_slice(
            format!("--limit\r\ncontent-disposition: form-data; {head}\r\n\r\n").as_bytes(),
        );
        body.extend_from_slice(content);
        body.extend_from_slice(b"\r\n");
    };
    for (path, content) in files {
        part(&format!("name=\"file\"; filename=\"{path}\""), content);
    }
    part("name=\"metadata\"", metadata.to_string().as_bytes());
    body.extend_from_slice(b"--limit--\r\n");
    let path = format!("/functions/deploy?{query}");
    world.manage(Method::POST, &path, "multipart/form-data; boundary=limit", body).await
}

// rows: G06 G09
#[tokio::test(flavor = "multi_thread")]
async fn a_form_brings_the_component_that_its_metadata_calls_the_entrypoint() {
    let world = empty().await;
    let metadata =
        json!({"entrypoint_path": "functions/greet/greet.wasm", "name": "greet", "verify_jwt": false});
    let hello = fs::read(component("hello")).unwrap();
    let files = [("functions/greet/notes.txt", b"notes".to_vec()), ("./functions/greet/greet.wasm", hello)];
    let deployed = deploy_form(&world, "slug=greet", &metadata, &files).await;
    assert_eq!((deployed.status, &deployed.json()["version"]), (201, &json!(1)), "{deployed:?}");
    assert_eq!(world.get("/greet").await.text(), "Hello World", "verify_jwt is that of the form");

    let typescript = [("functions/greet/greet.wasm", b"Deno.serve(() => new Response())".to_vec())];
    let refused = deploy_form(&world, "slug=greet", &metadata, &typescript).await;
    assert_eq!(refused.status, 415, "{refused:?}");
    assert!(
        refused.json()["message"].as_str().unwrap().contains("functions/greet/greet.wasm"),
        "{refused:?}"
    );
    assert_eq!(deploy_form(&world, "slug=greet", &metadata, &[]).await.status, 415);
    let broken =
        world.manage(Method::POST, "/functions/deploy?slug=greet", "multipart/form-data; boundary=x", "none");
    assert_eq!(broken.await.status, 400);
    assert_eq!(world.get("/greet").await.text(), "Hello World");
}

// rows: G06 G09 G10
#[tokio::test(flavor = "multi_thread")]
async fn staged_versions_are_activated_together_or_not_at_all() {
    let world = empty().await;
    deploy(&world, "first", "hello").await;
    let metadata = json!({"entrypoint_path": "a.wasm", "verify_jwt": false});
    let hold = async |slug: &str, guest: &str| {
        let files = [("a.wasm", fs::read(component(guest)).unwrap())];
        deploy_form(&world, &format!("slug={slug}&bundleOnly=true"), &metadata, &files).await.json()
    };
    let first = hold("first", "mirror").await;
    let second = hold("second", "hello").await;
    assert_eq!((&first["version"], &second["version"]), (&json!(2), &json!(1)));
    assert_eq!(world.get("/first").await.text(), "Hello World", "what is held is not served");
    assert_eq!(world.get("/second").await.status, 404);

    let update = async |body: Value| world.manage(Method::PUT, "/functions", JSON, body.to_string()).await;
    let absent = json!({"slug": "third", "version": 1});
    assert_eq!(update(json!([first, absent])).await.status, 404);
    assert_eq!(update(json!([{"slug": "../first", "version": 1}])).await.status, 404);
    assert_eq!(world.get("/first").await.text(), "Hello World", "one is missing, so none is served");
    let updated = update(json!([first, second])).await;
    assert_eq!(updated.status, 200, "{updated:?}");
    let shown = updated.json();
    assert_eq!([&shown["functions"][0]["version"], &shown["functions"][1]["version"]], [2, 1]);
    assert_eq!(world.get("/first").await.json()["path"], "/first");
    assert_eq!(world.get("/second").await.text(), "Hello World");
}

// rows: G10
#[tokio::test(flavor = "multi_thread")]
async fn a_version_is_rolled_back_and_numbers_go_on() {
    let world = empty().await;
    deploy(&world, "hello", "hello").await;
    deploy(&world, "hello", "mirror").await;
    let back = world.manage(Method::POST, "/functions/hello/rollback", "", "").await;
    assert_eq!((back.status, &back.json()["version"]), (200, &json!(1)));
    assert_eq!(world.get("/hello").await.text(), "Hello World");
    let forth = world.manage(Method::POST, "/functions/hello/rollback?version=2", "", "").await;
    assert_eq!(forth.json()["version"], 2);
    assert_eq!(world.get("/hello").await.json()["path"], "/hello");
    let none = world.manage(Method::POST, "/functions/hello/rollback?version=7", "", "").await;
    let told = json!("version 7 of hello is not kept; there are 1, 2");
    assert_eq!((none.status, &none.json()["message"]), (404, &told));
    world.manage(Method::POST, "/functions/hello/rollback", "", "").await;
    let none = world.manage(Method::POST, "/functions/hello/rollback", "", "").await;
    let told = json!("there is no earlier version of hello; there are 1, 2");
    assert_eq!((none.status, &none.json()["message"]), (404, &told));
    assert_eq!(deploy(&world, "hello", "hello").await.json()["version"], 3);
    deploy(&world, "once", "hello").await;
    let none = world.manage(Method::POST, "/functions/once/rollback", "", "").await;
    assert_eq!((none.status, &none.json()["message"]), (404, &json!("there is no earlier version of once")));
    let known = world.manage(Method::GET, "/functions/hello/versions", "", "").await.json();
    let versions: Vec<&Value> = known["versions"].as_array().unwrap().iter().map(|v| &v["version"]).collect();
    assert_eq!(versions, [1, 2, 3]);
}

// rows: G10
#[tokio::test(flavor = "multi_thread")]
async fn a_roll_back_leads_to_the_version_that_ran_before_also_after_another_one() {
    let world = empty().await;
    for guest in ["hello", "mirror", "raw"] {
        deploy(&world, "hello", guest).await;
    }
    let back = async || world.manage(Method::POST, "/functions/hello/rollback", "", "").await.json();
    assert_eq!(back().await["version"], 2);
    deploy(&world, "hello", "caller").await;
    assert_eq!(back().await["version"], 2, "3 was found to be bad");
    assert_eq!(back().await["version"], 1);
}

// rows: G10 F05
#[tokio::test(flavor = "multi_thread")]
async fn a_disabled_function_is_rolled_back_as_if_it_ran() {
    let world = empty().await;
    for guest in ["hello", "mirror", "raw"] {
        deploy(&world, "hello", guest).await;
    }
    world.state.reconfigure(&world.config_with("[functions.hello]\nenabled = false\n")).await;
    let back = world.manage(Method::POST, "/functions/hello/rollback", "", "").await;
    assert_eq!((back.status, &back.json()["version"]), (200, &json!(2)), "{back:?}");
    let closed = world.manage(Method::PATCH, "/functions/hello", JSON, r#"{"verify_jwt":true}"#).await;
    assert_eq!((closed.status, &closed.json()["verify_jwt"]), (200, &json!(true)), "{closed:?}");
    world.get("/hello").await.is_platform_error(404, "NOT_FOUND", "NOT_FOUND");
    world.state.reconfigure(&world.config_with("")).await;
    assert_eq!(world.get("/hello").await.status, 401);
    let shown = world.manage(Method::GET, "/functions/hello", "", "").await.json();
    assert_eq!((&shown["version"], &shown["status"]), (&json!(2), &json!("ACTIVE")));
}

// rows: F05 G09
#[tokio::test(flavor = "multi_thread")]
async fn a_disabled_function_is_shown_as_if_it_ran() {
    let world = empty().await;
    deploy_as(&world, "plain", "hello", "").await;
    tokio::time::sleep(std::time::Duration::from_millis(5)).await;
    deploy_as(&world, "plain", "mirror", "").await;
    let toml = "[functions.plain]\nverify_jwt = false\n";
    world.state.reconfigure(&world.config_with(toml)).await;
    let mut running = world.manage(Method::GET, "/functions/plain", "", "").await.json();
    assert_eq!(running["verify_jwt"], json!(false));
    world.state.reconfigure(&world.config_with(&format!("{toml}enabled = false\n"))).await;
    running["status"] = json!("THROTTLED");
    running["reason"] = json!("DISABLED");
    assert_eq!(world.manage(Method::GET, "/functions/plain", "", "").await.json(), running);
    assert_eq!(world.manage(Method::GET, "/functions", "", "").await.json(), json!([running]));
    assert_eq!(world.manage(Method::GET, "/functions/plain/body", "", "").await.status, 200);
    assert_eq!(world.manage(Method::GET, "/functions/nobody/body", "", "").await.status, 404);
}

// rows: G10 BOOT_ERROR
#[tokio::test(flavor = "multi_thread")]
async fn a_broken_deployment_never_replaces_a_running_one() {
    let world = empty().await;
    deploy(&world, "hello", "hello").await;
    let liar = hostile_components::with_import(
        "(import \"evil:host/escape@1.0.0\" (instance (export \"run\" (func))))",
    );
    for broken in [b"no component".to_vec(), liar] {
        let answer = world.manage(Method::POST, "/functions/deploy?slug=hello", WASM, broken).await;
        assert_eq!(answer.status, 400, "{answer:?}");
        let told = answer.json()["message"].as_str().unwrap().to_owned();
        assert!(told.starts_with("the component of hello was not deployed, version 1 goes on: "), "{told}");
    }
    fs::copy(component("hello"), world.component_path("built")).unwrap();
    load(&world.state).await;
    for (slug, goes_on) in [("new", ""), ("built", ", what was built goes on")] {
        let broken = b"no component".to_vec();
        let path = format!("/functions/deploy?slug={slug}");
        let answer = world.manage(Method::POST, &path, WASM, broken).await;
        let told = answer.json()["message"].as_str().unwrap().to_owned();
        let expected = format!("the component of {slug} was not deployed{goes_on}: ");
        assert!(told.starts_with(&expected), "{told}");
    }
    assert_eq!(world.get("/hello").await.text(), "Hello World");
    assert_eq!(world.manage(Method::GET, "/functions/hello", "", "").await.json()["version"], 1);
    assert_eq!(deploy(&world, "hello", "mirror").await.json()["version"], 2, "no number was used up");
}

// rows: G08
#[tokio::test(flavor = "multi_thread")]
async fn a_deleted_function_is_gone_with_its_versions_and_its_component_can_be_fetched() {
    let world = empty().await;
    deploy(&world, "hello", "hello").await;
    let fetched = world.manage(Method::GET, "/functions/hello/body", "", "").await;
    assert_eq!(fetched.header("content-type"), Some(WASM));
    assert_eq!(fetched.bytes, fs::read(component("hello")).unwrap());
    assert_eq!(world.manage(Method::DELETE, "/functions/hello", "", "").await.status, 200);
    world.get("/hello").await.is_platform_error(404, "NOT_FOUND", "NOT_FOUND");
    assert_eq!(world.manage(Method::DELETE, "/functions/hello", "", "").await.status, 404);
    assert_eq!(deploy(&world, "hello", "hello").await.json()["version"], 1);
}

// rows: G09 LIMIT_BUNDLE
#[tokio::test(flavor = "multi_thread")]
async fn what_cannot_be_deployed_is_refused_with_its_reason() {
    let world = empty().await;
    let deploy = async |query: &str, kind: &str, body: Vec<u8>| {
        let answer = world.manage(Method::POST, &format!("/functions/deploy{query}"), kind, body).await;
        (answer.status, answer.json()["message"].as_str().unwrap().to_owned())
    };
    for slug in ["", "?slug=", "?slug=_shared", "?slug=..%2f..%2fescape", "?slug=a.b"] {
        assert_eq!(deploy(slug, WASM, vec![]).await.0, 400, "{slug}");
    }
    assert_eq!(deploy("?slug=a&verify_jwt=maybe", WASM, vec![]).await.0, 400);
    let typescript = deploy("?slug=a", "application/vnd.denoland.eszip", vec![]).await;
    assert_eq!(typescript.0, 415);
    assert!(
        typescript.1.contains("WebAssembly") && typescript.1.contains("banyan functions build"),
        "{typescript:?}"
    );
    assert_eq!(deploy("?slug=a", WASM, vec![0; 20_000_001]).await.0, 413);
    let cut = stream::iter([Ok(Frame::data(Bytes::from("\0asm"))), Err("gone".into())]);
    let cut = StreamBody::new(cut).boxed_unsync();
    let broken = world.manage_with(Method::POST, "/functions/deploy?slug=a", WASM, cut).await;
    assert_eq!((broken.status, &broken.json()["message"]), (400, &json!("the body broke off")));
    for (method, path, status) in [
        (Method::GET, "/functions/nobody", 404),
        (Method::PUT, "/functions", 400),
        (Method::PATCH, "/functions", 405),
        (Method::GET, "/functions/deploy", 405),
        (Method::GET, "/elsewhere", 404),
        (Method::DELETE, "/functions/..%2f..%2fetc", 404),
    ] {
        assert_eq!(world.manage(method.clone(), path, "", "").await.status, status, "{method} {path}");
    }
}
