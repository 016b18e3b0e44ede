-- Credits of an approved payment name it in the ledger, which outlives the row of the payment: a gift and a purchase are told
-- apart also when the account is gone.

alter table public.credit_ledger
add column payment_id text,
drop constraint credit_ledger_reason_check,
add constraint credit_ledger_reason_check check (
  reason in ('opening', 'closing', 'reopening', 'deduction', 'decrease', 'return', 'adjustment', 'admin', 'payment')
),
add constraint credit_ledger_payment check (payment_id is null or reason = 'payment');

comment on column public.credit_ledger.reason is
  'opening, closing, reopening: the profile was made, deleted, made again. deduction: opens a deduction. decrease: an own decrease below the price. return: a deduction came back. adjustment: by the service key. admin: a gift of an administrator. payment: an approved payment.';
comment on column public.credit_ledger.payment_id is 'The payment that was approved. Approvals older than this column have the reason admin and name none.';

create or replace function private.write_entry(owner uuid, delta integer, balance integer, reason text, deduction_id uuid default null)
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
  insert into public.credit_ledger (user_id, entry, delta, balance, reason, deduction_id, payment_id, actor_id)
  values (
    owner, coalesce(previous.entry, 0) + 1, delta, balance, reason, deduction_id,
    nullif(current_setting('wallet.payment_id', true), ''), auth.uid()
  );
end
$$;

create function private.add_paid_credits(payer uuid, credits integer, payment_id text)
returns void
language plpgsql
security definer
set search_path = ''
as $$
begin
  perform set_config('wallet.payment_id', payment_id, true);
  perform private.change_coins(payer, credits, 'payment');
  perform set_config('wallet.payment_id', '', true);
end
$$;

comment on function private.add_paid_credits(uuid, integer, text) is
  'Adds the credits of an approved payment, which the ledger then names. The caller holds the lock on the profile.';

revoke all on function private.add_paid_credits(uuid, integer, text) from public;

create or replace function public.admin_settle_payment(payment_id text, approved_credits integer)
returns integer
language plpgsql
security definer
set search_path = ''
as $$
declare
  payment public.payment_transactions;
begin
  perform private.require_admin();
  -- The order of locks is that of the wallet: the profile first.
  select * into payment from public.payment_transactions where transaction_id = payment_id;
  if not found then
    raise no_data_found using message = 'There is no such payment.';
  end if;
  if approved_credits is null or approved_credits not between 1 and payment.credits then
    raise check_violation using message = 'Between 1 credit and those of the payment can be given.';
  end if;
  if not private.lock_profile(payment.user_id) then
    raise no_data_found using message = 'This user has no profile yet.';
  end if;
  update public.payment_transactions
  set status = 'APPROVED', granted_credits = approved_credits, settled_by = auth.uid(), settled_at = now()
  where transaction_id = payment_id
    and status = 'PENDING';
  if not found then
    raise check_violation using message = 'This payment is settled already.';
  end if;
  perform private.add_paid_credits(payment.user_id, approved_credits, payment.transaction_id);
  return (select coins from public.profiles where user_id = payment.user_id);
end
$$;
