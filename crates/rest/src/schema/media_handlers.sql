-- What can turn rows or values into a media type, as one JSON array: aggregates and functions of the exposed schemas ($1)
-- whose result is a domain named as the media type (CONTRACT.md N14, N15, N17).
with
    media as (
        select d.oid, d.typname as name, d.typbasetype = 'bytea'::regtype as bytes
        from pg_type d
        where d.typtype = 'd'
            and (d.typname ~* '^[a-z0-9.-]+/[a-z0-9.+-]+$' or d.typname = '*/*')
    )
select coalesce(json_agg(handler), '[]')::text
from (
    select
        json_build_object('schema', n.nspname, 'name', p.proname) as function,
        true as aggregate,
        case
            when t.oid = 'anyelement'::regtype then null
            else json_build_object('schema', tn.nspname, 'name', t.typname)
        end as target,
        media.name as media,
        media.bytes
    from media
    join pg_proc p on p.prorettype = media.oid
    join pg_aggregate a on a.aggfnoid = p.oid
    join pg_namespace n on n.oid = p.pronamespace
    join pg_type t on t.oid = p.proargtypes[0]
    join pg_namespace tn on tn.oid = t.typnamespace
    where n.nspname = any ($1)
        and p.pronargs = 1
        and (
            t.oid = 'anyelement'::regtype
            or exists (select from pg_class c where c.reltype = t.oid and c.relkind in ('r', 'v', 'm', 'f', 'p'))
        )
    union all
    select
        json_build_object('schema', n.nspname, 'name', p.proname),
        false,
        json_build_object('schema', n.nspname, 'name', p.proname),
        media.name,
        media.bytes
    from media
    join pg_proc p on p.prorettype = media.oid
    join pg_namespace n on n.oid = p.pronamespace
    where n.nspname = any ($1)
        and p.prokind = 'f'
        and not p.proretset
) handler
