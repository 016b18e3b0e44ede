#!/usr/bin/env bash
# What a clone compiled of other people's crates, for the next clone: one copy outside of all clones, in the folder that
# BANYAN_BUILD_CACHE names, or in ~/.cache/banyan/build where somebody made that folder.
#   build-cache.sh take   a clone that has no target folder yet begins with the copy, if there is one for the same crates
#   build-cache.sh keep   makes that copy, and removes those for other crates
# A take or a keep that fails is said, and is no failure: the build begins from nothing.
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

# made_for: what a copy depends on: the compiler and its flags, the crates, their versions and features, and how they are
# compiled.
made_for() {
    {
        rustc -vV && echo "${RUSTFLAGS:-} ${CARGO_ENCODED_RUSTFLAGS:-}"
        cat .cargo/config.toml scripts/lib/quick.toml Cargo.lock Cargo.toml {crates,functions}/*/Cargo.toml
        cat "$guests"/Cargo.{lock,toml}
    } | sha256sum | cut -c -16
}

take() {
    [ ! -e "$target" ] && [ -d "$copy" ] || return 0
    say "Taking what an earlier clone compiled"
    part=$(mktemp -d "$target.XXXXXX") && cp -a --reflink=auto "$copy/." "$part" && mv -T "$part" "$target"
}

keep() {
    local old
    [ ! -d "$copy" ] || return 0
    say "Keeping what was compiled for the next clone"
    part=$(mktemp -d "$cache/banyan-target.XXXXXX") && copy_to "$part" && mv -T "$part" "$copy" || return
    for old in "$cache"/banyan-target*; do
        [ "$old" = "$copy" ] || rm -rf "$old"
    done
}

# copy_to FOLDER: our own crates are left out: cargo tells by the time of a file whether it was compiled, and another
# clone's are older or newer.
copy_to() {
    local folder clean=(cargo clean --quiet --target-dir)
    chmod 755 "$1" && mkdir -p "$1/release" "$1/tmp" &&
        cp -a --reflink=auto "$target/CACHEDIR.TAG" "$target"/{guest,wasm32-wasip2} "$1" &&
        cp -a --reflink=auto "$target"/release/{.fingerprint,build,deps} "$1/release" || return
    for folder in "$target"/tmp/{cache,guests}; do
        [ ! -d "$folder" ] || cp -a --reflink=auto "$folder" "$1/tmp" || return
    done
    "${clean[@]}" "$1" --workspace --profile release &&
        "${clean[@]}" "$1" --workspace --profile guest &&
        "${clean[@]}" "$1" --workspace --profile guest --target wasm32-wasip2 &&
        "${clean[@]}" "$1/tmp/guests" --workspace --profile guest --target wasm32-wasip2 \
            --manifest-path "$guests/Cargo.toml"
}

# alone FLOCK_OPTION TAKE_OR_KEEP: takes may go on together; a keep goes on alone.
alone() {
    mkdir -p "$cache" && { flock "$1" 9 && "$2"; } 9>>"$cache/lock"
}

copy=$cache/banyan-target-$(made_for)
part=
trap 'rm -rf "$part"' EXIT
case ${1:-} in
    take) alone --shared take ;;
    keep) alone --exclusive keep ;;
    *) exit 2 ;;
esac || say "The copy in $cache could not be used ($1)"
