//! Secrets, sessions of `functions serve`, and configurations that change.

use std::time::Duration;

use banyan_edge::Timings;
use http::Method;

use super::JSON;
use crate::support::{OfThePlatform, World, eventually};

// rows: V05 LIMIT_SECRETS
#[tokio::test(flavor = "multi_thread")]
async fn a_secret_reaches_functions_at_their_next_request() {
    let toml = "[edge_runtime.secrets]\nSHARED = \"from the file\"\n[functions.probe]\nverify_jwt = false\n";
    let world = World::start(&[("probe", "probe")], toml, "", Timings::default()).await;
    let seen = async |name: &str| {
        let pairs: Vec<(String, String)> =
            serde_json::from_str(world.get("/probe/env").await.text()).unwrap();
        pairs.into_iter().find(|(found, _)| found == name).map(|(_, value)| value)
    };
    assert_eq!((seen("SHARED").await.as_deref(), seen("NEW").await), (Some("from the file"), None));
    let secrets = r#"[{"name":"NEW","value":"a value"},{"name":"SHARED","value":"set"}]"#;
    assert_eq!(world.manage(Method::POST, "/secrets", JSON, secrets).await.status, 201);
    assert_eq!(seen("NEW").await.as_deref(), Some("a value"));
    assert_eq!(seen("SHARED").await.as_deref(), Some("set"));
    let shown = world.manage(Method::GET, "/secrets", "", "").await;
    assert_eq!(shown.json()[0]["name"], "NEW");
    assert!(!shown.text().contains("a value"), "a secret is shown as its digest alone: {shown:?}");
    let reserved = r#"[{"name":"SUPABASE_URL","value":"http://evil.example"}]"#;
    assert_eq!(world.manage(Method::POST, "/secrets", JSON, reserved).await.status, 400);
    assert_eq!(world.manage(Method::DELETE, "/secrets", JSON, r#"["NEW","SHARED"]"#).await.status, 200);
    assert_eq!((seen("SHARED").await.as_deref(), seen("NEW").await), (Some("from the file"), None));
}

// rows: G04 J08
#[tokio::test(flavor = "multi_thread")]
async fn a_session_of_serve_opens_functions_and_gives_them_variables_until_it_ends() {
    let world = World::start(&[("probe", "probe")], "", "", Timings::default()).await;
    assert_eq!(world.get("/probe/calls").await.status, 401);
    let asked = r#"{"no_verify_jwt":true,"env":{"MINE":"1","SUPABASE_URL":"http://evil.example"}}"#;
    assert_eq!(world.manage(Method::PUT, "/serve", JSON, asked).await.status, 200);
    let seen = world.get("/probe/env").await.text().to_owned();
    assert!(seen.contains(r#"["MINE","1"]"#) && !seen.contains("evil.example"), "{seen}");
    world.manage(Method::DELETE, "/serve", "", "").await;
    assert_eq!(world.get("/probe/calls").await.status, 401);
}

// rows: G04 J08
#[tokio::test(flavor = "multi_thread")]
async fn a_session_that_is_not_asked_for_again_is_over() {
    let timings = Timings { session: Duration::from_millis(1000), ..Timings::default() };
    let world = World::start(&[("probe", "probe")], "", "", timings).await;
    let ask = async || world.manage(Method::PUT, "/serve", JSON, r#"{"no_verify_jwt":true}"#).await.status;
    for _ in 0..4 {
        assert_eq!(ask().await, 200);
        tokio::time::sleep(Duration::from_millis(400)).await;
        assert_eq!(world.get("/probe/calls").await.status, 200, "it is asked for in time");
    }
    eventually("the end of the session", async || world.get("/probe/calls").await.status == 401).await;
    ask().await;
    assert_eq!(world.get("/probe/calls").await.status, 200, "and again");
}

// rows: G05 G02 G01
#[tokio::test(flavor = "multi_thread")]
async fn a_changed_configuration_is_taken_over_while_requests_run() {
    let world = World::start(&[("probe", "probe")], "", "", Timings::default()).await;
    assert_eq!(world.get("/probe/calls").await.status, 401);
    let open = "[functions.probe]\nverify_jwt = false\n[functions.probe.env]\nNEW = \"1\"\n";
    world.state.reconfigure(&world.config_with(open)).await;
    let (running, ()) = tokio::join!(world.get("/probe/wait?300"), async {
        tokio::time::sleep(std::time::Duration::from_millis(100)).await;
        assert!(world.get("/probe/env").await.text().contains("NEW"));
        let disabled = "[functions.probe]\nenabled = false\n";
        world.state.reconfigure(&world.config_with(disabled)).await;
        world.get("/probe/calls").await.is_platform_error(404, "NOT_FOUND", "NOT_FOUND");
    });
    assert_eq!(running.text(), "waited", "what ran goes on");
    let off = "[edge_runtime]\nenabled = false\npolicy = \"oneshot\"\ninspector_port = 8083\n";
    world.state.reconfigure(&world.config_with(off)).await;
    world.get("/probe/calls").await.is_platform_error(404, "NOT_FOUND", "NOT_FOUND");
}

/// The limits of a function hold across changes that happen while it runs.
// rows: H12 V05
#[tokio::test(flavor = "multi_thread")]
async fn a_change_of_settings_gives_a_function_no_second_share() {
    let toml = "[functions.probe]\nverify_jwt = false\n";
    let world =
        World::start(&[("probe", "probe")], toml, "[functions.probe]\nconcurrency = 1\n", Timings::default())
            .await;
    let (first, second) = tokio::join!(world.get("/probe/wait?1500"), async {
        tokio::time::sleep(Duration::from_millis(300)).await;
        let secrets = r#"[{"name":"NEW","value":"a value"}]"#;
        assert_eq!(world.manage(Method::POST, "/secrets", JSON, secrets).await.status, 201);
        let began = std::time::Instant::now();
        (world.get("/probe/calls").await.text().to_owned(), began.elapsed())
    });
    assert_eq!((first.text(), second.0.as_str()), ("waited", "1"));
    assert!(second.1 > Duration::from_millis(700), "it ran beside the first: {:?}", second.1);
}
