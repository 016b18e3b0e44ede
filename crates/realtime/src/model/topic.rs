use std::sync::Arc;

/// A topic without its prefix `realtime:`. Public `x` and private `x` are different topics
/// (CONTRACT.md L17, A9).
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct Topic {
    pub(crate) name: Arc<str>,
    pub(crate) is_private: bool,
}
