-- Types by OID ($1), as an array of JSON. `base` is what a domain stands for. The functions of a project are kept out of it.
with recursive base (oid, base) as (
    select wanted, wanted from unnest($1::oid[]) as wanted
    union all
    select base.oid, domain.typbasetype
    from base
    join pg_catalog.pg_type as domain on domain.oid = base.base and domain.typtype = 'd'
)
select pg_catalog.json_agg(pg_catalog.json_build_object(
    'oid', named.oid::int8,
    'name', named.typname,
    'qualified', pg_catalog.format('%I.%I', schema.nspname, named.typname),
    'base', base_type.oid::int8,
    'kind', base_type.typtype,
    'has_cast', exists (
        select from pg_catalog.pg_cast
        where castsource = base_type.oid and casttarget = 'pg_catalog.json'::pg_catalog.regtype and castmethod = 'f'
    ),
    'is_deterministic', not exists (
        select
        from pg_catalog.pg_attribute
        join pg_catalog.pg_collation as ordered on ordered.oid = attcollation
        where atttypid = named.oid and not ordered.collisdeterministic
    ),
    'element', (
        select pg_catalog.json_build_object(
            'oid', element.oid::int8,
            'kind', element.typtype,
            'delimiter', element.typdelim,
            'has_cast', exists (
                select from pg_catalog.pg_cast
                where castsource = element.oid and casttarget = 'pg_catalog.json'::pg_catalog.regtype
                    and castmethod = 'f'
            )
        )
        from pg_catalog.pg_type as element
        where element.oid = base_type.typelem
            and base_type.typsubscript = 'pg_catalog.array_subscript_handler'::pg_catalog.regproc
            and base_type.typlen = -1
    )
))
from base
join pg_catalog.pg_type as named on named.oid = base.oid
join pg_catalog.pg_namespace as schema on schema.oid = named.typnamespace
join pg_catalog.pg_type as base_type on base_type.oid = base.base and base_type.typtype <> 'd'
