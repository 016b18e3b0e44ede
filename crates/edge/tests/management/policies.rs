//! The policy that belongs to a version (CONTRACT.md G10, J01, J08).

use std::fs;

use banyan_edge::Timings;
use banyan_testkit::hostile_components;
use http::Method;
use serde_json::{Value, json};

use super::{JSON, deploy, deploy_as, empty};
use crate::support::{World, component, eventually, load};

/// A guarded version 1 that says hello, and an open version 2 that mirrors.
async fn guarded_then_open() -> World {
    let world = empty().await;
    deploy_as(&world, "hello", "hello", "&verify_jwt=true").await;
    assert_eq!(world.get("/hello").await.status, 401);
    deploy_as(&world, "hello", "mirror", "&verify_jwt=false").await;
    assert_eq!(world.get("/hello").await.json()["path"], "/hello");
    world
}

// rows: G10 J01
#[tokio::test(flavor = "multi_thread")]
async fn a_policy_comes_and_goes_with_its_version() {
    let world = guarded_then_open().await;
    let back = world.manage(Method::POST, "/functions/hello/rollback", "", "").await.json();
    assert_eq!((&back["version"], &back["verify_jwt"]), (&json!(1), &json!(true)));
    assert_eq!(world.get("/hello").await.status, 401, "version 1 is guarded, whatever came after it");
    let world = world.restarted().await;
    assert_eq!(world.get("/hello").await.status, 401, "after a restart as well");
    world.manage(Method::POST, "/functions/hello/rollback?version=2", "", "").await;
    assert_eq!(world.get("/hello").await.json()["path"], "/hello");
    let changed = world.manage(Method::PATCH, "/functions/hello", JSON, r#"{"verify_jwt":true}"#).await;
    assert_eq!(changed.json()["version"], 2);
    deploy_as(&world, "hello", "hello", "").await;
    assert_eq!(world.get("/hello").await.status, 401, "one that says nothing goes on with that before it");
    let both = json!([{"slug": "hello", "version": 2, "verify_jwt": false}]).to_string();
    world.manage(Method::PUT, "/functions", JSON, both).await;
    assert_eq!(world.get("/hello").await.json()["path"], "/hello");
}

// rows: G10 J01
#[tokio::test(flavor = "multi_thread")]
async fn a_version_that_cannot_be_served_leaves_nothing_of_its_policy() {
    let world = guarded_then_open().await;
    let folder = world.config.paths.components().join("deployed/hello");
    deploy_as(&world, "hello", "hello", "&verify_jwt=true").await;
    fs::write(folder.join("2.wasm"), "no component").unwrap();
    let refused = world.manage(Method::POST, "/functions/hello/rollback", "", "").await;
    assert_eq!(refused.status, 400, "{refused:?}");
    let update = json!([{"slug": "hello", "version": 2, "verify_jwt": false}]).to_string();
    assert_eq!(world.manage(Method::PUT, "/functions", JSON, update).await.status, 400);
    let shown = world.manage(Method::GET, "/functions/hello", "", "").await.json();
    assert_eq!((&shown["version"], &shown["verify_jwt"]), (&json!(3), &json!(true)));
    assert_eq!(world.get("/hello").await.status, 401);
    let world = world.restarted().await;
    assert_eq!(world.get("/hello").await.status, 401, "after a restart as well");
    let shown = world.manage(Method::GET, "/functions/hello/versions", "", "").await.json();
    assert_eq!(shown["version"], 3);
}

// rows: G10 J01
#[tokio::test(flavor = "multi_thread")]
async fn an_interrupted_deployment_leaves_the_version_before_it_as_it_was() {
    let world = guarded_then_open().await;
    // The record says the open version is active, but the component is still that of the guarded
    // one.
    world.install("hello", &fs::read(component("hello")).unwrap()).await;
    assert_eq!(world.get("/hello").await.status, 401);
    let shown = world.manage(Method::GET, "/functions/hello", "", "").await.json();
    assert_eq!((&shown["version"], &shown["verify_jwt"]), (&json!(1), &json!(true)));
    // The record says an open version is active, whose component turns out to be broken.
    let path = world.config.paths.components().join("deployed/hello/function.json");
    let mut known: Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
    known["version"] = json!(3);
    let broken = json!({"version": 3, "sha256": "x", "bytes": 1, "created_at": 1, "verify_jwt": false});
    known["versions"].as_array_mut().unwrap().push(broken);
    fs::write(&path, known.to_string()).unwrap();
    world.install("hello", b"no component").await;
    assert_eq!(world.get("/hello").await.status, 401, "the code that goes on is guarded");
    let call = world.call(Method::GET, "/hello").header("authorization", world.service_key());
    assert_eq!(call.await.text(), "Hello World");
}

// rows: G10 J01
#[tokio::test(flavor = "multi_thread")]
async fn no_request_meets_one_version_under_the_policy_of_another() {
    let world = guarded_then_open().await;
    let deploying = async {
        for turn in 0..30 {
            let (guest, policy) =
                if turn % 2 == 0 { ("hello", "&verify_jwt=true") } else { ("mirror", "&verify_jwt=false") };
            assert_eq!(deploy_as(&world, "hello", guest, policy).await.status, 201);
        }
    };
    // Whatever else makes the host scan, such as a change of another function.
    let looking = async {
        loop {
            load(&world.state).await
        }
    };
    let asking = async {
        loop {
            let answer = world.get("/hello").await;
            assert!(answer.status == 401 || answer.text() != "Hello World", "guarded code was open");
        }
    };
    tokio::select! {
        () = deploying => {}
        () = looking => {}
        () = asking => {}
    }
}

// rows: G08 G12 J01
#[tokio::test(flavor = "multi_thread")]
async fn a_deleted_version_does_not_run_in_place_of_the_component_it_covered() {
    let toml = "[functions.x]\nverify_jwt = false\n";
    let banyan = "[functions.x]\ncomponent = \"x.wasm\"\n";
    let world = World::start(&[], toml, banyan, Timings::default()).await;
    assert_eq!(deploy_as(&world, "x", "hello", "&verify_jwt=true").await.status, 201);
    let world = world.restarted().await;
    assert_eq!(world.get("/x").await.status, 401);
    let below = world.config.paths.supabase().join("x.wasm");
    fs::write(below, hostile_components::with_modules(1)).unwrap();
    assert_eq!(world.manage(Method::DELETE, "/functions/x", "", "").await.status, 200);
    let after = world.get("/x").await;
    assert_ne!(after.text(), "Hello World", "what needed a token is open");
    eventually("the component below", async || world.get("/x").await.status == 500).await;
}

// rows: G09 J08
#[tokio::test(flavor = "multi_thread")]
async fn verify_jwt_is_changed_without_a_new_version() {
    let world = empty().await;
    deploy(&world, "hello", "hello").await;
    let changed =
        world.manage(Method::PATCH, "/functions/hello", JSON, r#"{"verify_jwt":true}"#).await.json();
    assert_eq!((&changed["verify_jwt"], &changed["version"]), (&json!(true), &json!(1)));
    assert_eq!(world.get("/hello").await.status, 401);
    world.manage(Method::PATCH, "/functions/hello", JSON, r#"{"verify_jwt":false}"#).await;
    assert_eq!(world.get("/hello").await.status, 200);
}
