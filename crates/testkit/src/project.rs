//! A configuration as of a project that sets nothing.

use banyan_config::{Config, Environment};

/// The configuration of a project that only opens its new tables to the API: every default, demo
/// keys, loopback.
///
/// # Panics
/// When the temporary folder cannot be written.
#[must_use]
pub fn config() -> Config {
    config_with("")
}

/// The configuration of a project with this config.toml. Where it does not say otherwise, the
/// tables that a test makes are reachable by the API.
///
/// # Panics
/// When the text is no valid configuration, or the temporary folder cannot be written.
#[must_use]
pub fn config_with(toml: &str) -> Config {
    let project = tempfile::tempdir().expect("a temporary folder");
    let folder = project.path().join("supabase");
    std::fs::create_dir(&folder).expect("a folder in a fresh one");
    std::fs::write(folder.join("config.toml"), format!("project_id = \"test\"\n{toml}"))
        .expect("a file in a fresh folder");
    // Tests have no other keys and no proxy, wherever they say that the project is.
    let ours = "[server]\ndemo_keys = true\n[auth]\nclient_address_header = \"none\"\n";
    std::fs::write(folder.join("banyan.toml"), ours).expect("a file in a fresh folder");
    let exposed = ("SUPABASE_API_AUTO_EXPOSE_NEW_TABLES", "true");
    let variables = (!toml.contains("auto_expose_new_tables")).then_some(exposed);
    banyan_config::load(project.path(), Environment::of(variables), 0).expect("a valid configuration").config
}
