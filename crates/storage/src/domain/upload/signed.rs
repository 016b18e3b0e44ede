//! What the token of a signed URL says of an upload (CONTRACT.md S06, S07).

use serde_json::{Map, Value};

use crate::store::uploads::Replaceable;

/// In place of an id: whoever signed may replace every object.
const EVERY: &str = "*";

/// What the policies were asked of when a URL for an upload was signed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SignedUpload {
    /// Whom the object will belong to.
    pub(crate) owner: Option<String>,
    /// Whether an object of its name is replaced.
    pub(crate) upsert: bool,
    /// The id of the object that was there, or [`EVERY`].
    replaces: Option<String>,
}

impl SignedUpload {
    /// What is signed for a caller whose rehearsal met this.
    pub(crate) fn new(owner: Option<String>, upsert: bool, met: &Replaceable, is_service: bool) -> Self {
        let replaces = if is_service { Some(EVERY) } else { met.id() };
        Self { owner, upsert, replaces: replaces.map(str::to_owned) }
    }

    /// Reads the claims of a token.
    pub(crate) fn of(claims: &Map<String, Value>) -> Self {
        let text = |name: &str| claims.get(name).and_then(Value::as_str).map(str::to_owned);
        Self {
            owner: text("owner").filter(|owner| !owner.is_empty()),
            upsert: claims.get("upsert") == Some(&Value::Bool(true)),
            replaces: text("replaces"),
        }
    }

    /// The claims of a token.
    pub(crate) fn claims(self) -> Map<String, Value> {
        let mut claims = Map::from_iter([("upsert".to_owned(), self.upsert.into())]);
        claims.extend(self.owner.map(|owner| ("owner".to_owned(), owner.into())));
        claims.extend(self.replaces.map(|replaces| ("replaces".to_owned(), replaces.into())));
        claims
    }

    /// Whether `service_role` signed.
    pub(crate) fn is_of_service(&self) -> bool {
        self.replaces.as_deref() == Some(EVERY)
    }

    /// Whether the policies were asked of the object of this id.
    pub(super) fn may_replace(&self, id: &str) -> bool {
        self.replaces.as_deref().is_some_and(|replaces| replaces == EVERY || replaces == id)
    }
}
