-- Who is banned or deleted is no administrator from that moment on, whatever a token says that still lives; and a guest, who
-- signed in without an address, is given no credits.

create function private.is_active_admin(account uuid)
returns boolean
language sql
stable
security definer
set search_path = ''
as $$
  select exists (
    select from public.user_roles
    join auth.users on users.id = user_roles.user_id
    where user_roles.user_id = account
      and user_roles.role = 'admin'
      and users.deleted_at is null
      and (users.banned_until is null or users.banned_until <= now())
  )
$$;

comment on function private.is_active_admin(uuid) is
  'Whether that account is an administrator who may act now: neither banned nor deleted.';

revoke all on function private.is_active_admin(uuid) from public;

create or replace function private.caller_is_admin()
returns boolean
language sql
stable
security definer
set search_path = ''
as $$
  select private.is_active_admin(auth.uid())
$$;

create or replace function private.mail_refusal(sender uuid, kind text, recipient text)
returns text
language sql
stable
security definer
set search_path = ''
as $$
  select case
    when kind = 'document' and not exists (
      select from auth.users
      where id = sender
        and lower(email) = lower(recipient)
        and email_confirmed_at is not null
        and deleted_at is null
    ) then 'not_own_address'
    when kind = 'credits' and not private.is_active_admin(sender) then 'forbidden'
    when kind = 'credits' and not exists (
      select from auth.users
      where lower(email) = lower(recipient)
        and deleted_at is null
    ) then 'unknown_recipient'
  end
$$;

create or replace function private.prepare_profile()
returns trigger
language plpgsql
security definer
set search_path = ''
as $$
declare
  by_owner constant boolean := tg_argv[0] = 'owner';
  previous public.credit_ledger;
begin
  if by_owner and new.user_id is distinct from auth.uid() then
    raise insufficient_privilege using message = 'A profile can only be made for oneself.';
  end if;
  -- Also for create_user_profile_if_missing, which inserts as the owner of the table.
  if new.user_id = auth.uid() and exists (select from auth.users where id = new.user_id and is_anonymous) then
    raise insufficient_privilege using message = 'Credits are given to accounts with an address.';
  end if;
  previous := private.last_entry(new.user_id);
  if previous.reason = 'closing' then
    new.coins := - previous.delta;
  elsif by_owner and not exists (select from private.settings where new.coins = any (starting_balances)) then
    raise check_violation using message = 'A profile cannot start with this balance.';
  end if;
  new.updated_at := now();
  return new;
end
$$;

comment on function private.prepare_profile() is
  'A first profile starts with one of the starting balances (D06); one made again with the balance it had, whatever the insert says (D07). A guest makes none.';
