-- Relations of the exposed schemas ($1) with their columns, as one JSON array (CONTRACT.md P03,
-- L01).
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
    -- Implicit casts between domains and json or text, which say how a column's values look outside
    -- (CONTRACT.md N22).
    representations as (
        select
            k.castsource as source,
            k.casttarget as target,
            json_build_object('schema', n.nspname, 'name', f.proname) as function
        from pg_cast k
        join pg_proc f on f.oid = k.castfunc
        join pg_namespace n on n.oid = f.pronamespace
        where k.castcontext = 'i'
            and k.castmethod = 'f'
            and has_function_privilege(f.oid, 'execute')
    ),
    computed as (
        select p.proargtypes[0] as row_type, json_agg(distinct p.proname) as json
        from pg_proc p
        where p.pronargs = 1 and p.prokind = 'f' and p.prorettype in (select oid from json_types)
        group by p.proargtypes[0]
    ),
    columns as (
        select
            a.attrelid,
            json_agg(
                json_build_object(
                    'name', a.attname,
                    'type', format_type(a.atttypid, a.atttypmod),
                    'base_type', format_type(bt.base, null),
                    'composite', (select base.typtype = 'c' from pg_type base where base.oid = bt.base),
                    'holds_json', t.oid in (select oid from json_types),
                    'default', case
                        when t.typbasetype <> 0 and ad.adbin is null then pg_get_expr(t.typdefaultbin, 0)
                        when a.attidentity = 'd' then (
                            select format('nextval(%L)', seq.objid::regclass)
                            from pg_depend seq
                            where seq.refclassid = 'pg_class'::regclass and seq.refobjid = a.attrelid
                                and seq.refobjsubid = a.attnum and seq.deptype = 'i'
                        )
                        when a.attgenerated = 's' then null
                        else pg_get_expr(ad.adbin, ad.adrelid)
                    end,
                    'nullable', not (a.attnotnull or t.typtype = 'd' and t.typnotnull),
                    'max_length', case
                        when bt.base in ('bpchar'::regtype, 'varchar'::regtype)
                            and coalesce(nullif(a.atttypmod, -1), t.typtypmod) > 4
                        then coalesce(nullif(a.atttypmod, -1), t.typtypmod) - 4
                    end,
                    'labels', case
                        when base.typtype = 'e' then (
                            select json_agg(e.enumlabel order by e.enumsortorder)
                            from pg_enum e
                            where e.enumtypid = base.oid
                        )
                        else '[]'
                    end,
                    'comment', d.description,
                    'to_json', case when t.typtype = 'd' then (
                        select r.function from representations r where r.source = t.oid and r.target = 'json'::regtype
                    ) end,
                    'from_json', case when t.typtype = 'd' then (
                        select r.function from representations r where r.source = 'json'::regtype and r.target = t.oid
                    ) end,
                    'from_text', case when t.typtype = 'd' then (
                        select r.function from representations r where r.source = 'text'::regtype and r.target = t.oid
                    ) end
                )
                order by a.attnum
            ) as list
        from pg_attribute a
        join pg_class c on c.oid = a.attrelid
        join pg_type t on t.oid = a.atttypid
        join base_types bt on bt.oid = t.oid
        join pg_type base on base.oid = bt.base
        left join pg_attrdef ad on ad.adrelid = a.attrelid and ad.adnum = a.attnum
        left join pg_description d
            on d.objoid = a.attrelid and d.objsubid = a.attnum and d.classoid = 'pg_class'::regclass
        where a.attnum > 0
            and not a.attisdropped
            and c.relkind in ('r', 'v', 'm', 'f', 'p')
            and c.relnamespace in (select oid from pg_namespace where nspname = any ($1))
        group by a.attrelid
    )
select coalesce(json_agg(relation), '[]')::text
from (
    select
        n.nspname as schema,
        c.relname as name,
        d.description as comment,
        c.relkind in ('v', 'm') as is_view,
        updatable.mask & 8 = 8 as insertable,
        updatable.mask & 4 = 4 as updatable,
        updatable.mask & 16 = 16 as deletable,
        coalesce(
            (
                select json_agg(a.attname order by a.attname)
                from pg_constraint k
                join pg_attribute a on a.attrelid = k.conrelid and a.attnum = any (k.conkey)
                where k.conrelid = c.oid and k.contype = 'p'
            ),
            '[]'
        ) as primary_key,
        coalesce(columns.list, '[]') as columns,
        coalesce(computed.json, '[]') as computed_json
    from pg_class c
    join pg_namespace n on n.oid = c.relnamespace
    left join columns on columns.attrelid = c.oid
    left join computed on computed.row_type = c.reltype
    left join pg_description d
        on d.objoid = c.oid and d.objsubid = 0 and d.classoid = 'pg_class'::regclass
    cross join lateral (
        select case when c.relkind in ('r', 'p') then 28 else pg_relation_is_updatable(c.oid, true) end as mask
    ) updatable
    where c.relkind in ('r', 'v', 'm', 'f', 'p')
        and not c.relispartition
        and n.nspname = any ($1)
    order by n.nspname, c.relname
) relation
