-- Roles: everyone is a user from sign-up on; an administrator always remains.

create table public.user_roles (
  user_id uuid not null references auth.users (id) on delete cascade,
  role text not null check (role in ('admin', 'moderator', 'user')),
  assigned_at timestamptz not null default now(),
  primary key (user_id, role)
);

comment on table public.user_roles is 'Who is administrator, moderator or user. Roles are assigned by procedures, never by a plain insert.';

create index user_roles_admins on public.user_roles (user_id)
where role = 'admin';

alter table public.user_roles enable row level security;

revoke all on public.user_roles from public, anon, authenticated, service_role;
grant select, delete on public.user_roles to authenticated;
grant select, insert, delete on public.user_roles to service_role;

create function private.caller_is_admin()
returns boolean
language sql
stable
security definer
set search_path = ''
as $$
  select exists (
    select from public.user_roles
    where user_id = auth.uid()
      and role = 'admin'
  )
$$;

comment on function private.caller_is_admin() is
  'Whether the caller is an administrator. Reads past the policies of user_roles, which ask this function themselves.';

revoke all on function private.caller_is_admin() from public;
grant execute on function private.caller_is_admin() to authenticated;

create policy user_roles_select on public.user_roles
for select
to authenticated
using (user_id = (select auth.uid()) or (select private.caller_is_admin()));

comment on policy user_roles_select on public.user_roles is
  'A user sees the own roles, an administrator all of them.';

create policy user_roles_delete on public.user_roles
for delete
to authenticated
using ((select private.caller_is_admin()));

comment on policy user_roles_delete on public.user_roles is
  'Only administrators take roles away. Triggers keep the role user and the last administrator.';

create function public.is_admin_user(user_id_param uuid)
returns boolean
language sql
stable
security invoker
set search_path = ''
as $$
  select exists (
    select from public.user_roles
    where user_id = user_id_param
      and role = 'admin'
  )
$$;

comment on function public.is_admin_user(uuid) is
  'Whether that user is an administrator. Runs under the policies of user_roles: about others it answers true to administrators only (S-381).';

revoke all on function public.is_admin_user(uuid) from public, anon, authenticated, service_role;
grant execute on function public.is_admin_user(uuid) to authenticated, service_role;

create function private.give_role_user()
returns trigger
language plpgsql
security definer
set search_path = ''
as $$
begin
  insert into public.user_roles (user_id, role)
  values (new.id, 'user')
  on conflict do nothing;
  return null;
end
$$;

comment on function private.give_role_user() is 'Gives every new account the role user (S-349).';

create trigger give_role_user
after insert on auth.users
for each row
execute function private.give_role_user();

insert into public.user_roles (user_id, role)
select id, 'user'
from auth.users
on conflict do nothing;

create function private.keep_role_user()
returns trigger
language plpgsql
security definer
set search_path = ''
as $$
begin
  if exists (select from auth.users where id = old.user_id)
    and not exists (select from public.user_roles where user_id = old.user_id and role = 'user')
  then
    raise check_violation using message = 'Every account keeps the role user.';
  end if;
  return null;
end
$$;

comment on function private.keep_role_user() is 'Refuses to take the role user from an account that still exists (D13).';

create trigger keep_role_user
after delete or update on public.user_roles
for each row
when (old.role = 'user')
execute function private.keep_role_user();

create function private.keep_last_admin()
returns trigger
language plpgsql
security definer
set search_path = ''
as $$
begin
  -- Two administrators who remove each other at once wait for one another here; the second then sees nobody left.
  perform pg_advisory_xact_lock(hashtextextended('user_roles.last_admin', 0));
  if not exists (select from public.user_roles where role = 'admin') then
    raise check_violation using message = 'The last administrator cannot be removed.';
  end if;
  return null;
end
$$;

comment on function private.keep_last_admin() is
  'Refuses whatever would leave no administrator, the deletion of the account included (D13).';

create trigger keep_last_admin
after delete or update on public.user_roles
for each row
when (old.role = 'admin')
execute function private.keep_last_admin();

revoke all on function private.give_role_user() from public;
revoke all on function private.keep_role_user() from public;
revoke all on function private.keep_last_admin() from public;
