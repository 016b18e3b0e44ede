//! How functions that answer no request are shown.

use std::fs;

use banyan_edge::Timings;
use banyan_testkit::hostile_components;
use http::Method;
use serde_json::{Value, json};

use super::{deploy, empty};
use crate::support::{OfThePlatform, World, component, load};

// rows: G09
#[tokio::test(flavor = "multi_thread")]
async fn a_function_that_answers_no_request_is_listed_as_throttled_and_with_the_reason() {
    let toml = "[functions.planned]\n[functions.deleted]\n";
    let banyan = "[functions.elsewhere]\ncomponent = \"nowhere.wasm\"\n";
    let world = World::start(&[("hello", "hello")], toml, banyan, Timings::default()).await;
    deploy(&world, "deleted", "hello").await;
    world.install("broken", b"no component").await;
    fs::write(world.component_path("late"), hostile_components::slow_to_compile()).unwrap();
    assert_eq!(world.manage(Method::DELETE, "/functions/deleted", "", "").await.status, 200);
    let listed = world.manage(Method::GET, "/functions", "", "").await.json();
    let text = |function: &Value, field: &str| function[field].as_str().unwrap_or_default().to_owned();
    let all = listed.as_array().unwrap().iter();
    let all: Vec<_> = all.map(|it| ["slug", "status", "reason"].map(|field| text(it, field))).collect();
    assert_eq!(
        all,
        [
            ["broken", "THROTTLED", "BROKEN"],
            ["elsewhere", "THROTTLED", "NOT_BUILT"],
            ["hello", "ACTIVE", ""],
            ["late", "THROTTLED", "COMPILING"],
        ],
        "what is REMOVED would be deployed as a new one, and what is only configured is not there"
    );
    for slug in ["planned", "deleted"] {
        assert_eq!(world.manage(Method::GET, &format!("/functions/{slug}"), "", "").await.status, 404);
    }
    let log = world.manage(Method::GET, "/logs?function=broken", "", "").await.text().to_owned();
    assert!(log.contains("BootFailure"), "the log says what is wrong: {log}");
}

// rows: G13 LOAD_FUNCTION_INVALID_ENTRYPOINT_PATH_ERROR
#[tokio::test(flavor = "multi_thread")]
async fn typescript_alone_is_told_apart() {
    let world = empty().await;
    let folder = world.config.paths.functions().join("old");
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("index.ts"), "Deno.serve(() => new Response())").unwrap();
    load(&world.state).await;
    let call = world.call(Method::POST, "/old").header("authorization", world.service_key());
    let answer = call.await;
    let code = "LOAD_FUNCTION_INVALID_ENTRYPOINT_PATH_ERROR";
    answer.is_platform_error(500, code, code);
    assert!(answer.json()["message"].as_str().unwrap().contains("banyan functions new"), "{answer:?}");
    deploy(&world, "old", "hello").await;
    assert_eq!(world.get("/old").await.text(), "Hello World", "a component wins");
}

// rows: NOT_FOUND_FUNCTION_BLOB
#[tokio::test(flavor = "multi_thread")]
async fn a_configured_function_without_code_says_so() {
    let toml = "[functions.planned]\nverify_jwt = false\n";
    let banyan = "[functions.elsewhere]\ncomponent = \"nowhere.wasm\"\nverify_jwt = false\n";
    let world = World::start(&[], toml, banyan, Timings::default()).await;
    for name in ["planned", "elsewhere"] {
        let code = "NOT_FOUND_FUNCTION_BLOB";
        world.get(&format!("/{name}")).await.is_platform_error(404, code, code);
    }
    fs::copy(component("hello"), world.config.paths.supabase().join("nowhere.wasm")).unwrap();
    load(&world.state).await;
    assert_eq!(world.get("/elsewhere").await.text(), "Hello World", "a component by its path (G02, G12)");
    let listed = world.manage(Method::GET, "/functions", "", "").await.json();
    let this_year = 1_700_000_000_000;
    assert!(
        listed.as_array().unwrap().iter().all(|it| it["updated_at"].as_i64() > Some(this_year)),
        "{listed}"
    );
    let sent = world.manage(Method::GET, "/functions/elsewhere/body", "", "").await;
    assert_eq!(sent.status, 200);
}

// rows: LOAD_FUNCTION_METADATA_ERROR
#[tokio::test(flavor = "multi_thread")]
async fn versions_that_cannot_be_read_are_an_error_of_their_own() {
    let world = empty().await;
    deploy(&world, "hello", "hello").await;
    let known = world.config.paths.components().join("deployed/hello/function.json");
    fs::write(&known, "no JSON").unwrap();
    load(&world.state).await;
    let code = "LOAD_FUNCTION_METADATA_ERROR";
    load(&world.state).await;
    let log = world.manage(Method::GET, "/logs?function=hello", "", "").await.text().to_owned();
    assert_eq!(log.matches("BootFailure").count(), 1, "it is told of once: {log}");
    let call = world.call(Method::POST, "/hello").header("authorization", world.service_key());
    call.await.is_platform_error(500, code, code);
}

// rows: G09
#[tokio::test(flavor = "multi_thread")]
async fn the_stack_says_which_project_it_serves_whatever_it_was_called() {
    let world = World::start(&[], "project_id = \"class-nine\"\n", "", Timings::default()).await;
    let told = world.manage(Method::GET, "", "", "").await;
    assert_eq!((told.status, told.json()), (200, json!({"id": "class-nine", "name": "class-nine"})));
    assert_eq!(world.manage(Method::DELETE, "", "", "").await.status, 405);
}
