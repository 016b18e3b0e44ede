#!/usr/bin/env bash
# What every script needs before it can run: the wasm target, npm packages, the built app, binary and functions.
# --built: the binary is there already.
set -euo pipefail
cd "$(dirname "$0")/../.."
. scripts/lib/say.sh
. scripts/lib/tools.sh

need_npm
# rustup, where it manages the compiler, adds the target that rust-toolchain.toml names; this is for one it did not.
if [ ! -d "$(rustc --print sysroot)/lib/rustlib/wasm32-wasip2" ]; then
    say "Adding the wasm32-wasip2 target"
    rustup target add wasm32-wasip2
fi
scripts/lib/npm-install.sh app
if [ "${1:-}" != --built ]; then
    scripts/lib/build-cache.sh take
    say "Building banyan"
    # With these packages, shared dependencies have the features that they have in scripts/test: `cli` alone would have
    # others, and wasmtime would be compiled once for the start and once for the tests. The functions are components only.
    cargo build --release --package 'banyan-*' --bins
fi
say "Building the functions"
"${CARGO_TARGET_DIR:-target}/release/banyan" functions build
say "Building the app"
scripts/lib/build-app.sh
