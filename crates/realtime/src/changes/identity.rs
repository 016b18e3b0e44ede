//! Whom row-level security takes two subscribers for: one and the same, or two.

use std::{
    hash::{Hash, Hasher},
    sync::Arc,
};

use banyan_identity::Caller;
use serde_json::{Map, Value};

/// Claims that change at each refresh of a token.
const PASSING: [&str; 5] = ["exp", "iat", "session_id", "jti", "amr"];

/// A caller, with what tells it from others. Equal are those with equal role and claims.
#[derive(Debug)]
pub(super) struct Identity {
    pub(super) caller: Caller,
    /// All claims.
    whole: String,
    /// Those that last longer than a token.
    lasting: String,
}

impl Identity {
    pub(super) fn new(caller: Caller) -> Arc<Self> {
        let whole = caller.claims().json().to_owned();
        let mut claims: Map<String, Value> = serde_json::from_str(&whole).unwrap_or_default();
        PASSING.iter().for_each(|name| drop(claims.remove(*name)));
        Arc::new(Self { whole, lasting: Value::Object(claims).to_string(), caller })
    }

    pub(super) fn role(&self) -> &str {
        self.caller.role()
    }

    /// What two callers share whom a policy takes for the same.
    pub(super) fn key(&self, reads: Reads) -> &str {
        match reads {
            Reads::Lasting => &self.lasting,
            Reads::Everything => &self.whole,
        }
    }
}

/// What the policies of a table read of the claims.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reads {
    /// Only such as last longer than a token.
    Lasting,
    Everything,
}

impl PartialEq for Identity {
    fn eq(&self, other: &Self) -> bool {
        self.role() == other.role() && self.whole == other.whole
    }
}

impl Eq for Identity {}

impl Hash for Identity {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.whole.hash(state);
    }
}
