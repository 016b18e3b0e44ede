//! `banyan functions new`: writes a function in Rust that builds to a component (stack.md 1.5).

use std::{fs::OpenOptions, io::Write};

use anyhow::{Context, bail};

use super::{is_slug, workspace};
use crate::{
    arguments::{FunctionAuth, Global},
    output, project,
};

/// What the door of a function needs to check callers itself. Users are checked by the stack before it runs.
struct Door {
    modules: &'static str,
    imports: &'static str,
    check: &'static str,
}

impl Door {
    fn of(auth: FunctionAuth) -> Self {
        match auth {
            FunctionAuth::None | FunctionAuth::User => Self { modules: "", imports: "greet", check: "" },
            FunctionAuth::Apikey => Self {
                modules: "/// Who may call.\npub mod caller;\n\n",
                imports: "{caller::is_key, greet}",
                check: include_str!("new_check.rs.txt"),
            },
        }
    }

    fn fit(&self, template: &str) -> String {
        template
            .replace("{modules}", self.modules)
            .replace("{imports}", self.imports)
            .replace("{check}", self.check)
    }
}

pub(super) fn run(global: &Global, slug: &str, auth: FunctionAuth) -> anyhow::Result<()> {
    if !is_slug(slug) {
        bail!(
            "Invalid Function name. Must start with at least one letter, and only include alphanumeric characters, underscores, and hyphens. (^[A-Za-z][A-Za-z0-9_-]*$)"
        );
    }
    let config = project::load(global)?;
    let folder = config.paths.functions().join(slug);
    if folder.exists() {
        bail!("{} exists already", folder.display());
    }
    std::fs::create_dir_all(folder.join("src"))
        .with_context(|| format!("cannot make {}", folder.display()))?;
    workspace::join(&config.paths.functions(), slug)?;
    let library = slug.replace('-', "_").to_ascii_lowercase();
    let door = Door::of(auth);
    let mut files = vec![
        ("Cargo.toml", include_str!("new_cargo.toml")),
        ("src/lib.rs", include_str!("new_lib.rs.txt")),
        ("src/main.rs", include_str!("new_main.rs.txt")),
    ];
    if auth == FunctionAuth::Apikey {
        files.push(("src/caller.rs", include_str!("new_caller.rs.txt")));
    }
    for (file, template) in files {
        let text = door.fit(template).replace("{slug}", slug).replace("{library}", &library);
        std::fs::write(folder.join(file), text)?;
    }
    if !config.functions.contains_key(slug) {
        let path = config.paths.supabase().join("config.toml");
        let mut file = OpenOptions::new().append(true).open(&path)?;
        let verify_jwt = auth == FunctionAuth::User;
        write!(file, "\n[functions.{slug}]\nenabled = true\nverify_jwt = {verify_jwt}\n")
            .with_context(|| format!("cannot write {}", path.display()))?;
    }
    let shown = folder.strip_prefix(&config.paths.project).unwrap_or(&folder);
    output::line(format_args!("Created new Function at {}", shown.display()));
    Ok(())
}
