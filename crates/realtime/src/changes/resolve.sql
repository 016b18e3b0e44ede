-- The tables of the publication that an entry means: schema ($1) and table ($2), with the wanted columns ($4) that a role
-- ($3) may read.
select pg_catalog.json_build_object(
    'has_role', exists (select from pg_catalog.pg_roles where rolname = $3::text),
    'tables', coalesce(
        (
            select pg_catalog.json_agg(pg_catalog.json_build_object(
                'oid', held.oid::int8,
                'columns', (
                    select coalesce(
                        pg_catalog.json_object_agg(attname, pg_catalog.json_build_object(
                            'type_oid', atttypid::int8,
                            'type_name', pg_catalog.format_type(atttypid, null),
                            'operators', (
                                select coalesce(pg_catalog.json_agg(distinct oprname), '[]')
                                from pg_catalog.pg_operator
                                where oprname in ('~~', '~', '~*') and oprright = oprleft
                                    and (
                                        oprleft = atttypid
                                        or exists (
                                            select from pg_catalog.pg_cast
                                            where castsource = atttypid and casttarget = oprleft and castmethod = 'b'
                                        )
                                    )
                            )
                        )),
                        '{}'
                    )
                    from pg_catalog.pg_attribute
                    where attrelid = held.oid and attnum > 0 and not attisdropped and attname = any($4::text[])
                        and pg_catalog.has_schema_privilege(reader.oid, held.relnamespace, 'usage')
                        and pg_catalog.has_column_privilege(reader.oid, held.oid, attnum, 'select')
                )
            ))
            from pg_catalog.pg_publication_tables as published
            join pg_catalog.pg_namespace as schema on schema.nspname = published.schemaname
            join pg_catalog.pg_class as held
                on held.relname = published.tablename and held.relnamespace = schema.oid
            join pg_catalog.pg_roles as reader on reader.rolname = $3::text
            where published.pubname = 'supabase_realtime'
                and $1::text in ('*', published.schemaname) and $2::text in ('*', published.tablename)
        ),
        '[]'
    )
)
