//! The published `@supabase/supabase-js`, whose part for functions is `functions-js`
//! (edge/CONTRACT.md C01 to C08).

use std::{path::Path, process::Command};

use crate::support::Stage;

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/contract/supabase_js");

// rows: edge/C01 edge/C02 edge/C03 edge/C04 edge/C05 edge/C06 edge/C07
#[test]
fn the_published_client_finds_what_it_expects() {
    let open = ["mirror", "probe", "hello"].map(|name| format!("[functions.{name}]\nverify_jwt = false\n"));
    let functions = [("mirror", "mirror"), ("probe", "probe"), ("hello", "hello"), ("guarded", "hello")];
    let stage = Stage::start(&functions, &open.concat(), "");
    let output = Command::new(node())
        .args(["--test", "--test-reporter=spec", "functions.test.mjs"])
        .current_dir(FOLDER)
        .envs(["API_URL", "ANON_KEY"].map(|name| (name, stage.value(name))))
        .output()
        .expect("node runs");
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{text}\n{}", String::from_utf8_lossy(&output.stderr));
    assert!(text.contains("ℹ tests 7") && text.contains("ℹ fail 0"), "{text}");
}

/// The Node version the client asks for, from the npm registry.
fn node() -> std::path::PathBuf {
    let packages = Path::new(FOLDER).join("node_modules");
    let built = ["x64", "arm64"].map(|machine| packages.join(format!("node-linux-{machine}/bin/node")));
    built.into_iter().find(|path| path.is_file()).expect(
        "npm packages are missing: run scripts/lib/npm-install.sh crates/cli/tests/contract/supabase_js",
    )
}
