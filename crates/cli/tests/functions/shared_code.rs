//! Functions of one workspace that share code: those of `tests/clients/supabase_js`, which the
//! suite of supabase-js calls.

use std::{
    path::{Path, PathBuf},
    time::Duration,
};

use serde_json::json;

use crate::support::Stage;

const SOURCE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/clients/supabase_js/supabase");

/// A stack with the six functions, and where they were built.
fn built() -> (Stage, PathBuf) {
    let config = std::fs::read_to_string(Path::new(SOURCE).join("config.toml")).expect("a file");
    let functions = &config[config.find("[functions").expect("functions")..];
    let stage = Stage::start(&[], functions, "");
    let folder = stage.project.path().join("supabase/functions");
    std::os::unix::fs::symlink(Path::new(SOURCE).join("functions"), &folder).expect("linked");
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).join("shared-code");
    let mut build = stage.project.command(&["functions", "build"]);
    let output = build.env("CARGO_TARGET_DIR", &target).output().expect("the binary runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    (stage, target)
}

// rows: edge/G11 edge/F06
#[test]
fn functions_of_one_workspace_share_code_and_one_build() {
    let (stage, target) = built();
    let all = ["hello", "echo", "status", "cors-validation", "cors-http-methods", "cors-errors"];
    for slug in all {
        let component = target.join("wasm32-wasip2/guest").join(format!("{slug}.wasm"));
        assert!(component.is_file(), "{slug} was built elsewhere");
        assert!(!Path::new(SOURCE).join("functions").join(slug).join("target").exists(), "{slug}");
    }
    let is_ready = |slug: &str| ![404, 503].contains(&stage.get(&format!("/functions/v1/{slug}")).status);
    for _ in 0..300 {
        if all.into_iter().all(is_ready) {
            break;
        }
        std::thread::sleep(Duration::from_millis(100));
    }
    they_answer(&stage);
}

fn they_answer(stage: &Stage) {
    let post = |path: &str, body: &str| stage.send("POST", &format!("/functions/v1/{path}"), &[], body);
    assert_eq!(post("hello", r#"{"name":"Asha"}"#).json()["message"], "Hello Asha!");
    assert_eq!(post("hello", "{}").json()["message"], "Hello World!");
    let refused = post("hello", "no JSON");
    assert!(refused.status == 400 && refused.json()["error"].is_string(), "{refused:?}");
    let echo = post("echo", r#"{"a":[1]}"#).json();
    assert_eq!((&echo["echo"], &echo["method"]), (&json!({"a": [1]}), &json!("POST")));
    let status = post("status", "{}").json();
    assert_eq!((&status["status"], &status["version"]), (&json!("ok"), &json!("1.0.0")));
    assert!(status["uptime"].is_number() && status["environment"].is_string(), "{status}");

    let headers = ["authorization: Bearer test-token", "x-supabase-new-feature: test-value"];
    let seen = stage.send("POST", "/functions/v1/cors-validation", &headers, r#"{"test":1}"#);
    assert_eq!(seen.json()["receivedHeaders"]["x-supabase-new-feature"], "test-value");
    assert_eq!(stage.get("/functions/v1/cors-validation").status, 405);
    for method in ["GET", "POST", "PUT", "PATCH", "DELETE"] {
        assert_eq!(stage.send(method, "/functions/v1/cors-http-methods", &[], "").json()["method"], method);
    }
    for (query, status) in [("not-found", 404), ("server-error", 500), ("", 200)] {
        let answer = stage.get(&format!("/functions/v1/cors-errors?error={query}"));
        assert_eq!(answer.status, status);
        assert_eq!(answer.header("access-control-allow-origin"), Some("*"), "once: {answer:?}");
        assert!(
            answer.header("access-control-allow-methods").is_some_and(|methods| methods.contains("PATCH"))
        );
    }
    assert_eq!(post("_shared", "").status, 404, "what they share is no function");
}
