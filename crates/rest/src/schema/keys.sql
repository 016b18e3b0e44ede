-- Primary and foreign keys of all schemas, as one JSON array: views may lead to tables of schemas that are not
-- exposed (CONTRACT.md E01 to E07, E12).
select coalesce(json_agg(key), '[]')::text
from (
    select
        k.conname as name,
        k.contype = 'f' as foreign,
        k.conrelid::bigint as relation_id,
        n.nspname as schema,
        c.relname as relation,
        k.conkey as numbers,
        (
            select json_agg(a.attname order by position)
            from unnest(k.conkey) with ordinality as _ (number, position)
            join pg_attribute a on a.attrelid = k.conrelid and a.attnum = number
        ) as columns,
        k.confrelid::bigint as target_id,
        tn.nspname as target_schema,
        t.relname as target,
        k.confkey as target_numbers,
        (
            select json_agg(a.attname order by position)
            from unnest(k.confkey) with ordinality as _ (number, position)
            join pg_attribute a on a.attrelid = k.confrelid and a.attnum = number
        ) as target_columns,
        k.contype = 'f' and exists (
            select
            from pg_constraint u
            where u.conrelid = k.conrelid
                and u.contype in ('p', 'u')
                and u.conkey <@ k.conkey
                and k.conkey <@ u.conkey
        ) as one_to_one
    from pg_constraint k
    join pg_class c on c.oid = k.conrelid
    join pg_namespace n on n.oid = c.relnamespace
    left join pg_class t on t.oid = k.confrelid
    left join pg_namespace tn on tn.oid = t.relnamespace
    where (k.contype = 'p' or k.contype = 'f' and k.conparentid = 0)
        and n.nspname <> 'pg_catalog'
        and n.nspname <> 'information_schema'
    order by n.nspname, c.relname, k.conname
) key
