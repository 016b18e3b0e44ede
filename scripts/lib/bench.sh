# Sourced by scripts/lib/bench-*.sh: the tools of a bench, and where the stack's own PostgreSQL is.
#   bench_tools      installs the load generators where they are missing
#   bench_database   after stack_start: sets BENCH_SOCKET_FOLDER, BENCH_SOCKET_PORT, BENCH_DB_NAME, BENCH_DB,
#                    BENCH_POSTMASTER and BENCH_LOG, and PGPASSWORD to the superuser's
#   password_of ROLE the password of one of the stack's own logins

# What is shipped is what is measured. BANYAN_PROFILE=release measures what a developer runs, which is built sooner.
BANYAN_PROFILE=${BANYAN_PROFILE:-dist}

install() { # install COMMAND PACKAGE
    command -v "$1" >/dev/null && return
    local sudo=()
    [ "$(id -u)" = 0 ] || sudo=(sudo -n)
    "${sudo[@]}" apt-get install -y -qq --no-install-recommends "$2" >/dev/null
}

bench_tools() {
    install h2load nghttp2-client
    install pgbench postgresql-contrib
    install psql postgresql-client
}

password_of() {
    sed -n "s/^$1=//p" "$BANYAN_HOME/postgres.passwords"
}

bench_database() {
    local socket
    # The same socket that the stack itself uses.
    socket=$(find "$BANYAN_HOME" -name '.s.PGSQL.*' ! -name '*.lock' | head -1)
    BENCH_SOCKET_FOLDER=$(dirname "$socket") BENCH_SOCKET_PORT=${socket##*.} BENCH_DB_NAME=postgres
    BENCH_DB="postgresql://supabase_admin@localhost:$BENCH_SOCKET_PORT/postgres?host=$BENCH_SOCKET_FOLDER"
    BENCH_POSTMASTER=$(head -1 "$(find "$BANYAN_HOME" -name postmaster.pid | head -1)")
    BENCH_LOG=$(find "$BANYAN_HOME" -name '*.log' -path '*postgres*' | head -1)
    PGPASSWORD=$(password_of supabase_admin)
    export PGPASSWORD BENCH_SOCKET_FOLDER BENCH_SOCKET_PORT BENCH_DB_NAME BENCH_DB BENCH_POSTMASTER BENCH_LOG
}
