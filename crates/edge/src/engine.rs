//! The one place where the engine is configured. Every setting is a part of the key of compiled
//! code.

use std::{
    hash::{Hash, Hasher},
    time::Duration,
};

use sha2::{Digest, Sha256};
use wasmtime::{Config, Enabled, Engine, InstanceAllocationStrategy, PoolingAllocationConfig};

use crate::StartError;

/// Time between two ticks of the epoch. CPU time is cut off with this precision.
const TICK: Duration = Duration::from_millis(10);
/// Instances at a time. A semaphore of as many permits keeps more from starting (CONTRACT.md
/// pitfall 7).
pub(crate) const SLOTS: u32 = 1000;
/// Instances that may wait for another request, beside those that run (CONTRACT.md H10).
pub(crate) const IDLE_INSTANCES: u32 = 128;
/// Slots of the engine's pool.
const POOL: u32 = SLOTS + IDLE_INSTANCES;
/// Unused slots that keep the memory image of their last function. A function without such a slot
/// has its image mapped again. So there are several times as many as functions that a busy node
/// calls in turn.
const WARM_SLOTS: u32 = 256;
/// Most elements of one table.
pub(crate) const TABLE_ELEMENTS: usize = 20_000;
/// Most tables of one component. The pool has as many for each slot, so that a slot never fails for
/// lack of tables.
pub(crate) const TABLES: u32 = 4;
/// Most core instances of one component. The pool has as many for each slot.
pub(crate) const CORE_INSTANCES: u32 = 8;
/// Largest linear memory that a slot can hold, in bytes. A function's own limit may be lower.
const LARGEST_MEMORY: usize = 256 << 20;
/// Must change when this file changes what is compiled in a way that the engine's own hash misses.
const REVISION: &[u8] = b"wasmtime 48.0.8, revision 2";

/// Makes the engine and starts its ticker.
///
/// A host that cannot reserve the pool's address space gets one that allocates on demand (pitfall
/// 8).
pub(crate) fn start() -> Result<Engine, StartError> {
    let engine = match Engine::new(config().allocation_strategy(pool())) {
        Ok(engine) => engine,
        Err(error) => {
            tracing::warn!(error = %error, "functions run without a pool: its address space cannot be reserved");
            Engine::new(config().allocation_strategy(InstanceAllocationStrategy::OnDemand))
                .map_err(StartError::Engine)?
        }
    };
    tick(&engine)?;
    Ok(engine)
}

/// An engine that compiles for another engine and runs nothing. Returns nothing if their code would
/// differ.
pub(crate) fn for_compiling(engine: &Engine) -> Option<Engine> {
    let own = for_inspection().ok()?;
    (fingerprint(&own) == fingerprint(engine)).then_some(own)
}

/// An engine that runs nothing and reserves nothing.
pub(crate) fn for_inspection() -> wasmtime::Result<Engine> {
    Engine::new(config().allocation_strategy(InstanceAllocationStrategy::OnDemand))
}

fn fingerprint(engine: &Engine) -> [u8; 32] {
    let mut hash = ShaHasher(Sha256::new());
    engine.precompile_compatibility_hash().hash(&mut hash);
    hash.0.finalize().into()
}

/// A lean engine: components of WASI 0.2 alone, without support for concurrent guests.
fn config() -> Config {
    let mut config = Config::new();
    config
        .wasm_component_model(true)
        .concurrency_support(false)
        .epoch_interruption(true)
        // Only debuggers need it. Registering it takes time and memory for each function.
        .native_unwind_info(false)
        .async_stack_size(512 << 10)
        .max_wasm_stack(256 << 10);
    config
}

/// Slots that are reserved up front. What stays resident is bounded: a warm slot keeps at most 576
/// KiB. Its tables take only a part of that, even where there are four. A small function fits in it
/// whole, and its memory is wiped without a system call. A large function touches little more in a
/// call.
fn pool() -> InstanceAllocationStrategy {
    let mut pool = PoolingAllocationConfig::default();
    pool.total_component_instances(POOL)
        .total_core_instances(CORE_INSTANCES * POOL)
        .total_memories(POOL)
        .total_tables(TABLES * POOL)
        .total_stacks(POOL)
        .max_memory_size(LARGEST_MEMORY)
        .max_memories_per_component(1)
        .max_tables_per_component(TABLES)
        .max_tables_per_module(TABLES)
        .max_core_instances_per_component(CORE_INSTANCES)
        .table_elements(TABLE_ELEMENTS)
        .linear_memory_keep_resident(256 << 10)
        .table_keep_resident(64 << 10)
        .async_stack_keep_resident(64 << 10)
        .max_unused_warm_slots(WARM_SLOTS)
        // Pages of one request that were swapped out could reach another (wasmtime PR 14357).
        .pagemap_scan(Enabled::No);
    InstanceAllocationStrategy::Pooling(pool)
}

/// Starts one thread for each engine. It ends with the engine (pitfall 5).
fn tick(engine: &Engine) -> Result<(), StartError> {
    let engine = engine.weak();
    std::thread::Builder::new()
        .name("function-ticker".into())
        .spawn(move || {
            while let Some(engine) = engine.upgrade() {
                engine.increment_epoch();
                drop(engine);
                std::thread::sleep(TICK);
            }
        })
        .map(drop)
        .map_err(StartError::Ticker)
}

/// The name of compiled code: a hash of the component's SHA-256, and of the engine's configuration,
/// target and version.
pub(crate) fn cache_key(engine: &Engine, component: [u8; 32]) -> String {
    let mut hash = ShaHasher(Sha256::new_with_prefix(REVISION));
    component.hash(&mut hash);
    engine.precompile_compatibility_hash().hash(&mut hash);
    hex::encode(hash.0.finalize())
}

/// Lets values that only know `Hash` enter a SHA-256.
struct ShaHasher(Sha256);

impl Hasher for ShaHasher {
    fn write(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    fn finish(&self) -> u64 {
        0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_compiling_engine_makes_code_that_the_host_runs() {
        let host = start().unwrap();
        assert!(for_compiling(&host).is_some());
    }
}
