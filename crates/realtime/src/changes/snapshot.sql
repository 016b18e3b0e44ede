-- The end of the snapshot and the transactions that run in it, with ids of 32 bits.
select pg_catalog.json_build_array(
    pg_catalog.pg_snapshot_xmax(taken)::pg_catalog.xid::text::bigint,
    array(
        select running::pg_catalog.xid::text::bigint
        from pg_catalog.pg_snapshot_xip(taken) as running
    )
)
from pg_catalog.pg_current_snapshot() as taken
