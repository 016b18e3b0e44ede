//! What an instance may use, and what it sees (CONTRACT.md, limits, environment, sandbox).

use std::time::{Duration, Instant};

use banyan_edge::Timings;
use banyan_web::empty;
use http::Method;
use serde_json::{Value, json};

use crate::support::{OfThePlatform, World, eventually};

// rows: H09 LIMIT_CPU WORKER_RESOURCE_LIMIT E04 X01
#[tokio::test(flavor = "multi_thread")]
async fn an_endless_loop_is_stopped_by_its_cpu_limit() {
    let world = World::probe("cpu_ms = 300").await;
    let started = Instant::now();
    let answer = world.get("/probe/loop").await;
    answer.is_platform_error(546, "WORKER_RESOURCE_LIMIT", "WORKER_LIMIT");
    assert_eq!(
        answer.json()["message"],
        "Worker failed to respond due to a resource limit (please check logs)"
    );
    assert!(started.elapsed() >= Duration::from_millis(300), "{:?}", started.elapsed());
    assert_eq!(world.get("/probe/calls").await.text(), "1", "the host goes on");
}

// rows: H09 LIMIT_CPU
#[tokio::test(flavor = "multi_thread")]
async fn waiting_costs_no_cpu_time() {
    let world = World::probe("cpu_ms = 50").await;
    assert_eq!(world.get("/probe/wait?600").await.text(), "waited");
}

// rows: H09 LIMIT_MEMORY WORKER_RESOURCE_LIMIT X02
#[tokio::test(flavor = "multi_thread")]
async fn memory_is_refused_beyond_the_limit() {
    let world = World::probe("memory_mb = 24").await;
    let answer = world.get("/probe/hog").await;
    answer.is_platform_error(546, "WORKER_RESOURCE_LIMIT", "WORKER_LIMIT");
}

// rows: H09 LIMIT_WALL WORKER_RESOURCE_LIMIT
#[tokio::test(flavor = "multi_thread")]
async fn the_wall_clock_ends_a_function_that_waits() {
    let world = World::probe("wall_clock = \"200ms\"").await;
    world.get("/probe/wait?20000").await.is_platform_error(546, "WORKER_RESOURCE_LIMIT", "WORKER_LIMIT");
}

// rows: W06 WORKER_RESOURCE_LIMIT
#[tokio::test(flavor = "multi_thread")]
async fn the_log_names_the_setting_that_ended_a_function() {
    let cases = [
        ("cpu_ms = 300", "/probe/loop", "CPUTime", "cpu_ms"),
        ("memory_mb = 24", "/probe/hog", "Memory", "memory_mb"),
        ("wall_clock = \"200ms\"", "/probe/wait?20000", "WallClockTime", "wall_clock"),
    ];
    for (policy, path, reason, setting) in cases {
        let world = World::probe(policy).await;
        assert_eq!(world.get(path).await.status, 546);
        let end = log_line(&world, "Shutdown").await;
        let named = format!("{reason} (`{setting}` of [functions.probe] in banyan.toml) after ");
        assert!(end.starts_with(&named), "{end}");
    }
    let world = World::probe("").await;
    assert_eq!(world.get("/probe/panic").await.status, 500);
    let end = log_line(&world, "Shutdown").await;
    assert!(!end.contains("banyan.toml"), "no setting ended this one: {end}");
}

/// The message of the first line of this kind in the log of `probe`, once there is one.
async fn log_line(world: &World, event: &str) -> String {
    log_line_of(world, "probe", event).await
}

async fn log_line_of(world: &World, function: &str, event: &str) -> String {
    let found = async || {
        let log =
            world.manage(Method::GET, &format!("/logs?function={function}"), "", "").await.text().to_owned();
        let lines = log.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
        let mut of_kind = lines.filter(|line| line["event"] == event && line["level"] == "error");
        of_kind.next().map(|line| line["message"].as_str().unwrap().to_owned())
    };
    eventually("a line in the log", async || found().await.is_some()).await;
    found().await.unwrap()
}

// rows: IDLE_TIMEOUT LIMIT_IDLE
#[tokio::test(flavor = "multi_thread")]
async fn no_answer_within_the_idle_time_is_504() {
    let timings = Timings { first_byte: Duration::from_millis(100), ..Timings::default() };
    let toml = "[functions.probe]\nverify_jwt = false\n";
    let world = World::start(&[("probe", "probe")], toml, "", timings).await;
    world.get("/probe/wait?20000").await.is_platform_error(504, "IDLE_TIMEOUT", "IDLE_TIMEOUT");
}

// rows: LIMIT_PLACES H12
#[tokio::test(flavor = "multi_thread")]
async fn requests_wait_for_a_slot_and_then_get_503() {
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
    assert_eq!(first.text(), "waited");
    second.is_platform_error(503, "SERVICE_UNAVAILABLE", "SERVICE_UNAVAILABLE");
    assert_eq!(second.header("retry-after"), Some("1"));
    assert_eq!(other.text(), "Hello World", "another function has its own places (H12)");
    let told = "a request was turned away: no more than 1 run at a time: `concurrency` of [functions.probe] in banyan.toml";
    assert_eq!(log_line(&world, "Log").await, told);
}

// rows: H12 LIMIT_PLACES
#[tokio::test(flavor = "multi_thread")]
async fn requests_that_wait_for_their_own_function_hold_no_slot_of_the_node() {
    let toml = "[functions.probe]\nverify_jwt = false\n[functions.hello]\nverify_jwt = false\n";
    let banyan = "[edge_runtime]\nmemory = \"8GiB\"\n[functions.probe]\nconcurrency = 230\n";
    let functions = [("probe", "probe"), ("hello", "hello")];
    let world = World::start(&functions, toml, banyan, Timings::default()).await;
    let ask = |path: &'static str| {
        let body = empty();
        let request = http::Request::get(path).header("host", "x").body(body).unwrap();
        let now = banyan_identity::Clock::system().now();
        banyan_edge::handle(&world.state, Ok(banyan_identity::Caller::anonymous()), request, now)
    };
    // More than the node has slots: 230 run, four times as many wait.
    let flood = futures_util::future::join_all((0..1200).map(|_| ask("/probe/wait?3000")));
    let others = async {
        eventually("230 that run", async || {
            let metric = world.get("/_internal/metric").await.json();
            (&metric["slots"], &metric["free"]) == (&json!(1000), &json!(770))
        })
        .await;
        let answer = tokio::time::timeout(Duration::from_secs(1), ask("/hello")).await;
        assert_eq!(answer.unwrap().status(), 200);
    };
    tokio::select! {
        () = others => {}
        _ = flood => panic!("the flood ended first"),
    }
}

// rows: LIMIT_BUDGET H12
#[tokio::test(flavor = "multi_thread")]
async fn more_than_the_node_has_waits_and_then_gets_503() {
    let timings = Timings { queue: Duration::from_millis(500), ..Timings::default() };
    let names = ["probe", "other", "hello"];
    let toml: String = names.iter().map(|name| format!("[functions.{name}]\nverify_jwt = false\n")).collect();
    let banyan = "[edge_runtime]\nmemory = \"32MiB\"\n";
    let functions = [("probe", "probe"), ("other", "probe"), ("hello", "hello")];
    let world = World::start(&functions, &toml, banyan, timings).await;
    let free = async || world.get("/_internal/metric").await.json()["memory"]["free_mb"].as_u64().unwrap();
    assert_eq!(free().await, 32);
    // From now on both functions are expected to need some 14 MB, of which two fit.
    assert_eq!(world.get("/probe/keep?0&13").await.text(), "kept");
    assert_eq!(world.get("/other/keep?0&13").await.text(), "kept");
    let later = async |path: &'static str, after: u64| {
        tokio::time::sleep(Duration::from_millis(after)).await;
        world.get(path).await
    };
    let (first, second, waits, refused, small) = tokio::join!(
        later("/probe/keep?900&13", 0),
        later("/other/keep?1500&13", 0),
        later("/probe/keep?0&13", 700),
        later("/probe/keep?0&13", 100),
        later("/hello", 50),
    );
    assert_eq!([first.text(), second.text(), waits.text()], ["kept"; 3]);
    refused.is_platform_error(503, "SERVICE_UNAVAILABLE", "SERVICE_UNAVAILABLE");
    assert_eq!((refused.header("retry-after"), small.text()), (Some("1"), "Hello World"));
    let told = "a request was turned away: no place of this server was free, or no memory, of which one function has three \
                quarters at most: `memory` of [edge_runtime] in banyan.toml";
    assert_eq!(log_line(&world, "Log").await, told);
    assert_eq!(free().await, 32, "all is given back");
}

// rows: LIMIT_BUDGET
#[tokio::test(flavor = "multi_thread")]
async fn what_nobody_could_foresee_is_refused_while_others_need_the_memory() {
    let names = ["probe", "other"];
    let toml: String = names.iter().map(|name| format!("[functions.{name}]\nverify_jwt = false\n")).collect();
    let banyan = "[edge_runtime]\nmemory = \"32MiB\"\n";
    let functions = [("probe", "probe"), ("other", "probe")];
    let world = World::start(&functions, &toml, banyan, Timings::default()).await;
    let (held, grew) = tokio::join!(world.get("/probe/keep?600&18"), async {
        tokio::time::sleep(Duration::from_millis(200)).await;
        world.get("/other/keep?0&18").await
    });
    assert_eq!(held.text(), "kept");
    grew.is_platform_error(503, "SERVICE_UNAVAILABLE", "SERVICE_UNAVAILABLE");
    let end = log_line_of(&world, "other", "Shutdown").await;
    assert!(end.starts_with("Memory (`memory` of [edge_runtime] in banyan.toml) after "), "{end}");
    assert_eq!(world.get("/other/keep?0&18").await.text(), "kept", "now there is room");
    // The most that one function may ever have is a limit of its own.
    let answer = world.get("/other/keep?0&30").await;
    answer.is_platform_error(546, "WORKER_RESOURCE_LIMIT", "WORKER_LIMIT");
    assert_eq!(world.get("/probe/keep?0&30").await.status, 546);
    let end = log_line_of(&world, "probe", "Shutdown").await;
    assert!(end.starts_with("Memory (`memory` of [edge_runtime] in banyan.toml) after "), "{end}");
}

// rows: LIMIT_PLACES W06
#[tokio::test(flavor = "multi_thread")]
async fn a_full_queue_logs_what_the_first_in_it_waits_for() {
    let timings = Timings { queue: Duration::from_millis(800), ..Timings::default() };
    let toml = "[functions.probe]\nverify_jwt = false\n";
    let banyan = "[edge_runtime]\nmemory = \"32MiB\"\n[functions.probe]\nconcurrency = 2\n";
    let world = World::start(&[("probe", "probe")], toml, banyan, timings).await;
    // From now on it is expected to need more than half of what one function may have.
    assert_eq!(world.get("/probe/keep?0&18").await.text(), "kept");
    let free = async || world.get("/_internal/metric").await.json()["memory"]["free_mb"].as_u64().unwrap();
    eventually("what it used is known", async || free().await == 32).await;
    // One runs, one has a permit and no memory, eight wait behind it, and the rest find the queue
    // full.
    let all =
        futures_util::future::join_all((0..14).map(|_| world.get("/probe/keep?600&18").into_future())).await;
    assert!(all.iter().filter(|answer| answer.status == 503).count() >= 4);
    let told = log_line(&world, "Log").await;
    assert!(told.ends_with("`memory` of [edge_runtime] in banyan.toml"), "{told}");
}

// rows: H12 X16
#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn many_busy_functions_keep_no_socket_and_no_own_call_waiting() {
    let functions = [("probe", "probe"), ("hello", "hello"), ("light", "probe")];
    let world = World::open(&functions, "cpu_ms = 60000\nwall_clock = \"3s\"").await;
    let busy = futures_util::future::join_all((0..40).map(|_| world.get("/probe/loop").into_future()));
    let own = format!("{}/rest/v1/x", world.config.api_url());
    let quick = async {
        // They have begun.
        tokio::time::sleep(Duration::from_millis(500)).await;
        let mut slowest = Duration::ZERO;
        for _ in 0..40 {
            let started = Instant::now();
            assert_eq!(world.get("/hello").await.text(), "Hello World");
            let request = world.call(Method::GET, "/light/fetch").header("x-target", &own);
            assert_eq!(request.await.json()["status"], 200);
            slowest = slowest.max(started.elapsed());
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        slowest
    };
    let (busy, slowest) = tokio::join!(busy, quick);
    assert!(busy.iter().all(|answer| answer.status == 546), "they were busy all the time");
    // On the same thread, each of forty would have it for ten milliseconds before each step of a
    // request.
    assert!(slowest < Duration::from_millis(400), "short requests waited {slowest:?} behind busy functions");
}

// rows: H12 X16
#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn busy_functions_leave_time_for_others() {
    let world = World::open(&[("probe", "probe"), ("hello", "hello")], "cpu_ms = 3000").await;
    let busy = async {
        tokio::join!(world.get("/probe/spin?700"), world.get("/probe/spin?700"));
    };
    let quick = async {
        tokio::time::sleep(Duration::from_millis(100)).await;
        let started = Instant::now();
        assert_eq!(world.get("/hello").await.text(), "Hello World");
        started.elapsed()
    };
    let ((), waited) = tokio::join!(busy, quick);
    assert!(waited < Duration::from_millis(500), "a short request waited {waited:?} behind two busy ones");
}

// rows: V01 V02 V03 V04 V05 V06 V07 V08 H08
#[tokio::test(flavor = "multi_thread")]
async fn the_environment_is_the_list_and_nothing_else() {
    let toml = "[edge_runtime.secrets]\nMODEL_KEY = \"shared\"\nOTHER = \"o\"\nSB_EXECUTION_ID = \"forged\"\n\
                [functions.probe]\nverify_jwt = false\n[functions.probe.env]\nMODEL_KEY = \"own\"\nSUPABASE_URL = \"forged\"\n";
    let world = World::start(&[("probe", "probe")], toml, "", Timings::default()).await;
    let pairs: Vec<(String, String)> = serde_json::from_str(world.get("/probe/env").await.text()).unwrap();
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

// rows: H01 X07
#[tokio::test(flavor = "multi_thread")]
async fn no_folder_is_open() {
    let world = World::probe("").await;
    let answer = world.get("/probe/files").await;
    assert!(answer.text().starts_with("Err"), "{answer:?}");
}

// rows: H01 BOOT_ERROR E04 V08 X08
#[tokio::test(flavor = "multi_thread")]
async fn a_component_that_wants_sockets_does_not_boot() {
    let world = World::open(&[("sockets", "sockets")], "").await;
    let answer = world.call(Method::POST, "/sockets").await;
    answer.is_platform_error(503, "BOOT_ERROR", "BOOT_ERROR");
    assert_eq!(answer.json()["message"], "Worker failed to boot (please check logs)");
}
