//! What models write for documents (SPECIFICATION.md GEN-3), on the SDK's client for them.

/// What every document written by a model has in common.
pub mod authoring;

/// Types that are not quite those of the schema.
mod coerce;

/// One slot of a document: ask, read, check, ask again.
pub mod slot;

pub use banyan_sdk::model::{
    Call, JsonMode, ModelClient, ModelConfig, ModelError, Provider, Reply, Usage, config, json,
};
