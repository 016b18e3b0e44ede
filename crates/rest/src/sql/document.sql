WITH relations AS (
    SELECT coalesce(json_agg(c.relname ORDER BY c.relname), '[]') AS names
    FROM pg_catalog.pg_class c
    JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
    WHERE n.nspname = $1
        AND c.relkind IN ('r', 'v', 'm', 'f', 'p')
        AND NOT c.relispartition
        AND (
            pg_catalog.pg_has_role(c.relowner, 'USAGE')
            OR pg_catalog.has_table_privilege(c.oid, 'SELECT, INSERT, UPDATE, DELETE, TRUNCATE, REFERENCES, TRIGGER')
            OR pg_catalog.has_any_column_privilege(c.oid, 'SELECT, INSERT, UPDATE, REFERENCES')
        )
), functions AS (
    SELECT coalesce(json_agg(DISTINCT p.proname), '[]') AS names
    FROM pg_catalog.pg_proc p
    JOIN pg_catalog.pg_namespace n ON n.oid = p.pronamespace
    WHERE n.nspname = $1
        AND pg_catalog.has_function_privilege(p.oid, 'EXECUTE')
)
SELECT
    null::bigint,
    1,
    nullif(current_setting('response.headers', true), ''),
    nullif(current_setting('response.status', true), ''),
    null,
    null,
    json_build_object(
        'relations', relations.names,
        'functions', functions.names,
        'comment', (
            SELECT pg_catalog.obj_description(n.oid, 'pg_namespace')
            FROM pg_catalog.pg_namespace n
            WHERE n.nspname = $1
        )
    )
FROM relations, functions
