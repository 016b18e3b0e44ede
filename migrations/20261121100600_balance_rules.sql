-- What may happen to a balance, and the ledger entry that follows each change.
--
-- A caller who is not a member of service_role is an owner bound by the rules below. The triggers ask for the role in
-- their `when` clause, which is evaluated as the caller, while their functions run as the owner of the tables.
-- Locks are always taken in the order profile, generation, deduction.

create function private.prepare_profile()
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
  'A first profile starts with one of the starting balances (D06); one made again with the balance it had, whatever the insert says (D07).';

create trigger prepare_own_profile
before insert on public.profiles
for each row
when (not pg_has_role(current_user, 'service_role', 'member'))
execute function private.prepare_profile('owner');

create trigger prepare_profile
before insert on public.profiles
for each row
when (pg_has_role(current_user, 'service_role', 'member'))
execute function private.prepare_profile('service');

create function private.record_opening()
returns trigger
language plpgsql
security definer
set search_path = ''
as $$
declare
  previous constant public.credit_ledger := private.last_entry(new.user_id);
begin
  -- The row is in place, so nobody else writes this user's ledger now: what was read before the insert is read again.
  if previous.id is not null and (previous.reason <> 'closing' or new.coins <> - previous.delta) then
    raise serialization_failure using message = 'The profile changed at the same moment. Please try again.';
  end if;
  perform private.write_entry(
    new.user_id, new.coins, new.coins,
    case when previous.id is null then 'opening' else 'reopening' end
  );
  return null;
end
$$;

comment on function private.record_opening() is 'Writes the opening or reopening entry of a profile.';

create trigger record_opening
after insert on public.profiles
for each row
execute function private.record_opening();

create function private.record_closing()
returns trigger
language plpgsql
security definer
set search_path = ''
as $$
begin
  perform private.write_entry(old.user_id, - old.coins, 0, 'closing');
  return null;
end
$$;

comment on function private.record_closing() is 'Writes the closing entry of a profile, from which it can be made again (D07).';

create trigger record_closing
after delete on public.profiles
for each row
execute function private.record_closing();

create function private.stamp_profile()
returns trigger
language plpgsql
set search_path = ''
as $$
begin
  if new.user_id is distinct from old.user_id then
    raise check_violation using message = 'A profile cannot change its owner.';
  end if;
  new.updated_at := now();
  return new;
end
$$;

comment on function private.stamp_profile() is 'Keeps the owner of a profile and sets the time of its last change, whatever the update says.';

create trigger stamp_profile
before update on public.profiles
for each row
execute function private.stamp_profile();

create function private.take_back(owner uuid, amount integer)
returns uuid
language sql
volatile
security definer
set search_path = ''
as $$
  update private.deductions
  set state = 'returned', settled_at = now()
  where id = (
    select deductions.id
    from private.deductions
    left join public.generations on generations.id = deductions.generation_id
    where deductions.user_id = owner
      and deductions.amount = take_back.amount
      and (
        deductions.state = 'open'
        or (deductions.state = 'claimed' and generations.status in ('failed', 'cancelled', 'expired'))
      )
    order by deductions.opened_at desc, deductions.id
    limit 1
    for update of deductions
  )
  returning id
$$;

comment on function private.take_back(uuid, integer) is
  'Marks the newest returnable deduction of that amount as returned and names it; null when there is none (D02). The caller raises the balance.';

create function private.record_own_change()
returns trigger
language plpgsql
security definer
set search_path = ''
as $$
declare
  change constant integer := new.coins - old.coins;
  price constant integer := (select generation_price from private.settings);
  deduction uuid;
begin
  if change = - price then
    insert into private.deductions (user_id, amount)
    values (new.user_id, price)
    returning id into deduction;
  elsif change > 0 then
    deduction := private.take_back(new.user_id, change);
  end if;
  if change < - price or (change > 0 and deduction is null) then
    raise check_violation using
      message = 'The balance cannot be changed like this.',
      hint = 'Read the balance again and retry.';
  end if;
  perform private.write_entry(
    new.user_id, change, new.coins,
    case when change > 0 then 'return' when deduction is null then 'decrease' else 'deduction' end,
    deduction
  );
  return null;
end
$$;

comment on function private.record_own_change() is
  'An owner lowers the balance by 1 to the price, the price itself opening a deduction, or raises it by taking one deduction back (D02, D05).';

create trigger record_own_change
after update on public.profiles
for each row
when (old.coins is distinct from new.coins and not pg_has_role(current_user, 'service_role', 'member'))
execute function private.record_own_change();

create function private.record_change()
returns trigger
language plpgsql
security definer
set search_path = ''
as $$
begin
  perform private.write_entry(
    new.user_id, new.coins - old.coins, new.coins,
    coalesce(nullif(current_setting('wallet.reason', true), ''), 'adjustment'),
    nullif(current_setting('wallet.deduction_id', true), '')::uuid
  );
  return null;
end
$$;

comment on function private.record_change() is
  'Records a change by the service key or by a wallet procedure, which names its reason through private.change_coins.';

create trigger record_change
after update on public.profiles
for each row
when (old.coins is distinct from new.coins and pg_has_role(current_user, 'service_role', 'member'))
execute function private.record_change();

create function private.change_coins(owner uuid, change integer, reason text, deduction_id uuid default null)
returns void
language plpgsql
security definer
set search_path = ''
as $$
begin
  perform set_config('wallet.reason', reason, true), set_config('wallet.deduction_id', coalesce(deduction_id::text, ''), true);
  update public.profiles
  set coins = coins + change
  where user_id = owner;
  if not found then
    raise no_data_found using message = 'There is no such profile.';
  end if;
  perform set_config('wallet.reason', '', true), set_config('wallet.deduction_id', '', true);
end
$$;

comment on function private.change_coins(uuid, integer, text, uuid) is
  'Changes a balance for a wallet procedure, with the reason for the ledger. Fails when there is no profile.';

create function public.create_user_profile_if_missing()
returns boolean
language plpgsql
security definer
set search_path = ''
as $$
begin
  if auth.uid() is null then
    raise insufficient_privilege using message = 'Please sign in.';
  end if;
  insert into public.profiles (user_id, coins)
  select auth.uid(), missing_profile_balance
  from private.settings
  on conflict do nothing;
  return found;
end
$$;

comment on function public.create_user_profile_if_missing() is
  'Makes the caller''s profile unless there is one. True when it made the row; doing it again changes nothing (S-379, D06).';

revoke all on function public.create_user_profile_if_missing() from public, anon, authenticated, service_role;
grant execute on function public.create_user_profile_if_missing() to authenticated;

revoke all on function private.prepare_profile() from public;
revoke all on function private.record_opening() from public;
revoke all on function private.record_closing() from public;
revoke all on function private.stamp_profile() from public;
revoke all on function private.take_back(uuid, integer) from public;
revoke all on function private.record_own_change() from public;
revoke all on function private.record_change() from public;
revoke all on function private.change_coins(uuid, integer, text, uuid) from public;
