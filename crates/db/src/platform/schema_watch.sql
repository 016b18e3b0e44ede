-- Tell the data API when what it shows has changed (db/CONTRACT.md PG-WATCH).
create or replace function extensions.pgrst_ddl_watch() returns event_trigger language plpgsql
set search_path = '' as $$
begin
  if exists (
    select from pg_catalog.pg_event_trigger_ddl_commands() as command
    where command.command_tag in (
      'CREATE SCHEMA', 'ALTER SCHEMA',
      'CREATE TABLE', 'CREATE TABLE AS', 'SELECT INTO', 'ALTER TABLE',
      'CREATE FOREIGN TABLE', 'ALTER FOREIGN TABLE',
      'CREATE VIEW', 'ALTER VIEW', 'CREATE MATERIALIZED VIEW', 'ALTER MATERIALIZED VIEW',
      'CREATE FUNCTION', 'ALTER FUNCTION', 'CREATE PROCEDURE', 'ALTER PROCEDURE',
      'CREATE TRIGGER', 'CREATE TYPE', 'ALTER TYPE', 'CREATE DOMAIN', 'ALTER DOMAIN', 'CREATE RULE', 'COMMENT'
    )
    and (
      command.schema_name is null
      or command.schema_name not in ('pg_temp', 'auth', 'storage', 'realtime', '_realtime', '_banyan', 'mail')
    )
  ) then
    notify pgrst, 'reload schema';
  end if;
end
$$;

create or replace function extensions.pgrst_drop_watch() returns event_trigger language plpgsql
set search_path = '' as $$
begin
  if exists (
    select from pg_catalog.pg_event_trigger_dropped_objects() as dropped
    where dropped.object_type in (
      'schema', 'table', 'table column', 'foreign table', 'view', 'materialized view', 'function', 'procedure',
      'trigger', 'type', 'domain', 'rule', 'table constraint'
    )
    and not dropped.is_temporary
    and (
      dropped.schema_name is null
      or dropped.schema_name not in ('auth', 'storage', 'realtime', '_realtime', '_banyan', 'mail')
    )
  ) then
    notify pgrst, 'reload schema';
  end if;
end
$$;

alter function extensions.pgrst_ddl_watch() owner to supabase_admin;
alter function extensions.pgrst_drop_watch() owner to supabase_admin;

do $$
begin
  if not exists (select from pg_catalog.pg_event_trigger where evtname = 'pgrst_ddl_watch') then
    create event trigger pgrst_ddl_watch on ddl_command_end execute function extensions.pgrst_ddl_watch();
    alter event trigger pgrst_ddl_watch owner to supabase_admin;
  end if;
  if not exists (select from pg_catalog.pg_event_trigger where evtname = 'pgrst_drop_watch') then
    create event trigger pgrst_drop_watch on sql_drop execute function extensions.pgrst_drop_watch();
    alter event trigger pgrst_drop_watch owner to supabase_admin;
  end if;
  if not exists (select from pg_catalog.pg_publication where pubname = 'supabase_realtime') then
    create publication supabase_realtime;
    alter publication supabase_realtime owner to postgres;
  end if;
end
$$;
