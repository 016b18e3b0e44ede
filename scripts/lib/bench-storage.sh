#!/usr/bin/env bash
# Objects beside nginx serving the same bytes; see bench-storage.mjs for what is measured, and how.
# Usage: scripts/bench storage [SECONDS]   BENCH_ONLY='regular expression' measures some rows only.
set -euo pipefail
cd "$(dirname "$0")/../.."
. scripts/lib/say.sh
. scripts/lib/bench.sh
. scripts/lib/stack.sh

bench_tools
# The package starts a server of its own, which the bench does not use.
PATH=$PATH:/usr/sbin
install nginx nginx-light || true

say "Building"
cargo build --profile "$BANYAN_PROFILE" --quiet --workspace --bins
# 100 MB are uploaded.
export SUPABASE_STORAGE_FILE_SIZE_LIMIT=200MiB
stack_start
bench_database
export BENCH_SECONDS=${1:-10} BENCH_WORK=$BANYAN_HOME/bench BENCH_STACK_PID=$STACK_PID
BENCH_NGINX=$(command -v nginx || true)
BENCH_PORT=$(node -e 'const s=require("net").createServer().listen(0,"127.0.0.1",()=>{console.log(s.address().port);s.close()})')
export BENCH_NGINX BENCH_PORT
node scripts/lib/bench-storage.mjs
stack_stop
