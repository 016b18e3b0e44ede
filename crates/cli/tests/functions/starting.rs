//! What a start says of functions that are compiled after it.

use std::{
    io::{BufRead, BufReader},
    process::Stdio,
};

use banyan_testkit::hostile_components::slow_to_compile;
use rustix::process::Signal;

use crate::{
    project::{Project, signal},
    support::{append, send},
};

/// A project with open functions that take a second or so each to be compiled, one after another;
/// `slow4` is the last one.
fn project() -> Project {
    let project = Project::new();
    let components = project.path().join("state/components");
    std::fs::create_dir_all(&components).expect("made");
    for number in b'1'..=b'4' {
        let mut slow = slow_to_compile();
        // A section that says nothing makes it another component.
        slow.extend([0, 2, 1, number]);
        let name = format!("slow{}", char::from(number));
        std::fs::write(components.join(format!("{name}.wasm")), slow).expect("written");
        append(&project, "config.toml", &format!("[functions.{name}]\nverify_jwt = false\n"));
    }
    project
}

// rows: edge/FUNCTION_NOT_READY server/GW-READY
#[test]
fn the_server_answers_while_functions_are_compiled_and_start_waits_for_them() {
    let project = project();
    let mut serve = project.command(&["serve"]).stdout(Stdio::null()).stderr(Stdio::piped()).spawn();
    let serve = serve.as_mut().expect("the binary runs");
    while project.run(&["status"]).code != 0 {
        assert!(serve.try_wait().expect("asked").is_none(), "it ended");
    }
    let status = project.status();
    let (api, admin) = (&status["API_URL"], &status["BANYAN_ADMIN_URL"]);
    let (api, admin) = (api.as_str().expect("an address"), admin.as_str().expect("an address"));
    let early = send(api, "GET", "/functions/v1/slow4", &[], "");
    assert_eq!((early.status, early.header("sb-error-code")), (503, Some("FUNCTION_NOT_READY")), "{early:?}");
    let ready = send(admin, "GET", "/ready", &[], "");
    assert_eq!((ready.status, &ready.json()["parts"]["functions"]), (503, &false.into()), "{ready:?}");
    assert_eq!(send(api, "GET", "/rest-admin/v1/ready", &[], "").status, 200, "the data API is ready");

    let started = project.succeed(&["start"]).notes;
    assert!(started.contains("to go") && started.contains("The functions are compiled."), "{started}");
    assert_eq!(send(api, "GET", "/functions/v1/slow4", &[], "").status, 500, "it gives no answer");
    assert_eq!(send(admin, "GET", "/ready", &[], "").status, 200);
    signal(serve.id().cast_signed(), Signal::TERM);
    let said = BufReader::new(serve.stderr.take().expect("a pipe")).lines().map_while(Result::ok);
    let said: Vec<String> = said.collect();
    for part in ["functions are being compiled and answer 503", "The functions are compiled."] {
        assert!(said.iter().any(|line| line.contains(part)), "{said:?}");
    }
    assert!(serve.wait().expect("ended").success());
}

// rows: edge/FUNCTION_NOT_READY
#[test]
fn a_detached_start_ends_when_the_functions_are_ready() {
    let project = project();
    let started = project.succeed(&["start"]);
    assert!(started.notes.contains("Compiling functions: "), "{}", started.notes);
    let status = project.status();
    let api = status["API_URL"].as_str().expect("an address");
    assert_eq!(send(api, "GET", "/functions/v1/slow4", &[], "").status, 500, "it gives no answer");
    let again = project.succeed(&["start"]).notes;
    assert!(!again.contains("Compiling"), "{again}");
}

// rows: edge/FUNCTION_NOT_READY edge/BOOT_ERROR
#[test]
fn a_start_names_a_function_that_cannot_be_loaded() {
    let project = project();
    std::fs::write(project.path().join("state/components/broken.wasm"), "no component").expect("written");
    let started = project.succeed(&["start"]).notes;
    assert!(started.contains("Compiling functions: "), "{started}");
    assert!(started.contains("broken cannot be loaded") && !started.contains("are compiled"), "{started}");
}

#[test]
fn a_function_that_the_configuration_alone_names_is_told_of() {
    let project = Project::new();
    crate::support::append(
        &project,
        "banyan.toml",
        "[functions.ghost]\n[functions.empty]\n[functions.off]\nenabled = false\n",
    );
    let folder = project.path().join("supabase/functions/empty");
    std::fs::create_dir_all(&folder).expect("made");
    std::fs::write(folder.join("made.wasm"), "").expect("written");
    let told = |notes: &str| {
        let warnings = notes.lines().filter(|line| line.starts_with("WARN: [functions."));
        let said: Vec<&str> = warnings.collect();
        assert_eq!(said.len(), 2, "{notes}");
        assert!(
            said[0].contains("[functions.empty]")
                && said[0].contains("supabase/functions/empty holds no function")
                && said[0]
                    .contains("[functions.empty] component = \"functions/empty/made.wasm\" in banyan.toml"),
            "{notes}"
        );
        assert!(
            said[1].contains("[functions.ghost]")
                && said[1].contains("supabase/functions/ghost is not there")
        );
    };
    told(&project.succeed(&["start"]).notes);
    told(&project.succeed(&["functions", "list"]).notes);
    told(&project.succeed(&["functions", "deploy"]).notes);
    let one = project.run(&["functions", "serve", "ghost"]);
    assert!(one.code == 1 && one.notes.contains("`banyan functions build ghost`"), "{}", one.notes);
}

// rows: edge/G03 edge/G07
#[test]
fn a_function_that_was_never_built_is_named_by_the_start_and_by_the_list() {
    let project = Project::new();
    project.succeed(&["functions", "new", "planned"]);
    let folder = project.path().join("supabase/functions/old");
    std::fs::create_dir_all(&folder).expect("made");
    std::fs::write(folder.join("index.ts"), "Deno.serve(() => new Response())").expect("written");
    let components = project.path().join("state/components");
    std::fs::create_dir_all(&components).expect("made");
    std::fs::write(components.join("broken.wasm"), "no component").expect("written");
    let started = project.succeed(&["start"]).notes;
    for part in ["planned is not built yet", "`banyan functions build`", "old cannot be called", "for Deno"] {
        assert!(started.contains(part), "{part}: {started}");
    }
    let listed = project.succeed(&["functions", "list"]);
    assert!(listed.notes.contains("planned is not built yet"), "{}", listed.notes);
    let rows: Vec<&str> = listed.out.lines().skip(2).collect();
    assert!(rows.len() == 1 && rows[0].contains("broken") && rows[0].contains("BROKEN"), "{rows:?}");
    let json = project.succeed(&["functions", "list", "-o", "json"]).out;
    let json: serde_json::Value = serde_json::from_str(&json).expect("JSON");
    assert_eq!((&json[0]["slug"], &json[0]["status"]), (&"broken".into(), &"THROTTLED".into()), "{json}");
    let env = project.run(&["functions", "list", "-o", "env"]);
    assert!(env.code == 1 && env.notes.contains("not supported"), "{}", env.notes);
}

// rows: edge/FUNCTION_NOT_READY
#[test]
fn a_start_fails_when_the_stack_dies_while_it_waits() {
    let project = project();
    let mut serve = project.command(&["serve"]).stdout(Stdio::null()).stderr(Stdio::null()).spawn();
    let serve = serve.as_mut().expect("the binary runs");
    while project.run(&["status"]).code != 0 {
        assert!(serve.try_wait().expect("asked").is_none(), "it ended");
    }
    let start = project.command(&["start"]).stdout(Stdio::null()).stderr(Stdio::piped()).spawn();
    let mut start = start.expect("the binary runs");
    let mut said = BufReader::new(start.stderr.take().expect("a pipe")).lines().map_while(Result::ok);
    let waits = said.by_ref().find(|line| line.contains("to go"));
    assert!(waits.is_some(), "it does not wait");
    serve.kill().expect("it runs");
    serve.wait().expect("it has ended");
    let rest: Vec<String> = said.collect();
    assert!(!start.wait().expect("it has ended").success(), "{rest:?}");
    assert!(rest.iter().any(|line| line.contains("the stack ended while its functions")), "{rest:?}");
}
