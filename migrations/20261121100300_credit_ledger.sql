-- The credit ledger: every change of a balance, for ever, in the order it happened.

create table public.credit_ledger (
  id bigint generated always as identity primary key,
  user_id uuid not null,
  entry integer not null check (entry > 0),
  delta integer not null,
  balance integer not null check (balance >= 0),
  reason text not null check (
    reason in ('opening', 'closing', 'reopening', 'deduction', 'decrease', 'return', 'adjustment', 'admin')
  ),
  deduction_id uuid,
  actor_id uuid,
  written_at timestamptz not null default now(),
  unique (user_id, entry)
);

comment on table public.credit_ledger is
  'Append-only. For every user the sum of delta is the balance at every moment. Nothing refers to auth.users, so it outlives account and profile (D07).';
comment on column public.credit_ledger.entry is 'Number of the entry within the user''s ledger, without gaps: two writers can never both follow the same entry.';
comment on column public.credit_ledger.balance is 'Balance after the entry.';
comment on column public.credit_ledger.reason is
  'opening, closing, reopening: the profile was made, deleted, made again. deduction: opens a deduction. decrease: an own decrease below the price. return: a deduction came back. adjustment: by the service key. admin: by an administrator.';
comment on column public.credit_ledger.deduction_id is 'The deduction that was opened or came back.';
comment on column public.credit_ledger.actor_id is 'The signed-in user who caused the entry, empty for the service key.';

alter table public.credit_ledger enable row level security;

revoke all on public.credit_ledger from public, anon, authenticated, service_role;
revoke all on sequence public.credit_ledger_id_seq from public, anon, authenticated, service_role;
grant select on public.credit_ledger to authenticated, service_role;

create policy credit_ledger_select on public.credit_ledger
for select
to authenticated
using (user_id = (select auth.uid()) or (select private.caller_is_admin()));

comment on policy credit_ledger_select on public.credit_ledger is
  'A teacher reads the own entries, an administrator all of them. Nobody writes: entries come from triggers of profiles.';

create function private.refuse_rewriting()
returns trigger
language plpgsql
set search_path = ''
as $$
begin
  raise insufficient_privilege using message = format('%s of %I.%I is not possible.', lower(tg_op), tg_table_schema, tg_table_name);
end
$$;

comment on function private.refuse_rewriting() is
  'Stops update, delete and truncate for every role. Only the owner of the table could disable the trigger first.';

revoke all on function private.refuse_rewriting() from public;

create trigger refuse_rewriting
before update or delete or truncate on public.credit_ledger
for each statement
execute function private.refuse_rewriting();

-- Truncation would pass by the row triggers that keep ledger and balance equal.
create trigger refuse_truncating
before truncate on public.profiles
for each statement
execute function private.refuse_rewriting();

create function private.last_entry(owner uuid)
returns public.credit_ledger
language sql
volatile
security definer
set search_path = ''
as $$
  select credit_ledger
  from public.credit_ledger
  where user_id = owner
  order by entry desc
  limit 1
$$;

comment on function private.last_entry(uuid) is 'The newest ledger entry of a user, or null. Volatile, so that it sees what was committed while its caller waited for a lock.';

create function private.write_entry(owner uuid, delta integer, balance integer, reason text, deduction_id uuid default null)
returns void
language plpgsql
security definer
set search_path = ''
as $$
declare
  previous constant public.credit_ledger := private.last_entry(owner);
begin
  if coalesce(previous.balance, 0) + delta <> balance then
    raise serialization_failure using message = 'The balance changed at the same moment. Please try again.';
  end if;
  insert into public.credit_ledger (user_id, entry, delta, balance, reason, deduction_id, actor_id)
  values (owner, coalesce(previous.entry, 0) + 1, delta, balance, reason, deduction_id, auth.uid());
end
$$;

comment on function private.write_entry(uuid, integer, integer, text, uuid) is
  'Appends one entry and holds the ledger to its promise: previous balance plus delta is the new balance. The caller holds the lock on the profile.';

revoke all on function private.last_entry(uuid) from public;
revoke all on function private.write_entry(uuid, integer, integer, text, uuid) from public;
