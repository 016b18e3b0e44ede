//! What functions may use of the node: slots, memory, CPU time and compilations (CONTRACT.md
//! H09, H10, H12, `LIMIT_...`).

// From top to bottom: each part knows those below it.

/// Slots for instances that run.
pub(crate) mod slots;

/// What one function may use, for all of its versions.
pub(crate) mod function_capacity;

/// Instances that wait for another request.
pub(crate) mod idle;

/// Threads for instances that keep a processor busy.
pub(crate) mod busy_threads;

/// What one instance may use: memory, tables, CPU time, handles.
pub(crate) mod limits;

/// The memory of all instances together.
pub(crate) mod memory;

/// Which component is compiled next.
pub(crate) mod compile_queue;

/// How many deployments are compiled at a time.
pub(crate) mod compile_permits;
