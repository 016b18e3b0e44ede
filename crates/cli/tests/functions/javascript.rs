//! A component that another language's toolchain made: JavaScript by componentize-js, on
//! SpiderMonkey.

use std::{
    path::{Path, PathBuf},
    process::Command,
};

use sha2::{Digest, Sha256};

use crate::{npm, support::Stage};

/// The component of `npm/greet.js`, made again only when what it is made from changes.
fn component() -> PathBuf {
    let folder = Path::new(npm::FOLDER);
    npm::file(&["@bytecodealliance/componentize-js/package.json"]);
    let mut hash = Sha256::new();
    for file in ["greet.js", "componentize.mjs", "package-lock.json"] {
        hash.update(std::fs::read(folder.join(file)).expect("a file"));
    }
    let name = hex::encode(&hash.finalize()[..8]);
    let made = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("greet-{name}.wasm"));
    if !made.is_file() {
        let draft = made.with_extension("draft");
        let mut node = Command::new("node");
        let output = node.args(["componentize.mjs", "greet.js"]).arg(&draft).current_dir(folder).output();
        let output = output.expect("node runs");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        std::fs::rename(draft, &made).expect("renamed");
    }
    made
}

#[test]
fn the_recipe_of_the_readme_names_the_packages_that_are_tested() {
    let readme = include_str!("../../../edge/README.md");
    let package: serde_json::Value = serde_json::from_str(include_str!("npm/package.json")).expect("JSON");
    for name in ["@bytecodealliance/componentize-js", "@bytecodealliance/jco"] {
        let version = package["dependencies"][name].as_str().expect("a version");
        assert!(readme.contains(&format!("{name}@{version}")), "{name}@{version}");
    }
}

// rows: edge/ANY_COMPONENT edge/H01
#[test]
fn javascript_runs_unmodified() {
    let banyan = format!("[functions.greet]\ncomponent = \"{}\"\n", component().display());
    let stage = Stage::start(&[], "[functions.greet]\nverify_jwt = false\n", &banyan);
    let posted = stage.send("POST", "/functions/v1/greet/x?a=1", &[], r#"{"name":"Asha"}"#);
    assert_eq!(posted.status, 200, "{posted:?}");
    assert_eq!(posted.header("content-type"), Some("application/json"));
    let greeting = serde_json::json!({"message": "Hello Asha!", "method": "POST", "path": "/greet/x?a=1"});
    assert_eq!(posted.json(), greeting);
    assert_eq!(stage.get("/functions/v1/greet").json()["message"], "Hello World!");

    let health = format!("{}/auth/v1/health", stage.value("API_URL"));
    let heard = stage.send("GET", "/functions/v1/greet", &[&format!("x-target: {health}")], "");
    assert_eq!(heard.json()["status"], 200, "it calls the stack like any other: {heard:?}");
    let log = stage.project.succeed(&["functions", "logs", "greet"]).out;
    assert!(log.contains("greeting Asha"), "{log}");
}
