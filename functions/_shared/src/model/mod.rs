//! Documents that models write (SPECIFICATION.md GEN-3), by the SDK's client.

/// Shared code for documents that models write.
pub mod authoring;

/// Types that are not quite those of the schema.
mod coerce;

/// One slot of a document: ask, read, check, ask again.
pub mod slot;

pub use banyan_sdk::model::{
    Call, JsonMode, ModelClient, ModelConfig, ModelError, Provider, Reply, Usage, config, json,
};
