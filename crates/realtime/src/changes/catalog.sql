-- A table ($1) as a role ($2) may see it.
select pg_catalog.json_build_object(
    'row_security', held.relrowsecurity,
    'is_subject', held.relrowsecurity and not reader.rolsuper and not reader.rolbypassrls
        and (held.relforcerowsecurity or not pg_catalog.pg_has_role(reader.oid, held.relowner, 'usage')),
    'reads_table', pg_catalog.has_schema_privilege(reader.oid, held.relnamespace, 'usage')
        and pg_catalog.has_table_privilege(reader.oid, held.oid, 'select'),
    'key', coalesce(
        (
            select pg_catalog.json_agg(attname order by place)
            from pg_catalog.pg_index
            cross join pg_catalog.unnest(indkey) with ordinality as keys (number, place)
            join pg_catalog.pg_attribute on attrelid = indrelid and attnum = number
            where indrelid = held.oid and indisprimary
        ),
        '[]'
    ),
    'columns', (
        select count(*) from pg_catalog.pg_attribute where attrelid = held.oid and attnum > 0 and not attisdropped
    ),
    'readable', coalesce(
        (
            select pg_catalog.json_agg(attname)
            from pg_catalog.pg_attribute
            where attrelid = held.oid and attnum > 0 and not attisdropped
                and pg_catalog.has_schema_privilege(reader.oid, held.relnamespace, 'usage')
                and pg_catalog.has_column_privilege(reader.oid, held.oid, attnum, 'select')
        ),
        '[]'
    ),
    'policies', coalesce(
        (
            select pg_catalog.json_agg(pg_catalog.json_build_object(
                'is_permissive', polpermissive,
                'condition', pg_catalog.pg_get_expr(polqual, polrelid)
            ))
            from pg_catalog.pg_policy
            where polrelid = held.oid and polcmd in ('r', '*') and polqual is not null
                and exists (
                    select
                    from pg_catalog.unnest(polroles) as role (id)
                    where role.id = 0 or pg_catalog.pg_has_role(reader.oid, role.id, 'usage')
                )
        ),
        '[]'
    )
)
from pg_catalog.pg_class as held
cross join pg_catalog.pg_roles as reader
where held.oid = $1::oid and reader.rolname = $2::text
