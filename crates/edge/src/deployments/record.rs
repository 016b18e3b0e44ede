//! What is known of a deployed function and of its versions, as it is kept in `function.json`.

use serde::{Deserialize, Serialize};

/// Versions kept of each function.
pub(super) const KEPT: usize = 10;

/// What is known of a deployed function. Times are milliseconds since 1970.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub(crate) struct DeploymentRecord {
    /// The version that was activated last.
    pub(crate) version: u32,
    pub(crate) created_at: i64,
    pub(crate) updated_at: i64,
    /// The versions that can be activated, oldest first.
    pub(crate) versions: Vec<Version>,
    /// Read from older files: it holds for versions that do not set their own.
    #[serde(default, skip_serializing)]
    pub(super) verify_jwt: Option<bool>,
}

/// One version.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub(crate) struct Version {
    pub(crate) version: u32,
    pub(crate) sha256: String,
    pub(crate) bytes: u64,
    pub(crate) created_at: i64,
    /// Wins over config.toml if it is set. It comes and goes with this version.
    #[serde(default)]
    pub(crate) verify_jwt: Option<bool>,
    /// The version that ran before this one was activated for the first time.
    #[serde(default)]
    pub(crate) before: Option<u32>,
}

impl DeploymentRecord {
    pub(super) fn new(now: i64) -> Self {
        Self { version: 0, created_at: now, updated_at: now, versions: Vec::new(), verify_jwt: None }
    }

    /// The version of a component by its digest. Of several equal ones the version that was
    /// activated last, or else the newest.
    pub(crate) fn by_digest(&self, digest: &str) -> Option<&Version> {
        let is_equal = |version: &&Version| version.sha256 == digest;
        let last = self.find(self.version).filter(is_equal);
        last.or_else(|| self.versions.iter().rev().find(is_equal))
    }

    /// The version to roll back to from this one: the version that ran before it. So a roll-back
    /// never leads to a later version that was itself rolled back. Returns nothing if that version
    /// is no longer kept.
    pub(crate) fn rollback_target(&self, number: u32) -> Option<u32> {
        let noted = self.find(number).and_then(|version| version.before);
        let older = || self.versions.iter().rev().find(|version| version.version < number);
        let before = noted.map_or_else(older, |before| self.find(before));
        before.map(|version| version.version)
    }

    /// Takes out the oldest versions beyond ten. The version that ran before the newest stays,
    /// because a roll-back leads there.
    pub(super) fn forget_oldest(&mut self) -> Vec<Version> {
        let before = self.versions.last().and_then(|newest| newest.before);
        let mut beyond = self.versions.len().saturating_sub(KEPT);
        let (forgotten, kept) = std::mem::take(&mut self.versions).into_iter().partition(|version| {
            let goes = beyond > 0 && Some(version.version) != before;
            beyond -= usize::from(goes);
            goes
        });
        self.versions = kept;
        forgotten
    }

    pub(super) fn find(&self, number: u32) -> Option<&Version> {
        self.versions.iter().find(|version| version.version == number)
    }

    /// Sets a version's own `verify_jwt`. Returns false if the version is not kept.
    pub(super) fn set_verify_jwt(&mut self, number: u32, verify_jwt: bool) -> bool {
        let kept = self.versions.iter_mut().find(|version| version.version == number);
        kept.map(|version| version.verify_jwt = Some(verify_jwt)).is_some()
    }
}
