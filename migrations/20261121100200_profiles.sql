-- Profiles: one row a teacher, holding the balance of the wallet.

create table public.profiles (
  user_id uuid primary key references auth.users (id) on delete cascade,
  coins integer not null check (coins between 0 and 100000000),
  updated_at timestamptz not null default now(),
  last_payment_amount numeric check (last_payment_amount between 0 and 10000000),
  last_payment_date date check (isfinite(last_payment_date)),
  last_payment_time time
);

comment on table public.profiles is 'The wallet of a teacher. Every change of coins is checked and written to credit_ledger by triggers.';
comment on column public.profiles.coins is 'Balance in credits. It never expires and is never below zero.';
comment on column public.profiles.last_payment_amount is 'What the teacher says was paid last, in rupees: claimed, not verified (D11).';

alter table public.profiles enable row level security;

revoke all on public.profiles from public, anon, authenticated, service_role;
grant select, delete on public.profiles to authenticated;
grant insert (user_id, coins) on public.profiles to authenticated;
grant update (coins, updated_at, last_payment_amount, last_payment_date, last_payment_time) on public.profiles to authenticated;
grant select, insert, update, delete on public.profiles to service_role;

create policy profiles_select on public.profiles
for select
to authenticated
using (user_id = (select auth.uid()) or (select private.caller_is_admin()));

comment on policy profiles_select on public.profiles is
  'A teacher reads the own profile, an administrator all of them (D12).';

create policy profiles_insert on public.profiles
for insert
to authenticated
with check (user_id = (select auth.uid()));

comment on policy profiles_insert on public.profiles is
  'A teacher makes the own profile; which balance it starts with is decided by the trigger prepare_profile.';

create policy profiles_update on public.profiles
for update
to authenticated
using (user_id = (select auth.uid()))
with check (user_id = (select auth.uid()));

comment on policy profiles_update on public.profiles is
  'A teacher changes the own profile; which changes of coins pass is decided by the trigger record_own_change.';

create policy profiles_delete on public.profiles
for delete
to authenticated
using (user_id = (select auth.uid()));

comment on policy profiles_delete on public.profiles is
  'A teacher deletes the own profile. The balance is kept in the ledger for a profile made again (D07).';
