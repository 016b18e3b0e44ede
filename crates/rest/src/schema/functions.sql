-- Functions of the exposed schemas ($1) that can be called, as one JSON array (CONTRACT.md C01).
with
    base_types as (
        with recursive chain as (
            select oid, oid as base, typbasetype from pg_type
            union all
            select chain.oid, t.oid, t.typbasetype
            from chain
            join pg_type t on t.oid = chain.typbasetype
        )
        select oid, base from chain where typbasetype = 0
    ),
    -- Types that are or hold json, which cannot be compared (CONTRACT.md A06). Domains, arrays and
    -- composites hold other types.
    parts as (
        select oid as whole, typbasetype as part from pg_type where typbasetype <> 0
        union all
        select oid, typelem from pg_type where typcategory = 'A' and typelem <> 0
        union all
        select c.reltype, a.atttypid
        from pg_attribute a
        join pg_class c on c.oid = a.attrelid
        where c.reltype <> 0 and a.attnum > 0 and not a.attisdropped
    ),
    json_types as (
        with recursive holders as (
            select 'json'::regtype::oid as oid
            union
            select parts.whole from holders join parts on parts.part = holders.oid
        )
        select oid from holders
    ),
    arguments as (
        select
            p.oid,
            json_agg(
                json_build_object(
                    'name', coalesce(argument.name, ''),
                    'type', format_type(argument.type, null),
                    -- "No length given" is said of the type: `character` alone would be one of a
                    -- single character.
                    'wide_type', format_type(argument.type, -1),
                    'shown_type', (
                        select case
                            when of_system then format_type(argument.type, null)
                            when element.oid is null then t.typname
                            else element.typname || '[]'
                        end
                        from pg_type t
                        left join pg_type element on element.oid = t.typelem and t.typcategory = 'A'
                        cross join lateral (
                            select coalesce(element.typnamespace, t.typnamespace) = 'pg_catalog'::regnamespace
                        ) _ (of_system)
                        where t.oid = argument.type
                    ),
                    'required', argument.place <= p.pronargs - p.pronargdefaults,
                    'variadic', argument.mode = 'v'
                )
                order by argument.place
            ) as list,
            case count(*)
                when 1 then bool_and(
                    coalesce(argument.name, '') <> ''
                    or argument.type in (
                        'json'::regtype, 'jsonb'::regtype, 'text'::regtype, 'xml'::regtype, 'bytea'::regtype
                    )
                )
                else bool_and(coalesce(argument.name, '') <> '')
            end as callable
        from pg_proc p
        cross join lateral (
            select row_number() over (order by place) as place, type, name, mode
            from (
                select
                    place,
                    type,
                    p.proargnames[place] as name,
                    coalesce(p.proargmodes[place], 'i') as mode
                from unnest(coalesce(p.proallargtypes, p.proargtypes::oid[])) with ordinality as _ (type, place)
            ) every
            where mode in ('i', 'b', 'v')
        ) argument
        where p.pronamespace in (select oid from pg_namespace where nspname = any ($1))
        group by p.oid
    )
select coalesce(json_agg(routine), '[]')::text
from (
    select
        n.nspname as schema,
        p.proname as name,
        d.description as comment,
        coalesce(a.list, '[]') as arguments,
        p.provolatile = 'v' as volatile,
        p.proretset as returns_set,
        p.prorettype = 'void'::regtype as returns_void,
        bt.typtype = 'c' or coalesce(p.proargmodes && '{t,b,o}', false) as returns_composite,
        rn.nspname as result_schema,
        result.relname as result_relation,
        coalesce(
            (
                select json_agg(name)
                from (
                    select p.proargnames[place] as name, type
                    from unnest(p.proallargtypes) with ordinality as _ (type, place)
                    where p.proargmodes[place] in ('b', 'o', 't')
                    union all
                    select a.attname, a.atttypid
                    from pg_attribute a
                    where a.attrelid = result.oid and a.attnum > 0 and not a.attisdropped
                ) result_column
                where type in (select oid from json_types) and name <> ''
            ),
            '[]'
        ) as json_columns,
        format_type(p.prorettype, null) as result_type,
        coalesce(
            (
                select json_object_agg(split_part(setting, '=', 1), substr(setting, strpos(setting, '=') + 1))
                from unnest(p.proconfig) as _ (setting)
            ),
            '{}'
        ) as settings
    from pg_proc p
    join pg_namespace n on n.oid = p.pronamespace
    join base_types types on types.oid = p.prorettype
    join pg_type bt on bt.oid = types.base
    left join pg_class result on result.oid = bt.typrelid
    left join pg_namespace rn on rn.oid = result.relnamespace
    left join arguments a on a.oid = p.oid
    left join pg_description d on d.objoid = p.oid and d.classoid = 'pg_proc'::regclass
    where p.prokind = 'f'
        and n.nspname = any ($1)
        and p.prorettype <> 'trigger'::regtype
        and p.prorettype <> 'event_trigger'::regtype
        and coalesce(a.callable, true)
    order by n.nspname, p.proname, p.oid
) routine
