//! What was deployed: the versions of each function, and the order in which they change
//! (CONTRACT.md G10).

// From top to bottom: each part knows those below it.

/// The locks that put changes of one function in order.
pub(crate) mod change_locks;

/// The versions on disk.
pub(crate) mod store;

/// What is known of a deployed function and of its versions.
pub(crate) mod record;

use std::path::Path;

use self::{change_locks::ChangeLocks, store::DeploymentStore};

/// The deployed functions of a node.
pub(crate) struct Deployments {
    pub(crate) store: DeploymentStore,
    pub(crate) locks: ChangeLocks,
}

impl Deployments {
    /// The deployments in the folder of components.
    pub(crate) fn new(components: &Path) -> Self {
        Self { store: DeploymentStore::new(components), locks: ChangeLocks::default() }
    }
}
