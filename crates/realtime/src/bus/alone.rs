use bytes::Bytes;

use super::{Bus, Kind, Subject};
use crate::model::Shard;

/// The bus of a node that has no others: it does nothing.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Alone;

impl Bus for Alone {
    fn publish(&self, _: Subject, _: Kind, _: Bytes) {}

    fn follow(&self, _: Shard) {}

    fn unfollow(&self, _: Shard) {}

    fn has_peers(&self) -> bool {
        false
    }
}
