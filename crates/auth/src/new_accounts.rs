//! What a request knows of the accounts that it makes.

use std::sync::{Arc, Mutex, PoisonError};

use serde_json::Value;
use uuid::Uuid;

/// The accounts that a request made.
#[derive(Debug, Clone, Default)]
pub(crate) struct Made(Arc<Mutex<Vec<Uuid>>>);

impl Made {
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
pub(crate) struct Agreements(Arc<Mutex<Vec<Agreement>>>);

/// That the hook has nothing against an account.
#[derive(Debug)]
pub(crate) struct Agreement {
    /// What tells the account from others that the same request may make.
    pub(crate) mark: String,
    /// What the hook was told that the account will have.
    pub(crate) id: Uuid,
}

impl Agreements {
    pub(crate) fn of(&self, mark: &str) -> Option<Uuid> {
        let all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.iter().find(|agreement| agreement.mark == mark).map(|agreement| agreement.id)
    }

    pub(crate) fn add(&self, agreement: Agreement) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(agreement);
    }
}

/// An account that the hook has to judge before it is made.
#[derive(Debug)]
pub(crate) struct Unjudged {
    pub(crate) agreement: Agreement,
    /// The account as it will be.
    pub(crate) user: Value,
}
