//! `/functions`: lists, deploys, changes, rolls back and deletes functions.

use std::{fs, io, path::Path};

use banyan_web::{Body, json_response, query_parameter};
use http::{Method, Request, Response, StatusCode};
use serde::Deserialize;
use serde_json::json;

use super::{
    KeptVersions, ManagementError, StillServed, blocking,
    function_resource::{FunctionResource, active_record, active_version},
    of_bytes, read_json, require_method,
    upload::Upload,
};
use crate::{
    State,
    deployments::{record::Version, store::DeploymentStore},
    error::LoadError,
    files::digest,
    function_name::is_function_name,
    registry::Registry,
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

pub(super) async fn handle_path(
    state: &State,
    rest: &[&str],
    request: Request<Body>,
    now: i64,
) -> Result<Response<Body>, ManagementError> {
    match rest {
        [] if request.method() == Method::POST => deploy(state, request, now).await,
        [] if request.method() == Method::PUT => update_all(state, request, now).await,
        [] => {
            require_method(&request, &[Method::GET])?;
            Ok(json_response(StatusCode::OK, &blocking(state, FunctionResource::all).await?))
        }
        ["deploy"] => {
            require_method(&request, &[Method::POST])?;
            deploy(state, request, now).await
        }
        [slug] => one(state, (*slug).to_owned(), request, now).await,
        [slug, "body"] => {
            require_method(&request, &[Method::GET])?;
            body(state, (*slug).to_owned()).await
        }
        [slug, "versions"] => {
            require_method(&request, &[Method::GET])?;
            let slug = (*slug).to_owned();
            let known = blocking(state, move |registry| {
                let Some(mut known) = registry.deployments.store.find(&slug)? else {
                    return Err(ManagementError::NoFunction(slug));
                };
                known.version = active_version(registry, &slug).unwrap_or_default();
                Ok(known)
            });
            Ok(json_response(StatusCode::OK, &known.await?))
        }
        [slug, "rollback"] => {
            require_method(&request, &[Method::POST])?;
            let version = query_parameter(request.uri(), "version");
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
    require_method(&request, &[Method::GET, Method::PATCH, Method::DELETE])?;
    if request.method() == Method::DELETE {
        return remove(state, slug).await;
    }
    if request.method() == Method::PATCH {
        let Change { verify_jwt } = read_json(request.into_body()).await?;
        return set_verify_jwt(state, slug, verify_jwt, now).await;
    }
    blocking(state, move |registry| {
        Ok(json_response(StatusCode::OK, &FunctionResource::find(registry, &slug)?))
    })
    .await
}

async fn set_verify_jwt(
    state: &State,
    slug: String,
    verify_jwt: bool,
    now: i64,
) -> Result<Response<Body>, ManagementError> {
    with_locks(state, [slug.clone()], move |registry| {
        let _activation = registry.deployments.locks.activation();
        let version = active_version(registry, &slug).unwrap_or_default();
        let known = change(registry, |store| store.set_verify_jwt(&slug, version, verify_jwt, now))?;
        if known.is_none() {
            return Err(ManagementError::NoFunction(slug));
        }
        Ok(json_response(StatusCode::OK, &FunctionResource::find(registry, &slug)?))
    })
    .await
}

/// Changes these functions once earlier changes of them are done. A client that leaves before that
/// has asked for nothing. A change that has started goes on.
async fn with_locks<T: Send + 'static>(
    state: &State,
    slugs: impl IntoIterator<Item = String>,
    change: impl FnOnce(&Registry) -> Result<T, ManagementError> + Send + 'static,
) -> Result<T, ManagementError> {
    let guard = state.registry().deployments.locks.lock(slugs).await;
    blocking(state, move |registry| {
        let _guard = guard;
        change(registry)
    })
    .await
}

/// Deploys a component. It is compiled and linked before anything is changed, so that a broken
/// component never replaces a running one.
async fn deploy(state: &State, request: Request<Body>, now: i64) -> Result<Response<Body>, ManagementError> {
    let Upload { slug, verify_jwt, component, is_staged } = Upload::of(request).await?;
    with_locks(state, [slug.clone()], move |registry| {
        let _code_stays = registry.loader.try_bytes(&component).map_err(not_deployed(registry, &slug))?;
        let _activation = registry.deployments.locks.activation();
        let version = Version {
            version: registry.deployments.store.put(&slug, &component)?,
            sha256: digest(&component),
            bytes: component.len() as u64,
            created_at: now,
            verify_jwt,
            before: None,
        };
        let noted = change(registry, |store| match is_staged {
            true => store.stage(&slug, &version),
            false => store.add(&slug, version.clone(), now).map(drop),
        });
        noted.inspect_err(|_| registry.deployments.store.discard(&slug, version.version))?;
        if is_staged {
            return Ok(json_response(
                StatusCode::CREATED,
                &FunctionResource::of_staged(registry, &slug, version),
            ));
        }
        Ok(json_response(StatusCode::CREATED, &FunctionResource::find(registry, &slug)?))
    })
    .await
}

/// The error for a component that cannot be loaded. It says what runs instead.
fn not_deployed(registry: &Registry, slug: &str) -> impl FnOnce(LoadError) -> ManagementError {
    move |error| {
        let runs = registry.functions.lookup(slug).is_some_and(|(_, code)| code.is_ok());
        let goes_on = match active_version(registry, slug) {
            _ if !runs => StillServed::Nothing,
            None => StillServed::Built,
            Some(version) => StillServed::Version(version),
        };
        ManagementError::Component(error, slug.to_owned(), goes_on)
    }
}

/// Activates staged versions: all of them, or none if one of them does not exist.
async fn update_all(
    state: &State,
    request: Request<Body>,
    now: i64,
) -> Result<Response<Body>, ManagementError> {
    let updates: Vec<Update> = read_json(request.into_body()).await?;
    let slugs: Vec<String> = updates.iter().map(|update| update.slug.clone()).collect();
    with_locks(state, slugs.clone(), move |registry| {
        link_all(registry, &updates)?;
        let _activation = registry.deployments.locks.activation();
        change(registry, |store| {
            for Update { slug, version, verify_jwt } in updates {
                store.activate(&slug, version, verify_jwt, now)?;
            }
            Ok(())
        })?;
        let functions: Result<Vec<_>, _> =
            slugs.iter().map(|slug| FunctionResource::find(registry, slug)).collect();
        Ok(json_response(StatusCode::OK, &json!({"functions": functions?})))
    })
    .await
}

/// Checks that each of these versions exists and can be served.
fn link_all(registry: &Registry, updates: &[Update]) -> Result<(), ManagementError> {
    for Update { slug, version, .. } in updates {
        if !is_function_name(slug) || !registry.deployments.store.contains(slug, *version)? {
            let known = if is_function_name(slug) { registry.deployments.store.find(slug)? } else { None };
            let kept = known.as_ref().map(KeptVersions::of).unwrap_or_default();
            return Err(ManagementError::NoVersion(slug.clone(), *version, kept));
        }
        registry
            .loader
            .try_file(&registry.deployments.store.component(slug, *version))
            .map_err(not_deployed(registry, slug))?;
    }
    Ok(())
}

/// Activates a kept version again: the one that is named, or the one that ran before the active
/// one.
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
    with_locks(state, [slug.clone()], move |registry| {
        let wanted = link_kept(registry, &slug, version)?;
        let _activation = registry.deployments.locks.activation();
        change(registry, |store| store.roll_back(&slug, wanted, now))?;
        Ok(json_response(StatusCode::OK, &FunctionResource::find(registry, &slug)?))
    })
    .await
}

/// Finds the version to roll back to, and checks that it can be served.
fn link_kept(registry: &Registry, slug: &str, version: Option<u32>) -> Result<u32, ManagementError> {
    let known =
        registry.deployments.store.find(slug)?.ok_or_else(|| ManagementError::NoFunction(slug.to_owned()))?;
    let before = || match active_version(registry, slug) {
        Some(active) => known.rollback_target(active),
        // A component that was not deployed gives way to the newest version.
        None => known.versions.last().map(|newest| newest.version),
    };
    let wanted = version
        .or_else(before)
        .ok_or_else(|| ManagementError::NoEarlier(slug.to_owned(), KeptVersions::of(&known)))?;
    if !known.versions.iter().any(|kept| kept.version == wanted) {
        return Err(ManagementError::NoVersion(slug.to_owned(), wanted, KeptVersions::of(&known)));
    }
    registry
        .loader
        .try_file(&registry.deployments.store.component(slug, wanted))
        .map_err(not_deployed(registry, slug))?;
    Ok(wanted)
}

async fn remove(state: &State, slug: String) -> Result<Response<Body>, ManagementError> {
    let removed = slug.clone();
    let there = with_locks(state, [slug.clone()], move |registry| {
        let _activation = registry.deployments.locks.activation();
        Ok(is_function_name(&removed) && change(registry, |store| store.remove(&removed))?)
    });
    if !there.await? {
        return Err(ManagementError::NoFunction(slug));
    }
    Ok(json_response(StatusCode::OK, &serde_json::Value::Null))
}

async fn body(state: &State, slug: String) -> Result<Response<Body>, ManagementError> {
    let component = blocking(state, move |registry| {
        let path = match registry.functions.find(&slug) {
            Some(entry) => entry.component().map(Path::to_owned),
            None => active_record(registry, &slug)?.map(|_| registry.deployments.store.active_path(&slug)),
        };
        Ok(fs::read(path.ok_or(ManagementError::NoFunction(slug))?)?)
    });
    Ok(of_bytes(component.await?.into(), "application/wasm"))
}

/// Changes the stored deployments and publishes the result, also that of a change that failed
/// half-way, before another change depends on it.
fn change<T>(registry: &Registry, change: impl FnOnce(&DeploymentStore) -> io::Result<T>) -> io::Result<T> {
    let changed = registry.change_deployments(change);
    registry.scan();
    changed
}
