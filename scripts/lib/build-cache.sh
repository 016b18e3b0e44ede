#!/usr/bin/env bash
# What a clone compiled of other people's crates, for the next clone: one copy outside of all clones, in the folder that
# BANYAN_BUILD_CACHE names, or in ~/.cache/banyan/build where somebody made that folder.
#   build-cache.sh take   a clone that has no target folder yet begins with the copy, if it was made for the same crates
#   build-cache.sh keep   replaces the copy, if it was made for others
set -euo pipefail
cd "$(dirname "$0")/../.."
. scripts/lib/say.sh

cache=${BANYAN_BUILD_CACHE:-}
if [ -z "$cache" ]; then
    cache=${XDG_CACHE_HOME:-$HOME/.cache}/banyan/build
    [ -d "$cache" ] || exit 0
fi
target=${CARGO_TARGET_DIR:-target}
guests=crates/edge/tests/guests

# made_for: what the copy depends on: the compiler, the versions of all crates, and how they are compiled.
made_for() {
    { rustc -vV && cat Cargo.lock Cargo.toml scripts/lib/quick.toml "$guests/Cargo.lock"; } | sha256sum
}

take() {
    [ ! -e "$target" ] && [ "$(cat "$cache/made-for" 2>/dev/null)" = "$(made_for)" ] || return 0
    say "Taking what an earlier clone compiled"
    rm -rf "$target.part"
    cp -a --reflink=auto "$cache/target" "$target.part"
    mv "$target.part" "$target"
}

# Our own crates are left out: cargo tells by the time of a file whether it was compiled, and another clone's are older or newer.
keep() {
    [ "$(cat "$cache/made-for" 2>/dev/null)" != "$(made_for)" ] || return 0
    say "Keeping what was compiled for the next clone"
    local new=$cache/target.part
    rm -rf "$new" "$cache/made-for" "$cache/target"
    mkdir -p "$new/release" "$new/tmp"
    cp -a --reflink=auto "$target/CACHEDIR.TAG" "$new"
    cp -a --reflink=auto "$target"/release/{.fingerprint,build,deps} "$new/release"
    cp -a --reflink=auto "$target"/{guest,wasm32-wasip2} "$new"
    cp -a --reflink=auto "$target"/tmp/{cache,guests} "$new/tmp" 2>/dev/null || true
    cargo clean --quiet --target-dir "$new" --workspace --profile release
    cargo clean --quiet --target-dir "$new" --workspace --profile guest
    cargo clean --quiet --target-dir "$new" --workspace --profile guest --target wasm32-wasip2
    if [ -d "$new/tmp/guests" ]; then
        cargo clean --quiet --target-dir "$new/tmp/guests" --workspace --profile guest --target wasm32-wasip2 \
            --manifest-path "$guests/Cargo.toml"
    fi
    mv "$new" "$cache/target"
    made_for >"$cache/made-for"
}

"$1"
