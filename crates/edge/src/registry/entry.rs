//! What a name stands for, and what loading a component gives.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use banyan_config::Function;
use secrecy::SecretString;
use time::OffsetDateTime;
use wasmtime_wasi_http::p2::bindings::ProxyPre;

use super::origin::{Origin, Stamp};
use crate::{
    HostError,
    capacity::function_capacity::FunctionCapacity,
    deployments::record::{DeploymentRecord, Version},
    host::{Host, WarmInstance},
    logs::LogRateLimits,
    settings::environment::JwksVariable,
};

/// A function ready to run.
pub(crate) struct PreparedFunction {
    pub(crate) name: Arc<str>,
    pub(crate) policy: Arc<Function>,
    pub(crate) pre: ProxyPre<Host>,
    pub(crate) environment: Arc<[(String, SecretString)]>,
    pub(crate) jwks: JwksVariable,
    pub(crate) capacity: FunctionCapacity<WarmInstance>,
    pub(crate) log_rate_limits: Arc<LogRateLimits>,
}

impl PreparedFunction {
    /// The largest memory of one instance, in bytes.
    pub(crate) fn max_memory(&self) -> usize {
        self.own_max_memory().min(self.capacity.memory.max_bytes())
    }

    /// Whether the node allows an instance less memory than the function's own setting.
    pub(crate) fn is_bounded_by_node(&self) -> bool {
        self.capacity.memory.max_bytes() < self.own_max_memory()
    }

    fn own_max_memory(&self) -> usize {
        (self.policy.memory_mb as usize) << 20
    }
}

/// What is to run, or the answer in its place.
pub(crate) type Code = Result<Arc<PreparedFunction>, HostError>;

/// What a name stands for.
#[derive(Clone)]
pub(crate) struct Entry {
    pub(super) stamp: Stamp,
    pub(crate) policy: Arc<Function>,
    /// The code that runs. An error if the component cannot be loaded, and no version before it
    /// could.
    pub(crate) code: Code,
    pub(crate) deployed: Option<Arc<DeploymentRecord>>,
    /// Digest of the component that the code was made of.
    pub(crate) digest: Option<Arc<str>>,
    /// A component that is to be compiled before it replaces the code.
    pub(super) pending: Option<PendingComponent>,
    /// When this entry was made.
    pub(crate) since: OffsetDateTime,
}

impl Entry {
    /// The version whose code this is. None for a component that was not deployed.
    pub(crate) fn version(&self) -> Option<&Version> {
        self.deployed.as_ref()?.by_digest(self.digest.as_deref()?)
    }

    /// Whether the function has a component or versions, and not only a name.
    pub(crate) fn exists(&self) -> bool {
        self.component().is_some() || self.deployed.is_some()
    }

    /// The path of its component, if it has one.
    pub(crate) fn component(&self) -> Option<&Path> {
        match &self.stamp.origin {
            Origin::Component(path) => Some(path),
            Origin::TypeScript | Origin::Nowhere => None,
        }
    }

    /// Whether the record of its versions could not be read.
    pub(super) fn lacks_metadata(&self) -> bool {
        matches!(self.code, Err(HostError::Metadata))
    }

    /// Whether reading the same file again would give the same result.
    pub(super) fn is_final(&self) -> bool {
        match &self.code {
            Ok(_) | Err(HostError::Boot | HostError::NotReady | HostError::NoCode) => true,
            Err(_) => false,
        }
    }

    /// Whether its code is a version without a record. Its policy is gone, so it must not go on.
    pub(super) fn runs_removed_version(&self, deployed: Option<&DeploymentRecord>) -> bool {
        let is_known = |version: &Version| deployed.is_some_and(|it| it.by_digest(&version.sha256).is_some());
        self.version().is_some_and(|version| !is_known(version))
    }

    /// Whether the same component is pending as in an earlier entry.
    pub(super) fn is_pending_as(&self, then: &Self) -> bool {
        self.pending.is_some() && self.pending == then.pending && self.stamp.file == then.stamp.file
    }

    /// Its running code, to go on in place of a component that cannot be served.
    pub(super) fn into_running_code(self) -> Option<(ProxyPre<Host>, Option<Arc<str>>)> {
        Some((self.code.ok()?.pre.clone(), self.digest))
    }
}

/// A component that is to be compiled, as it was when its policy was decided.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct PendingComponent {
    pub(super) path: PathBuf,
    pub(super) digest: Arc<str>,
}

/// What loading a component gave: code, the digest of the component that the code was made of, and
/// the component that is to be compiled to replace it.
pub(super) struct LoadResult {
    pub(super) code: Result<ProxyPre<Host>, HostError>,
    pub(super) digest: Option<Arc<str>>,
    pub(super) pending: Option<PendingComponent>,
}

impl LoadResult {
    pub(super) fn none(answer: HostError) -> Self {
        Self { code: Err(answer), digest: None, pending: None }
    }

    /// The same as before.
    pub(super) fn unchanged(old: Entry) -> Self {
        let code = old.code.map(|function| function.pre.clone());
        Self { code, digest: old.digest, pending: old.pending }
    }
}
