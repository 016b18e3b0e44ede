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

    /// Whether the request created this account.
    pub(crate) fn includes(&self, id: Uuid) -> bool {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).contains(&id)
    }
}

/// Accounts that the hook `before_user_created` approved for one request.
#[derive(Debug, Clone, Default)]
pub(crate) struct HookApprovals(Arc<Mutex<Vec<HookApproval>>>);

/// The approval of one account.
#[derive(Debug)]
pub(crate) struct HookApproval {
    /// Identifies the account among those that one request may create.
    pub(crate) key: String,
    /// The id that the hook was told. The account gets it.
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

/// An account that needs the approval of the hook before it is created.
#[derive(Debug)]
pub(crate) struct NeedsApproval {
    pub(crate) approval: HookApproval,
    /// The account as it will be.
    pub(crate) user: Value,
}
