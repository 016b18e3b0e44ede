# Sourced by the scripts: looks for the tools that they call, and says how to get one that is missing.
#   need COMMAND HOW          ends the script with the sentence HOW where the command is missing
#   need_clippy, need_npm     the same for these two; Rust is looked for in any case

need() {
    command -v "$1" >/dev/null && "$1" --version >/dev/null && return 0
    echo "$2, then run this again." >&2
    exit 1
}

# What builds the tests beside Rust itself (quick.toml).
need_clippy() {
    need clippy-driver "Clippy is missing: run \`rustup component add clippy\` or install your system's package rust-clippy"
}

need_npm() {
    need npm "Node is missing: install Node 20.19 or newer with npm"
}

command -v cargo >/dev/null || PATH="$HOME/.cargo/bin:$PATH"
need cargo "Rust is missing: install it from https://rustup.rs"
