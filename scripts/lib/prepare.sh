#!/usr/bin/env bash
# What every script needs before it can build or run: the wasm target, npm packages, the built app, binary and functions.
set -euo pipefail
cd "$(dirname "$0")/../.."
. scripts/lib/say.sh

rustup target list --installed 2>/dev/null | grep -q '^wasm32-wasip2$' || {
    say "Adding the wasm32-wasip2 target"
    rustup target add wasm32-wasip2
}
scripts/lib/npm-install.sh app
say "Building banyan"
cargo build --release
say "Building the functions"
"${CARGO_TARGET_DIR:-target}/release/banyan" functions build
say "Building the app"
scripts/lib/build-app.sh
