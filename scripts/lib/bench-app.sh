#!/usr/bin/env bash
# How fast the built application shows itself in Chromium. Argument: runs of Lighthouse a page (5), of which the median counts.
set -euo pipefail
cd "$(dirname "$0")/../.."
. scripts/lib/say.sh
. scripts/lib/stack.sh

scripts/lib/prepare.sh
say "Pages in Chromium"
stack_start
RUNS=${1:-5} BASE_URL=$API_URL INBOX_URL=$MAILPIT_URL npm --prefix app run --silent bench
