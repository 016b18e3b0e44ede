-- Settings of the roles that the API may take on, by role, as one JSON object (CONTRACT.md G09).
-- Settings that only a superuser may change count where they were granted with SET ON PARAMETER.
-- Those of this database win.
with
    role_settings as (
        select distinct on (r.rolname, split_part(setting, '=', 1))
            r.rolname,
            split_part(setting, '=', 1) as name,
            substr(setting, strpos(setting, '=') + 1) as value
        from pg_auth_members m
        join pg_roles r on r.oid = m.roleid
        join pg_db_role_setting s on s.setrole = r.oid
            and s.setdatabase in (0, (select oid from pg_database where datname = current_database()))
        cross join lateral unnest(s.setconfig) as _ (setting)
        where m.member = (select oid from pg_roles where rolname = current_user)
        order by r.rolname, split_part(setting, '=', 1), s.setdatabase desc
    )
select coalesce(json_object_agg(rolname, settings), '{}')::text
from (
    select rs.rolname, json_object_agg(rs.name, rs.value) as settings
    from role_settings rs
    join pg_settings ps on ps.name = rs.name
    where rs.name = 'default_transaction_isolation'
        or ps.context = 'user'
        or ps.context = 'superuser' and has_parameter_privilege(current_user, ps.name, 'set')
    group by rs.rolname
) by_role
