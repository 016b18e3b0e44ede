//! `/functions`: what can be asked of them and done to them.

use std::{fs, io, path::Path};

use http::{Method, Request, Response, StatusCode};
use serde::Deserialize;
use serde_json::json;

use super::{
    GoesOn, Kept, ManagementError, answer, blocking, of_bytes, only, parameter, read_json,
    shown::{Shown, in_place, served},
    upload::Upload,
};
use crate::{
    Body, State,
    error::LoadError,
    files::digest,
    origin::is_function_name,
    registry::Registry,
    shelf::{Shelf, Version},
};

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
            Ok(answer(StatusCode::OK, &blocking(state, Shown::all).await?))
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
    blocking(state, move |registry| Ok(answer(StatusCode::OK, &Shown::find(registry, &slug)?))).await
}

async fn set_verify_jwt(
    state: &State,
    slug: String,
    verify_jwt: bool,
    now: i64,
) -> Result<Response<Body>, ManagementError> {
    changing(state, [slug.clone()], move |registry| {
        let _alone = registry.order.effect();
        let version = served(registry, &slug).unwrap_or_default();
        let known = change(registry, |shelf| shelf.set_verify_jwt(&slug, version, verify_jwt, now))?;
        if known.is_none() {
            return Err(ManagementError::NoFunction(slug));
        }
        Ok(answer(StatusCode::OK, &Shown::find(registry, &slug)?))
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
        let _code_stays = registry.link_bytes(&component).map_err(not_deployed(registry, &slug))?;
        let _alone = registry.order.effect();
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
            return Ok(answer(StatusCode::CREATED, &Shown::of_held(registry, &slug, version)));
        }
        Ok(answer(StatusCode::CREATED, &Shown::find(registry, &slug)?))
    })
    .await
}

/// What whoever deploys a component that cannot be loaded is told.
fn not_deployed(registry: &Registry, slug: &str) -> impl FnOnce(LoadError) -> ManagementError {
    move |error| {
        let runs = registry.called(slug).is_some_and(|(_, code)| code.is_ok());
        let goes_on = match served(registry, slug) {
            _ if !runs => GoesOn::Nothing,
            None => GoesOn::Built,
            Some(version) => GoesOn::Version(version),
        };
        ManagementError::Component(error, slug.to_owned(), goes_on)
    }
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
        let _alone = registry.order.effect();
        change(registry, |shelf| {
            for Update { slug, version, verify_jwt } in updates {
                shelf.release(&slug, version, verify_jwt, now)?;
            }
            Ok(())
        })?;
        let functions: Result<Vec<_>, _> = slugs.iter().map(|slug| Shown::find(registry, slug)).collect();
        Ok(answer(StatusCode::OK, &json!({"functions": functions?})))
    })
    .await
}

/// Finds whether each of these versions can be served.
fn link_all(registry: &Registry, updates: &[Update]) -> Result<(), ManagementError> {
    for Update { slug, version, .. } in updates {
        if !is_function_name(slug) || !registry.shelf.is_there(slug, *version)? {
            let known = if is_function_name(slug) { registry.shelf.find(slug)? } else { None };
            let kept = known.as_ref().map(Kept::of).unwrap_or_default();
            return Err(ManagementError::NoVersion(slug.clone(), *version, kept));
        }
        registry.link(&registry.shelf.component(slug, *version)).map_err(not_deployed(registry, slug))?;
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
        let _alone = registry.order.effect();
        change(registry, |shelf| shelf.roll_back(&slug, wanted, now))?;
        Ok(answer(StatusCode::OK, &Shown::find(registry, &slug)?))
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
    let wanted = version
        .or_else(before)
        .ok_or_else(|| ManagementError::NoEarlier(slug.to_owned(), Kept::of(&known)))?;
    if !known.versions.iter().any(|kept| kept.version == wanted) {
        return Err(ManagementError::NoVersion(slug.to_owned(), wanted, Kept::of(&known)));
    }
    registry.link(&registry.shelf.component(slug, wanted)).map_err(not_deployed(registry, slug))?;
    Ok(wanted)
}

async fn remove(state: &State, slug: String) -> Result<Response<Body>, ManagementError> {
    let removed = slug.clone();
    let there = changing(state, [slug.clone()], move |registry| {
        let _alone = registry.order.effect();
        Ok(is_function_name(&removed) && change(registry, |shelf| shelf.remove(&removed))?)
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
            None => in_place(registry, &slug)?.map(|_| registry.shelf.served(&slug)),
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
