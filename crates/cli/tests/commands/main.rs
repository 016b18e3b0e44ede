//! The built binary as a person uses it: projects in folders of their own, ports chosen by the
//! system.

/// A project and the commands run in it.
mod project;

mod database_logins;
mod keys;
mod kills;
mod life_cycle;
mod migrations;
mod realtime_nodes;
mod storage;
mod storage_kills;
mod storage_nodes;
