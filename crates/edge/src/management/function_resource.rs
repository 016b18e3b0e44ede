//! A function as the Management API shows it (CONTRACT.md G09).

use std::{fs, io, time::SystemTime};

use serde::Serialize;

use super::{ManagementError, milliseconds};
use crate::{
    deployments::record::{DeploymentRecord, Version},
    error::UnavailableReason,
    function_name::is_function_name,
    registry::{Entry, Registry},
    settings::environment::function_id,
};

/// The fields of the Management API, and `reason`. Times are milliseconds since 1970.
#[derive(Debug, Serialize)]
pub(super) struct FunctionResource {
    id: String,
    slug: String,
    name: String,
    status: Status,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<UnavailableReason>,
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

/// The words of the Management API.
#[derive(Debug, Clone, Copy, Serialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
enum Status {
    /// It answers requests, or can be activated.
    Active,
    /// It exists but answers no request now. `ACTIVE` would not be true. `REMOVED` would count as
    /// gone, so that clients would deploy it as a new one.
    Throttled,
}

impl FunctionResource {
    /// A function that exists. A name that is only configured, or has only a TypeScript source,
    /// does not.
    ///
    /// # Errors
    /// There is no such function, or its record cannot be read.
    pub(super) fn find(registry: &Registry, slug: &str) -> Result<Self, ManagementError> {
        let found = match registry.functions.find(slug) {
            Some(entry) => entry.exists().then(|| Self::of_entry(slug, &entry)),
            None => Self::of_disabled(registry, slug)?,
        };
        found.ok_or_else(|| ManagementError::NoFunction(slug.to_owned()))
    }

    /// Every function that exists, by name, also deployed ones that are disabled.
    ///
    /// # Errors
    /// The record of one cannot be read.
    pub(super) fn all(registry: &Registry) -> Result<Vec<Self>, ManagementError> {
        let all = registry.functions.all();
        let there = all.iter().filter(|(_, entry)| entry.exists());
        let mut function_resource: Vec<Self> =
            there.map(|(slug, entry)| Self::of_entry(slug, entry)).collect();
        for slug in registry.deployments.store.all()?.iter().filter(|slug| !all.contains_key(*slug)) {
            function_resource.extend(Self::of_disabled(registry, slug)?);
        }
        function_resource.sort_by(|one, other| one.slug.cmp(&other.slug));
        Ok(function_resource)
    }

    /// A staged version.
    pub(super) fn of_staged(registry: &Registry, slug: &str, version: Version) -> Self {
        Self::of_version(registry, slug, Status::Active, version)
    }

    /// A version that nobody can call.
    fn of_version(registry: &Registry, slug: &str, status: Status, version: Version) -> Self {
        let policy = registry.settings.policy(slug, version.verify_jwt);
        Self {
            version: version.version,
            created_at: version.created_at,
            updated_at: version.created_at,
            verify_jwt: policy.verify_jwt,
            ezbr_sha256: Some(version.sha256),
            ..Self::named(slug, status)
        }
    }

    /// A function that was deployed and is disabled.
    fn of_disabled(registry: &Registry, slug: &str) -> io::Result<Option<Self>> {
        Ok(active_record(registry, slug)?.map(|(known, version)| Self {
            reason: Some(UnavailableReason::Disabled),
            created_at: known.created_at,
            updated_at: known.updated_at,
            ..Self::of_version(registry, slug, Status::Throttled, version)
        }))
    }

    /// A function as it is served. A component that was not deployed counts as version 0, with the
    /// time of its file.
    fn of_entry(slug: &str, entry: &Entry) -> Self {
        let made = entry.component().and_then(|path| fs::metadata(path).ok()?.modified().ok());
        let made = made.map_or_else(|| milliseconds(entry.since), since_1970);
        let version = entry.version();
        let known = entry.deployed.as_deref().filter(|_| version.is_some());
        let (status, reason) = match &entry.code {
            Ok(_) => (Status::Active, None),
            Err(answer) => (Status::Throttled, answer.reason()),
        };
        Self {
            reason,
            version: version.map_or(0, |version| version.version),
            created_at: known.map_or(made, |known| known.created_at),
            updated_at: known.map_or(made, |known| known.updated_at),
            verify_jwt: entry.policy.verify_jwt,
            ezbr_sha256: entry.digest.as_deref().map(str::to_owned),
            ..Self::named(slug, status)
        }
    }

    /// What follows from the name alone, and fields that only functions for Deno have.
    fn named(slug: &str, status: Status) -> Self {
        Self {
            id: function_id(slug).to_string(),
            slug: slug.to_owned(),
            name: slug.to_owned(),
            status,
            reason: None,
            version: 0,
            created_at: 0,
            updated_at: 0,
            verify_jwt: true,
            import_map: false,
            import_map_path: None,
            entrypoint_path: None,
            ezbr_sha256: None,
        }
    }
}

/// The number of the version that runs, or that would run if its function were not disabled.
/// Returns nothing for a component that was not deployed, or if there is no function.
pub(super) fn active_version(registry: &Registry, slug: &str) -> Option<u32> {
    if let Some(entry) = registry.functions.find(slug) {
        return entry.version().map(|version| version.version);
    }
    let (_, version) = active_record(registry, slug).ok()??;
    Some(version.version)
}

/// The record of a deployed function, and its active version.
pub(super) fn active_record(
    registry: &Registry,
    slug: &str,
) -> io::Result<Option<(DeploymentRecord, Version)>> {
    if !is_function_name(slug) {
        return Ok(None);
    }
    let Some(known) = registry.deployments.store.find(slug)? else { return Ok(None) };
    let version = registry.deployments.store.active_version(slug, &known).cloned();
    Ok(version.map(|version| (known, version)))
}

fn since_1970(at: SystemTime) -> i64 {
    let passed = at.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    i64::try_from(passed.as_millis()).unwrap_or_default()
}
