//! Commands against a running stack (edge/CONTRACT.md G01 to G13).

use std::{
    io::{BufRead, BufReader},
    process::Stdio,
};

use crate::support::{Stage, component, eventually, send};

/// A prebuilt component, as anyone else may have built it.
fn prebuilt(stage: &Stage, name: &str, guest: &str) {
    std::fs::copy(component(guest), stage.project.path().join(format!("supabase/{name}.wasm")))
        .expect("copied");
}

// rows: edge/G06 edge/G07 edge/G08 edge/G09 edge/G10 edge/G12
#[test]
fn a_prebuilt_component_is_deployed_rolled_back_and_deleted() {
    let banyan = "[functions.greet]\ncomponent = \"greet.wasm\"\nverify_jwt = false\n";
    let stage = Stage::start(&[], "", "");
    let project = &stage.project;
    crate::support::append(project, "banyan.toml", banyan);
    prebuilt(&stage, "greet", "hello");
    // A machine without a toolchain: what was built elsewhere needs none.
    let run = |arguments: &[&str]| {
        let output =
            project.command(arguments).env("PATH", "/nonexistent").output().expect("the binary runs");
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        (output.status.success(), text(&output.stdout), text(&output.stderr))
    };
    let (done, out, notes) = run(&["functions", "deploy", "greet"]);
    assert!(
        done && out.contains("Deployed Functions on project cli") && out.trim_end().ends_with(": greet"),
        "{out}{notes}"
    );
    assert_eq!(stage.get("/functions/v1/greet").body, "Hello World");
    let (built, _, notes) = run(&["functions", "build", "greet"]);
    assert!(!built && notes.contains("greet needs no build: banyan.toml names"), "{notes}");
    let (_, _, notes) = run(&["functions", "deploy", "greet"]);
    assert!(notes.contains("No change found in Function: greet"), "{notes}");

    prebuilt(&stage, "greet", "mirror");
    assert!(run(&["functions", "deploy"]).0);
    assert_eq!(stage.get("/functions/v1/greet").json()["method"], "GET");
    let listed = run(&["functions", "list"]).1;
    let head: Vec<&str> = listed.lines().next().expect("a head").split('|').map(str::trim).collect();
    assert_eq!(head, ["ID", "NAME", "SLUG", "STATUS", "VERSION", "UPDATED_AT (UTC)"]);
    let row: Vec<&str> = listed.lines().nth(2).expect("a row").split('|').map(str::trim).collect();
    assert_eq!(row[1..5], ["greet", "greet", "ACTIVE", "2"], "{listed}");

    let (_, listed, notes) = run(&["functions", "list", "greet"]);
    let cells = |line: &str| line.split('|').map(|cell| cell.trim().to_owned()).collect::<Vec<_>>();
    let lines: Vec<_> = listed.lines().map(cells).collect();
    assert_eq!(lines[0], ["VERSION", "SERVED", "VERIFY_JWT", "BYTES", "DEPLOYED_AT (UTC)"], "{notes}");
    assert_eq!(
        (&lines[2][..3], &lines[3][..3]),
        (&["1", "", "false"].map(String::from)[..], &["2", "yes", "false"].map(String::from)[..]),
        "{listed}"
    );
    let (done, _, notes) = run(&["functions", "list", "nobody"]);
    assert!(!done && notes.contains("Function not found: nobody"), "{notes}");
    let (done, _, notes) = run(&["functions", "rollback", "greet", "--to", "9"]);
    assert!(!done && notes.contains("version 9 of greet is not kept; there are 1, 2"), "{notes}");
    let (_, out, _) = run(&["functions", "rollback", "greet"]);
    assert!(out.contains("is served in version 1"), "{out}");
    let (_, out, notes) = run(&["functions", "download", "greet"]);
    assert!(out.contains("Downloaded Function greet"), "{out}{notes}");
    let fetched = std::fs::read(project.path().join("greet.wasm")).expect("a file");
    assert!(fetched == std::fs::read(component("hello")).expect("a component"), "another component came");
    let (_, out, _) = run(&["functions", "delete", "greet"]);
    assert!(out.contains("Deleted Function greet from project"), "{out}");
    assert!(!run(&["functions", "delete", "greet"]).0);
    let (done, _, notes) = run(&["functions", "deploy", "--no-verify-jwt", "nobody"]);
    assert!(!done && notes.contains("Function not found: nobody"), "{notes}");
    the_token_is_asked_for(&stage);
}

// rows: edge/X14 edge/G10
#[test]
fn what_takes_gigabytes_to_compile_is_refused_and_the_stack_takes_none_of_them() {
    let stage = Stage::start(&[("hello", "hello")], "[functions.hello]\nverify_jwt = false\n", "");
    let project = &stage.project;
    crate::support::append(project, "banyan.toml", "[functions.huge]\ncomponent = \"huge.wasm\"\n");
    let huge = banyan_testkit::hostile_components::huge_to_compile();
    std::fs::write(project.path().join("supabase/huge.wasm"), huge).expect("written");
    let told = project.run(&["functions", "deploy", "huge"]);
    assert!(told.code == 1 && told.notes.contains("takes more than 3 GB of memory"), "{}", told.notes);
    assert_eq!(stage.get("/functions/v1/hello").body, "Hello World");
    let status = std::fs::read_to_string(format!("/proc/{}/status", project.pid())).expect("it runs");
    let most = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).expect("a line");
    let kilobytes: u64 = most.trim().trim_end_matches(" kB").parse().expect("a number");
    assert!(kilobytes < 300 << 10, "the stack took {kilobytes} kB");
}

// rows: edge/G06 edge/G08
#[test]
fn what_left_the_project_is_pruned_and_what_the_configuration_names_is_told() {
    let stage = Stage::start(&[], "", "");
    let project = &stage.project;
    let banyan = |text: &str| {
        std::fs::write(project.path().join("supabase/banyan.toml"), text).expect("written");
    };
    let deploy = |more: &[&str]| project.run(&[&["functions", "deploy"], more].concat());
    prebuilt(&stage, "greet", "hello");
    banyan("[functions.greet]\ncomponent = \"greet.wasm\"\nverify_jwt = false\n");
    let told = deploy(&["--prune"]);
    assert!(told.code == 0 && told.notes.contains("No Functions to prune."), "{}", told.notes);

    banyan("[functions.greet]\nverify_jwt = false\n");
    let told = deploy(&["--prune", "--yes"]);
    assert!(told.code == 0 && told.notes.contains("greet stays: [functions.greet]"), "{}", told.notes);
    assert_eq!(stage.get("/functions/v1/greet").body, "Hello World");

    banyan("");
    let asked = deploy(&["--prune"]);
    assert!(asked.code == 1 && asked.notes.contains("--prune would delete greet"), "{}", asked.notes);
    let done = deploy(&["--prune", "--yes"]);
    assert!(done.code == 0 && done.out.contains("Deleted Function greet from project"), "{}", done.notes);
    // The file is there still: the stack serves it for as long as it has not read the configuration
    // that no longer names it.
    eventually("the end of greet", || stage.get("/functions/v1/greet").status == 404);
}

// rows: edge/G07 edge/G08 edge/G10 edge/W07 edge/V05
#[test]
fn what_is_asked_of_nothing_fails_and_says_of_what() {
    let banyan = "[functions.greet]\ncomponent = \"greet.wasm\"\n";
    let stage = Stage::start(&[], "", banyan);
    let project = &stage.project;
    prebuilt(&stage, "greet", "hello");
    project.succeed(&["functions", "deploy", "greet"]);
    for (arguments, reason) in [
        (&["functions", "rollback", "greet"][..], "there is no earlier version of greet"),
        (&["functions", "logs", "nobody"], "Function not found: nobody"),
        (&["secrets", "unset", "NOTHING"], "There is no secret NOTHING."),
    ] {
        let told = project.run(arguments);
        assert!(told.code == 1 && told.notes.contains(reason), "{arguments:?}: {}", told.notes);
    }
    assert_eq!(project.succeed(&["functions", "logs", "greet"]).notes, "");
    project.succeed(&["secrets", "set", "KNOWN=1"]);
    let listed = project.succeed(&["secrets", "list", "-o", "json"]).out;
    let listed: serde_json::Value = serde_json::from_str(&listed).expect("JSON");
    assert_eq!(listed[0]["name"], "KNOWN", "{listed}");
    let partly = project.succeed(&["secrets", "unset", "NOTHING", "KNOWN"]);
    assert!(partly.notes.contains("There is no secret NOTHING."), "{}", partly.notes);

    crate::support::append(project, "banyan.toml", "verify_jwt = false\n");
    let deleted = project.succeed(&["functions", "delete", "greet"]).notes;
    assert!(deleted.contains("greet can still be called") && deleted.contains("greet.wasm"), "{deleted}");
    assert_ne!(stage.get("/functions/v1/greet").status, 404, "as it says");
    project.succeed(&["functions", "deploy", "greet"]);
    std::fs::remove_file(project.path().join("supabase/greet.wasm")).expect("removed");
    let deleted = project.succeed(&["functions", "delete", "greet"]).notes;
    assert!(deleted.contains("Still in the project: [functions.greet]"), "{deleted}");
}

fn the_token_is_asked_for(stage: &Stage) {
    let admin = stage.value("BANYAN_ADMIN_URL");
    let path = "/v1/projects/any/functions";
    assert_eq!(send(admin, "GET", path, &[], "").status, 401);
    assert_eq!(send(admin, "GET", path, &["authorization: Bearer sbp_wrong"], "").status, 401);
    let service = format!("authorization: Bearer {}", stage.value("SERVICE_ROLE_KEY"));
    assert_eq!(send(admin, "GET", path, &[&service], "").status, 401, "no key of the API opens it");
    let token = std::fs::read_to_string(stage.project.path().join("state/access-token")).expect("a token");
    let token = format!("authorization: Bearer {token}");
    assert_eq!(send(admin, "GET", path, &[&token], "").status, 200);
    let api = stage.send("GET", path, &[&token], "");
    assert!(!api.body.contains("\"slug\""), "the public listener knows nothing of it: {api:?}");
}

// rows: edge/V05 edge/W07 edge/G05
#[test]
fn secrets_logs_and_configuration_of_a_running_stack() {
    let stage = Stage::start(&[("probe", "probe")], "[functions.probe]\nverify_jwt = false\n", "");
    let project = &stage.project;
    let listed = project.run(&["functions", "list", "probe"]);
    assert!(
        listed.code == 1 && listed.notes.contains("probe was built and never deployed"),
        "{}",
        listed.notes
    );
    let env = || stage.get("/functions/v1/probe/env").body;
    project.succeed(&["secrets", "set", "MODEL_KEY=very-secret", "OTHER=a=b"]);
    assert!(env().contains(r#"["MODEL_KEY","very-secret"]"#) && env().contains(r#"["OTHER","a=b"]"#));
    let listed = project.succeed(&["secrets", "list"]).out;
    assert!(listed.contains("MODEL_KEY") && !listed.contains("very-secret"), "{listed}");
    assert_eq!(project.run(&["secrets", "set", "SUPABASE_URL=x"]).code, 1);
    project.succeed(&["secrets", "unset", "MODEL_KEY"]);
    assert!(!env().contains("MODEL_KEY"));

    let mut following = project.command(&["functions", "logs", "probe", "--follow"]);
    let mut following = following.stdout(Stdio::piped()).spawn().expect("the binary runs");
    let lines = BufReader::new(following.stdout.take().expect("a pipe")).lines();
    stage.send("GET", "/functions/v1/probe/log", &["x-request-id: mine-7"], "");
    let line = lines.map_while(Result::ok).find(|line| line.contains("to stderr")).expect("the line");
    following.kill().expect("ended");
    following.wait().expect("ended");
    assert!(line.contains("error") && line.contains("[probe]") && line.contains("mine-7"), "{line}");
    assert!(project.succeed(&["functions", "logs"]).out.contains("first line"));

    let path = project.path().join("supabase/config.toml");
    let config = std::fs::read_to_string(&path).expect("a file");
    std::fs::write(&path, config.replace("verify_jwt = false", "verify_jwt = true\nverify_jwtt = true"))
        .expect("written");
    let end = std::time::Instant::now() + std::time::Duration::from_secs(20);
    while stage.get("/functions/v1/probe/calls").status != 401 {
        assert!(std::time::Instant::now() < end, "the changed configuration is not used");
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
    let log = || std::fs::read_to_string(project.path().join("state/banyan.log")).expect("a log");
    crate::support::eventually("a word on the key that nothing reads", || log().contains("`verify_jwt`?"));
}
