//! One function as the Management API shows it, and what can be done to it.

use std::{fs, io, path::Path, sync::Mutex, time::SystemTime};

use http::{Method, Request, Response, StatusCode};
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::{ManagementError, answer, blocking, of_bytes, only, parameter, read_json, upload::Upload};
use crate::{
    Body, State,
    artefact::digest,
    origin::is_valid_name,
    registry::{Entry, Registry},
    settings::function_id,
    shelf::{Shelf, Version},
};

/// Changes are put into effect one after another, each of which finds what the one before it made of the functions. What is
/// to be compiled for one is compiled before, so that none waits for the component of another.
static CHANGING: Mutex<()> = Mutex::new(());

/// It answers requests, or can be served (functions.md G09).
const ACTIVE: &str = "ACTIVE";
/// It is there and answers no request for now: it is broken, disabled, has no code or is being compiled. The reference has three
/// words; `ACTIVE` would not be true, and what is `REMOVED` counts as gone, so that clients would deploy it as a new one. What is
/// wrong stands in `functions logs` and in what the function's callers are told.
const THROTTLED: &str = "THROTTLED";

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
    /// A version that nobody can call: it is held, or its function is disabled.
    fn of_version(registry: &Registry, slug: String, status: &'static str, version: Version) -> Self {
        let policy = registry.policy(&slug, version.verify_jwt);
        Self {
            id: function_id(&slug).to_string(),
            name: slug.clone(),
            slug,
            status,
            version: version.version,
            created_at: version.created_at,
            updated_at: version.created_at,
            verify_jwt: policy.verify_jwt,
            import_map: false,
            import_map_path: None,
            entrypoint_path: None,
            ezbr_sha256: Some(version.sha256),
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
            Ok(answer(StatusCode::OK, &blocking(state, show_all).await?))
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
                let Some(mut known) = registry.shelf.find(&slug)? else {
                    return Err(ManagementError::NoFunction(slug));
                };
                known.version = served(registry, &slug).unwrap_or_default();
                Ok(known)
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
        return set_verify_jwt(state, slug, verify_jwt, now).await;
    }
    blocking(state, move |registry| Ok(answer(StatusCode::OK, &show(registry, &slug)?))).await
}

async fn set_verify_jwt(
    state: &State,
    slug: String,
    verify_jwt: bool,
    now: i64,
) -> Result<Response<Body>, ManagementError> {
    changing(state, [slug.clone()], move |registry| {
        let _alone = CHANGING.lock();
        let version = served(registry, &slug).unwrap_or_default();
        let known = change(registry, |shelf| shelf.set_verify_jwt(&slug, version, verify_jwt, now))?;
        if known.is_none() {
            return Err(ManagementError::NoFunction(slug));
        }
        Ok(answer(StatusCode::OK, &show(registry, &slug)?))
    })
    .await
}

/// Does a change of these functions once those that were asked for before are done. Whoever leaves until then has asked for
/// nothing; what has begun goes on.
async fn changing<T: Send + 'static>(
    state: &State,
    slugs: impl IntoIterator<Item = String>,
    change: impl FnOnce(&Registry) -> Result<T, ManagementError> + Send + 'static,
) -> Result<T, ManagementError> {
    let turn = state.registry().order.turn(slugs).await;
    blocking(state, move |registry| {
        let _turn = turn;
        change(registry)
    })
    .await
}

/// Deploys what came: it is compiled and linked before anything is changed, so a broken one never takes the place of one
/// that runs.
async fn deploy(state: &State, request: Request<Body>, now: i64) -> Result<Response<Body>, ManagementError> {
    let Upload { slug, verify_jwt, component, is_held } = Upload::of(request).await?;
    changing(state, [slug.clone()], move |registry| {
        let _code_stays = registry.link_bytes(&component)?;
        let _alone = CHANGING.lock();
        let version = Version {
            version: registry.shelf.put(&slug, &component)?,
            sha256: digest(&component),
            bytes: component.len() as u64,
            created_at: now,
            verify_jwt,
            before: None,
        };
        let noted = change(registry, |shelf| match is_held {
            true => shelf.hold(&slug, &version),
            false => shelf.add(&slug, version.clone(), now).map(drop),
        });
        noted.inspect_err(|_| registry.shelf.take_back(&slug, version.version))?;
        if is_held {
            let shown = Shown::of_version(registry, slug, ACTIVE, version);
            return Ok(answer(StatusCode::CREATED, &shown));
        }
        Ok(answer(StatusCode::CREATED, &show(registry, &slug)?))
    })
    .await
}

/// Serves versions that were held, all of them or, where one is not there, none.
async fn update_all(
    state: &State,
    request: Request<Body>,
    now: i64,
) -> Result<Response<Body>, ManagementError> {
    let updates: Vec<Update> = read_json(request.into_body()).await?;
    let slugs: Vec<String> = updates.iter().map(|update| update.slug.clone()).collect();
    changing(state, slugs.clone(), move |registry| {
        link_all(registry, &updates)?;
        let _alone = CHANGING.lock();
        change(registry, |shelf| {
            for Update { slug, version, verify_jwt } in updates {
                shelf.release(&slug, version, verify_jwt, now)?;
            }
            Ok(())
        })?;
        let functions: Result<Vec<_>, _> = slugs.iter().map(|slug| show(registry, slug)).collect();
        Ok(answer(StatusCode::OK, &json!({"functions": functions?})))
    })
    .await
}

/// Finds whether each of these versions can be served.
fn link_all(registry: &Registry, updates: &[Update]) -> Result<(), ManagementError> {
    for Update { slug, version, .. } in updates {
        if !is_valid_name(slug) || !registry.shelf.is_there(slug, *version)? {
            return Err(ManagementError::NoVersion(slug.clone(), *version));
        }
        registry.link(&registry.shelf.component(slug, *version))?;
    }
    Ok(())
}

/// Serves a kept version again: the one named, or the one that ran before the one that is served.
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
    changing(state, [slug.clone()], move |registry| {
        let wanted = link_kept(registry, &slug, version)?;
        let _alone = CHANGING.lock();
        change(registry, |shelf| shelf.roll_back(&slug, wanted, now))?;
        Ok(answer(StatusCode::OK, &show(registry, &slug)?))
    })
    .await
}

/// Finds whether the version to roll back to can be served, and which that is.
fn link_kept(registry: &Registry, slug: &str, version: Option<u32>) -> Result<u32, ManagementError> {
    let known = registry.shelf.find(slug)?.ok_or_else(|| ManagementError::NoFunction(slug.to_owned()))?;
    let before = || match served(registry, slug) {
        Some(served) => known.before(served),
        // What was built on the spot gives way to the newest.
        None => known.versions.last().map(|newest| newest.version),
    };
    let wanted = version.or_else(before).unwrap_or_default();
    if !known.versions.iter().any(|kept| kept.version == wanted) {
        return Err(ManagementError::NoVersion(slug.to_owned(), wanted));
    }
    registry.link(&registry.shelf.component(slug, wanted))?;
    Ok(wanted)
}

async fn remove(state: &State, slug: String) -> Result<Response<Body>, ManagementError> {
    let removed = slug.clone();
    let there = changing(state, [slug.clone()], move |registry| {
        let _alone = CHANGING.lock();
        Ok(is_valid_name(&removed) && change(registry, |shelf| shelf.remove(&removed))?)
    });
    if !there.await? {
        return Err(ManagementError::NoFunction(slug));
    }
    Ok(answer(StatusCode::OK, &serde_json::Value::Null))
}

async fn body(state: &State, slug: String) -> Result<Response<Body>, ManagementError> {
    let component = blocking(state, move |registry| {
        let path = match registry.find(&slug) {
            Some(entry) => entry.component().map(Path::to_owned),
            None => disabled(registry, &slug)?.map(|_| registry.shelf.served(&slug)),
        };
        Ok(fs::read(path.ok_or(ManagementError::NoFunction(slug))?)?)
    });
    Ok(of_bytes(component.await?.into(), "application/wasm"))
}

/// Changes what lies on the shelf, also in part, and puts it into effect before another change judges by it.
fn change<T>(registry: &Registry, change: impl FnOnce(&Shelf) -> io::Result<T>) -> io::Result<T> {
    let changed = registry.change(change);
    registry.look();
    changed
}

fn show(registry: &Registry, slug: &str) -> Result<Shown, ManagementError> {
    if let Some(entry) = registry.find(slug) {
        return Ok(of_entry((&slug.to_owned(), &entry)));
    }
    disabled(registry, slug)?.ok_or_else(|| ManagementError::NoFunction(slug.to_owned()))
}

/// Every function, also those that were deployed and are disabled.
fn show_all(registry: &Registry) -> Result<Vec<Shown>, ManagementError> {
    let all = registry.all();
    let mut shown: Vec<Shown> = all.iter().map(of_entry).collect();
    for slug in registry.shelf.all()?.iter().filter(|slug| !all.contains_key(*slug)) {
        shown.extend(disabled(registry, slug)?);
    }
    shown.sort_by(|one, other| one.slug.cmp(&other.slug));
    Ok(shown)
}

/// A function that was deployed and is disabled.
fn disabled(registry: &Registry, slug: &str) -> io::Result<Option<Shown>> {
    if !is_valid_name(slug) {
        return Ok(None);
    }
    let Some(known) = registry.shelf.find(slug)? else { return Ok(None) };
    let version = registry.shelf.in_place(slug, &known).cloned();
    Ok(version.map(|version| Shown {
        created_at: known.created_at,
        updated_at: known.updated_at,
        ..Shown::of_version(registry, slug.to_owned(), THROTTLED, version)
    }))
}

/// Number of the version that runs, or that would if its function were not disabled; nothing for a function that was built
/// on the spot, or for none at all.
fn served(registry: &Registry, slug: &str) -> Option<u32> {
    if let Some(entry) = registry.find(slug) {
        return entry.version().map(|version| version.version);
    }
    let known = registry.shelf.find(slug).ok()??;
    registry.shelf.in_place(slug, &known).map(|version| version.version)
}

/// A function as it is served. One that was built on the spot counts as version 0, made when its component was.
fn of_entry((slug, entry): (&String, &Entry)) -> Shown {
    let made = entry.component().and_then(|path| fs::metadata(path).ok()?.modified().ok());
    let made = made.map_or_else(|| super::milliseconds(entry.since), since_1970);
    let version = entry.version();
    let known = entry.deployed.as_deref().filter(|_| version.is_some());
    Shown {
        id: function_id(slug).to_string(),
        slug: slug.clone(),
        name: slug.clone(),
        status: if entry.code.is_ok() { ACTIVE } else { THROTTLED },
        version: version.map_or(0, |version| version.version),
        created_at: known.map_or(made, |known| known.created_at),
        updated_at: known.map_or(made, |known| known.updated_at),
        verify_jwt: entry.policy.verify_jwt,
        import_map: false,
        import_map_path: None,
        entrypoint_path: None,
        ezbr_sha256: entry.digest.as_deref().map(str::to_owned),
    }
}

fn since_1970(at: SystemTime) -> i64 {
    let passed = at.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    i64::try_from(passed.as_millis()).unwrap_or_default()
}
