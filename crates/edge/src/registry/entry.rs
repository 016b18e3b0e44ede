//! What a name stands for, and what is found of a component.

use std::{
    path::{Path, PathBuf},
    sync::{Arc, atomic::AtomicUsize},
};

use banyan_config::Function;
use secrecy::SecretString;
use time::OffsetDateTime;
use tokio::sync::Semaphore;
use wasmtime_wasi_http::p2::bindings::ProxyPre;

use crate::{
    HostError,
    environment::Keys,
    host::Host,
    logs::LineBudget,
    memory,
    origin::{Origin, Stamp},
    shelf::{Deployed, Version},
    threads::Habit,
};

/// A function ready to run.
pub(crate) struct Prepared {
    pub(crate) name: Arc<str>,
    pub(crate) policy: Arc<Function>,
    pub(crate) pre: ProxyPre<Host>,
    pub(crate) environment: Arc<[(String, SecretString)]>,
    pub(crate) keys: Keys,
    pub(crate) permits: Arc<Semaphore>,
    /// Requests that wait for a permit, for a place of all or for memory.
    pub(crate) waiting: AtomicUsize,
    /// Its part in the memory of all.
    pub(crate) memory: memory::Portion,
    /// How much CPU time its requests took lately.
    pub(crate) habit: Arc<Habit>,
    pub(crate) log_budget: Arc<LineBudget>,
}

impl Prepared {
    /// The largest memory of one instance, in bytes.
    pub(crate) fn most_memory(&self) -> usize {
        self.own_memory().min(self.memory.most())
    }

    /// Whether the node allows an instance less than the function's own setting.
    pub(crate) fn is_bounded_by_node(&self) -> bool {
        self.memory.most() < self.own_memory()
    }

    fn own_memory(&self) -> usize {
        (self.policy.memory_mb as usize) << 20
    }
}

/// What is to run, or the answer in its place.
pub(crate) type Code = Result<Arc<Prepared>, HostError>;

/// What a name stands for.
#[derive(Clone)]
pub(crate) struct Entry {
    pub(super) stamp: Stamp,
    pub(crate) policy: Arc<Function>,
    /// What is wrong, when the component cannot be loaded and no version before it could.
    pub(crate) code: Code,
    pub(crate) deployed: Option<Arc<Deployed>>,
    /// Digest of the component that the code was made of.
    pub(crate) digest: Option<Arc<str>>,
    /// A component that is to be compiled before it takes its place.
    pub(super) next: Option<Next>,
    /// When this was found.
    pub(crate) since: OffsetDateTime,
}

impl Entry {
    /// The version whose code this is; none for a component that was built on the spot.
    pub(crate) fn version(&self) -> Option<&Version> {
        self.deployed.as_ref()?.of_digest(self.digest.as_deref()?)
    }

    /// Whether there is more of it than a name: a place for its component, or versions.
    pub(crate) fn is_there(&self) -> bool {
        self.component().is_some() || self.deployed.is_some()
    }

    /// Where its component lies; nothing for one that has none.
    pub(crate) fn component(&self) -> Option<&Path> {
        match &self.stamp.origin {
            Origin::Component(path) => Some(path),
            Origin::TypeScript | Origin::Nowhere => None,
        }
    }

    /// Whether what is known of its versions could not be read.
    pub(super) fn lacks_metadata(&self) -> bool {
        matches!(self.code, Err(HostError::Metadata))
    }

    /// Whether nothing else would be found in the same file.
    pub(super) fn is_judged(&self) -> bool {
        match &self.code {
            Ok(_) | Err(HostError::Boot | HostError::NotReady | HostError::NoCode) => true,
            Err(_) => false,
        }
    }

    /// Whether its code is a version of which nothing is known any more: its policy has gone, so it must not go on.
    pub(super) fn is_of_gone_version(&self, deployed: Option<&Deployed>) -> bool {
        let is_known = |version: &Version| deployed.is_some_and(|it| it.of_digest(&version.sha256).is_some());
        self.version().is_some_and(|version| !is_known(version))
    }

    /// Whether the same component is to be compiled as it was then.
    pub(super) fn waits_as(&self, then: &Self) -> bool {
        self.next.is_some() && self.next == then.next && self.stamp.file == then.stamp.file
    }

    pub(super) fn code_that_goes_on(self) -> Option<(ProxyPre<Host>, Option<Arc<str>>)> {
        Some((self.code.ok()?.pre.clone(), self.digest))
    }
}

/// A component that is to be compiled, as it was when its policy was judged.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct Next {
    pub(super) path: PathBuf,
    pub(super) digest: Arc<str>,
}

/// What is found of a component: code, the digest of what it was made of, and what is to be compiled to take its place.
pub(super) struct Found {
    pub(super) code: Result<ProxyPre<Host>, HostError>,
    pub(super) digest: Option<Arc<str>>,
    pub(super) next: Option<Next>,
}

impl Found {
    pub(super) fn none(answer: HostError) -> Self {
        Self { code: Err(answer), digest: None, next: None }
    }

    /// The same as before.
    pub(super) fn of(old: Entry) -> Self {
        Self { code: old.code.map(|prepared| prepared.pre.clone()), digest: old.digest, next: old.next }
    }
}
