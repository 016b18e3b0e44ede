-- Schemas (db/CONTRACT.md PG-SCHEMAS). Their owner is supabase_admin, because `supabase db reset` by URL drops every schema that is
-- not (db/CONTRACT.md PG-RESET-BY-URL).
create schema if not exists auth authorization supabase_admin;
create schema if not exists storage authorization supabase_admin;
create schema if not exists realtime authorization supabase_admin;
create schema if not exists graphql_public authorization supabase_admin;
create schema if not exists extensions authorization postgres;
-- Where a project dropped it.
create schema if not exists public authorization pg_database_owner;

do $$
declare
  database_name text := pg_catalog.current_database();
  database_owner text := (
    select pg_catalog.pg_get_userbyid(datdba) from pg_catalog.pg_database where datname = database_name
  );
begin
  if database_owner in ('supabase_admin', current_user) and database_owner <> 'postgres' then
    execute format('alter database %I owner to postgres', database_name);
  end if;
  execute format('grant create on database %I to supabase_auth_admin, supabase_realtime_admin', database_name);
end
$$;

grant usage on schema public to postgres, anon, authenticated, service_role;

grant usage, create on schema auth to supabase_auth_admin;
grant usage on schema auth to postgres, dashboard_user, anon, authenticated, service_role;
alter default privileges for role supabase_auth_admin in schema auth
  grant all on tables to postgres, dashboard_user;
alter default privileges for role supabase_auth_admin in schema auth
  grant all on sequences to postgres, dashboard_user;
alter default privileges for role supabase_auth_admin in schema auth
  grant all on routines to postgres, dashboard_user;

grant usage, create on schema storage to supabase_storage_admin;
grant usage on schema storage to postgres with grant option;
grant usage on schema storage to anon, authenticated, service_role, dashboard_user;

grant usage, create on schema realtime to supabase_realtime_admin;
grant usage on schema realtime to postgres with grant option;
grant usage on schema realtime to anon, authenticated, service_role;

grant usage on schema graphql_public to postgres, anon, authenticated, service_role;
grant usage on schema extensions to postgres, anon, authenticated, service_role, dashboard_user,
  supabase_auth_admin, supabase_storage_admin, supabase_realtime_admin;
