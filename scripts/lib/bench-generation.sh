#!/usr/bin/env bash
# The four functions that make documents, with the built-in generator, beside a hello function, all through the built
# binary: key, wallet, component, stored result. See bench-generation.mjs for what is measured, and how.
# Usage: scripts/bench generation [SECONDS]   BENCH_ONLY='regular expression' measures some rows only.
set -euo pipefail
cd "$(dirname "$0")/../.."
. scripts/lib/say.sh
. scripts/lib/bench.sh
. scripts/lib/stack.sh

install psql postgresql-client
say "Building"
cargo build --profile "$BANYAN_PROFILE" --quiet --workspace --bins
guests=$PWD/target/tmp/guests
(cd crates/edge/tests/guests && CARGO_TARGET_DIR=$guests cargo build --quiet --locked --profile guest --target wasm32-wasip2 --bin hello)
# A model would be measured in its place; and what an instance took is said at this level.
export LLM_BASE_URL='' LLM_FALLBACK_BASE_URL='' RUST_LOG=warn,banyan_edge::instance=debug
stack_start
bench_database
# Whose limits these are is tested elsewhere; here they would only stand in the way.
"$BANYAN" db query 'update private.settings set generations_per_minute = 1000000, ledger_entries_per_hour = 1000000000' >/dev/null
BENCH_TOKEN=$(cat "$BANYAN_HOME/access-token")
export BENCH_TOKEN BENCH_SECONDS=${1:-10} BENCH_SERVER=$STACK_PID BENCH_HELLO=$guests/wasm32-wasip2/guest/hello.wasm
export BENCH_SERVER_LOG=$BANYAN_HOME.log
node scripts/lib/bench-generation.mjs
stack_stop
