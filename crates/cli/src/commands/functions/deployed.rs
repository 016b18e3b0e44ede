//! What is deployed to a running stack: `functions list`, `delete`, `download`, `rollback` (functions.md G07, G08, G10).

use anyhow::Context;
use http::Method;
use serde::Deserialize;
use time::{OffsetDateTime, macros::format_description};

use super::is_slug;
use crate::{arguments::Global, management::Management, output, project};

/// A function as the Management API shows it.
#[derive(Debug, Clone, Deserialize)]
pub(super) struct Function {
    pub(super) id: String,
    pub(super) name: String,
    pub(super) slug: String,
    pub(super) status: String,
    /// 0 for one that was built on the spot.
    pub(super) version: u32,
    /// Milliseconds since 1970.
    pub(super) updated_at: i64,
    pub(super) verify_jwt: bool,
    pub(super) ezbr_sha256: Option<String>,
}

pub(super) async fn list(stack: &Management) -> anyhow::Result<()> {
    let all: Vec<Function> = stack.get("/functions").await?;
    let rows = all.into_iter().map(|function| {
        let updated = utc(function.updated_at);
        [function.id, function.name, function.slug, function.status, function.version.to_string(), updated]
    });
    output::table(["ID", "NAME", "SLUG", "STATUS", "VERSION", "UPDATED_AT (UTC)"], &rows.collect::<Vec<_>>());
    Ok(())
}

pub(super) async fn delete(stack: &Management, slug: &str) -> anyhow::Result<()> {
    stack.send(Method::DELETE, &format!("/functions/{}", checked(slug)?), None).await?;
    output::line(format_args!("Deleted Function {slug} from project {}.", stack.project()));
    Ok(())
}

pub(super) async fn download(global: &Global, stack: &Management, slug: &str) -> anyhow::Result<()> {
    let component = stack.send(Method::GET, &format!("/functions/{}/body", checked(slug)?), None).await?;
    let path = project::folder(global)?.join(format!("{slug}.wasm"));
    std::fs::write(&path, component).with_context(|| format!("cannot write {}", path.display()))?;
    output::line(format_args!(
        "Downloaded Function {slug} from project {}: {}",
        stack.project(),
        path.display()
    ));
    Ok(())
}

pub(super) async fn roll_back(stack: &Management, slug: &str, to: Option<u32>) -> anyhow::Result<()> {
    let version = to.map(|version| format!("?version={version}")).unwrap_or_default();
    let path = format!("/functions/{}/rollback{version}", checked(slug)?);
    let served: Function = serde_json::from_slice(&stack.send(Method::POST, &path, None).await?)?;
    output::line(format_args!(
        "Function {slug} of project {} is served in version {}.",
        stack.project(),
        served.version
    ));
    Ok(())
}

/// A name that may stand in a path.
fn checked(slug: &str) -> anyhow::Result<&str> {
    anyhow::ensure!(is_slug(slug), "`{slug}` is no function's name");
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

    #[test]
    fn functions_g07_times_are_told_in_utc() {
        assert_eq!(utc(0), "1970-01-01 00:00:00");
        assert_eq!(utc(1_700_000_000_000), "2023-11-14 22:13:20");
    }
}
