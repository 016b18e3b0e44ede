//! Which changes wait for each other.

use banyan_testkit::hostile_components;
use futures_util::FutureExt;
use http::Method;
use serde_json::json;

use super::{JSON, WASM, deploy, empty};
use crate::support::eventually;

// rows: G10
#[tokio::test(flavor = "multi_thread")]
async fn a_deployment_whose_client_leaves_is_served_or_not_begun() {
    let world = empty().await;
    deploy(&world, "hello", "hello").await;
    // One poll starts it if nothing keeps it waiting.
    assert!(deploy(&world, "hello", "mirror").now_or_never().is_none());
    eventually("the version it brought", async || world.get("/hello").await.text() != "Hello World").await;
}

// rows: G09 G10
#[tokio::test(flavor = "multi_thread")]
async fn no_change_waits_for_the_component_of_another_to_be_compiled() {
    let world = empty().await;
    for guest in ["hello", "mirror"] {
        deploy(&world, "hello", guest).await;
    }
    let slow = hostile_components::slow_to_compile();
    let path = "/functions/deploy?slug=slow&verify_jwt=false";
    // One poll starts it.
    let mut deploying = Box::pin(world.manage(Method::POST, path, WASM, slow));
    assert!(deploying.as_mut().now_or_never().is_none());
    let back = world.manage(Method::POST, "/functions/hello/rollback", "", "").await;
    let closed = world.manage(Method::PATCH, "/functions/hello", JSON, r#"{"verify_jwt":true}"#).await;
    assert_eq!((back.status, closed.status), (200, 200));
    assert!(deploying.as_mut().now_or_never().is_none(), "they waited for the deployment");
    let deployed = deploying.await;
    assert_eq!((deployed.status, &deployed.json()["version"]), (201, &json!(1)));
    assert_eq!(world.get("/hello").await.status, 401);
}

// rows: G08 G10
#[tokio::test(flavor = "multi_thread")]
async fn what_is_asked_for_while_a_deployment_is_compiled_comes_after_it() {
    let world = empty().await;
    deploy(&world, "hello", "hello").await;
    let slow = async |more: u8| {
        let mut slow = hostile_components::slow_to_compile();
        // An empty custom section makes it another component.
        slow.extend([0, 2, 1, more]);
        world.manage(Method::POST, "/functions/deploy?slug=hello&verify_jwt=false", WASM, slow).await
    };
    // One poll starts it, so it comes before what is asked for from then on.
    let mut large = Box::pin(slow(b'a'));
    assert!(large.as_mut().now_or_never().is_none());
    let small = deploy(&world, "hello", "mirror").await.json();
    assert_eq!((large.await.json()["version"].clone(), &small["version"]), (json!(2), &json!(3)));
    assert_eq!(world.get("/hello").await.json()["path"], "/hello", "the later one is served");

    let mut large = Box::pin(slow(b'b'));
    assert!(large.as_mut().now_or_never().is_none());
    assert_eq!(world.manage(Method::DELETE, "/functions/hello", "", "").await.status, 200);
    assert_eq!(large.await.status, 201);
    assert_eq!(world.get("/hello").await.status, 404, "what was deleted stays deleted");
}
