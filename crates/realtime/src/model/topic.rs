use std::sync::Arc;

/// What every topic of a channel begins with on the wire.
pub(crate) const PREFIX: &str = "realtime:";

/// A topic without its prefix `realtime:`. Public `x` and private `x` are different topics
/// (CONTRACT.md L17, A9).
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct Topic {
    pub(crate) name: Arc<str>,
    pub(crate) is_private: bool,
}

impl Topic {
    /// The topic as clients write it.
    pub(crate) fn on_the_wire(&self) -> String {
        format!("{PREFIX}{}", self.name)
    }
}
