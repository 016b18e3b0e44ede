//! `banyan functions deploy`: builds functions and brings them to a running stack (edge/CONTRACT.md
//! G06, G10).

use anyhow::{Context, bail};
use banyan_config::Config;
use http::Method;
use sha2::{Digest, Sha256};

use super::{
    build::{self, Component},
    deployed::Function,
    function_sources, unbuilt_functions, workspace,
};
use crate::{
    arguments::{Deploy, Global},
    management::Management,
    output, project,
};

pub(super) async fn run(global: &Global, asked: Deploy) -> anyhow::Result<()> {
    if let Some(wrong) = asked.slugs.iter().find(|slug| !banyan_edge::is_function_name(slug)) {
        bail!("`{wrong}` is no function's name");
    }
    let config = project::load(global)?;
    let stack = Management::of(global, &asked.target)?;
    let known: Vec<Function> = stack.get("/functions").await?;
    let components = components(&config, &asked.slugs)?;
    if asked.slugs.is_empty() {
        let is_there = |slug: &str| known.iter().any(|function| function.slug == slug);
        unbuilt_functions::warn_of_missing(&config, &function_sources::list(&config)?, is_there);
    }
    let mut done = Vec::new();
    for component in &components {
        let verify_jwt = verify_jwt(&config, &component.slug) && !asked.no_verify_jwt;
        if deploy(&stack, &known, component, verify_jwt).await? {
            done.push(component.slug.clone());
        }
    }
    if asked.prune {
        prune(global, &config, &stack, &known).await?;
    }
    if !done.is_empty() {
        output::line(format_args!(
            "Deployed Functions on project {}: {}",
            stack.project().await,
            done.join(", ")
        ));
    }
    Ok(())
}

/// Returns the components of the project's functions, built and prebuilt.
fn components(config: &Config, slugs: &[String]) -> anyhow::Result<Vec<Component>> {
    let wanted = |slug: &str| slugs.is_empty() || slugs.iter().any(|wanted| wanted == slug);
    let prebuilt: Vec<Component> = config
        .functions
        .iter()
        .filter(|(slug, function)| wanted(slug) && function.enabled)
        .filter_map(|(slug, function)| {
            let path = function.component.clone().filter(|path| !path.is_dir())?;
            Some(Component { slug: slug.clone(), path })
        })
        .collect();
    let is_prebuilt = |slug: &String| prebuilt.iter().any(|component| component.slug == *slug);
    let sources: Vec<String> = slugs.iter().filter(|slug| !is_prebuilt(slug)).cloned().collect();
    let mut all = match slugs.is_empty() || !sources.is_empty() {
        true => {
            let chosen = build::choose(&config.paths.functions(), function_sources::list(config)?, &sources)?;
            workspace::take_out_gone(&config.paths.functions())?;
            build::servable(&chosen)?
        }
        false => Vec::new(),
    };
    all.retain(|component| !is_prebuilt(&component.slug));
    all.extend(prebuilt);
    all.sort_by(|one, other| one.slug.cmp(&other.slug));
    Ok(all)
}

fn verify_jwt(config: &Config, slug: &str) -> bool {
    config.functions.get(slug).is_none_or(|function| function.verify_jwt)
}

/// Brings one function there, unless it is there already. Tells whether it was new.
async fn deploy(
    stack: &Management,
    known: &[Function],
    component: &Component,
    verify_jwt: bool,
) -> anyhow::Result<bool> {
    let Component { slug, path } = component;
    let content = std::fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
    let digest = hex::encode(Sha256::digest(&content));
    let is_there = |function: &&Function| {
        function.slug == *slug
            && function.version > 0
            && function.verify_jwt == verify_jwt
            && function.ezbr_sha256.as_deref() == Some(&digest)
    };
    if known.iter().any(|function| is_there(&function)) {
        output::note(format_args!("No change found in Function: {slug}"));
        return Ok(false);
    }
    output::note(format_args!(
        "Deploying Function: {slug} ({} bytes), which the stack compiles first",
        content.len()
    ));
    let path = format!("/functions/deploy?slug={slug}&verify_jwt={verify_jwt}");
    stack
        .send(Method::POST, &path, Some(("application/wasm", content.into())))
        .await
        .with_context(|| slug.clone())?;
    Ok(true)
}

/// Deletes deployed functions that are no longer in the project. Like the supabase CLI it keeps
/// functions that the configuration names, and says so if nothing else of them is left.
async fn prune(
    global: &Global,
    config: &Config,
    stack: &Management,
    known: &[Function],
) -> anyhow::Result<()> {
    let deployed = known.iter().filter(|function| function.version > 0).map(|function| &*function.slug);
    let without_source = deployed.filter(|slug| !config.paths.functions().join(slug).is_dir());
    let (configured, gone): (Vec<&str>, Vec<&str>) =
        without_source.partition(|slug| config.functions.contains_key(*slug));
    for slug in configured.iter().filter(|slug| !is_placed(config, slug)) {
        output::note(format_args!(
            "{slug} stays: [functions.{slug}] of config.toml or banyan.toml names it, though nothing else of it is left. \
             Without that --prune deletes it."
        ));
    }
    if gone.is_empty() {
        output::note("No Functions to prune.");
    } else if !global.yes {
        bail!("--prune would delete {}: say --yes as well", gone.join(", "));
    }
    for slug in gone {
        stack.send(Method::DELETE, &format!("/functions/{slug}"), None).await?;
        output::line(format_args!("Deleted Function {slug} from project {}.", stack.project().await));
    }
    Ok(())
}

/// Returns whether the configuration names the function's code.
fn is_placed(config: &Config, slug: &str) -> bool {
    config.functions.get(slug).is_some_and(|function| function.component.is_some())
}
