//! What an instance may use, and what it sees (functions.md sections 5, 6, 15).

use std::time::{Duration, Instant};

use banyan_edge::Timings;
use http::Method;
use serde_json::{Value, json};

use crate::support::World;

#[tokio::test(flavor = "multi_thread")]
async fn functions_h09_limit_cpu_worker_resource_limit_e04_x01_an_endless_loop_is_stopped_by_its_cpu_limit() {
    let world = World::probe("cpu_ms = 300").await;
    let started = Instant::now();
    let answer = world.get("/probe/loop").await;
    answer.is_platform_error(546, "WORKER_RESOURCE_LIMIT", "WORKER_LIMIT");
    assert_eq!(
        answer.json()["message"],
        "Worker failed to respond due to a resource limit (please check logs)"
    );
    assert!(started.elapsed() >= Duration::from_millis(300), "{:?}", started.elapsed());
    assert_eq!(world.get("/probe/calls").await.body, "1", "the host goes on");
}

#[tokio::test(flavor = "multi_thread")]
async fn functions_h09_limit_cpu_waiting_costs_no_cpu_time() {
    let world = World::probe("cpu_ms = 50").await;
    assert_eq!(world.get("/probe/wait?600").await.body, "waited");
}

#[tokio::test(flavor = "multi_thread")]
async fn functions_h09_limit_memory_worker_resource_limit_x02_memory_is_refused_beyond_the_limit() {
    let world = World::probe("memory_mb = 24").await;
    let answer = world.get("/probe/hog").await;
    answer.is_platform_error(546, "WORKER_RESOURCE_LIMIT", "WORKER_LIMIT");
}

#[tokio::test(flavor = "multi_thread")]
async fn functions_h09_limit_wall_worker_resource_limit_the_wall_clock_ends_a_function_that_waits() {
    let world = World::probe("wall_clock = \"200ms\"").await;
    world.get("/probe/wait?20000").await.is_platform_error(546, "WORKER_RESOURCE_LIMIT", "WORKER_LIMIT");
}

#[tokio::test(flavor = "multi_thread")]
async fn functions_idle_timeout_limit_idle_no_answer_within_the_idle_time_is_504() {
    let timings = Timings { first_byte: Duration::from_millis(100), ..Timings::default() };
    let toml = "[functions.probe]\nverify_jwt = false\n";
    let world = World::start(&[("probe", "probe")], toml, "", timings).await;
    world.get("/probe/wait?20000").await.is_platform_error(504, "IDLE_TIMEOUT", "IDLE_TIMEOUT");
}

#[tokio::test(flavor = "multi_thread")]
async fn functions_limit_places_h12_requests_wait_for_a_place_and_then_get_503() {
    let timings = Timings { queue: Duration::from_millis(100), ..Timings::default() };
    let toml = "[functions.probe]\nverify_jwt = false\n[functions.hello]\nverify_jwt = false\n";
    let banyan = "[functions.probe]\nconcurrency = 1\n";
    let world = World::start(&[("probe", "probe"), ("hello", "hello")], toml, banyan, timings).await;
    let (first, second, other) = tokio::join!(
        world.get("/probe/wait?600"),
        async {
            tokio::time::sleep(Duration::from_millis(150)).await;
            world.get("/probe/calls").await
        },
        async {
            tokio::time::sleep(Duration::from_millis(150)).await;
            world.get("/hello").await
        }
    );
    assert_eq!(first.body, "waited");
    second.is_platform_error(503, "SERVICE_UNAVAILABLE", "SERVICE_UNAVAILABLE");
    assert_eq!(second.header("retry-after"), Some("1"));
    assert_eq!(other.body, "Hello World", "another function has its own places (H12)");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn functions_h12_x16_busy_functions_leave_time_for_others() {
    let world = World::open(&[("probe", "probe"), ("hello", "hello")], "cpu_ms = 3000").await;
    let busy = async {
        tokio::join!(world.get("/probe/spin?700"), world.get("/probe/spin?700"));
    };
    let quick = async {
        tokio::time::sleep(Duration::from_millis(100)).await;
        let started = Instant::now();
        assert_eq!(world.get("/hello").await.body, "Hello World");
        started.elapsed()
    };
    let ((), waited) = tokio::join!(busy, quick);
    assert!(waited < Duration::from_millis(500), "a short request waited {waited:?} behind two busy ones");
}

#[tokio::test(flavor = "multi_thread")]
async fn functions_v01_v02_v03_v04_v05_v06_v07_v08_h08_the_environment_is_the_list_and_nothing_else() {
    let toml = "[edge_runtime.secrets]\nMODEL_KEY = \"shared\"\nOTHER = \"o\"\n\
                [functions.probe]\nverify_jwt = false\n[functions.probe.env]\nMODEL_KEY = \"own\"\nSUPABASE_URL = \"forged\"\n";
    let world = World::start(&[("probe", "probe")], toml, "", Timings::default()).await;
    let pairs: Vec<(String, String)> = serde_json::from_str(&world.get("/probe/env").await.body).unwrap();
    let names: Vec<&str> = pairs.iter().map(|(name, _)| name.as_str()).collect();
    let mut expected = vec![
        "DENO_DEPLOYMENT_ID",
        "MODEL_KEY",
        "OTHER",
        "SB_EXECUTION_ID",
        "SB_REGION",
        "SUPABASE_ANON_KEY",
        "SUPABASE_DB_URL",
        "SUPABASE_FUNCTION_SLUG",
        "SUPABASE_JWKS",
        "SUPABASE_PUBLISHABLE_KEYS",
        "SUPABASE_SECRET_KEYS",
        "SUPABASE_SERVICE_ROLE_KEY",
        "SUPABASE_URL",
    ];
    let mut found = names.clone();
    found.sort_unstable();
    expected.sort_unstable();
    assert_eq!(found, expected);
    let value = |name: &str| pairs.iter().find(|(found, _)| found == name).unwrap().1.clone();
    assert_eq!((value("MODEL_KEY"), value("OTHER")), ("own".into(), "o".into()));
    assert_eq!(value("SUPABASE_URL"), world.config.api_url());
    assert_eq!(value("SUPABASE_ANON_KEY"), world.config.keys.anon_key);
    assert_eq!(value("SUPABASE_DB_URL"), "postgresql://postgres:postgres@127.0.0.1:54322/postgres");
    assert_eq!((value("SUPABASE_FUNCTION_SLUG"), value("SB_EXECUTION_ID").len()), ("probe".into(), 36));
    assert!(value("DENO_DEPLOYMENT_ID").ends_with("_0"), "a function built on the spot has no version");
    let keys: Value = serde_json::from_str(&value("SUPABASE_PUBLISHABLE_KEYS")).unwrap();
    assert_eq!(keys, json!({"default": world.config.keys.publishable_key}));
    let jwks: Value = serde_json::from_str(&value("SUPABASE_JWKS")).unwrap();
    assert!(jwks["keys"].as_array().is_some_and(|keys| !keys.is_empty()));
}

#[tokio::test(flavor = "multi_thread")]
async fn functions_h01_x07_no_folder_is_open() {
    let world = World::probe("").await;
    let answer = world.get("/probe/files").await;
    assert!(answer.body.starts_with("Err"), "{answer:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn functions_h01_boot_error_e04_v08_x08_a_component_that_wants_sockets_does_not_boot() {
    let world = World::open(&[("sockets", "sockets")], "").await;
    let answer = world.send(world.request(Method::POST, "/sockets"), "").await;
    answer.is_platform_error(503, "BOOT_ERROR", "BOOT_ERROR");
    assert_eq!(answer.json()["message"], "Worker failed to boot (please check logs)");
}
