#!/usr/bin/env bash
# The auth service beside its floors; see bench-auth.mjs for what is measured, and how.
# Usage: scripts/bench auth [SECONDS]   BENCH_ONLY='regular expression' measures some rows only.
set -euo pipefail
cd "$(dirname "$0")/../.."
. scripts/lib/say.sh
. scripts/lib/bench.sh
. scripts/lib/stack.sh

bench_tools
say "Building"
cargo build --profile "$BANYAN_PROFILE" --quiet --workspace --bins
[ -n "${BENCH_LOAD:-}" ] || cargo build --profile "$BANYAN_PROFILE" --quiet -p banyan-auth --example auth_bench
export BENCH_LOAD=${BENCH_LOAD:-$(realpath "$BUILT")/examples/auth_bench}
BANYAN=$(realpath "$BANYAN")
lib=$PWD/scripts/lib

# A project of its own: every limit is switched off by configuration, and mails are queued for a server that takes its time.
project=$(mktemp -d "${TMPDIR:-/tmp}/banyan-bench.XXXXXX")
cd "$project"
"$BANYAN" init >/dev/null
export SUPABASE_AUTH_RATE_LIMIT_EMAIL_SENT=4000000000 SUPABASE_AUTH_RATE_LIMIT_TOKEN_REFRESH=4000000000
export SUPABASE_AUTH_RATE_LIMIT_SIGN_IN_SIGN_UPS=4000000000 SUPABASE_AUTH_RATE_LIMIT_TOKEN_VERIFICATIONS=4000000000
export SUPABASE_AUTH_EMAIL_MAX_FREQUENCY=0s
BENCH_MAIL_PORT=$(node -e 'const s=require("net").createServer().listen(0,"127.0.0.1",()=>{console.log(s.address().port);s.close()})')
export BENCH_MAIL_PORT
cat >>supabase/config.toml <<TOML

[auth.email.smtp]
enabled = true
host = "127.0.0.1"
port = $BENCH_MAIL_PORT
admin_email = "bench@school.example"
sender_name = "Bench"
TOML
stack_start
bench_database
BENCH_AUTH_PASSWORD=$(password_of supabase_auth_admin)
export BENCH_AUTH_PASSWORD BENCH_SECONDS=${1:-10} BENCH_WORK=$BANYAN_HOME/bench BENCH_SERVER=$STACK_PID
node "$lib/bench-auth.mjs"
stack_stop
rm -rf "$project"
