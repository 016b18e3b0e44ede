-- The part of the catalog that types are made from, as one JSON document. $1: the schemas asked for.
with
  wanted as (
    select oid, nspname
    from pg_namespace
    where nspname = any ($1)
  ),
  relations as (
    select
      pg_class.oid, nspname, relname, relkind,
      exists (select from pg_trigger where tgrelid = pg_class.oid and tgtype & 64 = 64) as instead
    from pg_class
    join wanted on wanted.oid = relnamespace
    where relkind in ('r', 'p', 'f', 'v', 'm')
  ),
  columns as (
    select
      attrelid,
      jsonb_agg(
        jsonb_build_object(
          'number', attnum,
          'name', attname,
          'type_id', coalesce(nullif(typbasetype, 0), pg_type.oid)::int8,
          'nullable', not (attnotnull or (typtype = 'd' and typnotnull)),
          'default', atthasdef,
          'identity', attidentity in ('a', 'd'),
          'read_only', attidentity = 'a' or attgenerated <> '',
          'updatable', pg_column_is_updatable(attrelid, attnum, true) or instead
        )
        order by attnum
      ) as list
    from pg_attribute
    join relations on relations.oid = attrelid
    join pg_type on pg_type.oid = atttypid
    where attnum > 0
      and not attisdropped
    group by attrelid
  ),
  attributes as (
    select
      attrelid,
      jsonb_agg(jsonb_build_object('name', attname, 'type_id', atttypid::int8) order by attnum) as list
    from pg_attribute
    join pg_class on pg_class.oid = attrelid
    where relkind = 'c'
      and attnum > 0
      and not attisdropped
    group by attrelid
  ),
  labels as (
    select enumtypid, jsonb_agg(enumlabel order by enumsortorder) as list
    from pg_enum
    group by enumtypid
  ),
  unique_keys as (
    select conrelid, (select array_agg(number order by number) from unnest(conkey) as number) as numbers
    from pg_constraint
    where contype in ('p', 'u')
  )
select jsonb_build_object(
  'schemas', (select coalesce(jsonb_agg(nspname), '[]') from wanted),
  'relations', (
    select coalesce(jsonb_agg(jsonb_build_object(
      'id', relations.oid::int8,
      'schema', nspname,
      'name', relname,
      'is_view', relkind in ('v', 'm'),
      'insertable', relkind = 'v' and pg_relation_is_updatable(relations.oid, true) & 8 = 8,
      'updatable', relkind = 'v' and pg_relation_is_updatable(relations.oid, true) & 4 = 4,
      'columns', coalesce(columns.list, '[]')
    )), '[]')
    from relations
    left join columns on attrelid = relations.oid
  ),
  'types', (
    select jsonb_agg(jsonb_build_object(
      'id', pg_type.oid::int8,
      'schema', nspname,
      'name', typname,
      'element', case when typcategory = 'A' then nullif(typelem, 0)::int8 end,
      'base', nullif(typbasetype, 0)::int8,
      'labels', coalesce(labels.list, '[]'),
      'attributes', coalesce(attributes.list, '[]'),
      'relation_id', nullif(typrelid, 0)::int8,
      'display_name', format_type(pg_type.oid, null)
    ))
    from pg_type
    join pg_namespace on pg_namespace.oid = typnamespace
    left join labels on enumtypid = pg_type.oid
    left join attributes on attrelid = typrelid
  ),
  'functions', (
    select coalesce(jsonb_agg(jsonb_build_object(
      'schema', nspname,
      'name', proname,
      'signature', pg_get_function_arguments(pg_proc.oid) || ' ' || pg_get_function_result(pg_proc.oid),
      'arguments', coalesce((
        select jsonb_agg(jsonb_build_object(
          'mode', coalesce(proargmodes[number], 'i'),
          'name', coalesce(proargnames[number], ''),
          'type_id', type_id::int8,
          'default', coalesce(proargmodes[number], 'i') in ('i', 'b', 'v') and inputs > pronargs - pronargdefaults
        ) order by number)
        from (
          select
            type_id,
            number,
            count(*) filter (where coalesce(proargmodes[number], 'i') in ('i', 'b', 'v')) over (order by number) as inputs
          from unnest(coalesce(proallargtypes, proargtypes::oid[])) with ordinality as list (type_id, number)
        ) as arguments
      ), '[]'),
      'returns', prorettype::int8,
      'returns_set', proretset,
      'rows', prorows
    )), '[]')
    from pg_proc
    join wanted on wanted.oid = pronamespace
    where prokind = 'f'
      and prorettype not in ('trigger'::regtype, 'event_trigger'::regtype)
  ),
  'foreign_keys', (
    select coalesce(jsonb_agg(jsonb_build_object(
      'name', conname,
      'relation_id', conrelid::int8,
      'columns', conkey,
      'referenced_id', confrelid::int8,
      'referenced_columns', confkey,
      'one_to_one', exists (
        select from unique_keys
        where unique_keys.conrelid = pg_constraint.conrelid
          and unique_keys.numbers = (select array_agg(number order by number) from unnest(conkey) as number)
      )
    )), '[]')
    from pg_constraint
    where contype = 'f'
      and conparentid = 0
      and conrelid in (select oid from relations)
  ),
  'views', (
    select coalesce(jsonb_agg(jsonb_build_object(
      'id', ev_class::int8,
      'definition', ev_action::text
    )), '[]')
    from pg_rewrite
    join pg_class on pg_class.oid = ev_class
    where relkind in ('v', 'm')
      and relnamespace not in ('pg_catalog'::regnamespace, 'information_schema'::regnamespace)
      and rulename = '_RETURN'
  ),
  'required_columns', (
    select coalesce(jsonb_agg(jsonb_build_array(attrelid::int8, attnum)), '[]')
    from pg_attribute
    join pg_class on pg_class.oid = attrelid
    join pg_type on pg_type.oid = atttypid
    where relkind in ('r', 'p', 'f')
      and relnamespace <> 'pg_catalog'::regnamespace
      and attnum > 0
      and not attisdropped
      and (attnotnull or (typtype = 'd' and typnotnull))
  )
)
