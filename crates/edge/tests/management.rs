//! What management commands ask of a running stack (functions.md sections 7 and 8).

use std::{fs, time::Instant};

use banyan_edge::Timings;
use banyan_testkit::components;
use futures_util::FutureExt;
use http::Method;
use http_body_util::BodyExt;
use serde_json::{Value, json};

use crate::support::{Answer, World, component, eventually, load};

const WASM: &str = "application/wasm";
const JSON: &str = "application/json";

async fn deploy(world: &World, slug: &str, guest: &str) -> Answer {
    deploy_as(world, slug, guest, "&verify_jwt=false").await
}

async fn deploy_as(world: &World, slug: &str, guest: &str, policy: &str) -> Answer {
    let component = fs::read(component(guest)).unwrap();
    let path = format!("/functions/deploy?slug={slug}{policy}");
    world.manage(Method::POST, &path, WASM, component).await
}

async fn empty() -> World {
    World::start(&[], "", "", Timings::default()).await
}

#[tokio::test(flavor = "multi_thread")]
async fn functions_g09_g10_a_deployment_is_served_at_once_and_each_is_a_version() {
    let world = empty().await;
    assert_eq!(world.get("/hello").await.status, 404);
    let first = deploy(&world, "hello", "hello").await;
    assert_eq!(first.status, 201, "{first:?}");
    let first = first.json();
    assert_eq!(world.get("/hello").await.body, "Hello World");
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

/// A form as the supabase CLI sends it: metadata, and each file under the path it has in the project.
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

#[tokio::test(flavor = "multi_thread")]
async fn functions_g06_g09_a_form_brings_the_component_that_its_metadata_calls_the_entrypoint() {
    let world = empty().await;
    let metadata =
        json!({"entrypoint_path": "functions/greet/greet.wasm", "name": "greet", "verify_jwt": false});
    let hello = fs::read(component("hello")).unwrap();
    let files = [("functions/greet/notes.txt", b"notes".to_vec()), ("./functions/greet/greet.wasm", hello)];
    let deployed = deploy_form(&world, "slug=greet", &metadata, &files).await;
    assert_eq!((deployed.status, &deployed.json()["version"]), (201, &json!(1)), "{deployed:?}");
    assert_eq!(world.get("/greet").await.body, "Hello World", "verify_jwt is that of the form");

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
    assert_eq!(world.get("/greet").await.body, "Hello World");
}

#[tokio::test(flavor = "multi_thread")]
async fn functions_g06_g09_g10_held_versions_are_served_together_or_not_at_all() {
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
    assert_eq!(world.get("/first").await.body, "Hello World", "what is held is not served");
    assert_eq!(world.get("/second").await.status, 404);

    let update = async |body: Value| world.manage(Method::PUT, "/functions", JSON, body.to_string()).await;
    let absent = json!({"slug": "third", "version": 1});
    assert_eq!(update(json!([first, absent])).await.status, 404);
    assert_eq!(update(json!([{"slug": "../first", "version": 1}])).await.status, 404);
    assert_eq!(world.get("/first").await.body, "Hello World", "one is missing, so none is served");
    let updated = update(json!([first, second])).await;
    assert_eq!(updated.status, 200, "{updated:?}");
    let shown = updated.json();
    assert_eq!([&shown["functions"][0]["version"], &shown["functions"][1]["version"]], [2, 1]);
    assert_eq!(world.get("/first").await.json()["path"], "/first");
    assert_eq!(world.get("/second").await.body, "Hello World");
}

#[tokio::test(flavor = "multi_thread")]
async fn functions_g10_a_version_is_rolled_back_and_numbers_go_on() {
    let world = empty().await;
    deploy(&world, "hello", "hello").await;
    deploy(&world, "hello", "mirror").await;
    let back = world.manage(Method::POST, "/functions/hello/rollback", "", "").await;
    assert_eq!((back.status, &back.json()["version"]), (200, &json!(1)));
    assert_eq!(world.get("/hello").await.body, "Hello World");
    let forth = world.manage(Method::POST, "/functions/hello/rollback?version=2", "", "").await;
    assert_eq!(forth.json()["version"], 2);
    assert_eq!(world.get("/hello").await.json()["path"], "/hello");
    let none = world.manage(Method::POST, "/functions/hello/rollback?version=7", "", "").await;
    assert_eq!((none.status, &none.json()["message"]), (404, &json!("version 7 of hello is not kept")));
    assert_eq!(deploy(&world, "hello", "hello").await.json()["version"], 3);
    deploy(&world, "once", "hello").await;
    let none = world.manage(Method::POST, "/functions/once/rollback", "", "").await;
    assert_eq!((none.status, &none.json()["message"]), (404, &json!("there is no earlier version of once")));
    let known = world.manage(Method::GET, "/functions/hello/versions", "", "").await.json();
    let versions: Vec<&Value> = known["versions"].as_array().unwrap().iter().map(|v| &v["version"]).collect();
    assert_eq!(versions, [1, 2, 3]);
}

#[tokio::test(flavor = "multi_thread")]
async fn functions_g10_a_roll_back_leads_to_what_ran_before_also_after_another_one() {
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

#[tokio::test(flavor = "multi_thread")]
async fn functions_g10_f05_a_disabled_function_is_rolled_back_as_if_it_ran() {
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

#[tokio::test(flavor = "multi_thread")]
async fn functions_f05_g09_a_disabled_function_is_shown_as_if_it_ran() {
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

/// A guarded version 1 that says hello, and an open version 2 that mirrors.
async fn guarded_then_open() -> World {
    let world = empty().await;
    deploy_as(&world, "hello", "hello", "&verify_jwt=true").await;
    assert_eq!(world.get("/hello").await.status, 401);
    deploy_as(&world, "hello", "mirror", "&verify_jwt=false").await;
    assert_eq!(world.get("/hello").await.json()["path"], "/hello");
    world
}

#[tokio::test(flavor = "multi_thread")]
async fn functions_g10_j01_a_policy_comes_and_goes_with_its_version() {
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

#[tokio::test(flavor = "multi_thread")]
async fn functions_g10_j01_a_version_that_cannot_be_served_leaves_nothing_of_its_policy() {
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

#[tokio::test(flavor = "multi_thread")]
async fn functions_g10_j01_a_deployment_that_is_interrupted_leaves_the_version_before_it_under_its_own_policy()
 {
    let world = guarded_then_open().await;
    // What was noted is the open version, and the component of the guarded one is still in place.
    world.install("hello", &fs::read(component("hello")).unwrap()).await;
    assert_eq!(world.get("/hello").await.status, 401);
    let shown = world.manage(Method::GET, "/functions/hello", "", "").await.json();
    assert_eq!((&shown["version"], &shown["verify_jwt"]), (&json!(1), &json!(true)));
    // What was noted is an open version whose component turns out to be broken.
    let path = world.config.paths.components().join("deployed/hello/function.json");
    let mut known: Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
    known["version"] = json!(3);
    let broken = json!({"version": 3, "sha256": "x", "bytes": 1, "created_at": 1, "verify_jwt": false});
    known["versions"].as_array_mut().unwrap().push(broken);
    fs::write(&path, known.to_string()).unwrap();
    world.install("hello", b"no component").await;
    assert_eq!(world.get("/hello").await.status, 401, "the code that goes on is guarded");
    let call = world.request(Method::GET, "/hello").header("authorization", world.service_key());
    assert_eq!(world.send(call, "").await.body, "Hello World");
}

#[tokio::test(flavor = "multi_thread")]
async fn functions_g10_j01_no_request_meets_one_version_under_the_policy_of_another() {
    let world = guarded_then_open().await;
    let deploying = async {
        for turn in 0..30 {
            let (guest, policy) =
                if turn % 2 == 0 { ("hello", "&verify_jwt=true") } else { ("mirror", "&verify_jwt=false") };
            assert_eq!(deploy_as(&world, "hello", guest, policy).await.status, 201);
        }
    };
    // What else makes the host look at its folder, such as a change of another function.
    let looking = async {
        loop {
            load(&world.state).await
        }
    };
    let asking = async {
        loop {
            let answer = world.get("/hello").await;
            assert!(answer.status == 401 || answer.body != "Hello World", "guarded code was open");
        }
    };
    tokio::select! {
        () = deploying => {}
        () = looking => {}
        () = asking => {}
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn functions_g10_a_deployment_whose_client_leaves_is_served_or_not_begun() {
    let world = empty().await;
    deploy(&world, "hello", "hello").await;
    // Polled once, it is at work where nothing waits for it.
    assert!(deploy(&world, "hello", "mirror").now_or_never().is_none());
    eventually("the version it brought", async || world.get("/hello").await.body != "Hello World").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn functions_g09_g10_no_change_waits_for_the_component_of_another_to_be_compiled() {
    let world = empty().await;
    for guest in ["hello", "mirror"] {
        deploy(&world, "hello", guest).await;
    }
    let slow = components::slow_to_compile();
    let path = "/functions/deploy?slug=slow&verify_jwt=false";
    // Polled once, it is at work.
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

#[tokio::test(flavor = "multi_thread")]
async fn functions_g08_g10_what_is_asked_for_while_a_deployment_is_compiled_comes_after_it() {
    let world = empty().await;
    deploy(&world, "hello", "hello").await;
    let slow = async |more: u8| {
        let mut slow = components::slow_to_compile();
        // A section that says nothing makes it another component.
        slow.extend([0, 2, 1, more]);
        world.manage(Method::POST, "/functions/deploy?slug=hello&verify_jwt=false", WASM, slow).await
    };
    // Polled once, it is at work and comes before what is asked for from then on.
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

#[tokio::test(flavor = "multi_thread")]
async fn functions_g09_a_function_that_answers_no_request_is_listed_as_throttled_and_with_the_reason() {
    let toml = "[functions.planned]\n[functions.deleted]\n";
    let banyan = "[functions.elsewhere]\ncomponent = \"nowhere.wasm\"\n";
    let world = World::start(&[("hello", "hello")], toml, banyan, Timings::default()).await;
    deploy(&world, "deleted", "hello").await;
    world.install("broken", b"no component").await;
    fs::write(world.component_path("late"), components::slow_to_compile()).unwrap();
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
    let log = world.manage(Method::GET, "/logs?function=broken", "", "").await.body;
    assert!(log.contains("BootFailure"), "the log says what is wrong: {log}");
}

#[tokio::test(flavor = "multi_thread")]
async fn functions_g10_boot_error_a_broken_deployment_never_takes_the_place_of_one_that_runs() {
    let world = empty().await;
    deploy(&world, "hello", "hello").await;
    let liar =
        components::with_import("(import \"evil:host/escape@1.0.0\" (instance (export \"run\" (func))))");
    for broken in [b"no component".to_vec(), liar] {
        let answer = world.manage(Method::POST, "/functions/deploy?slug=hello", WASM, broken).await;
        assert_eq!(answer.status, 400, "{answer:?}");
        assert!(answer.json()["message"].as_str().unwrap().contains("was not deployed"), "{answer:?}");
    }
    assert_eq!(world.get("/hello").await.body, "Hello World");
    assert_eq!(world.manage(Method::GET, "/functions/hello", "", "").await.json()["version"], 1);
    assert_eq!(deploy(&world, "hello", "mirror").await.json()["version"], 2, "no number was used up");
}

#[tokio::test(flavor = "multi_thread")]
async fn functions_g08_a_deleted_function_is_gone_with_its_versions_and_its_component_can_be_fetched() {
    let world = empty().await;
    deploy(&world, "hello", "hello").await;
    let fetched = world.manage(Method::GET, "/functions/hello/body", "", "").await;
    assert_eq!(fetched.header("content-type"), Some(WASM));
    assert_eq!(fetched.body, String::from_utf8_lossy(&fs::read(component("hello")).unwrap()));
    assert_eq!(world.manage(Method::DELETE, "/functions/hello", "", "").await.status, 200);
    world.get("/hello").await.is_platform_error(404, "NOT_FOUND", "NOT_FOUND");
    assert_eq!(world.manage(Method::DELETE, "/functions/hello", "", "").await.status, 404);
    assert_eq!(deploy(&world, "hello", "hello").await.json()["version"], 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn functions_g08_g12_j01_a_deleted_version_does_not_run_on_in_place_of_what_it_lay_over() {
    let toml = "[functions.x]\nverify_jwt = false\n";
    let banyan = "[functions.x]\ncomponent = \"x.wasm\"\n";
    let world = World::start(&[], toml, banyan, Timings::default()).await;
    assert_eq!(deploy_as(&world, "x", "hello", "&verify_jwt=true").await.status, 201);
    let world = world.restarted().await;
    assert_eq!(world.get("/x").await.status, 401);
    let below = world.config.paths.supabase().join("x.wasm");
    fs::write(below, components::with_modules(1)).unwrap();
    assert_eq!(world.manage(Method::DELETE, "/functions/x", "", "").await.status, 200);
    let after = world.get("/x").await;
    assert_ne!(after.body, "Hello World", "what needed a token is open");
    eventually("the component below", async || world.get("/x").await.status == 500).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn functions_g09_j08_verify_jwt_is_changed_without_a_new_version() {
    let world = empty().await;
    deploy(&world, "hello", "hello").await;
    let changed =
        world.manage(Method::PATCH, "/functions/hello", JSON, r#"{"verify_jwt":true}"#).await.json();
    assert_eq!((&changed["verify_jwt"], &changed["version"]), (&json!(true), &json!(1)));
    assert_eq!(world.get("/hello").await.status, 401);
    world.manage(Method::PATCH, "/functions/hello", JSON, r#"{"verify_jwt":false}"#).await;
    assert_eq!(world.get("/hello").await.status, 200);
}

#[tokio::test(flavor = "multi_thread")]
async fn functions_g09_limit_bundle_what_cannot_be_deployed_is_refused_with_its_reason() {
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

#[tokio::test(flavor = "multi_thread")]
async fn functions_v05_limit_secrets_a_secret_reaches_functions_at_their_next_request() {
    let toml = "[edge_runtime.secrets]\nSHARED = \"from the file\"\n[functions.probe]\nverify_jwt = false\n";
    let world = World::start(&[("probe", "probe")], toml, "", Timings::default()).await;
    let seen = async |name: &str| {
        let pairs: Vec<(String, String)> = serde_json::from_str(&world.get("/probe/env").await.body).unwrap();
        pairs.into_iter().find(|(found, _)| found == name).map(|(_, value)| value)
    };
    assert_eq!((seen("SHARED").await.as_deref(), seen("NEW").await), (Some("from the file"), None));
    let secrets = r#"[{"name":"NEW","value":"a value"},{"name":"SHARED","value":"set"}]"#;
    assert_eq!(world.manage(Method::POST, "/secrets", JSON, secrets).await.status, 201);
    assert_eq!(seen("NEW").await.as_deref(), Some("a value"));
    assert_eq!(seen("SHARED").await.as_deref(), Some("set"));
    let shown = world.manage(Method::GET, "/secrets", "", "").await;
    assert_eq!(shown.json()[0]["name"], "NEW");
    assert!(!shown.body.contains("a value"), "a secret is shown as its digest alone: {shown:?}");
    let reserved = r#"[{"name":"SUPABASE_URL","value":"http://evil.example"}]"#;
    assert_eq!(world.manage(Method::POST, "/secrets", JSON, reserved).await.status, 400);
    assert_eq!(world.manage(Method::DELETE, "/secrets", JSON, r#"["NEW","SHARED"]"#).await.status, 200);
    assert_eq!((seen("SHARED").await.as_deref(), seen("NEW").await), (Some("from the file"), None));
}

#[tokio::test(flavor = "multi_thread")]
async fn functions_g04_j08_a_session_of_serve_opens_functions_and_gives_them_variables_until_it_ends() {
    let world = World::start(&[("probe", "probe")], "", "", Timings::default()).await;
    assert_eq!(world.get("/probe/calls").await.status, 401);
    let asked = r#"{"no_verify_jwt":true,"env":{"MINE":"1","SUPABASE_URL":"http://evil.example"}}"#;
    assert_eq!(world.manage(Method::PUT, "/serve", JSON, asked).await.status, 200);
    let seen = world.get("/probe/env").await.body;
    assert!(seen.contains(r#"["MINE","1"]"#) && !seen.contains("evil.example"), "{seen}");
    world.manage(Method::DELETE, "/serve", "", "").await;
    assert_eq!(world.get("/probe/calls").await.status, 401);
}

#[tokio::test(flavor = "multi_thread")]
async fn functions_g05_g02_g01_a_changed_configuration_is_taken_over_while_requests_run() {
    let world = World::start(&[("probe", "probe")], "", "", Timings::default()).await;
    assert_eq!(world.get("/probe/calls").await.status, 401);
    let open = "[functions.probe]\nverify_jwt = false\n[functions.probe.env]\nNEW = \"1\"\n";
    world.state.reconfigure(&world.config_with(open)).await;
    let (running, ()) = tokio::join!(world.get("/probe/wait?300"), async {
        tokio::time::sleep(std::time::Duration::from_millis(100)).await;
        assert!(world.get("/probe/env").await.body.contains("NEW"));
        let disabled = "[functions.probe]\nenabled = false\n";
        world.state.reconfigure(&world.config_with(disabled)).await;
        world.get("/probe/calls").await.is_platform_error(404, "NOT_FOUND", "NOT_FOUND");
    });
    assert_eq!(running.body, "waited", "what ran goes on");
    let off = "[edge_runtime]\nenabled = false\npolicy = \"oneshot\"\ninspector_port = 8083\n";
    world.state.reconfigure(&world.config_with(off)).await;
    world.get("/probe/calls").await.is_platform_error(404, "NOT_FOUND", "NOT_FOUND");
}

#[tokio::test(flavor = "multi_thread")]
async fn functions_w06_w07_limit_log_lines_are_kept_with_level_and_request_and_followed() {
    let world = World::probe("").await;
    let request = world.request(Method::GET, "/probe/log").header("x-request-id", "request-7");
    world.send(request, "").await;
    world.get("/probe/panic").await;
    let lines = async |path: &str| -> Vec<Value> {
        let text = world.manage(Method::GET, path, "", "").await.body;
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    };
    let is_failure = |line: &Value| line["event"] == "Shutdown" && line["level"] == "error";
    eventually("the last line", async || lines("/logs").await.iter().any(is_failure)).await;
    let all = lines("/logs?function=probe").await;
    let find = |text: &str| all.iter().find(|line| line["message"].as_str().unwrap().contains(text)).unwrap();
    for (text, level) in [("first line", "info"), ("to stderr", "error"), ("without an end", "info")] {
        let line = find(text);
        assert_eq!((&line["level"], &line["request_id"]), (&json!(level), &json!("request-7")), "{line}");
        assert_eq!((&line["function"], &line["event"]), (&json!("probe"), &json!("Log")), "{line}");
        assert_eq!(line["execution_id"].as_str().map(str::len), Some(36), "{line}");
    }
    let last = all.last().unwrap()["id"].as_u64().unwrap();
    assert_eq!(lines(&format!("/logs?after={last}")).await, Vec::<Value>::new());
    assert_eq!(lines("/logs?function=nobody").await, Vec::<Value>::new());
    follows(&world, last).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn functions_w06_each_event_has_its_fields() {
    // Enough for the others on a machine that has much to do; the loop uses it up.
    let world = World::probe("cpu_ms = 1000").await;
    for route in ["calls", "panic", "loop", "hog", "fail"] {
        world.get(&format!("/probe/{route}")).await;
    }
    world.install("broken", b"no component").await;
    let lines = async || -> Vec<Value> {
        let text = world.manage(Method::GET, "/logs", "", "").await.body;
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    };
    let of = |lines: &[Value], event: &str| -> Vec<Value> {
        lines.iter().filter(|line| line["event"] == event).cloned().collect()
    };
    eventually("the end of each instance", async || of(&lines().await, "Shutdown").len() == 5).await;
    let all = lines().await;
    for line in &all {
        for field in ["id", "timestamp", "function", "level", "message"] {
            assert!(!line[field].is_null(), "{field} is not in {line}");
        }
    }
    let boots = of(&all, "Boot");
    let of_requests = boots.iter().filter(|line| line["request_id"].is_string());
    assert_eq!(
        (boots.len(), of_requests.count()),
        (6, 5),
        "of the component, and of each instance: {boots:?}"
    );
    for boot in &boots {
        assert!(boot["boot_time_ms"].is_u64() && boot["level"] == "info", "{boot}");
    }
    let failed = of(&all, "BootFailure");
    assert!(failed[0]["function"] == "broken" && failed[0]["level"] == "error", "{failed:?}");
    // The function that gives up has done what it was made to do.
    let (done, failure) = (("EventLoopCompleted", "info"), |reason| (reason, "error"));
    let expected = [done, failure("UncaughtException"), failure("CPUTime"), failure("Memory"), done];
    for ((reason, level), line) in expected.into_iter().zip(of(&all, "Shutdown")) {
        assert_eq!((&line["reason"], &line["level"]), (&json!(reason), &json!(level)), "{line}");
        assert!(line["cpu_time_used_ms"].is_u64(), "{line}");
        assert_eq!(line["exception"].is_string(), level == "error", "{line}");
        assert!(line["memory_used"].as_u64().unwrap() > 0, "{line}");
        assert!(line["request_id"].is_string() && line["execution_id"].is_string(), "{line}");
    }
    let gave_up = of(&all, "UncaughtException");
    assert!(gave_up[0]["exception"].is_string() && gave_up[0]["request_id"].is_string(), "{gave_up:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn functions_limit_log_w06_a_function_that_is_called_again_and_again_does_not_fill_the_log() {
    let world = World::open(&[("hello", "hello")], "").await;
    let began = Instant::now();
    for _ in 0..150 {
        world.get("/hello").await;
    }
    let windows = began.elapsed().as_secs() / 10 + 2;
    let log = world.manage(Method::GET, "/logs?function=hello", "", "").await.body;
    let told = log.lines().filter(|line| line.contains("EventLoopCompleted")).count();
    assert!(told >= 1 && told as u64 <= 20 * windows, "{told} lines for 150 silent invocations");
    assert!(!log.contains(r#""level":"error""#), "nothing has failed: {log}");
}

#[tokio::test(flavor = "multi_thread")]
async fn functions_limit_log_w06_a_function_that_fails_again_and_again_does_not_fill_the_log() {
    let world = World::open(&[("probe", "probe"), ("other", "probe")], "").await;
    for _ in 0..210 {
        assert_eq!(world.get("/probe/panic").await.status, 500);
        assert_eq!(world.get("/probe/fail").await.status, 500);
    }
    world.get("/other/panic").await;
    let count = async |function: &str| {
        let text = world.manage(Method::GET, &format!("/logs?function={function}"), "", "").await.body;
        let is_failure = |line: &&str| line.contains("UncaughtException");
        text.lines().filter(is_failure).count()
    };
    eventually("the line of another function", async || count("other").await == 1).await;
    let told = count("probe").await;
    assert!((1..=200).contains(&told), "{told} lines for 420 failures");
}

/// Lines that come after `last` are sent as they come.
async fn follows(world: &World, last: u64) {
    let request = http::Request::get(format!("/v1/projects/school/logs?follow=true&after={last}"));
    let request = request.body(http_body_util::Empty::new().map_err(|never| match never {}).boxed_unsync());
    let now = banyan_identity::Clock::system().now();
    let mut body = banyan_edge::management::handle(&world.state, request.unwrap(), now).await.into_body();
    let waiting = tokio::time::timeout(std::time::Duration::from_millis(100), body.frame()).await;
    assert!(waiting.is_err(), "nothing new was written");
    world.get("/probe/log").await;
    let chunk = body.frame().await.unwrap().unwrap().into_data().unwrap();
    let line: Value = serde_json::from_slice(chunk.split(|byte| *byte == b'\n').next().unwrap()).unwrap();
    assert_eq!((&line["event"], line["id"].as_u64()), (&json!("Boot"), Some(last + 1)));
}

#[tokio::test(flavor = "multi_thread")]
async fn functions_g13_load_function_invalid_entrypoint_path_error_typescript_alone_is_told_apart() {
    let world = empty().await;
    let folder = world.config.paths.functions().join("old");
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("index.ts"), "Deno.serve(() => new Response())").unwrap();
    load(&world.state).await;
    let call = world.request(Method::POST, "/old").header("authorization", world.service_key());
    let answer = world.send(call, "").await;
    let code = "LOAD_FUNCTION_INVALID_ENTRYPOINT_PATH_ERROR";
    answer.is_platform_error(500, code, code);
    assert!(answer.json()["message"].as_str().unwrap().contains("banyan functions new"), "{answer:?}");
    deploy(&world, "old", "hello").await;
    assert_eq!(world.get("/old").await.body, "Hello World", "a component wins");
}

#[tokio::test(flavor = "multi_thread")]
async fn functions_not_found_function_blob_a_configured_function_without_code_says_so() {
    let toml = "[functions.planned]\nverify_jwt = false\n";
    let banyan = "[functions.elsewhere]\ncomponent = \"nowhere.wasm\"\nverify_jwt = false\n";
    let world = World::start(&[], toml, banyan, Timings::default()).await;
    for name in ["planned", "elsewhere"] {
        let code = "NOT_FOUND_FUNCTION_BLOB";
        world.get(&format!("/{name}")).await.is_platform_error(404, code, code);
    }
    fs::copy(component("hello"), world.config.paths.supabase().join("nowhere.wasm")).unwrap();
    load(&world.state).await;
    assert_eq!(world.get("/elsewhere").await.body, "Hello World", "a component by its path (G02, G12)");
    let listed = world.manage(Method::GET, "/functions", "", "").await.json();
    let this_year = 1_700_000_000_000;
    assert!(
        listed.as_array().unwrap().iter().all(|it| it["updated_at"].as_i64() > Some(this_year)),
        "{listed}"
    );
    let sent = world.manage(Method::GET, "/functions/elsewhere/body", "", "").await;
    assert_eq!(sent.status, 200);
}

#[tokio::test(flavor = "multi_thread")]
async fn functions_load_function_metadata_error_versions_that_cannot_be_read_are_an_error_of_their_own() {
    let world = empty().await;
    deploy(&world, "hello", "hello").await;
    let known = world.config.paths.components().join("deployed/hello/function.json");
    fs::write(&known, "no JSON").unwrap();
    load(&world.state).await;
    let code = "LOAD_FUNCTION_METADATA_ERROR";
    load(&world.state).await;
    let log = world.manage(Method::GET, "/logs?function=hello", "", "").await.body;
    assert_eq!(log.matches("BootFailure").count(), 1, "it is told of once: {log}");
    let call = world.request(Method::POST, "/hello").header("authorization", world.service_key());
    world.send(call, "").await.is_platform_error(500, code, code);
}
