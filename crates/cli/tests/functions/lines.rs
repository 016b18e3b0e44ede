//! What is told of an invocation: by `functions logs`, and in the stack's own log (edge/CONTRACT.md
//! W06, W07).

use std::time::{Duration, Instant};

use serde_json::Value;

use crate::support::Stage;

fn eventually<T>(name: &str, mut what: impl FnMut() -> Option<T>) -> T {
    let end = Instant::now() + Duration::from_secs(20);
    loop {
        if let Some(found) = what() {
            return found;
        }
        assert!(Instant::now() < end, "{name} did not come");
        std::thread::sleep(Duration::from_millis(50));
    }
}

/// The lines that a text holds as JSON.
fn lines(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
}

/// Event, request id and level of a line, and fields that it must have.
type Expected = (&'static str, Option<&'static str>, &'static str, &'static [&'static str]);

const EXPECTED: [Expected; 6] = [
    ("Boot", None, "info", &["boot_time_ms"]),
    ("Boot", Some("silent-1"), "info", &["execution_id", "boot_time_ms"]),
    ("Shutdown", Some("silent-1"), "info", &["execution_id", "reason", "cpu_time_used_ms", "memory_used"]),
    ("Log", Some("logging-1"), "info", &["execution_id"]),
    ("UncaughtException", Some("failing-1"), "error", &["execution_id", "exception"]),
    (
        "Shutdown",
        Some("panicking-1"),
        "error",
        &["execution_id", "exception", "reason", "cpu_time_used_ms", "memory_used"],
    ),
];

// rows: edge/W06 edge/W07 edge/LIMIT_LOG
#[test]
fn each_field_of_a_line_is_told_by_functions_logs_and_in_the_log() {
    let stage = Stage::start(&[("probe", "probe")], "[functions.probe]\nverify_jwt = false\n", "");
    for (route, id) in
        [("calls", "silent-1"), ("log", "logging-1"), ("fail", "failing-1"), ("panic", "panicking-1")]
    {
        stage.send("GET", &format!("/functions/v1/probe/{route}"), &[&format!("x-request-id: {id}")], "");
    }
    let told = |form: &[&str]| {
        let mut arguments = vec!["functions", "logs", "probe"];
        arguments.extend(form);
        stage.project.succeed(&arguments).out
    };
    let all = eventually("the last line", || {
        let all = lines(&told(&["-o", "json"]));
        all.iter().any(|line| line["event"] == "Shutdown" && line["level"] == "error").then_some(all)
    });
    for (event, request_id, level, fields) in EXPECTED {
        let is_it = |line: &&Value| line["event"] == event && line["request_id"].as_str() == request_id;
        let line = all.iter().find(is_it).unwrap_or_else(|| panic!("no {event}: {all:#?}"));
        assert_eq!((&line["function"], &line["level"]), (&"probe".into(), &level.into()), "{line}");
        for field in ["id", "timestamp", "message"].iter().chain(fields) {
            assert!(!line[field].is_null(), "{field} is not in {line}");
        }
    }
    as_text(&told(&[]));
    in_the_log(&stage);
}

/// Time, level, function, request and message, in this order.
fn as_text(text: &str) {
    for (level, request_id, message) in [
        ("info", "silent-1", "EventLoopCompleted after"),
        ("info", "logging-1", "first line"),
        ("error", "logging-1", "to stderr"),
        ("error", "failing-1", "gave up without an answer"),
        ("error", "panicking-1", "UncaughtException after"),
    ] {
        let is_it = |line: &&str| line.contains(request_id) && line.contains(message);
        let line = text.lines().find(is_it).unwrap_or_else(|| panic!("no {message}: {text}"));
        let words: Vec<&str> = line.split_whitespace().collect();
        assert_eq!(words[1..4], [level, "[probe]", request_id], "{line}");
        assert!(words[0].starts_with("20") && words[0].contains('T'), "a time: {line}");
    }
}

/// The file that `banyan start` writes has the same, one JSON object a line.
fn in_the_log(stage: &Stage) {
    let path = stage.project.path().join("state/banyan.log");
    let find = |message: &str, request_id: &str| {
        eventually(message, || {
            let text = std::fs::read_to_string(&path).expect("a log");
            let whole = text.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
            let is_it = |line: &Value| {
                line["message"].as_str().is_some_and(|found| found.contains(message))
                    && line["request.id"] == request_id
            };
            whole.into_iter().find(is_it)
        })
    };
    for (message, request_id, level, fields) in [
        ("first line", "logging-1", "INFO", [].as_slice()),
        ("to stderr", "logging-1", "ERROR", &[]),
        ("gave up", "failing-1", "ERROR", &["error"]),
        (
            "the instance failed",
            "panicking-1",
            "ERROR",
            &["reason", "exception", "cpu_time_used_ms", "memory_used"],
        ),
    ] {
        let line = find(message, request_id);
        assert_eq!((&line["function"], &line["level"]), (&"probe".into(), &level.into()), "{line}");
        for field in fields {
            assert!(!line[field].is_null(), "{field} is not in {line}");
        }
    }
}
