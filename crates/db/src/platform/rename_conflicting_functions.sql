-- A project may drop functions of the platform that it owns by membership, and make others of their names. Those that
-- `create or replace` could not replace keep their dependents, under another name.
do $$
declare
  taken record;
begin
  for taken in
    select proc.oid, proc.oid::regprocedure as signature, proc.proname
    from pg_catalog.pg_proc as proc
    join (
      values ('auth', 'uid', 'uuid'::regtype), ('auth', 'role', 'text'), ('auth', 'email', 'text'),
        ('auth', 'jwt', 'jsonb'), ('extensions', 'pgrst_ddl_watch', 'event_trigger'),
        ('extensions', 'pgrst_drop_watch', 'event_trigger')
    ) as ours (schema_name, name, returns) on ours.name = proc.proname
    join pg_catalog.pg_namespace as home on home.oid = proc.pronamespace and home.nspname = ours.schema_name
    where proc.pronargs = 0
      and (proc.prorettype <> ours.returns or proc.proretset or proc.prokind <> 'f')
  loop
    execute format('alter routine %s rename to %I', taken.signature, taken.proname || '_' || taken.oid);
  end loop;
end
$$;
