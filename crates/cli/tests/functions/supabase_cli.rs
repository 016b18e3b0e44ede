//! The published supabase CLI against a running stack: a component as a function's entrypoint
//! (edge/CONTRACT.md G06 to G09), and objects.

use std::{path::Path, process::Command};

use crate::{
    npm,
    support::{Stage, append, component},
};

/// A project's ref, whose form the CLI checks; a stack has one project and looks at none.
const PROJECT: &str = "abcdefghijklmnopqrst";

struct Cli<'a> {
    stage: &'a Stage,
    profile: std::path::PathBuf,
}

impl<'a> Cli<'a> {
    fn of(stage: &'a Stage) -> Self {
        let admin = stage.value("BANYAN_ADMIN_URL");
        let profile = stage.project.path().join("profile.yaml");
        let text = ["api_url", "dashboard_url", "docs_url"].map(|name| format!("{name}: {admin}\n"));
        std::fs::write(&profile, format!("name: banyan\nproject_host: 127.0.0.1\n{}", text.concat()))
            .expect("written");
        Self { stage, profile }
    }

    /// Whether it went well, and all that it said.
    fn run(&self, arguments: &[&str]) -> (bool, String) {
        let project = self.stage.project.path();
        let token = std::fs::read_to_string(project.join("state/access-token")).expect("a token");
        let mut command = official(project, arguments);
        command.arg(format!("--remote={PROJECT}")).arg("--profile").arg(&self.profile);
        said(command.env("SUPABASE_ACCESS_TOKEN", token.trim()))
    }

    fn succeed(&self, arguments: &[&str]) -> String {
        let (done, said) = self.run(arguments);
        assert!(done, "{arguments:?}: {said}");
        said
    }
}

/// The official CLI in a folder.
fn official(folder: &Path, arguments: &[&str]) -> Command {
    let binaries = ["x64", "arm64"].map(|machine| format!("@supabase/cli-linux-{machine}/bin/supabase"));
    let mut command = Command::new(npm::file(&[&binaries[0], &binaries[1]]));
    command.args(arguments).args(["--agent=no", "--yes"]).current_dir(folder).env_clear();
    command.envs([("HOME", folder.as_os_str()), ("PATH", Path::new("/usr/bin:/bin").as_os_str())]);
    command
}

/// Whether it went well, and all that it said.
fn said(command: &mut Command) -> (bool, String) {
    let output = command.output().expect("the CLI runs");
    let said = [output.stdout, output.stderr].map(|text| String::from_utf8_lossy(&text).into_owned());
    (output.status.success(), said.concat())
}

/// A function whose entrypoint is a component.
fn write(stage: &Stage, slug: &str, guest: &str) {
    let folder = stage.project.path().join("supabase/functions").join(slug);
    std::fs::create_dir_all(&folder).expect("made");
    std::fs::copy(component(guest), folder.join("function.wasm")).expect("copied");
    let entrypoint = format!("./functions/{slug}/function.wasm");
    let block = format!("\n[functions.{slug}]\nverify_jwt = false\nentrypoint = \"{entrypoint}\"\n");
    append(&stage.project, "config.toml", &block);
}

// rows: edge/G06 edge/G07 edge/G08 edge/G09 edge/V05
#[test]
fn the_supabase_cli_deploys_lists_and_deletes_and_sets_secrets() {
    let stage = Stage::start(&[], "", "");
    let cli = Cli::of(&stage);
    write(&stage, "greet", "hello");
    let said = cli.succeed(&["functions", "deploy", "greet", "--use-api"]);
    assert!(said.contains(&format!("Deployed Functions on project {PROJECT}: greet")), "{said}");
    assert_eq!(stage.get("/functions/v1/greet").body, "Hello World");

    write(&stage, "seen", "probe");
    let said = cli.succeed(&["functions", "deploy", "--use-api"]);
    assert!(said.contains("greet") && said.contains("seen"), "several at once: {said}");
    assert_eq!(stage.get("/functions/v1/seen/calls").body, "1");
    let listed = cli.succeed(&["functions", "list"]);
    let row = listed.lines().find(|line| line.contains("greet")).unwrap_or_default();
    let row: Vec<&str> = row.split('|').map(str::trim).collect();
    assert_eq!(row.get(1..5), Some(["greet", "greet", "ACTIVE", "2"].as_slice()), "{listed}");

    cli.succeed(&["secrets", "set", "MODEL_KEY=very-secret"]);
    assert!(stage.get("/functions/v1/seen/env").body.contains(r#"["MODEL_KEY","very-secret"]"#));
    let listed = cli.succeed(&["secrets", "list"]);
    assert!(listed.contains("MODEL_KEY") && !listed.contains("very-secret"), "{listed}");

    let said = cli.succeed(&["functions", "delete", "greet"]);
    assert!(said.contains(&format!("Deleted Function greet from project {PROJECT}.")), "{said}");
    assert_eq!(stage.get("/functions/v1/greet").status, 404);
    assert!(!cli.run(&["functions", "delete", "greet"]).0);
}

// rows: cli/CLI-OFFICIAL-STORAGE
#[test]
fn the_supabase_cli_seeds_lists_copies_moves_and_removes_objects() {
    let stage = Stage::start(&[], "", "");
    let folder = tempfile::tempdir().expect("a folder");
    let port = stage.value("API_URL").rsplit_once(':').expect("a port").1;
    let config = format!(
        "project_id = \"objects\"\n[api]\nport = {port}\n[storage.buckets.docs]\nobjects_path = \"./docs\"\n"
    );
    std::fs::create_dir_all(folder.path().join("supabase/docs/deep")).expect("made");
    for (name, text) in [("config.toml", &*config), ("docs/a.txt", "rice"), ("docs/deep/b.json", "{}")] {
        std::fs::write(folder.path().join("supabase").join(name), text).expect("written");
    }
    let run = |arguments: &[&str]| {
        let (done, said) = said(&mut official(folder.path(), arguments));
        assert!(done, "{arguments:?}: {said}");
        said
    };
    let storage = |arguments: &[&str]| run(&[&["storage", "--experimental"], arguments].concat());
    assert!(run(&["seed", "buckets"]).contains("Creating Storage bucket: docs"));
    assert!(storage(&["ls"]).contains("docs/"));
    storage(&["cp", "-r", "supabase/docs", "ss:///docs/copy"]);
    storage(&["mv", "ss:///docs/copy/a.txt", "ss:///docs/moved.txt"]);
    storage(&["cp", "ss:///docs/moved.txt", "back.txt"]);
    assert_eq!(std::fs::read_to_string(folder.path().join("back.txt")).expect("read"), "rice");
    storage(&["rm", "-r", "ss:///docs/copy"]);
    storage(&["rm", "ss:///docs/a.txt"]);
    let left = storage(&["ls", "-r", "ss:///docs"]);
    let left: Vec<&str> = left.lines().filter(|line| line.starts_with('/')).collect();
    assert_eq!(left, ["/docs/moved.txt", "/docs/deep/b.json"]);
}
