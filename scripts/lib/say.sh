# Sourced by the scripts: says what is being done, with the seconds since the script began. Bold on a terminal.
if [ -t 2 ] && [ -z "${NO_COLOR:-}" ] && [ "${TERM:-dumb}" != dumb ]; then
    say() { printf '\033[1m[%4ds] %s\033[0m\n' "$SECONDS" "$*" >&2; }
else
    say() { printf '[%4ds] %s\n' "$SECONDS" "$*" >&2; }
fi
