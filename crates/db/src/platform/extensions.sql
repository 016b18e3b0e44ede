-- Extensions (db/CONTRACT.md PG-EXTENSIONS), where the server has them.
do $$
declare
  extension_name text;
begin
  for extension_name in
    select name from pg_catalog.pg_available_extensions
    where name in ('pgcrypto', 'uuid-ossp', 'pg_stat_statements') and installed_version is null
  loop
    begin
      execute format('create extension if not exists %I with schema extensions', extension_name);
    exception when others then
      -- A project may have dropped it and put functions of its own in its place: that keeps nothing from starting.
      raise warning 'the extension % is not there: %', extension_name, sqlerrm;
    end;
  end loop;
end
$$;

grant all on all tables in schema extensions to postgres with grant option;
grant all on all routines in schema extensions to postgres with grant option;
