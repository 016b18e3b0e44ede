-- Payments: what teachers say they paid by UPI, waiting to be verified by hand.

create table public.payment_transactions (
  transaction_id text primary key check (transaction_id ~ '^[A-Za-z0-9_-]{1,64}$'),
  user_id uuid not null references auth.users (id) on delete cascade,
  amount numeric not null check (amount > 0 and amount < 'infinity'),
  credits integer not null check (credits > 0),
  status text not null default 'PENDING' check (status in ('PENDING', 'APPROVED', 'REJECTED')),
  phone_number text check (phone_number ~ '^[0-9]{1,10}$'),
  customer_info jsonb check (jsonb_typeof(customer_info) = 'object' and octet_length(customer_info::text) <= 2048),
  created_at timestamptz not null default now()
);

comment on table public.payment_transactions is
  'One row a payment that a teacher reported. It adds no credits by itself: an administrator verifies it first (S-006, D11).';
comment on column public.payment_transactions.transaction_id is 'Chosen by the client: UPI_ or MANUAL_ and a timestamp.';
comment on column public.payment_transactions.amount is 'Rupees.';
comment on column public.payment_transactions.credits is 'Credits asked for: as many as rupees, or those of a pack.';
comment on column public.payment_transactions.phone_number is 'Digits only, at most 10.';
comment on column public.payment_transactions.customer_info is 'A JSON object of at most 2 KiB, or nothing.';

create index payment_transactions_by_user on public.payment_transactions (user_id, created_at desc);

alter table public.payment_transactions enable row level security;

revoke all on public.payment_transactions from public, anon, authenticated, service_role;
grant select on public.payment_transactions to authenticated;
grant insert (transaction_id, user_id, amount, credits, status, phone_number, customer_info) on public.payment_transactions to authenticated;
grant select, insert on public.payment_transactions to service_role;
grant update (status) on public.payment_transactions to service_role;

create policy payment_transactions_select on public.payment_transactions
for select
to authenticated
using (user_id = (select auth.uid()) or (select private.caller_is_admin()));

comment on policy payment_transactions_select on public.payment_transactions is
  'A teacher reads the own payments, an administrator all of them (D12).';

create policy payment_transactions_insert on public.payment_transactions
for insert
to authenticated
with check (user_id = (select auth.uid()) and status = 'PENDING');

comment on policy payment_transactions_insert on public.payment_transactions is
  'A teacher reports the own payments, always as PENDING. Nobody changes or deletes them over the API.';

create function private.check_payment()
returns trigger
language plpgsql
security definer
set search_path = ''
as $$
declare
  settings constant private.settings := (select settings from private.settings);
begin
  if new.user_id is distinct from auth.uid() then
    raise insufficient_privilege using message = 'A payment can only be reported for oneself.';
  end if;
  if new.amount > settings.payment_ceiling then
    raise check_violation using message = 'The amount is too large for one payment.';
  end if;
  if new.credits <> new.amount
    and not exists (select from private.credit_packs where amount = new.amount and credits = new.credits)
  then
    raise check_violation using message = 'The credits do not fit the amount.';
  end if;
  -- Payments of one user are counted one after another, so that parallel ones do not pass the limit together.
  perform pg_advisory_xact_lock(hashtextextended('payment_transactions.' || new.user_id, 0));
  if (
    select count(*) >= settings.pending_payments_per_user
    from public.payment_transactions
    where user_id = new.user_id
      and status = 'PENDING'
  ) then
    raise check_violation using message = 'Too many payments are waiting for verification.';
  end if;
  return new;
end
$$;

comment on function private.check_payment() is 'Holds a reported payment to the ceiling, to the offered prices and to the number that may be pending (D11).';

revoke all on function private.check_payment() from public;

create trigger check_payment
before insert on public.payment_transactions
for each row
when (not pg_has_role(current_user, 'service_role', 'member'))
execute function private.check_payment();
