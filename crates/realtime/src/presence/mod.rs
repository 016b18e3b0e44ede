//! Who is in a topic, on all nodes (CONTRACT.md R1 to R10).

/// What a client asks.
mod call;

/// How often it may.
mod call_limit;

/// What nodes tell each other.
mod wire;

/// Which other nodes are alive.
mod nodes;

/// The topics of one shard, as one node knows them.
mod shard_state;

/// One topic.
mod topic_state;

/// What sockets are told, as JSON.
mod json;

/// What changed since they were told last.
mod diff;

/// One member, and what it says of itself.
mod meta;

#[cfg(test)]
mod tests;
