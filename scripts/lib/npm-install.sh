#!/usr/bin/env bash
# npm-install.sh FOLDER: installs a folder's npm packages from its lock file, once for each state of the lock file.
set -euo pipefail
. "$(dirname "$0")/say.sh"
folder=$1
stamp="$folder/node_modules/.installed"
want=$(sha256sum "$folder/package-lock.json" | cut -d' ' -f1)
[ "$(cat "$stamp" 2>/dev/null || true)" = "$want" ] && exit 0
say "Installing npm packages of $folder"
# `npm ci` insists on the binaries of every other platform; `npm install` takes what the lock file names for this one,
# and is told to leave that file alone.
npm --prefix "$folder" install --no-save --no-audit --no-fund --loglevel=error
echo "$want" >"$stamp"
