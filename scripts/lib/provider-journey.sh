#!/usr/bin/env bash
# Signs in with Google in a browser: a stack of its own whose Google is the test provider of crates/testkit.
set -euo pipefail
cd "$(dirname "$0")/../.."
. scripts/lib/stack.sh

root=$PWD
BANYAN=$(realpath "$BANYAN")
project=$(mktemp -d "${TMPDIR:-/tmp}/banyan-provider.XXXXXX")
trap 'stack_stop; rm -rf "$project"' EXIT

# The provider prints four lines of config.toml, and stops when its standard input ends.
coproc PROVIDER { "$root/${CARGO_TARGET_DIR:-target}/release/examples/oidc_provider"; }
settings=$(head -n 5 <&"${PROVIDER[0]}")

# The application itself, and beside it the smallest one that signs in with a provider.
cp -R app/dist "$project/site"
cp app/e2e/provider-site/provider.* "$project/site"
cp app/node_modules/@supabase/supabase-js/dist/umd/supabase.js "$project/site/provider.supabase.js"
STACK_API_PORT=$(node -e 'const s=require("net").createServer().listen(0,"127.0.0.1",()=>{console.log(s.address().port);s.close()})')
cd "$project"
"$BANYAN" init >/dev/null
sed -i '/^site_url/d' supabase/config.toml
sed -i "s|^\[auth\]$|[auth]\nsite_url = \"http://127.0.0.1:$STACK_API_PORT/provider\"|" supabase/config.toml
printf '\n%s\n' "$settings" >>supabase/config.toml
printf '[server]\nsite = "../site"\n' >supabase/banyan.toml
stack_start
BASE_URL=$API_URL npm --prefix "$root/app" run --silent e2e:provider
