-- A payment is rejected with a reason, by a procedure of its own: an approval whose number was lost on the way is refused
-- and rejects nothing.

alter table public.payment_transactions
add column rejection_reason text check (rejection_reason ~ '\S' and char_length(rejection_reason) <= 300),
add constraint payment_transactions_rejected check (rejection_reason is null or status = 'REJECTED');

comment on column public.payment_transactions.rejection_reason is 'Why an administrator rejected it, in words for the payer.';

drop function public.admin_settle_payment(text, integer);

create function public.admin_settle_payment(payment_id text, approved_credits integer)
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
  perform private.add_paid_credits(payment.user_id, approved_credits, payment_id);
  return (select coins from public.profiles where user_id = payment.user_id);
end
$$;

comment on function public.admin_settle_payment(text, integer) is
  'Approves a pending payment with credits named by the administrator, at most those of the row, and answers the new balance. Who and when stays in the row, and nothing is settled twice (D11).';

create function public.admin_reject_payment(payment_id text, reason text)
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
  set status = 'REJECTED', rejection_reason = btrim(reason), settled_by = auth.uid(), settled_at = now()
  where transaction_id = payment_id
    and status = 'PENDING';
  if found then
    return;
  end if;
  if exists (select from public.payment_transactions where transaction_id = payment_id) then
    raise check_violation using message = 'This payment is settled already.';
  end if;
  raise no_data_found using message = 'There is no such payment.';
end
$$;

comment on function public.admin_reject_payment(text, text) is
  'Rejects a pending payment and keeps why, for its payer to read. Who and when stays in the row, and nothing is settled twice (D11).';

revoke all on function public.admin_settle_payment(text, integer) from public, anon, authenticated, service_role;
revoke all on function public.admin_reject_payment(text, text) from public, anon, authenticated, service_role;
grant execute on function public.admin_settle_payment(text, integer) to authenticated;
grant execute on function public.admin_reject_payment(text, text) to authenticated;
