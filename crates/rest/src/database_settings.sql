-- The options that the database says, by full name (CONTRACT.md config db-config). A role's
-- settings for this database come first, then those for every database, then what the pre-config
-- function set for this transaction.
with
    told as (
        select
            split_part(setting, '=', 1) as name,
            substr(setting, strpos(setting, '=') + 1) as value,
            case when s.setdatabase = 0 then 2 else 1 end as place
        from pg_catalog.pg_db_role_setting s
        cross join lateral unnest(s.setconfig) as _ (setting)
        where s.setrole = (select oid from pg_catalog.pg_roles where rolname = current_user)
            and s.setdatabase in (0, (select oid from pg_catalog.pg_database where datname = current_database()))
        union all
        select name, pg_catalog.current_setting(name, true), 3
        from unnest($1::text[]) as _ (name)
        where $2
    )
select distinct on (name) name, value
from told
where name = any ($1::text[]) and value is not null
order by name, place
