//! One function as the Management API shows it, and what can be done to it.

use std::{fs, sync::Mutex, time::SystemTime};

use http::{Method, Request, Response, StatusCode};
use serde::{Deserialize, Serialize};
use serde_json::json;
use sha2::{Digest, Sha256};

use super::{ManagementError, answer, blocking, of_bytes, only, parameter, read_json, upload::Upload};
use crate::{
    Body, State,
    origin::is_valid_name,
    registry::{Entry, Registry},
    settings::function_id,
    shelf::Version,
};

/// Changes come one after another.
static CHANGING: Mutex<()> = Mutex::new(());

/// The fields of the Management API (functions.md G09). Times are milliseconds since 1970.
#[derive(Debug, Serialize)]
struct Shown {
    id: String,
    slug: String,
    name: String,
    status: &'static str,
    version: u32,
    created_at: i64,
    updated_at: i64,
    verify_jwt: bool,
    import_map: bool,
    import_map_path: Option<String>,
    entrypoint_path: Option<String>,
    /// SHA-256 of the component.
    ezbr_sha256: Option<String>,
}

/// What a PATCH may change.
#[derive(Debug, Deserialize)]
struct Change {
    verify_jwt: bool,
}

/// One function of a bulk update.
#[derive(Debug, Deserialize)]
struct Update {
    slug: String,
    version: u32,
    verify_jwt: Option<bool>,
}

impl Shown {
    /// A version that is not served yet.
    fn of_held(slug: String, held: Version, verify_jwt: Option<bool>) -> Self {
        Self {
            id: function_id(&slug).to_string(),
            name: slug.clone(),
            slug,
            status: "ACTIVE",
            version: held.version,
            created_at: held.created_at,
            updated_at: held.created_at,
            verify_jwt: verify_jwt.unwrap_or(true),
            import_map: false,
            import_map_path: None,
            entrypoint_path: None,
            ezbr_sha256: Some(held.sha256),
        }
    }
}

pub(super) async fn answer_to(
    state: &State,
    rest: &[&str],
    request: Request<Body>,
    now: i64,
) -> Result<Response<Body>, ManagementError> {
    match rest {
        [] if request.method() == Method::POST => deploy(state, request, now).await,
        [] if request.method() == Method::PUT => update_all(state, request, now).await,
        [] => {
            only(&request, &[Method::GET])?;
            let all =
                blocking(state, |registry| registry.all().iter().map(of_entry(registry)).collect()).await?;
            let all: Vec<Shown> = all;
            Ok(answer(StatusCode::OK, &all))
        }
        ["deploy"] => {
            only(&request, &[Method::POST])?;
            deploy(state, request, now).await
        }
        [slug] => one(state, (*slug).to_owned(), request, now).await,
        [slug, "body"] => {
            only(&request, &[Method::GET])?;
            body(state, (*slug).to_owned()).await
        }
        [slug, "versions"] => {
            only(&request, &[Method::GET])?;
            let slug = (*slug).to_owned();
            let known = blocking(state, move |registry| {
                registry.shelf.find(&slug)?.ok_or(ManagementError::NoFunction(slug))
            });
            Ok(answer(StatusCode::OK, &known.await?))
        }
        [slug, "rollback"] => {
            only(&request, &[Method::POST])?;
            let version = parameter(&request, "version");
            roll_back(state, (*slug).to_owned(), version, now).await
        }
        _ => Err(ManagementError::NotFound),
    }
}

async fn one(
    state: &State,
    slug: String,
    request: Request<Body>,
    now: i64,
) -> Result<Response<Body>, ManagementError> {
    only(&request, &[Method::GET, Method::PATCH, Method::DELETE])?;
    if request.method() == Method::DELETE {
        return remove(state, slug).await;
    }
    if request.method() == Method::PATCH {
        let Change { verify_jwt } = read_json(request.into_body()).await?;
        let changed = slug.clone();
        blocking(state, move |registry| {
            let _alone = CHANGING.lock();
            let known = registry.shelf.set_verify_jwt(&changed, verify_jwt, now)?;
            known.ok_or(ManagementError::NoFunction(changed))
        })
        .await?;
        state.load().await;
    }
    Ok(answer(StatusCode::OK, &show(state, slug).await?))
}

/// Deploys what came: it is compiled and linked before anything is changed, so a broken one never takes the place of one
/// that runs.
async fn deploy(state: &State, request: Request<Body>, now: i64) -> Result<Response<Body>, ManagementError> {
    let Upload { slug, verify_jwt, component, is_held } = Upload::of(request).await?;
    let deployed = slug.clone();
    let version = blocking(state, move |registry| {
        let _alone = CHANGING.lock();
        let number = registry.shelf.put(&deployed, &component)?;
        let path = registry.shelf.component(&deployed, number);
        if let Err(error) = registry.link(&path) {
            fs::remove_file(path)?;
            return Err(error.into());
        }
        let version = Version {
            version: number,
            sha256: sha256(&component),
            bytes: component.len() as u64,
            created_at: now,
        };
        if is_held {
            registry.shelf.hold(&deployed, &version)?;
        } else {
            registry.shelf.add(&deployed, version.clone(), verify_jwt, now)?;
        }
        Ok(version)
    })
    .await?;
    if is_held {
        return Ok(answer(StatusCode::CREATED, &Shown::of_held(slug, version, verify_jwt)));
    }
    state.load().await;
    Ok(answer(StatusCode::CREATED, &show(state, slug).await?))
}

/// Serves versions that were held, all of them or, where one is not there, none.
async fn update_all(
    state: &State,
    request: Request<Body>,
    now: i64,
) -> Result<Response<Body>, ManagementError> {
    let updates: Vec<Update> = read_json(request.into_body()).await?;
    let slugs: Vec<String> = updates.iter().map(|update| update.slug.clone()).collect();
    blocking(state, move |registry| {
        let _alone = CHANGING.lock();
        for Update { slug, version, .. } in &updates {
            if !is_valid_name(slug) || !registry.shelf.is_there(slug, *version)? {
                return Err(ManagementError::NoVersion(slug.clone(), *version));
            }
        }
        for Update { slug, version, verify_jwt } in updates {
            registry.shelf.release(&slug, version, verify_jwt, now)?;
        }
        Ok(())
    })
    .await?;
    state.load().await;
    let mut functions = Vec::new();
    for slug in slugs {
        functions.push(show(state, slug).await?);
    }
    Ok(answer(StatusCode::OK, &json!({"functions": functions})))
}

/// Serves a kept version again: the one named, or that before the one that is served.
async fn roll_back(
    state: &State,
    slug: String,
    version: Option<String>,
    now: i64,
) -> Result<Response<Body>, ManagementError> {
    let version: Option<u32> = version
        .map(|version| version.parse())
        .transpose()
        .map_err(|_| ManagementError::Request("`version` must be a number".to_owned()))?;
    let changed = slug.clone();
    blocking(state, move |registry| {
        let _alone = CHANGING.lock();
        let known =
            registry.shelf.find(&changed)?.ok_or_else(|| ManagementError::NoFunction(changed.clone()))?;
        let before = known.versions.iter().map(|kept| kept.version).filter(|kept| *kept < known.version);
        let wanted = version.or(before.max()).unwrap_or_default();
        let served = registry.shelf.roll_back(&changed, wanted, now)?;
        served.ok_or(ManagementError::NoVersion(changed, wanted))
    })
    .await?;
    state.load().await;
    Ok(answer(StatusCode::OK, &show(state, slug).await?))
}

async fn remove(state: &State, slug: String) -> Result<Response<Body>, ManagementError> {
    let removed = slug.clone();
    let there = blocking(state, move |registry| {
        let _alone = CHANGING.lock();
        Ok(is_valid_name(&removed) && registry.shelf.remove(&removed)?)
    });
    if !there.await? {
        return Err(ManagementError::NoFunction(slug));
    }
    state.load().await;
    Ok(answer(StatusCode::OK, &serde_json::Value::Null))
}

async fn body(state: &State, slug: String) -> Result<Response<Body>, ManagementError> {
    let component = blocking(state, move |registry| {
        if registry.find(&slug).is_none() {
            return Err(ManagementError::NoFunction(slug));
        }
        Ok(fs::read(registry.shelf.served(&slug))?)
    });
    Ok(of_bytes(component.await?.into(), "application/wasm"))
}

async fn show(state: &State, slug: String) -> Result<Shown, ManagementError> {
    blocking(state, move |registry| match registry.find(&slug) {
        Some(entry) => of_entry(registry)((&slug, &entry)),
        None => Err(ManagementError::NoFunction(slug)),
    })
    .await
}

/// A function as it is served. One that was built on the spot counts as version 0, made when its component was.
fn of_entry(registry: &Registry) -> impl Fn((&String, &Entry)) -> Result<Shown, ManagementError> {
    |(slug, entry)| {
        let served = registry.shelf.served(slug);
        let component = fs::read(&served).ok();
        let made = fs::metadata(&served).and_then(|found| found.modified()).ok().map_or(0, since_1970);
        let known = entry.deployed.as_deref();
        Ok(Shown {
            id: function_id(slug).to_string(),
            slug: slug.clone(),
            name: slug.clone(),
            status: if entry.code.is_ok() { "ACTIVE" } else { "THROTTLED" },
            version: known.map_or(0, |known| known.version),
            created_at: known.map_or(made, |known| known.created_at),
            updated_at: known.map_or(made, |known| known.updated_at),
            verify_jwt: entry.policy.verify_jwt,
            import_map: false,
            import_map_path: None,
            entrypoint_path: None,
            ezbr_sha256: component.as_deref().map(sha256),
        })
    }
}

fn since_1970(at: SystemTime) -> i64 {
    let passed = at.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    i64::try_from(passed.as_millis()).unwrap_or_default()
}

fn sha256(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}
