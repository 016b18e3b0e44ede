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
