-- On a server of our own, at each start.

-- Who owns the database and may make others could put one in its place, for the superuser to work on.
alter role postgres nocreatedb;

do $$
declare
  role_name text;
begin
  -- Who may replicate names the output plugin of a slot: any file that the server's user may read, and the server runs
  -- it. A member of such a role may become it.
  for role_name in
    select rolname from pg_catalog.pg_roles where rolreplication and not rolsuper
  loop
    execute format('alter role %I noreplication', role_name);
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
end
$$;
