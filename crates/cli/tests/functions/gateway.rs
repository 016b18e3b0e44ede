//! What the gateway does before a function (edge/CONTRACT.md F01 to F10), and before auth
//! (auth/CONTRACT.md W1, W7).

use std::process::Command;

use serde_json::json;

use crate::{
    project::Project,
    support::{Stage, append, component, send},
};

const OPEN: &str = "[functions.mirror]\nverify_jwt = false\n[functions.probe]\nverify_jwt = false\n\
                    [functions.own]\nverify_jwt = false\n[functions.guarded]\nverify_jwt = true\n";

// rows: edge/F06 edge/F07 edge/C08 edge/E02 edge/E05 edge/T01 edge/V01 server/GW-ERRORS
#[test]
fn a_browser_can_ask_and_read_every_answer() {
    let functions = [("mirror", "mirror"), ("probe", "probe"), ("own", "mirror"), ("guarded", "hello")];
    let stage = Stage::start(&functions, OPEN, "[functions.own]\npreflight = \"function\"\n");
    preflights(&stage);
    answers_are_readable(&stage);
    requests_carry_where_they_come_from(&stage);
    the_stack_is_reached_from_inside(&stage);
}

fn preflights(stage: &Stage) {
    let asked =
        "authorization, x-client-info, apikey, content-type, x-region, traceparent, tracestate, baggage";
    let headers = ["origin: https://app.example", "access-control-request-method: POST"].map(str::to_owned);
    let asking = format!("access-control-request-headers: {asked}");
    let headers = [headers[0].as_str(), headers[1].as_str(), &asking];
    for name in ["mirror", "guarded", "nobody"] {
        let answer = stage.send("OPTIONS", &format!("/functions/v1/{name}"), &headers, "");
        assert_eq!((answer.status, answer.body.as_str()), (204, ""), "{answer:?}");
        assert_eq!(answer.header("access-control-allow-headers"), Some(asked));
        assert_eq!(answer.header("access-control-allow-origin"), Some("*"));
    }
    let own = stage.send("OPTIONS", "/functions/v1/own", &headers, "");
    assert_eq!((own.status, &own.json()["method"]), (200, &json!("OPTIONS")), "the function's own: {own:?}");
    let plain = stage.send("OPTIONS", "/functions/v1/mirror", &[], "");
    assert_eq!(plain.json()["method"], "OPTIONS", "without a method to ask for it is no preflight");
}

fn answers_are_readable(stage: &Stage) {
    for (path, status, code) in [
        ("/functions/v1/guarded", 401, "UNAUTHORIZED_NO_AUTH_HEADER"),
        ("/functions/v1/nobody", 404, "NOT_FOUND"),
        ("/functions/v1/probe/panic", 500, "WORKER_ERROR"),
    ] {
        let answer = stage.get(path);
        assert_eq!((answer.status, answer.header("sb-error-code")), (status, Some(code)), "{answer:?}");
        assert_eq!(answer.header("x-relay-error"), Some("true"), "{answer:?}");
        assert_eq!(answer.header("access-control-allow-origin"), Some("*"), "{answer:?}");
        let exposed = answer.header("access-control-expose-headers").unwrap_or_default();
        assert!(exposed.contains("x-relay-error") && exposed.contains("sb-error-code"), "{answer:?}");
        assert!(answer.header("sb-request-id").is_some(), "{answer:?}");
    }
    let large = stage.send("POST", "/functions/v1/mirror", &["content-length: 99999999999"], "");
    assert_eq!((large.status, large.header("sb-error-code")), (413, Some("PAYLOAD_TOO_LARGE")), "{large:?}");
}

fn requests_carry_where_they_come_from(stage: &Stage) {
    let sent = ["x-forwarded-for: 203.0.113.7", "x-request-id: mine-7", "x-region: eu-west-1"];
    let answer = stage.send("GET", "/functions/v1/mirror/sub?forceFunctionRegion=eu-west-1", &sent, "");
    let seen = answer.json();
    assert_eq!(seen["path"], "/mirror/sub?forceFunctionRegion=eu-west-1");
    let header = |name: &str| {
        let pairs = seen["headers"].as_array().expect("pairs");
        let found: Vec<&str> =
            pairs.iter().filter(|pair| pair[0] == name).filter_map(|pair| pair[1].as_str()).collect();
        assert!(found.len() < 2, "{name} appears twice: {seen}");
        found.first().map(|value| (*value).to_owned())
    };
    let host = stage.value("API_URL").trim_start_matches("http://");
    let port = host.rsplit(':').next().expect("a port");
    for (name, value) in [
        ("x-forwarded-for", "203.0.113.7, 127.0.0.1"),
        ("x-forwarded-proto", "http"),
        ("x-forwarded-host", host),
        ("x-forwarded-port", port),
        ("x-request-id", "mine-7"),
        ("sb-request-id", "mine-7"),
        ("x-region", "eu-west-1"),
    ] {
        assert_eq!(header(name).as_deref(), Some(value), "{name}");
    }
    assert_eq!(answer.header("x-request-id"), Some("mine-7"));
}

fn the_stack_is_reached_from_inside(stage: &Stage) {
    let env = stage.get("/functions/v1/probe/env").body;
    for expected in [stage.value("API_URL"), stage.value("DB_URL"), stage.value("SERVICE_ROLE_KEY")] {
        assert!(env.contains(expected), "{expected} is not in {env}");
    }
    let target = format!("x-target: {}/auth/v1/health", stage.value("API_URL"));
    let answer = stage.send("GET", "/functions/v1/probe/fetch", &[&target], "");
    assert_eq!(answer.json()["status"], 200, "{answer:?}");
}

/// Functions beyond the files that the shell lets a process open, and beyond the places for
/// instances.
const MANY: usize = 1100;

// rows: edge/LIMIT_COUNT
#[test]
fn more_functions_than_places_or_files_are_served_each_by_itself() {
    let project = Project::new();
    let components = project.path().join("state/components");
    std::fs::create_dir_all(&components).expect("made");
    let mut config = String::new();
    let mirror = component("mirror");
    for n in 0..MANY {
        std::fs::copy(&mirror, components.join(format!("f{n}.wasm"))).expect("copied");
        config += &format!("[functions.f{n}]\nverify_jwt = false\n");
    }
    append(&project, "config.toml", &config);
    let start = project.command(&["start"]);
    let mut limited = Command::new("sh");
    limited.args(["-c", "ulimit -Sn 256 && exec \"$0\" start"]).arg(start.get_program());
    limited
        .envs(start.get_envs().filter_map(|(name, value)| Some((name, value?))))
        .current_dir(project.path());
    assert!(limited.output().expect("a shell runs").status.success());
    let limits = std::fs::read_to_string(format!("/proc/{}/limits", project.pid())).expect("a running stack");
    let files = limits.lines().find_map(|line| line.strip_prefix("Max open files")).expect("a limit");
    let [soft, hard, _] = files.split_whitespace().collect::<Vec<_>>()[..] else { panic!("{files}") };
    assert_eq!(soft, hard, "each function holds a file open");
    let status = project.status();
    let origin = status["API_URL"].as_str().expect("an address");
    for n in (0..MANY).step_by(99).chain([MANY - 1]) {
        let answer = send(origin, "GET", &format!("/functions/v1/f{n}/x"), &[], "");
        assert_eq!((answer.status, &answer.json()["path"]), (200, &json!(format!("/f{n}/x"))), "{answer:?}");
    }
    let beyond = send(origin, "GET", &format!("/functions/v1/f{MANY}"), &[], "");
    assert_eq!(beyond.status, 404, "{beyond:?}");
}

// rows: auth/W1 auth/W7 server/GW-PREFLIGHT
#[test]
fn auth_is_found_by_its_path_and_answers_a_preflight_before_it_asks_for_a_key() {
    let stage = Stage::start(&[], "", "");
    let asked = "authorization, apikey, content-type, x-client-info, x-supabase-api-version";
    let wanted = format!("access-control-request-headers: {asked}");
    let preflight = ["origin: http://localhost:5173", "access-control-request-method: PUT", &wanted];
    let answer = stage.send("OPTIONS", "/auth/v1/user", &preflight, "");
    assert_eq!((answer.status, answer.body.as_str()), (204, ""), "{answer:?}");
    assert_eq!(answer.header("access-control-allow-headers"), Some(asked));
    assert!(
        answer.header("access-control-allow-methods").is_some_and(|methods| methods.contains("PUT")),
        "{answer:?}"
    );
    assert!(answer.header("access-control-max-age").is_some(), "{answer:?}");
    let refused = stage.send("GET", "/auth/v1/user", &["origin: http://localhost:5173"], "");
    assert_eq!(refused.status, 401, "{refused:?}");
    for answer in [answer, refused] {
        assert_eq!(answer.header("access-control-allow-origin"), Some("http://localhost:5173"), "{answer:?}");
        assert_eq!(answer.header("access-control-allow-credentials"), Some("true"), "{answer:?}");
    }
    let health = stage.get("/auth/v1/health");
    assert_eq!((health.status, &health.json()["name"]), (200, &json!("GoTrue")), "{health:?}");
    assert_eq!(stage.get("/health").status, 404, "the listener of all services has each under its own path");
}

/// server/CONTRACT.md GW-ROUTES, GW-ERRORS, GW-BODY and GW-TIMEOUT.
// rows: server/GW-ROUTES server/GW-ERRORS server/GW-BODY server/GW-TIMEOUT config/CFG-OFF storage/C01
#[test]
fn a_service_that_is_off_has_no_path_and_what_the_gateway_refuses_is_a_message() {
    let project = Project::new();
    let path = project.path().join("supabase/config.toml");
    let config = std::fs::read_to_string(&path).expect("read");
    let off = config.replace("\n[auth]\n", "\n[auth]\nenabled = false\n");
    let off = off.replace("\n[storage]\nenabled = true\n", "\n[storage]\nenabled = false\n");
    let off = off.replace("\n[realtime]\nenabled = true\n", "\n[realtime]\nenabled = false\n");
    std::fs::write(&path, off).expect("written");
    append(&project, "banyan.toml", "[server]\nmax_body = \"64KiB\"\nrequest_timeout = \"1s\"\n");
    let migrations = project.path().join("supabase/migrations");
    std::fs::create_dir_all(&migrations).expect("made");
    let slow = "create function public.wait() returns void language sql as 'select pg_sleep(20)';";
    std::fs::write(migrations.join("20260101000000_wait.sql"), slow).expect("written");
    let stage = Stage::of(project, &[]);
    let refused = |method: &str, path: &str, headers: &[&str], body: &str| {
        let answer = stage.send(method, path, headers, body);
        assert_eq!(answer.header("x-content-type-options"), Some("nosniff"), "{answer:?}");
        (answer.status, answer.json())
    };
    let nowhere = (404, json!({"message": "no Route matched with those values"}));
    for path in
        ["/auth/v1/health", "/auth/v1/.well-known/jwks.json", "/storage/v1/bucket", "/realtime/v1/api/ping"]
    {
        assert_eq!(refused("GET", path, &[], ""), nowhere, "{path}");
    }
    let status = stage.project.status();
    assert!(["BANYAN_AUTH_URL", "STORAGE_S3_URL"].iter().all(|name| status.get(name).is_none()), "{status}");
    assert_eq!(stage.get("/rest-admin/v1/ready").status, 200);
    let large = (413, json!({"message": "The request body is too large."}));
    assert_eq!(refused("POST", "/rest/v1/rpc/wait", &[], &"x".repeat(65_537)), large);
    let chunks = format!("transfer-encoding: chunked\r\n\r\n10001\r\n\"{}\"\r\n0\r\n", "x".repeat(65_535));
    assert_eq!(refused("POST", "/rest/v1/rpc/wait", &[&chunks], "").0, 413, "no length was told");
    let late = (504, json!({"message": "The service did not answer in time."}));
    assert_eq!(refused("GET", "/rest/v1/rpc/wait", &[], ""), late);
}
