//! Writing a function: new, serve, change, break (edge/CONTRACT.md G01 to G13).

use std::{
    io::{BufRead, BufReader, Read},
    process::{Child, Stdio},
    sync::mpsc,
    time::Duration,
};

use crate::{
    project::Project,
    support::{Stage, eventually, send, target},
};

/// `functions serve`, ended with its test.
struct Serving(Child);

impl Drop for Serving {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// What a command that goes on says, line by line.
struct Notes(mpsc::Receiver<String>);

impl Notes {
    fn of(pipe: impl Read + Send + 'static) -> Self {
        let (give, lines) = mpsc::channel();
        std::thread::spawn(move || {
            let lines = BufReader::new(pipe).lines().map_while(Result::ok);
            lines.take_while(|line| give.send(line.clone()).is_ok()).for_each(drop);
        });
        Self(lines)
    }

    /// The next line that has `part`; a command that does not write it fails the test.
    fn await_line(&self, part: &str) -> String {
        loop {
            let line = self.0.recv_timeout(Duration::from_secs(120));
            let line = line.unwrap_or_else(|_| panic!("no line says `{part}`"));
            if line.contains(part) {
                return line;
            }
        }
    }
}

// rows: edge/G03
#[test]
fn a_function_is_written_with_its_block_and_bad_names_are_refused() {
    let project = Project::new();
    let config = || std::fs::read_to_string(project.path().join("supabase/config.toml")).expect("a file");
    for (slug, auth, verify_jwt) in
        [("plain", None, false), ("open", Some("none"), false), ("users-only", Some("user"), true)]
    {
        let mut arguments = vec!["functions", "new", slug];
        arguments.extend(auth.iter().flat_map(|auth| ["--auth", auth]));
        let said = project.succeed(&arguments);
        assert_eq!(said.out, format!("Created new Function at supabase/functions/{slug}\n"));
        assert!(said.notes.contains(&format!("`banyan functions build {slug}`")), "{}", said.notes);
        let block = format!("[functions.{slug}]\nenabled = true\nverify_jwt = {verify_jwt}\n");
        assert!(config().contains(&block), "{}", config());
        for file in ["Cargo.toml", "src/lib.rs", "src/main.rs"] {
            let path = project.path().join("supabase/functions").join(slug).join(file);
            let text = std::fs::read_to_string(&path).expect(file);
            assert!(!text.contains("{slug}") && !text.contains("{library}"), "{text}");
        }
    }
    let workspace = std::fs::read_to_string(project.path().join("supabase/functions/Cargo.toml"));
    assert!(
        workspace.expect("a file").contains(r#"members = ["users-only", "open", "plain"]"#),
        "one build for all"
    );
    assert!(project.path().join("supabase/functions/_sdk/src/lib.rs").exists(), "what functions stand on");
    for bad in ["1st", "_shared", "a.b", "../escape", "a b"] {
        let said = project.run(&["functions", "new", bad]);
        assert!(said.code == 1 && said.notes.contains("Invalid Function name"), "{bad}: {}", said.notes);
    }
    let again = project.run(&["functions", "new", "plain"]);
    assert!(again.code == 1 && again.notes.contains("exists already"), "{}", again.notes);
}

// rows: edge/G03
#[test]
fn a_new_function_refuses_who_sends_no_key_and_one_for_users_who_is_none() {
    let stage = Stage::start(&[], "", "");
    stage.project.succeed(&["functions", "new", "keyed"]);
    stage.project.succeed(&["functions", "new", "members", "--auth", "user"]);
    let mut build = stage.project.command(&["functions", "build"]);
    let built = build.env("CARGO_TARGET_DIR", target()).output().expect("the binary runs");
    assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
    let post = |headers: &[&str]| stage.send("POST", "/functions/v1/keyed", headers, "{}");
    eventually("the new function", || ![404, 503].contains(&post(&[]).status));
    for headers in [&[][..], &["apikey: nonsense"], &["apikey: "]] {
        let refused = post(headers);
        assert!(refused.status == 401 && refused.body.contains("apikey"), "{headers:?}: {refused:?}");
    }
    for name in ["PUBLISHABLE_KEY", "SECRET_KEY", "ANON_KEY", "SERVICE_ROLE_KEY"] {
        let answer = post(&[&format!("apikey: {}", stage.value(name))]);
        assert!(answer.status == 200 && answer.body.contains("Hello World!"), "{name}: {answer:?}");
    }
    only_users_call_members(&stage);
}

fn only_users_call_members(stage: &Stage) {
    let post = |headers: &[&str]| stage.send("POST", "/functions/v1/members", headers, "{}");
    eventually("the function for users", || ![404, 503].contains(&post(&[]).status));
    for name in ["PUBLISHABLE_KEY", "SECRET_KEY", "ANON_KEY", "SERVICE_ROLE_KEY"] {
        for header in ["apikey: ", "authorization: Bearer "] {
            let refused = post(&[&format!("{header}{}", stage.value(name))]);
            assert_eq!(refused.status, 401, "{header}{name}: {refused:?}");
        }
    }
    let key = format!("apikey: {}", stage.value("PUBLISHABLE_KEY"));
    let account = r#"{"email":"asha@school.example","password":"correct horse"}"#;
    let signed_up = stage.send("POST", "/auth/v1/signup", &[&key], account);
    let session: serde_json::Value = serde_json::from_str(&signed_up.body).expect("a session");
    let token = session["access_token"].as_str().expect("a token");
    let answer = post(&[&format!("authorization: Bearer {token}")]);
    assert!(answer.status == 200 && answer.body.contains("Hello World!"), "{answer:?}");
}

// rows: edge/G05 edge/G06 edge/H01
#[test]
fn what_the_stack_could_not_load_is_not_built_and_the_others_are() {
    let stage = Stage::start(&[], "", "");
    let project = &stage.project;
    for slug in ["dials", "greets"] {
        project.succeed(&["functions", "new", slug, "--auth", "none"]);
    }
    let source = project.path().join("supabase/functions/dials/src/lib.rs");
    let text = std::fs::read_to_string(&source).expect("read");
    let dialling =
        "let name = std::net::TcpStream::connect(name).map_or(name, |_| \"caller\");\n    Answer {";
    std::fs::write(&source, text.replace("Answer { message: f", &format!("{dialling} message: f")))
        .expect("written");
    let run = |arguments: &[&str]| {
        let mut command = project.command(arguments);
        let output = command.env("CARGO_TARGET_DIR", target()).output().expect("the binary runs");
        (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
    };
    let reason = "dials cannot be served: the component asks for what the host does not offer";
    let (code, notes) = run(&["functions", "build"]);
    assert_eq!(code, Some(1), "{notes}");
    assert!(
        notes.contains(reason) && notes.contains("wasi:sockets/") && notes.contains("`std::net`"),
        "{notes}"
    );
    assert!(notes.contains("Built function greets") && !notes.contains("Built function dials"), "{notes}");
    for command in ["build", "deploy"] {
        let (code, notes) = run(&["functions", command, "dials"]);
        assert!(code == Some(1) && notes.contains(reason), "{command}: {notes}");
        let (code, notes) = run(&["functions", command, "greets"]);
        assert_eq!(code, Some(0), "{command}: {notes}");
    }
    assert!(stage.get("/functions/v1/greets").status != 404);
    assert_eq!(stage.get("/functions/v1/dials").status, 404);
}

#[test]
fn the_examples_of_the_sdks_readme_build() {
    let project = Project::new();
    project.succeed(&["functions", "new", "told", "--auth", "none"]);
    let readme = include_str!("../../../../functions/_sdk/README.md");
    let blocks = readme.split("```rust\n").skip(1).map(|part| part.split("```").next().expect("its text"));
    let (with_imports, others): (Vec<&str>, Vec<&str>) =
        blocks.partition(|block| block.contains("MailClient"));
    assert!(!with_imports.is_empty() && others.len() > 4, "{readme}");
    let module = |name: &str, blocks: &[&str], door: &str| {
        format!("#[cfg(target_arch = \"wasm32\")]\nmod {name} {{\n{}\n{door}}}\n\n", blocks.join("\n"))
    };
    let doors = ["any_method", "streamed", "events", "answered_first"];
    for door in doors {
        let door = format!("banyan_sdk::http_function!({door});\n");
        let text = module("rows", &with_imports, "") + &module("calls", &others, &door) + "fn main() {}\n";
        std::fs::write(project.path().join("supabase/functions/told/src/main.rs"), text).expect("written");
        let mut build = project.command(&["functions", "build"]);
        let built = build.env("CARGO_TARGET_DIR", target()).output().expect("the binary runs");
        assert!(built.status.success(), "{door}: {}", String::from_utf8_lossy(&built.stderr));
    }
}

/// What a build that cannot succeed says.
fn build_without_cargo(project: &Project) -> String {
    let mut build = project.command(&["functions", "build"]);
    let output = build.env("PATH", "/nonexistent").output().expect("the binary runs");
    assert!(!output.status.success());
    String::from_utf8_lossy(&output.stderr).into_owned()
}

// rows: edge/G11
#[test]
fn a_function_whose_folder_is_gone_keeps_no_other_from_being_built() {
    let project = Project::new();
    for slug in ["stays", "goes"] {
        project.succeed(&["functions", "new", slug]);
    }
    let functions = project.path().join("supabase/functions");
    std::fs::remove_dir_all(functions.join("goes")).expect("removed");
    let notes = build_without_cargo(&project);
    assert!(
        notes.contains("Taken out of") && notes.contains("Cargo.toml") && notes.contains(": goes"),
        "{notes}"
    );
    let workspace = std::fs::read_to_string(functions.join("Cargo.toml")).expect("a file");
    assert!(workspace.contains(r#"members = ["stays"]"#), "{workspace}");
}

// rows: edge/G12 edge/G13
#[test]
fn without_a_toolchain_or_for_deno_the_reason_is_told() {
    let project = Project::new();
    let folder = project.path().join("supabase/functions/old");
    std::fs::create_dir_all(&folder).expect("made");
    std::fs::write(folder.join("index.ts"), "Deno.serve(() => new Response())").expect("written");
    let said = project.succeed(&["functions", "build"]);
    assert!(said.notes.contains("Skipping old") && said.notes.contains("WebAssembly"), "{}", said.notes);
    project.succeed(&["functions", "new", "mine"]);
    let notes = build_without_cargo(&project);
    assert!(notes.contains("-sSf | sh -s -- -y --target wasm32-wasip2`: "), "{notes}");
}

// rows: edge/G04 edge/J08
#[test]
fn what_a_session_opened_is_closed_however_it_ends() {
    let stage = Stage::start(&[("greet", "mirror")], "", "");
    std::fs::create_dir_all(stage.project.path().join("supabase/functions")).expect("made");
    let status = || stage.get("/functions/v1/greet").status;
    for signal in ["TERM", "HUP", "INT"] {
        assert_eq!(status(), 401, "before {signal}");
        let mut serve = stage.project.command(&["functions", "serve", "--no-verify-jwt"]);
        let serving = serve.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("the binary runs");
        let mut serving = Serving(serving);
        eventually("a call without a token", || status() == 200);
        let killed =
            std::process::Command::new("kill").args(["-s", signal, &serving.0.id().to_string()]).status();
        assert!(killed.expect("kill runs").success());
        let ended = serving.0.wait().expect("it ends");
        assert!(ended.success(), "{signal}: {ended}");
        assert_eq!(status(), 401, "after {signal}");
    }
    let mut serve = stage.project.command(&["functions", "serve", "--no-verify-jwt"]);
    let serving = serve.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("the binary runs");
    let mut serving = Serving(serving);
    eventually("a call without a token", || status() == 200);
    // Somebody else ends the session: the command asks for it again, for as long as it lives.
    end_session(&stage);
    eventually("the session that is asked for again", || status() == 200);
    serving.0.kill().expect("killed");
    serving.0.wait().expect("it ends");
    end_session(&stage);
    assert_eq!(status(), 401, "a killed command asks for nothing");
}

/// Ends what `functions serve` asked for, as a stack does that was not asked again.
fn end_session(stage: &Stage) {
    let token = std::fs::read_to_string(stage.project.path().join("state/access-token")).expect("a token");
    let token = format!("authorization: Bearer {token}");
    let answer = send(stage.value("BANYAN_ADMIN_URL"), "DELETE", "/v1/projects/any/serve", &[&token], "");
    assert_eq!(answer.status, 200, "{answer:?}");
}

// rows: edge/G03 edge/G04 edge/G05 edge/J08
#[test]
fn a_new_function_is_served_changed_and_keeps_running_when_it_breaks() {
    let stage = Stage::start(&[], "", "");
    let project = &stage.project;
    project.succeed(&["functions", "new", "hello", "--auth", "none"]);
    let inspect = project.run(&["functions", "serve", "--inspect"]);
    assert!(inspect.code == 1 && inspect.notes.contains("for Deno"), "{}", inspect.notes);
    crate::support::append(project, "config.toml", "\n[functions.off]\nenabled = false\n");
    std::fs::create_dir_all(project.path().join("supabase/functions/off")).expect("made");
    std::fs::write(project.path().join("supabase/functions/off/index.ts"), "").expect("written");

    let mut serve = project.command(&["functions", "serve", "--no-verify-jwt"]);
    serve.env("CARGO_TARGET_DIR", target()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut serving = Serving(serve.spawn().expect("the binary runs"));
    let out = BufReader::new(serving.0.stdout.take().expect("a pipe")).lines();
    let notes = Notes::of(serving.0.stderr.take().expect("a pipe"));
    let said: Vec<String> = out.map_while(Result::ok).take(3).collect();
    let url = format!("{}/functions/v1", stage.value("API_URL"));
    assert_eq!(
        said,
        [
            format!("Serving functions on {url}/<function-name>"),
            format!(" - {url}/hello"),
            "Skipped serving Function: off".to_owned()
        ]
    );
    let post = |body: &str| stage.send("POST", "/functions/v1/hello", &[], body);
    eventually("the new function", || post(r#"{"name":"Asha"}"#).body.contains("Hello Asha!"));
    assert_eq!(post("no JSON").status, 400);

    let library = project.path().join("supabase/functions/hello/src/lib.rs");
    let text = std::fs::read_to_string(&library).expect("a file");
    std::fs::write(&library, text.replace("Hello {name}!", "Namaste {name}!")).expect("written");
    eventually("the change", || post(r#"{"name":"Asha"}"#).body.contains("Namaste Asha!"));
    std::fs::write(&library, "this does not compile").expect("written");
    notes.await_line("error");
    notes.await_line("stay as they are");
    assert!(post(r#"{"name":"Asha"}"#).body.contains("Namaste Asha!"), "the last good one goes on");

    let config = project.path().join("supabase/config.toml");
    let good = std::fs::read_to_string(&config).expect("read");
    std::fs::write(&config, format!("{good}\n[functions.hello]\nverify_jwt = \"maybe\"\n")).expect("written");
    let refused = notes.await_line("The changed configuration is not used");
    assert!(refused.contains("config.toml"), "{refused}");
    std::fs::write(
        &config,
        format!("{good}\n[functions.off]\nverify_jwtt = false\n").replacen(
            "\n[functions.off]\nenabled = false\n",
            "",
            1,
        ),
    )
    .expect("written");
    notes.await_line("unknown key `functions.off.verify_jwtt`; did you mean `verify_jwt`?");
    notes.await_line("The configuration of functions is up to date.");

    let workspace = project.path().join("supabase/functions/Cargo.toml");
    let (named, without) = (r#"members = ["goes", "hello"]"#, r#"members = ["hello"]"#);
    let text = std::fs::read_to_string(&workspace).expect("read");
    std::fs::write(&workspace, text.replace(without, named)).expect("written");
    let told = notes.await_line("whose folder is gone");
    assert!(told.contains(": goes."), "{told}");
    let left = std::fs::read_to_string(&workspace).expect("read");
    assert!(left.contains(named), "the folder may come back: {left}");

    let ported = project.path().join("ported");
    std::fs::create_dir_all(&ported).expect("made");
    std::fs::write(ported.join("index.ts"), "").expect("written");
    let elsewhere = format!("\n[functions.ported]\ncomponent = {:?}\n", ported.display().to_string());
    crate::support::append(project, "banyan.toml", &elsewhere);
    notes.await_line("The configuration of functions is up to date.");
    notes.await_line("Skipping ported");
}
