# Sourced by the scripts that need a stack of their own: throw-away data, ports chosen by the system.
#   stack_start            starts it (on port STACK_API_PORT and with the data folder STACK_HOME, where those are set) and sets API_URL, DB_URL, MAILPIT_URL, PUBLISHABLE_KEY, … as `banyan status` says
#   stack_stop             stops it and removes its data; also run when the script ends

# As it is started and tested, or as it is shipped (BANYAN_PROFILE=dist).
BANYAN_PROFILE=${BANYAN_PROFILE:-release}
BUILT=${CARGO_TARGET_DIR:-target}/$BANYAN_PROFILE
BANYAN=$BUILT/banyan

stack_start() {
    export BANYAN_HOME
    BANYAN_HOME=${STACK_HOME:-$(mktemp -d "${TMPDIR:-/tmp}/banyan.XXXXXX")}
    export SUPABASE_API_PORT=${STACK_API_PORT:-0} SUPABASE_DB_PORT=0 SUPABASE_LOCAL_SMTP_PORT=0 SUPABASE_SERVER_ADMIN_PORT=0
    trap stack_stop EXIT
    # Components lie with the data, so that a stack of its own has its own.
    "$BANYAN" functions build 2>"$BANYAN_HOME.log" || {
        cat "$BANYAN_HOME.log" >&2
        echo "The functions could not be built." >&2
        return 1
    }
    "$BANYAN" serve >"$BANYAN_HOME.log" 2>&1 &
    STACK_PID=$!
    local tries values
    for tries in $(seq 600); do
        if values=$("$BANYAN" status -o env 2>/dev/null); then
            set -a
            eval "$values"
            set +a
            # Waits for the functions, which are compiled once the stack answers.
            "$BANYAN" start >/dev/null 2>&1
            return
        fi
        kill -0 "$STACK_PID" 2>/dev/null || break
        sleep 0.1
    done
    tail -n 40 "$BANYAN_HOME.log" >&2
    echo "The stack did not start." >&2
    return 1
}

stack_stop() {
    trap - EXIT
    [ -n "${STACK_PID:-}" ] || return 0
    "$BANYAN" stop --no-backup >/dev/null 2>&1 || kill "$STACK_PID" 2>/dev/null || true
    wait "$STACK_PID" 2>/dev/null || true
    rm -rf "$BANYAN_HOME" "$BANYAN_HOME.log"
    STACK_PID=
}
