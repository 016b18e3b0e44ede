//! `banyan functions new`: writes a function in Rust that builds to a component (edge/CONTRACT.md
//! G03).

use std::{fs::OpenOptions, io::Write};

use anyhow::{Context, bail};

use super::{atomic_folder::write_whole, sdk, workspace};
use crate::{
    arguments::{FunctionAuth, Global},
    output, project,
};

/// Code that checks callers, and the header of the first call. Before the function runs, the stack
/// judges whether the token is valid. The function judges whether it belongs to a user and is no
/// key of the project.
fn checked(auth: FunctionAuth, template: &str) -> String {
    let key = r#""apikey: $PUBLISHABLE_KEY""#;
    let (imports, env, check, header) = match auth {
        FunctionAuth::None => ("", "_env", "", key),
        FunctionAuth::Apikey => ("caller, ", "env", include_str!("new_key_check.rs.txt"), key),
        FunctionAuth::User => (
            "caller, ",
            "_env",
            include_str!("new_user_check.rs.txt"),
            r#""authorization: Bearer $ACCESS_TOKEN""#,
        ),
    };
    let texts = [("{imports}", imports), ("{env}", env), ("{check}", check), ("{header}", header)];
    texts.iter().fold(template.to_owned(), |text, (name, value)| text.replace(name, value))
}

pub(super) fn run(global: &Global, slug: &str, auth: FunctionAuth) -> anyhow::Result<()> {
    if !banyan_edge::is_function_name(slug) {
        bail!(
            "Invalid Function name. Must start with at least one letter, and only include alphanumeric characters, underscores, and hyphens. (^[A-Za-z][A-Za-z0-9_-]*$)"
        );
    }
    let config = project::load(global)?;
    let folder = config.paths.functions().join(slug);
    if folder.exists() {
        bail!("{} exists already", folder.display());
    }
    let functions = config.paths.functions();
    std::fs::create_dir_all(&functions).with_context(|| format!("cannot make {}", functions.display()))?;
    workspace::join(&functions, slug)?;
    sdk::join(&functions)?;
    let library = slug.replace('-', "_").to_ascii_lowercase();
    let files = [
        ("Cargo.toml", include_str!("new_cargo.toml")),
        ("src/lib.rs", include_str!("new_lib.rs.txt")),
        ("src/main.rs", include_str!("new_main.rs.txt")),
    ];
    let text = |template| checked(auth, template).replace("{slug}", slug).replace("{library}", &library);
    write_whole(&folder, &files.map(|(file, template)| (file, text(template))))?;
    if !config.functions.contains_key(slug) {
        let path = config.paths.supabase().join("config.toml");
        let mut file = OpenOptions::new().append(true).open(&path)?;
        let verify_jwt = auth == FunctionAuth::User;
        write!(file, "\n[functions.{slug}]\nenabled = true\nverify_jwt = {verify_jwt}\n")
            .with_context(|| format!("cannot write {}", path.display()))?;
    }
    let shown = folder.strip_prefix(&config.paths.project).unwrap_or(&folder);
    output::line(format_args!("Created new Function at {}", shown.display()));
    output::note(format_args!(
        "`banyan functions build {slug}` builds it for the stack of `banyan start`, and `banyan functions serve` again \
         whenever its source changes. How it is called stands in its src/main.rs."
    ));
    Ok(())
}
