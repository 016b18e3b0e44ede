#!/usr/bin/env bash
# Builds the app when anything it is made of has changed since the last build.
set -euo pipefail
cd "$(dirname "$0")/../.."
stamp=app/dist/.built
want=$(find app supabase/.env* functions/generate-*/data functions/_shared/data functions/_bank/data/catalogue.json -type f -not -path '*/node_modules/*' -not -path 'app/dist*' \
    -not -path 'app/test-results/*' -print0 | sort -z |
    xargs -0 sha256sum | sha256sum | cut -d' ' -f1)
[ "$(cat "$stamp" 2>/dev/null || true)" = "$want" ] && exit 0
npm --prefix app run --silent build
echo "$want" >"$stamp"
