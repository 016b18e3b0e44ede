-- A ledger that nothing is ever deleted from grows with every change, so an owner changes the own balance only so often.

alter table private.settings
add column ledger_entries_per_hour integer not null default 400 check (ledger_entries_per_hour > 0);

comment on column private.settings.ledger_entries_per_hour is
  'Entries that the ledger of a user takes in any hour before the owner''s own changes are refused; procedures and the service key go on.';

create function private.limit_own_writes()
returns trigger
language plpgsql
security definer
set search_path = ''
as $$
declare
  last constant public.credit_ledger := private.last_entry(old.user_id);
begin
  -- Entries are numbered without gaps, so the one so many before the next is found by its number.
  if exists (
    select from public.credit_ledger
    cross join private.settings
    where credit_ledger.user_id = old.user_id
      and credit_ledger.entry = last.entry + 1 - settings.ledger_entries_per_hour
      and credit_ledger.written_at > now() - interval '1 hour'
  ) then
    raise check_violation using
      message = 'The balance was changed too often.',
      hint = 'Wait some minutes and retry.';
  end if;
  return case tg_op when 'DELETE' then old else new end;
end
$$;

comment on function private.limit_own_writes() is
  'Refuses an owner who changes or deletes the own profile when the last hour''s entries are as many as the setting allows.';

revoke all on function private.limit_own_writes() from public;

create trigger limit_own_changes
before update on public.profiles
for each row
when (old.coins is distinct from new.coins and not pg_has_role(current_user, 'service_role', 'member'))
execute function private.limit_own_writes();

-- A profile is made again only after it was deleted, so that is where making again and again ends.
create trigger limit_own_deletions
before delete on public.profiles
for each row
when (not pg_has_role(current_user, 'service_role', 'member'))
execute function private.limit_own_writes();
