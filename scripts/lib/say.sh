# Sourced by the scripts: says what is being done, with the seconds since the script began.
say() { printf '\033[1m[%4ds] %s\033[0m\n' "$SECONDS" "$*" >&2; }
