-- A client chooses the id of a payment, so it is one of its payer's: two payers may have the same one, and nobody takes an id
-- from somebody else, or learns by a refusal that it is taken (in place of S-346, where it is a key for everybody).

alter table private.payment_settlements
drop constraint payment_settlements_transaction_id_fkey,
drop constraint payment_settlements_pkey,
add column payer_id uuid;

update private.payment_settlements
set payer_id = payment_transactions.user_id
from public.payment_transactions
where payment_transactions.transaction_id = payment_settlements.transaction_id;

alter table public.payment_transactions
drop constraint payment_transactions_pkey,
add primary key (user_id, transaction_id);

alter table private.payment_settlements
add primary key (payer_id, transaction_id),
add foreign key (payer_id, transaction_id) references public.payment_transactions (user_id, transaction_id) on delete cascade;

create index payment_transactions_by_id on public.payment_transactions (transaction_id);

comment on column public.payment_transactions.transaction_id is
  'Chosen by the client: UPI_ or MANUAL_ and a timestamp. One of the payer: another may have the same.';

-- The same reference under two names may be one payment that was reported twice, which is for an administrator to see. It
-- looks with the eyes of the caller: a teacher sees the own payments alone, so for them it is never true.
create function public.reported_by_others(payment public.payment_transactions)
returns boolean
language sql
stable
set search_path = ''
as $$
  select exists (
    select from public.payment_transactions as other
    where other.transaction_id = payment.transaction_id
      and other.user_id <> payment.user_id
  )
$$;

comment on function public.reported_by_others(public.payment_transactions) is
  'Whether somebody else reported a payment of the same id, as far as the caller may see (D11).';

revoke all on function public.reported_by_others(public.payment_transactions) from public, anon, authenticated, service_role;
grant execute on function public.reported_by_others(public.payment_transactions) to authenticated, service_role;

drop function public.admin_settle_payment(text, integer);
drop function public.admin_reject_payment(text, text);
drop function private.note_settlement(text);

create function private.note_settlement(payer uuid, payment_id text)
returns void
language sql
volatile
security definer
set search_path = ''
as $$
  insert into private.payment_settlements (payer_id, transaction_id, settled_by)
  values (payer, payment_id, auth.uid())
$$;

comment on function private.note_settlement(uuid, text) is 'Notes that the caller settled that payment.';

revoke all on function private.note_settlement(uuid, text) from public;

create function public.admin_settle_payment(payer uuid, payment_id text, approved_credits integer)
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
  select * into payment from public.payment_transactions where user_id = payer and transaction_id = payment_id;
  if not found then
    raise sqlstate 'PT404' using message = 'There is no such payment.';
  end if;
  if approved_credits is null or approved_credits not between 1 and payment.credits then
    raise check_violation using message = 'Between 1 credit and those of the payment can be given.';
  end if;
  if not private.lock_profile(payer) then
    raise sqlstate 'PT404' using message = 'This user has no profile yet.';
  end if;
  update public.payment_transactions
  set status = 'APPROVED', granted_credits = approved_credits, settled_at = now()
  where user_id = payer
    and transaction_id = payment_id
    and status = 'PENDING';
  if not found then
    raise check_violation using message = 'This payment is settled already.';
  end if;
  perform private.note_settlement(payer, payment_id);
  perform private.add_paid_credits(payer, approved_credits, payment_id);
  return (select coins from public.profiles where user_id = payer);
end
$$;

comment on function public.admin_settle_payment(uuid, text, integer) is
  'Approves a pending payment with credits named by the administrator, at most those of the row, and answers the new balance. Who and when is kept, and nothing is settled twice (D11).';

create function public.admin_reject_payment(payer uuid, payment_id text, reason text)
returns void
language plpgsql
security definer
set search_path = ''
as $$
begin
  perform private.require_admin();
  if coalesce(reason, '') !~ '\S' or char_length(btrim(reason)) > 300 then
    raise check_violation using message = 'A payment is rejected with a reason of 1 to 300 characters.';
  end if;
  update public.payment_transactions
  set status = 'REJECTED', rejection_reason = btrim(reason), settled_at = now()
  where user_id = payer
    and transaction_id = payment_id
    and status = 'PENDING';
  if found then
    perform private.note_settlement(payer, payment_id);
    return;
  end if;
  if exists (select from public.payment_transactions where user_id = payer and transaction_id = payment_id) then
    raise check_violation using message = 'This payment is settled already.';
  end if;
  raise sqlstate 'PT404' using message = 'There is no such payment.';
end
$$;

comment on function public.admin_reject_payment(uuid, text, text) is
  'Rejects a pending payment and keeps why, for its payer to read. Who and when is kept, and nothing is settled twice (D11).';

revoke all on function public.admin_settle_payment(uuid, text, integer) from public, anon, authenticated, service_role;
revoke all on function public.admin_reject_payment(uuid, text, text) from public, anon, authenticated, service_role;
grant execute on function public.admin_settle_payment(uuid, text, integer) to authenticated;
grant execute on function public.admin_reject_payment(uuid, text, text) to authenticated;
