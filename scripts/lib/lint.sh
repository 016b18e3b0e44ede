#!/usr/bin/env bash
# Builds the tests and every other target, and fails on a warning of rustc or Clippy. scripts/test finds them built.
set -euo pipefail
cd "$(dirname "$0")/../.."
. scripts/lib/tools.sh
need_clippy

said=$(mktemp)
trap 'rm -f "$said"' EXIT
# cargo repeats the warnings of what is built already, and keeps quiet about anything else.
cargo test --config scripts/lib/quick.toml --release --workspace --all-targets --no-run --quiet --color never 2>&1 |
    tee "$said" >&2
if grep -q '^warning' "$said"; then
    echo "Warnings are errors here." >&2
    exit 1
fi
