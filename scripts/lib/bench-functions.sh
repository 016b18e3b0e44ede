#!/usr/bin/env bash
# Functions beside hyper and other runtimes; see bench-functions.mjs for what is measured, and how.
# Usage: scripts/bench functions [SECONDS]   BENCH_ONLY='regular expression' measures some rows only.
set -euo pipefail
cd "$(dirname "$0")/../.."
. scripts/lib/say.sh
. scripts/lib/bench.sh
install h2load nghttp2-client

say "Building"
guests=$PWD/target/tmp/guests
(cd crates/edge/tests/guests && CARGO_TARGET_DIR=$guests cargo build --quiet --locked --profile guest --target wasm32-wasip2 --bin hello --bin bench)
export BENCH_GUESTS=$guests/wasm32-wasip2/guest
[ -n "${BENCH_SERVER:-}" ] || cargo build --release --quiet -p banyan-edge --example functions_bench
export BENCH_SERVER=${BENCH_SERVER:-${CARGO_TARGET_DIR:-target}/release/examples/functions_bench}

# Other runtimes, for the comparison only; what cannot be had is left out.
cache=${XDG_CACHE_HOME:-$HOME/.cache}/banyan-bench
mkdir -p "$cache"
other() { # other PACKAGE PATH: the program of an npm package
    [ -x "$cache/node_modules/$2" ] || npm install --silent --no-audit --no-fund --no-save --prefix "$cache" "$1" >/dev/null 2>&1 || true
    if [ -x "$cache/node_modules/$2" ]; then echo "$cache/node_modules/$2"; else echo "$1 cannot be had here; its lines are left out." >&2; fi
}
BENCH_DENO=$(other @deno/linux-x64-glibc@2.9.6 @deno/linux-x64-glibc/deno)
BENCH_WORKERD=$(other @cloudflare/workerd-linux-64@1.20261117.1 @cloudflare/workerd-linux-64/bin/workerd)
BENCH_WASMTIME=$(command -v wasmtime || true)
[ -n "$BENCH_WASMTIME" ] || echo "wasmtime (cargo install wasmtime-cli) is not installed; its lines are left out." >&2
export BENCH_DENO BENCH_WORKERD BENCH_WASMTIME BENCH_SECONDS=${1:-10}
BENCH_WORK=$(mktemp -d)
export BENCH_WORK
trap 'rm -rf "$BENCH_WORK"' EXIT
node scripts/lib/bench-functions.mjs
