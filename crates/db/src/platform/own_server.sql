-- On a server of our own, at each start.

-- Who owns the database and may make others could put one in its place, for the superuser to work on.
alter role postgres nocreatedb;

-- The project may alter some of the stack's logins: what keeps them out is taken back, as their passwords are.
do $$
declare
  kept_out text;
begin
  for kept_out in
    select rolname from pg_catalog.pg_roles
    where rolname in (
        'postgres', 'authenticator', 'supabase_auth_admin', 'supabase_storage_admin', 'supabase_realtime_admin'
      )
      and (rolconnlimit <> -1 or rolvaliduntil < 'infinity')
  loop
    execute format('alter role %I connection limit -1 valid until %L', kept_out, 'infinity');
  end loop;
end
$$;
