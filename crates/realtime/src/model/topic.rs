use std::sync::Arc;

/// What every topic of a channel begins with on the wire.
pub(crate) const PREFIX: &str = "realtime:";

/// A topic without its prefix `realtime:`. Public `x` and private `x` are different topics
/// (CONTRACT.md L17, A9).
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Topic {
    pub(crate) name: Arc<str>,
    pub(crate) is_private: bool,
}

/// One of the 256 parts that all topics fall into. A node hears the parts that it has members in
/// (CONTRACT.md N1).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Shard(pub(crate) u8);

impl Shard {
    /// As many shards as there are.
    pub(crate) const COUNT: usize = 256;

    /// All of them, in order.
    pub(crate) fn all() -> impl Iterator<Item = Self> {
        (0..=u8::MAX).map(Self)
    }

    /// Place of the shard in a list of all.
    pub(crate) fn index(self) -> usize {
        usize::from(self.0)
    }
}

impl Topic {
    /// The topic as clients write it.
    pub(crate) fn on_the_wire(&self) -> String {
        format!("{PREFIX}{}", self.name)
    }

    /// The shard of the topic, which is the same on every node: FNV-1a, folded to a byte.
    pub(crate) fn shard(&self) -> Shard {
        let step = |hash: u64, byte: &u8| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
        let start = step(0xcbf2_9ce4_8422_2325, &u8::from(self.is_private));
        let hash = self.name.as_bytes().iter().fold(start, step);
        Shard(hash.to_be_bytes().iter().fold(0, |folded, byte| folded ^ byte))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shard(name: &str, is_private: bool) -> u8 {
        Topic { name: name.into(), is_private }.shard().0
    }

    // rows: N1 A9
    #[test]
    fn topics_spread_over_all_shards_and_every_node_agrees_on_them() {
        let shards: std::collections::BTreeSet<u8> =
            (0..4_000).map(|number| shard(&format!("room:{number}"), false)).collect();
        assert_eq!(shards.len(), Shard::COUNT);
        // Nodes of other versions count on these.
        assert_eq!([shard("", false), shard("room", false), shard("room", true)], SAMPLES);
    }

    const SAMPLES: [u8; 3] = [210, 76, 187];
}
