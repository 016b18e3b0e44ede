-- The last administrator is the last who may act: one who is banned or deleted could help nobody back in.

create or replace function private.keep_last_admin()
returns trigger
language plpgsql
security definer
set search_path = ''
as $$
begin
  -- Two administrators who remove each other at once wait for one another here; the second then sees nobody left.
  perform pg_advisory_xact_lock(hashtextextended('user_roles.last_admin', 0));
  if not exists (select from public.user_roles where role = 'admin' and private.is_active_admin(user_id)) then
    raise check_violation using message = 'The last administrator cannot be removed.';
  end if;
  return null;
end
$$;

comment on function private.keep_last_admin() is
  'Refuses to take the role or the account of the last administrator who may act (D13). Who bans that one has the service key, and makes another one with it.';
