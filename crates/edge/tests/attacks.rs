//! The sandbox under attack: each attack ends in its own wire error, and other functions go on.

use std::{
    fs,
    io::{Seek, SeekFrom, Write},
    os::unix::fs::PermissionsExt,
    sync::Arc,
    time::{Duration, Instant},
};

use banyan_edge::{Resolver, Timings};
use banyan_testkit::{CapturedLog, hostile_components};
use http::Method;
use http_body_util::BodyExt;
use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};

use crate::support::{OfThePlatform, Outside, World, component, eventually, load};

/// A world with the attacker `probe`, and `victim`, which it must not reach.
async fn attacked(policy: &str) -> World {
    World::open(&[("probe", "probe"), ("victim", "hello")], policy).await
}

/// Asserts that nothing runs any more and that every slot is free.
async fn nothing_is_left(world: &World) {
    eventually("the end of everything", async || {
        let metric = world.get("/_internal/metric").await.json();
        metric["running"] == 0 && metric["free"] == metric["slots"]
    })
    .await;
    assert_eq!(world.get("/victim").await.text(), "Hello World");
}

// rows: X03 H09 LIMIT_OUTBOUND
#[tokio::test(flavor = "multi_thread")]
async fn ten_thousand_calls_at_once_are_cut_off() {
    let outside = Outside::start().await;
    let world = attacked(&outside.listed()).await;
    let fork = async |calls: u32| {
        let request = world.call(Method::GET, &format!("/probe/fork?{calls}"));
        request.header("x-target", outside.url("/slow")).await
    };
    assert_eq!(fork(80).await.text(), "80");
    assert_eq!(outside.most_at_once(), 32);
    // It runs out of handles to the host before it has begun a thousandth call.
    fork(10_000).await.is_platform_error(500, "WORKER_ERROR", "WORKER_ERROR");
    assert!(outside.asked().len() < 1080, "{}", outside.asked().len());
    nothing_is_left(&world).await;
}

// rows: X03 LIMIT_OUTBOUND RATE_LIMIT_EXCEEDED
#[tokio::test(flavor = "multi_thread")]
async fn one_request_makes_so_many_calls_and_no_more() {
    let outside = Outside::start().await;
    let world = attacked(&format!("{}\noutbound_requests = 10", outside.listed())).await;
    let ask = async |route: &str| {
        let request = world.call(Method::GET, route).header("x-target", outside.url("/x"));
        request.await
    };
    assert_eq!(ask("/probe/ask?25").await.json(), json!({"went": 10, "denied": 15}));
    assert_eq!(outside.asked().len(), 10);
    assert_eq!(ask("/probe/ask-or-fail?10").await.text(), "all went");
    ask("/probe/ask-or-fail?11").await.is_platform_error(429, "RATE_LIMIT_EXCEEDED", "RATE_LIMIT_EXCEEDED");
    nothing_is_left(&world).await;
}

// rows: X03 H09 LIMIT_OUTBOUND
#[tokio::test(flavor = "multi_thread")]
async fn answers_that_nobody_reads_count_as_calls() {
    let outside = Outside::start().await;
    let world = attacked(&outside.listed()).await;
    let request = world.call(Method::GET, "/probe/hoard?40").header("x-target", outside.url("/x"));
    assert_eq!(request.await.text(), "32");
    nothing_is_left(&world).await;
}

// rows: H09 H13
#[tokio::test(flavor = "multi_thread")]
async fn one_call_gives_a_megabyte_of_random_numbers_at_most() {
    let world = attacked("").await;
    assert_eq!(world.get("/probe/random?1048576").await.text(), "1048576");
    world.get("/probe/random?1048577").await.is_platform_error(500, "WORKER_ERROR", "WORKER_ERROR");
    nothing_is_left(&world).await;
}

// rows: X04 H07
#[tokio::test(flavor = "multi_thread")]
async fn headers_that_frame_a_message_are_not_the_guests_to_set() {
    let world = attacked("").await;
    let taken = world.get("/probe/smuggle").await.json();
    assert_eq!(taken, json!(["append x-custom", "set x-custom", "list x-custom"]));
    assert_eq!(world.get("/probe/head?27").await.text(), "27");
    world.get("/probe/head?40").await.is_platform_error(500, "WORKER_ERROR", "WORKER_ERROR");
}

// rows: X04
#[tokio::test(flavor = "multi_thread")]
async fn two_ways_to_frame_a_request_are_refused_before_a_function() {
    let world = World::open(&[("mirror", "mirror")], "").await;
    let mut stream = world.connect().await;
    let request = "POST /mirror HTTP/1.1\r\nhost: x\r\ncontent-length: 5\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\nGET /mirror/smuggled HTTP/1.1\r\nhost: x\r\n\r\n";
    stream.write_all(request.as_bytes()).await.unwrap();
    stream.shutdown().await.unwrap();
    let mut answers = String::new();
    let _ = tokio::time::timeout(Duration::from_secs(5), stream.read_to_string(&mut answers)).await.unwrap();
    // Either reading is sound as long as both sides agree: the length is ignored where chunks are
    // announced.
    let first = answers.split("HTTP/1.1 ").nth(1).unwrap();
    assert!(first.starts_with("400") || first.contains("\"length\":0"), "{answers}");
}

// rows: X05
#[tokio::test(flavor = "multi_thread")]
async fn what_would_split_an_answer_is_refused() {
    let world = attacked("").await;
    let told = world.get("/probe/split").await.json();
    let tried = told.as_object().unwrap();
    let taken: Vec<&str> =
        tried.iter().filter(|(_, taken)| **taken == true).map(|(way, _)| way.as_str()).collect();
    assert_eq!((tried.len(), taken), (7, vec!["harmless"]));
}

// rows: X06 H08 V07
#[tokio::test(flavor = "multi_thread")]
async fn the_secrets_of_another_function_are_not_seen() {
    let toml = "[functions.probe]\nverify_jwt = false\n[functions.other]\nverify_jwt = false\n\
                [functions.other.env]\nOTHERS_SECRET = \"hidden-from-probe\"\n";
    let world = World::start(&[("probe", "probe"), ("other", "probe")], toml, "", Timings::default()).await;
    assert!(world.get("/other/env").await.text().contains("hidden-from-probe"));
    let seen = world.get("/probe/env").await.text().to_owned();
    assert!(!seen.contains("OTHERS_SECRET") && !seen.contains("hidden-from-probe"), "{seen}");
}

// rows: X09 H03
#[tokio::test(flavor = "multi_thread")]
async fn a_listed_name_that_leads_inside_is_denied_whatever_else_it_leads_to() {
    let outside = Outside::start().await;
    let port = outside.address.port();
    let resolver: Resolver = Arc::new(move |host, port| {
        let addresses: &[&str] = match host.as_str() {
            "loopback.example" => &["127.0.0.1"],
            "metadata.example" => &["169.254.169.254"],
            "mapped.example" => &["::ffff:127.0.0.1"],
            "both.example" => &["1.1.1.1", "127.0.0.1"],
            _ => &[],
        };
        let addresses = addresses.iter().map(|ip| (ip.parse::<std::net::IpAddr>().unwrap(), port).into());
        let addresses = addresses.collect();
        Box::pin(async move { Ok(addresses) })
    });
    let names = ["loopback.example", "metadata.example", "mapped.example", "both.example"];
    let listed: Vec<String> = names.iter().map(|name| format!("\"http://{name}:{port}\"")).collect();
    let banyan = format!("[functions.probe]\noutbound_hosts = [{}]\n", listed.join(", "));
    let toml = "[functions.probe]\nverify_jwt = false\n";
    let world =
        World::with(&[("probe", "probe")], toml, &banyan, |state| state.with_resolver(resolver)).await;
    for name in names {
        let target = format!("http://{name}:{port}/");
        let request = world.call(Method::GET, "/probe/fetch").header("x-target", target);
        let answer = request.await;
        assert!(answer.text().contains("HttpRequestDenied"), "{name}: {answer:?}");
    }
    assert_eq!(outside.asked(), Vec::<String>::new());
}

/// Memory of the host is counted against no limit of the guest, so there must be little of it.
// rows: X03 H09
#[tokio::test(flavor = "multi_thread")]
async fn bodies_that_are_never_sent_take_little_of_the_hosts_memory() {
    let world = attacked("").await;
    let one: usize = world.get("/probe/bodies?1").await.text().parse().unwrap();
    assert_eq!(one, 128 << 10);
    let many: usize = world.get("/probe/bodies?120").await.text().parse().unwrap();
    assert!(many > one && many <= 5 << 20, "{many} bytes");
    nothing_is_left(&world).await;
}

// rows: X03 H09
#[tokio::test(flavor = "multi_thread")]
async fn names_that_stay_with_a_request_are_short_and_one_call_hands_over_little() {
    let world = attacked("").await;
    assert_eq!(world.get("/probe/names?1000").await.text(), "2");
    assert_eq!(world.get("/probe/names?2000").await.text(), "0");
    // So large a number is refused before it is looked at.
    world.get("/probe/names?1000000").await.is_platform_error(500, "WORKER_ERROR", "WORKER_ERROR");
    nothing_is_left(&world).await;
}

// rows: X03 H09
#[tokio::test(flavor = "multi_thread")]
async fn long_paths_are_few_at_a_time_and_may_follow_one_another() {
    let outside = Outside::start().await;
    let world = attacked(&outside.listed()).await;
    assert_eq!(world.get("/probe/paths?4096").await.text(), "240");
    assert_eq!(world.get("/probe/paths?5000").await.text(), "209", "1 MiB in all");
    assert_eq!(world.get("/probe/paths?60000").await.text(), "17");
    let long = |path: &str| outside.url(&format!("{path}?{}", "a".repeat(20_000)));
    let ask = async |route: &str, target: String| {
        let request = world.call(Method::GET, route).header("x-target", target);
        request.await
    };
    let at_once: usize = ask("/probe/fork?100", long("/slow")).await.text().parse().unwrap();
    assert!((52..100).contains(&at_once), "{at_once}: those on their way count as well");
    let in_turn = ask("/probe/ask?100", long("/quick")).await;
    assert_eq!(in_turn.json(), json!({"went": 100, "denied": 0}));
    nothing_is_left(&world).await;
}

// rows: X10 H09
#[tokio::test(flavor = "multi_thread")]
async fn a_stack_or_a_table_that_overflows_is_the_functions_own_end() {
    let world = attacked("").await;
    for route in ["/probe/recurse?1000000000", "/probe/handles?256", "/probe/panic"] {
        world.get(route).await.is_platform_error(500, "WORKER_ERROR", "WORKER_ERROR");
    }
    // Nearly as many are allowed.
    assert_eq!(world.get("/probe/recurse?100").await.text(), "5050");
    assert_eq!(world.get("/probe/handles?240").await.text(), "240");
    nothing_is_left(&world).await;
}

// rows: H09 LOAD_FUNCTION_ERROR
#[tokio::test(flavor = "multi_thread")]
async fn tables_memories_and_modules_beyond_the_limits_are_not_loaded() {
    let world = attacked("").await;
    let handler = "(func (export \"handle\") (param i32 i32))";
    // A component that boots still gives no answer.
    let (boots, does_not) = ("WORKER_ERROR", "LOAD_FUNCTION_ERROR");
    let module = |parts: &str| hostile_components::with_module(&format!("{parts} {handler}"));
    let expected = [
        ("20,000 elements", module("(table 20000 funcref)"), boots),
        ("30,000 elements", module("(table 30000 funcref)"), does_not),
        ("a memory", module("(memory 1)"), boots),
        ("two memories", module("(memory 1) (memory 1)"), does_not),
        ("four tables", module(&"(table 1 funcref)".repeat(4)), boots),
        ("five tables", module(&"(table 1 funcref)".repeat(5)), does_not),
        ("eight modules", hostile_components::with_modules(8), boots),
        ("nine modules", hostile_components::with_modules(9), does_not),
    ];
    let mut found = Vec::new();
    for (number, (what, component, _)) in expected.iter().enumerate() {
        // Each has a name of its own, because a broken component keeps the one before it.
        let name = format!("greedy{number}");
        world.install(&name, component).await;
        let code = call(&world, &name).await.json()["code"].as_str().unwrap().to_owned();
        found.push((*what, code));
    }
    let expected: Vec<_> = expected.iter().map(|(what, _, code)| (*what, (*code).to_owned())).collect();
    assert_eq!(found, expected);
    nothing_is_left(&world).await;
}

// rows: H09
#[tokio::test(flavor = "multi_thread")]
async fn the_head_of_an_outside_answer_is_bounded() {
    let outside = Outside::start().await;
    let world = attacked(&outside.listed()).await;
    let fetch = async |path: &str| {
        let request = world.call(Method::GET, "/probe/fetch").header("x-target", outside.url(path));
        request.await.json()
    };
    assert_eq!(fetch("/head?50").await["status"], 200);
    let refused = fetch("/head?70").await;
    assert!(refused["error"].is_string(), "{refused}");
    nothing_is_left(&world).await;
}

/// Runs an ignored test in a process of its own.
fn passes_alone(test: &str) {
    let mut alone = std::process::Command::new(std::env::current_exe().unwrap());
    let output = alone.args(["--ignored", "--exact", test]).output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && said.contains("1 passed"), "{said}");
}

// rows: H08
#[test]
fn a_secret_is_in_no_line_no_error_and_no_figure() {
    passes_alone("attacks::secrets_alone");
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "reads the lines of all threads of its process, so it runs alone, started by functions_h08"]
async fn secrets_alone() {
    const SECRET: &str = "hush-4711-hush";
    let written = CapturedLog::default();
    let subscriber = tracing_subscriber::fmt().with_writer(written.clone()).with_ansi(false);
    tracing::subscriber::set_global_default(subscriber.with_max_level(tracing::Level::TRACE).finish())
        .unwrap();
    let toml =
        format!("[edge_runtime.secrets]\nMODEL_KEY = \"{SECRET}\"\n[functions.probe]\nverify_jwt = false\n");
    let policy = "[functions.probe]\ncpu_ms = 200\nmemory_mb = 24\nwall_clock = \"5s\"\n";
    let world = World::start(&[("probe", "probe")], &toml, policy, Timings::default()).await;
    assert!(world.get("/probe/env").await.text().contains(SECRET), "the function has it");
    let mut told = String::new();
    for route in ["panic", "fail", "hog", "loop", "wait?60000", "log", "status?700", "fetch"] {
        let answer = world.get(&format!("/probe/{route}")).await;
        told += &format!("{answer:?}");
    }
    world.install("broken", b"no component").await;
    told += &format!("{:?}", call(&world, "broken").await);
    told += world.get("/_internal/metric").await.text();
    told += world.manage(Method::GET, "/logs", "", "").await.text();
    told += &format!("{:?}{:?}", world.config, world.state);
    told += &written.text();
    for expected in ["WORKER_LIMIT", "first line", "slots"] {
        assert!(told.contains(expected), "{expected} was not told");
    }
    // Threads other than that of the request write the first two.
    for expected in ["the function is ready", "reason=\"CPUTime\"", "the instance failed"] {
        assert!(written.text().contains(expected), "{expected} is in no line");
    }
    assert!(!told.contains(SECRET), "{told}");
    let key = world.service_key();
    let key = key.trim_start_matches("Bearer ");
    assert!(!written.text().contains(key), "the service key is in a line");
}

// rows: X11 BOOT_ERROR
#[tokio::test(flavor = "multi_thread")]
async fn a_trap_in_start_is_a_boot_error() {
    let world = attacked("").await;
    let handler = "(func (export \"handle\") (param i32 i32))";
    for module in [
        format!("(func $start unreachable) (start $start) {handler}"),
        format!("(memory 1) (data (i32.const 65536) \"beyond the end\") {handler}"),
    ] {
        world.install("broken", &hostile_components::with_module(&module)).await;
        call(&world, "broken").await.is_platform_error(503, "BOOT_ERROR", "BOOT_ERROR");
    }
    nothing_is_left(&world).await;
}

// rows: X11 WORKER_RESOURCE_LIMIT
#[tokio::test(flavor = "multi_thread")]
async fn a_loop_or_a_hoard_in_start_reaches_its_limit() {
    let world =
        World::open(&[("victim", "hello"), ("broken", "hello")], "cpu_ms = 200\nmemory_mb = 16").await;
    let handler = "(func (export \"handle\") (param i32 i32))";
    for module in
        [format!("(func $start (loop (br 0))) (start $start) {handler}"), format!("(memory 1000) {handler}")]
    {
        world.install("broken", &hostile_components::with_module(&module)).await;
        let answer = world.get("/broken").await;
        answer.is_platform_error(546, "WORKER_RESOURCE_LIMIT", "WORKER_LIMIT");
    }
    nothing_is_left(&world).await;
}

// rows: WORKER_ERROR
#[tokio::test(flavor = "multi_thread")]
async fn a_handler_that_returns_without_an_answer_is_an_error() {
    let world = attacked("").await;
    let silent = hostile_components::with_module("(func (export \"handle\") (param i32 i32))");
    world.install("silent", &silent).await;
    call(&world, "silent").await.is_platform_error(500, "WORKER_ERROR", "WORKER_ERROR");
}

// rows: X12
#[tokio::test(flavor = "multi_thread")]
async fn a_request_that_never_ends_ends_at_the_wall_clock() {
    let world = World::open(&[("mirror", "mirror"), ("victim", "hello")], "wall_clock = \"300ms\"").await;
    let mut stream = world.connect().await;
    let head = "POST /mirror HTTP/1.1\r\nhost: x\r\ncontent-length: 100\r\n\r\nonly a part";
    stream.write_all(head.as_bytes()).await.unwrap();
    let mut answer = [0; 4096];
    let read =
        tokio::time::timeout(Duration::from_secs(10), stream.read(&mut answer)).await.unwrap().unwrap();
    let answer = String::from_utf8_lossy(&answer[..read]);
    assert!(answer.starts_with("HTTP/1.1 546") && answer.contains("WORKER_LIMIT"), "{answer}");
    nothing_is_left(&world).await;
}

// rows: X12 LIMIT_SILENCE REQUEST_TIMEOUT
#[tokio::test(flavor = "multi_thread")]
async fn a_client_that_goes_silent_gives_its_slot_back() {
    let policy = "concurrency = 1\nbody_idle = \"500ms\"";
    let world = World::open(&[("mirror", "mirror"), ("victim", "hello")], policy).await;
    let mut stream = world.connect().await;
    let head = "POST /mirror HTTP/1.1\r\nhost: x\r\ncontent-length: 100\r\n\r\n";
    stream.write_all(head.as_bytes()).await.unwrap();
    // A client that sends slowly, but goes on, is waited for.
    for _ in 0..3 {
        tokio::time::sleep(Duration::from_millis(250)).await;
        stream.write_all(b"a part").await.unwrap();
    }
    let (answer, next) = tokio::join!(
        async {
            let mut answer = [0; 4096];
            let read = stream.read(&mut answer).await.unwrap();
            String::from_utf8_lossy(&answer[..read]).into_owned()
        },
        world.call(Method::POST, "/mirror").bytes("the next one's body"),
    );
    assert!(answer.starts_with("HTTP/1.1 408") && answer.contains("REQUEST_TIMEOUT"), "{answer}");
    assert_eq!(next.json()["length"], 19, "{next:?}");
    nothing_is_left(&world).await;
}

// rows: X12 LIMIT_WALL
#[tokio::test(flavor = "multi_thread")]
async fn an_answer_that_never_ends_is_cut_at_the_wall_clock() {
    let world = attacked("wall_clock = \"400ms\"").await;
    let started = Instant::now();
    let response = world.call(Method::GET, "/probe/stall").response().await;
    assert_eq!(response.status(), 200);
    assert!(response.into_body().collect().await.is_err(), "the body ended as if it were whole");
    assert!(started.elapsed() < Duration::from_secs(5), "{:?}", started.elapsed());
    nothing_is_left(&world).await;
}

// rows: X13 H01 BOOT_ERROR
#[tokio::test(flavor = "multi_thread")]
async fn imports_that_are_not_offered_or_not_as_told_do_not_boot() {
    let world = attacked("").await;
    for import in [
        "(import \"evil:host/escape@1.0.0\" (instance (export \"run\" (func (param \"code\" string)))))",
        "(import \"wasi:cli/environment@0.2.0\" (instance (export \"get-environment\" (func (result string)))))",
        "(import \"wasi:sockets/instance-network@0.2.0\" (instance (export \"network\" (type (sub resource)))))",
        "(import \"wasi:random/random@0.2.0\" (instance (export \"get-random-u64\" (func (param \"n\" u64) (result u64)))))",
    ] {
        world.install("liar", &hostile_components::with_import(import)).await;
        call(&world, "liar").await.is_platform_error(503, "BOOT_ERROR", "BOOT_ERROR");
    }
    nothing_is_left(&world).await;
}

// rows: H14 X13 BOOT_ERROR
#[tokio::test(flavor = "multi_thread")]
async fn memory_that_threads_could_share_to_tell_the_time_is_not_offered() {
    let world = attacked("").await;
    let shared = "(memory 1 1 shared) (func (export \"handle\") (param i32 i32))";
    world.install("counter", &hostile_components::with_module(shared)).await;
    call(&world, "counter").await.is_platform_error(503, "BOOT_ERROR", "BOOT_ERROR");
    nothing_is_left(&world).await;
}

// rows: X14 LIMIT_BUNDLE LOAD_FUNCTION_ERROR
#[tokio::test(flavor = "multi_thread")]
async fn a_huge_component_is_refused_unread() {
    let world = attacked("").await;
    let path = world.component_path("huge");
    fs::File::create(&path).unwrap().set_len(100_000_000).unwrap();
    let started = Instant::now();
    load(&world.state).await;
    assert!(started.elapsed() < Duration::from_secs(1), "{:?}", started.elapsed());
    call(&world, "huge").await.is_platform_error(500, "LOAD_FUNCTION_ERROR", "LOAD_FUNCTION_ERROR");
    nothing_is_left(&world).await;
}

// rows: X15 H11
#[tokio::test(flavor = "multi_thread")]
async fn a_damaged_cache_file_is_made_anew() {
    let world = attacked("").await;
    let cache = world.config.paths.components().join("compiled");
    let hello = fs::read(component("hello")).unwrap();
    fs::remove_dir_all(&cache).unwrap();
    world.install("victim", &hello).await;
    let compiled = fs::read_dir(&cache).unwrap().map(|file| file.unwrap().path());
    let is_code = |path: &std::path::PathBuf| path.extension().is_some_and(|end| end == "cwasm");
    let compiled = compiled.into_iter().find(is_code).unwrap();
    let whole = fs::read(&compiled).unwrap();
    let middle = whole.len() as u64 / 2;
    for damage in ["a byte", "the end", "everything", "its sum"] {
        // Writes a new file, because the old one is mapped.
        let draft = compiled.with_extension("damaged");
        fs::write(&draft, &whole).unwrap();
        let mut file = fs::OpenOptions::new().write(true).open(&draft).unwrap();
        match damage {
            "a byte" => {
                file.seek(SeekFrom::Start(middle)).unwrap();
                file.write_all(&[!whole[middle as usize]]).unwrap();
            }
            "the end" => file.set_len(middle).unwrap(),
            "everything" => file.set_len(0).unwrap(),
            _ => fs::write(compiled.with_extension("sum"), "00000000").unwrap(),
        }
        fs::set_permissions(&draft, fs::Permissions::from_mode(0o600)).unwrap();
        fs::rename(&draft, &compiled).unwrap();
        world.install("victim", &hello).await;
        assert_eq!(world.get("/victim").await.text(), "Hello World", "{damage}");
        assert!(fs::read(&compiled).unwrap() == whole, "{damage} was not mended");
    }
}

/// Some attacks of each kind, all at once.
async fn storm(world: &World, outside: &Outside) {
    let fork = world.call(Method::GET, "/probe/fork?2000").header("x-target", outside.url("/last"));
    let silent = async {
        let mut stream = world.connect().await;
        let head = "POST /probe/echo HTTP/1.1\r\nhost: x\r\ncontent-length: 100\r\n\r\nonly a part";
        stream.write_all(head.as_bytes()).await.unwrap();
        let _ = stream.read(&mut [0; 4096]).await;
    };
    tokio::join!(
        world.get("/probe/loop"),
        world.get("/probe/hog"),
        world.get("/probe/panic"),
        world.get("/probe/recurse?100000000"),
        world.get("/probe/handles?2000"),
        fork,
        silent,
    );
}

/// Policy of a world that is stormed.
fn stormed(outside: &Outside) -> String {
    let limits = "cpu_ms = 200\nmemory_mb = 24\nwall_clock = \"2s\"\nbody_idle = \"300ms\"";
    format!("{limits}\n{}", outside.listed())
}

/// Files that are open, threads, and kilobytes that are resident.
fn held_by_this_process() -> [usize; 3] {
    let files = fs::read_dir("/proc/self/fd").unwrap().count();
    let threads = fs::read_dir("/proc/self/task").unwrap().count();
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let resident = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
    [files, threads, resident.split_whitespace().next().unwrap().parse().unwrap()]
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "measures its process, so it runs alone, started by functions_x17"]
async fn a_storm_alone() {
    let outside = Outside::start().await;
    let world = attacked(&stormed(&outside)).await;
    let held_after = async |storms: usize| {
        for _ in 0..storms {
            storm(&world, &outside).await;
        }
        nothing_is_left(&world).await;
        // Closed connections are seen to be closed a moment later.
        tokio::time::sleep(Duration::from_millis(500)).await;
        held_by_this_process()
    };
    let before = held_after(6).await;
    let after = held_after(12).await;
    let memory = world.get("/_internal/metric").await.json()["memory"].clone();
    assert_eq!(memory["free_mb"], memory["all_mb"], "{memory}");
    let [files, threads, resident] = [0, 1, 2].map(|n| after[n].saturating_sub(before[n]));
    assert!(files <= 12 && threads <= 2, "files and threads: {before:?} before, {after:?} after");
    assert!(resident < 12 << 10, "{resident} KB more after twelve storms: {before:?}, {after:?}");
}

// rows: X17
#[test]
fn storms_of_attacks_leave_no_file_thread_or_memory_behind() {
    passes_alone("attacks::a_storm_alone");
}

// rows: X16 X17
#[tokio::test(flavor = "multi_thread")]
async fn others_keep_their_speed_and_nothing_runs_on_under_a_storm_of_attacks() {
    let outside = Outside::start().await;
    let world = attacked(&stormed(&outside)).await;
    let storm = async {
        for _ in 0..3 {
            storm(&world, &outside).await;
        }
    };
    let victim = async {
        let mut slowest = Duration::ZERO;
        for _ in 0..20 {
            let started = Instant::now();
            assert_eq!(world.get("/victim").await.text(), "Hello World");
            slowest = slowest.max(started.elapsed());
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        slowest
    };
    let ((), slowest) = tokio::join!(storm, victim);
    assert!(slowest < Duration::from_millis(500), "another function waited {slowest:?}");
    nothing_is_left(&world).await;
}

// rows: H12 LIMIT_PLACES
#[tokio::test(flavor = "multi_thread")]
async fn a_flood_of_one_function_is_refused_at_once() {
    let toml = "[functions.probe]\nverify_jwt = false\n[functions.victim]\nverify_jwt = false\n";
    let banyan = "[functions.probe]\nconcurrency = 2\n";
    let functions = [("probe", "probe"), ("victim", "hello")];
    let world = World::start(&functions, toml, banyan, Timings::default()).await;
    let started = Instant::now();
    let flood = (0..40).map(|_| world.get("/probe/wait?700").into_future());
    let answers = async { futures_util::future::join_all(flood).await };
    let (answers, victim) = tokio::join!(answers, async {
        tokio::time::sleep(Duration::from_millis(100)).await;
        let asked = Instant::now();
        assert_eq!(world.get("/victim").await.text(), "Hello World");
        asked.elapsed()
    });
    let refused = answers.iter().filter(|answer| answer.status == 503).count();
    // Two run, eight wait, the rest are refused at once.
    assert_eq!(refused, 30, "after {:?}", started.elapsed());
    assert!(victim < Duration::from_millis(300), "another function waited {victim:?}");
}

// rows: LIMIT_BODY
#[tokio::test(flavor = "multi_thread")]
async fn a_body_above_the_functions_own_limit_is_413_told_or_not() {
    let world = World::open(&[("mirror", "mirror")], "max_body = \"1kb\"").await;
    let fits = world.call(Method::POST, "/mirror").bytes(vec![b'x'; 1024]).await;
    assert_eq!(fits.json()["length"], 1024);
    let told = world.call(Method::POST, "/mirror").bytes(vec![b'x'; 1025]).await;
    told.is_platform_error(413, "PAYLOAD_TOO_LARGE", "PAYLOAD_TOO_LARGE");
    let mut stream = world.connect().await;
    let head = "POST /mirror HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n";
    let chunk = format!("{:x}\r\n{}\r\n0\r\n\r\n", 2000, "x".repeat(2000));
    stream.write_all(format!("{head}{chunk}").as_bytes()).await.unwrap();
    let mut answer = [0; 4096];
    let read = stream.read(&mut answer).await.unwrap();
    assert!(String::from_utf8_lossy(&answer[..read]).starts_with("HTTP/1.1 413"));
    let log = world.manage(Method::GET, "/logs?function=mirror", "", "").await.text().to_owned();
    let why =
        "a request was turned away: its body is larger than `max_body` of [functions.mirror] in banyan.toml";
    assert_eq!(log.matches(why).count(), 2, "{log}");
}

/// A call of a function that is not configured, so it needs a token.
async fn call(world: &World, name: &str) -> banyan_testkit::Answer {
    let request = world.call(Method::POST, &format!("/{name}"));
    request.header("authorization", world.service_key()).await
}
