//! Functions that are deployed to a running stack: `functions list`, `delete`, `download`,
//! `rollback` (edge/CONTRACT.md G07, G08, G10).

use anyhow::{Context, bail};
use banyan_config::Config;
use http::Method;
use serde::Deserialize;
use serde_json::Value;
use time::{OffsetDateTime, macros::format_description};

use super::{function_sources, unbuilt_functions};
use crate::{
    arguments::{Global, Target},
    management::Management,
    output, project,
};

/// A function as the Management API shows it.
#[derive(Debug, Clone, Deserialize)]
pub(super) struct Function {
    pub(super) id: String,
    pub(super) name: String,
    pub(super) slug: String,
    pub(super) status: String,
    /// Why it answers no request, in a word that says more than its status.
    pub(super) reason: Option<String>,
    /// 0 for one that was built on the spot.
    pub(super) version: u32,
    /// Milliseconds since 1970.
    pub(super) updated_at: i64,
    pub(super) verify_jwt: bool,
    pub(super) ezbr_sha256: Option<String>,
}

/// Lists the functions that a running stack serves. For this project's own stack it also names
/// those that cannot be served.
pub(super) async fn list(global: &Global, target: &Target) -> anyhow::Result<()> {
    let all: Value = Management::of(global, target)?.get("/functions").await?;
    let functions: Vec<Function> = serde_json::from_value(all.clone())?;
    let rows = functions.into_iter().map(|function| {
        let Function { id, name, slug, status, reason, version, updated_at, .. } = function;
        [id, name, slug, reason.unwrap_or(status), version.to_string(), utc(updated_at)]
    });
    let names = ["ID", "NAME", "SLUG", "STATUS", "VERSION", "UPDATED_AT (UTC)"];
    output::table_or_json(global.output, names, &rows.collect::<Vec<_>>(), &all)?;
    if target.url.is_none() {
        unbuilt_functions::warn(&project::load(global)?);
    }
    Ok(())
}

/// The versions of a function that can be served again.
#[derive(Debug, Deserialize)]
struct DeployedVersions {
    /// The one that is served; 0 where that was built on the spot.
    version: u32,
    versions: Vec<Version>,
}

#[derive(Debug, Deserialize)]
struct Version {
    version: u32,
    /// Nothing leaves it to config.toml.
    verify_jwt: Option<bool>,
    bytes: u64,
    /// Milliseconds since 1970.
    created_at: i64,
}

/// Shows which versions of a function a roll-back may name.
pub(super) async fn list_versions(global: &Global, stack: &Management, slug: &str) -> anyhow::Result<()> {
    let of_it: Function = stack.get(&format!("/functions/{}", checked(slug)?)).await?;
    let all = stack.get::<Value>(&format!("/functions/{slug}/versions")).await;
    let all = match all {
        Err(_) if of_it.version == 0 => {
            bail!("{slug} was built and never deployed, so the stack keeps no version of it")
        }
        all => all?,
    };
    let DeployedVersions { version: served, versions } = serde_json::from_value(all.clone())?;
    let rows = versions.iter().map(|Version { version, verify_jwt, bytes, created_at }| {
        let is_served = if *version == served { "yes" } else { "" };
        let verify_jwt = verify_jwt.map_or("by config.toml".to_owned(), |verify| verify.to_string());
        [version.to_string(), is_served.to_owned(), verify_jwt, bytes.to_string(), utc(*created_at)]
    });
    let names = ["VERSION", "SERVED", "VERIFY_JWT", "BYTES", "DEPLOYED_AT (UTC)"];
    output::table_or_json(global.output, names, &rows.collect::<Vec<_>>(), &all)
}

/// Deletes a function from a running stack, and says which parts of it stay in this project.
pub(super) async fn delete(global: &Global, target: &Target, slug: &str) -> anyhow::Result<()> {
    let stack = Management::of(global, target)?;
    let deleted = stack.send(Method::DELETE, &format!("/functions/{}", checked(slug)?), None).await;
    deleted.map_err(|error| beside_unbuilt(error, global, target, slug))?;
    output::line(format_args!("Deleted Function {slug} from project {}.", stack.project().await));
    if target.url.is_none() {
        let config = project::load(global)?;
        if let Some(component) = function_sources::prebuilt(&config, slug) {
            output::note(format_args!(
                "WARN: {slug} can still be called: [functions.{slug}] of banyan.toml names its component, {}. Take that key out as well.",
                component.display()
            ));
            return Ok(());
        }
        left_in(&config, slug)
            .iter()
            .for_each(|left| output::note(format_args!("Still in the project: {left}")));
    }
    Ok(())
}

/// A refusal, with a word on a function of this project that the stack cannot know: it was never
/// built.
fn beside_unbuilt(error: anyhow::Error, global: &Global, target: &Target, slug: &str) -> anyhow::Error {
    let config = project::load(global).ok().filter(|_| target.url.is_none());
    match config.and_then(|config| unbuilt_functions::sentence(&config, slug)) {
        Some(sentence) => anyhow::anyhow!("{error:#}\n{sentence}"),
        None => error,
    }
}

/// Names the places where a project mentions a function.
fn left_in(config: &Config, slug: &str) -> Vec<String> {
    let folder = Some(config.paths.functions().join(slug)).filter(|folder| folder.exists());
    let folder = folder.map(|folder| format!("{}, of which a build would make it anew", folder.display()));
    let is_configured = config.functions.contains_key(slug);
    let table = is_configured.then(|| format!("[functions.{slug}] of config.toml or banyan.toml"));
    folder.into_iter().chain(table).collect()
}

pub(super) async fn download(global: &Global, stack: &Management, slug: &str) -> anyhow::Result<()> {
    let component = stack.send(Method::GET, &format!("/functions/{}/body", checked(slug)?), None).await?;
    let path = project::folder(global)?.join(format!("{slug}.wasm"));
    std::fs::write(&path, component).with_context(|| format!("cannot write {}", path.display()))?;
    output::line(format_args!(
        "Downloaded Function {slug} from project {}: {}",
        stack.project().await,
        path.display()
    ));
    Ok(())
}

pub(super) async fn roll_back(
    global: &Global,
    target: &Target,
    slug: &str,
    to: Option<u32>,
) -> anyhow::Result<()> {
    let stack = Management::of(global, target)?;
    let version = to.map(|version| format!("?version={version}")).unwrap_or_default();
    let path = format!("/functions/{}/rollback{version}", checked(slug)?);
    let served = stack.send(Method::POST, &path, None).await;
    let served = served.map_err(|error| beside_unbuilt(error, global, target, slug))?;
    let served: Function = serde_json::from_slice(&served)?;
    output::line(format_args!(
        "Function {slug} of project {} is served in version {}.",
        stack.project().await,
        served.version
    ));
    Ok(())
}

/// A name that may stand in a path.
fn checked(slug: &str) -> anyhow::Result<&str> {
    anyhow::ensure!(banyan_edge::is_function_name(slug), "`{slug}` is no function's name");
    Ok(slug)
}

fn utc(milliseconds: i64) -> String {
    let at = OffsetDateTime::from_unix_timestamp_nanos(i128::from(milliseconds) * 1_000_000);
    let form = format_description!("[year]-[month]-[day] [hour]:[minute]:[second]");
    at.ok().and_then(|at| at.format(form).ok()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    // rows: edge/G07
    #[test]
    fn times_are_told_in_utc() {
        assert_eq!(utc(0), "1970-01-01 00:00:00");
        assert_eq!(utc(1_700_000_000_000), "2023-11-14 22:13:20");
    }
}
