//! Two embedded relations of one parent cannot share a key: the answer would have it twice
//! (CONTRACT.md S14). Lifted ones have no key.

use super::read::{Embed, Node};
use crate::error::Error;

/// Refuses equal keys at every level, as PostgreSQL refuses equal names of tables.
///
/// # Errors
/// 42712, with the name that the two would have.
pub(super) fn differ(node: &Node) -> Result<(), Error> {
    differ_below(node, 1)
}

fn differ_below(node: &Node, depth: usize) -> Result<(), Error> {
    for (index, embed) in node.embeds.iter().enumerate() {
        let twin = |other: &Embed| other.key == embed.key && !other.spread && !embed.spread;
        if node.embeds[..index].iter().any(twin) {
            return Err(Error::SameKey(format!("{}_{}_{depth}", node.relation.name, embed.key)));
        }
        differ_below(&embed.node, depth + 1)?;
    }
    Ok(())
}
