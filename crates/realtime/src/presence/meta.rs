use std::{collections::BTreeMap, fmt, sync::Arc};

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use bytes::Bytes;

use crate::model::NodeId;

/// The name of one tracked meta, 16 characters on the wire (CONTRACT.md R7). The refs of one node
/// sort by age.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct PhxRef(pub(super) [u8; 12]);

impl PhxRef {
    /// The ref with a number, of which a node gives each out once.
    pub(super) fn new(node: NodeId, number: u64) -> Self {
        let mut bytes = [0; 12];
        bytes[..6].copy_from_slice(&node.0[..6]);
        bytes[6..].copy_from_slice(&number.to_be_bytes()[2..]);
        Self(bytes)
    }
}

impl fmt::Display for PhxRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&URL_SAFE_NO_PAD.encode(self.0))
    }
}

impl fmt::Debug for PhxRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PhxRef({self})")
    }
}

/// Where a meta stands: below the key of its member (CONTRACT.md R2).
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct MetaId {
    pub(crate) key: Arc<str>,
    pub(crate) phx_ref: PhxRef,
}

/// What a member says of itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Meta {
    /// The node that the member is connected to.
    pub(crate) owner: NodeId,
    /// A JSON object.
    pub(crate) payload: Bytes,
    /// The meta that this one replaced.
    pub(crate) previous: Option<PhxRef>,
}

/// Metas by key, then by age.
pub(crate) type Metas = BTreeMap<MetaId, Meta>;
