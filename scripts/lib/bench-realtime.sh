#!/usr/bin/env bash
# Sockets, broadcasts, private joins and changes; crates/realtime/examples/realtime_bench says what is measured, and how.
# Usage: scripts/bench realtime [SECONDS]   BENCH_ONLY='idle fan-out' measures these rows only.
set -euo pipefail
cd "$(dirname "$0")/../.."
. scripts/lib/say.sh
. scripts/lib/bench.sh
. scripts/lib/stack.sh

say "Building"
cargo build --profile "$BANYAN_PROFILE" --quiet --workspace --bins --example realtime_bench
# As many sockets and messages as the machine has room for.
export SUPABASE_REALTIME_MAX_CONNECTIONS=19000 SUPABASE_REALTIME_MAX_JOINS_PER_SECOND=100000
export SUPABASE_REALTIME_MAX_MESSAGES_PER_SECOND=100000000
ulimit -n 20000
stack_start
bench_database
read -ra rows <<<"${BENCH_ONLY:-idle fan-out latency joins changes}"
"$BUILT/examples/realtime_bench" rows "$API_URL" "$PUBLISHABLE_KEY" "$STACK_PID" "$DB_URL" "${1:-10}" "${rows[@]}"
stack_stop
