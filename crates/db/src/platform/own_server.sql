-- On a server of our own, at each start.

do $$
declare
  role_name text;
begin
  -- Who owns the database and may make others could put one in its place, for the superuser to work on. Who may
  -- replicate names the output plugin of a slot: any file that the server's user may read, and the server runs it.
  -- postgres may become the roles that it made, also when it could make them with more than it has, and give them what
  -- it owns.
  for role_name in
    select rolname from pg_catalog.pg_roles where (rolcreatedb or rolreplication) and not rolsuper
  loop
    execute format('alter role %I nocreatedb noreplication', role_name);
  end loop;

  -- The project may alter some of the stack's logins: what keeps them out is taken back, as their passwords are.
  for role_name in
    select rolname from pg_catalog.pg_roles
    where rolname in (
        'postgres', 'authenticator', 'supabase_auth_admin', 'supabase_storage_admin', 'supabase_realtime_admin'
      )
      and (rolconnlimit <> -1 or rolvaliduntil < 'infinity')
  loop
    execute format('alter role %I connection limit -1 valid until %L', role_name, 'infinity');
  end loop;

  -- The same of the database.
  if (select datconnlimit >= 0 from pg_catalog.pg_database where datname = current_database()) then
    execute format('alter database %I connection limit -1', current_database());
  end if;
  for role_name in
    select rolname from pg_catalog.pg_roles
    where rolname in (
        'postgres', 'authenticator', 'supabase_auth_admin', 'supabase_storage_admin', 'supabase_realtime_admin'
      )
      and not has_database_privilege(oid, current_database(), 'connect')
  loop
    execute format('grant connect on database %I to %I', current_database(), role_name);
  end loop;
end
$$;
