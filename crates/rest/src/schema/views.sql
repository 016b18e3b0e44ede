-- Views of the exposed schemas and of the search path ($1), with the rule that defines each: PostgreSQL notes in it
-- where every column comes from (CONTRACT.md E07, E08).
select coalesce(json_agg(view), '[]')::text
from (
    select
        c.oid::bigint as id,
        n.nspname as schema,
        c.relname as name,
        (
            select json_agg(a.attname order by a.attnum)
            from pg_attribute a
            where a.attrelid = c.oid and a.attnum > 0
        ) as columns,
        r.ev_action::text as rule
    from pg_class c
    join pg_namespace n on n.oid = c.relnamespace
    join pg_rewrite r on r.ev_class = c.oid and r.rulename = '_RETURN'
    where c.relkind in ('v', 'm')
        and n.nspname = any ($1)
    order by n.nspname, c.relname
) view
