-- Computed relationships: functions from a row of one relation to rows of another
-- (CONTRACT.md E13).
select coalesce(json_agg(computed), '[]')::text
from (
    select
        n.nspname as schema,
        p.proname as function,
        an.nspname as source_schema,
        source.relname as source,
        rn.nspname as target_schema,
        target.relname as target,
        not p.proretset or p.prorows = 1 as to_one
    from pg_proc p
    join pg_namespace n on n.oid = p.pronamespace
    join pg_class source on source.reltype = p.proargtypes[0]
    join pg_namespace an on an.oid = source.relnamespace
    join pg_class target on target.reltype = p.prorettype
    join pg_namespace rn on rn.oid = target.relnamespace
    where p.pronargs = 1
        and p.prokind = 'f'
        and source.relkind in ('r', 'v', 'm', 'f', 'p')
        and target.relkind in ('r', 'v', 'm', 'f', 'p')
        and an.nspname = any ($1)
        and rn.nspname = any ($1)
    order by n.nspname, p.proname
) computed
