//! What a request knows of the accounts that it makes.

use std::sync::{Arc, Mutex, PoisonError};

use serde_json::Value;
use uuid::Uuid;

/// The accounts that a request made.
#[derive(Debug, Clone, Default)]
pub(crate) struct CreatedAccounts(Arc<Mutex<Vec<Uuid>>>);

impl CreatedAccounts {
    pub(crate) fn add(&self, id: Uuid) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(id);
    }

    /// Whether it is one of them.
    pub(crate) fn includes(&self, id: Uuid) -> bool {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).contains(&id)
    }
}

/// Accounts that the hook agreed to for one request.
#[derive(Debug, Clone, Default)]
pub(crate) struct HookApprovals(Arc<Mutex<Vec<HookApproval>>>);

/// That the hook has nothing against an account.
#[derive(Debug)]
pub(crate) struct HookApproval {
    /// What tells the account from others that the same request may make.
    pub(crate) key: String,
    /// What the hook was told that the account will have.
    pub(crate) id: Uuid,
}

impl HookApprovals {
    pub(crate) fn of(&self, key: &str) -> Option<Uuid> {
        let all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.iter().find(|approval| approval.key == key).map(|approval| approval.id)
    }

    pub(crate) fn add(&self, approval: HookApproval) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(approval);
    }
}

/// An account that the hook has to judge before it is made.
#[derive(Debug)]
pub(crate) struct NeedsApproval {
    pub(crate) approval: HookApproval,
    /// The account as it will be.
    pub(crate) user: Value,
}
