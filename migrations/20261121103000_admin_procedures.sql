-- What administrators do to accounts, wallets, roles and payments. Each procedure asks for the caller's role itself.

create function private.require_admin()
returns void
language plpgsql
stable
security definer
set search_path = ''
as $$
begin
  if not private.caller_is_admin() then
    raise insufficient_privilege using message = 'Only administrators may do this.';
  end if;
end
$$;

comment on function private.require_admin() is 'Refuses everybody but administrators (S-341).';

create function public.get_all_users()
returns table (user_id uuid, email text, phone_number text, coins integer, created_at timestamptz)
language plpgsql
stable
security definer
set search_path = ''
as $$
begin
  perform private.require_admin();
  return query
  select
    users.id,
    users.email::text,
    coalesce(
      (
        select payment_transactions.phone_number
        from public.payment_transactions
        where payment_transactions.user_id = users.id
          and payment_transactions.phone_number is not null
        order by payment_transactions.created_at desc
        limit 1
      ),
      nullif(users.phone::text, '')
    ),
    coalesce(profiles.coins, 0),
    users.created_at
  from auth.users
  left join public.profiles on profiles.user_id = users.id
  where users.deleted_at is null
  order by users.created_at, users.id;
end
$$;

comment on function public.get_all_users() is
  'Every account for the panel of administrators: the phone number of the newest payment, else the account''s; no profile counts as no coins (S-382, D12).';

create function public.assign_user_role(target_user_id uuid, new_role text)
returns void
language plpgsql
security definer
set search_path = ''
as $$
begin
  perform private.require_admin();
  if not exists (select from auth.users where id = target_user_id) then
    raise no_data_found using message = 'There is no such account.';
  end if;
  insert into public.user_roles (user_id, role)
  values (target_user_id, new_role)
  on conflict do nothing;
end
$$;

comment on function public.assign_user_role(uuid, text) is
  'Gives an account a role: admin, moderator or user. Giving it again changes nothing (S-383).';

create function public.admin_update_user_credits(target_user_id uuid, credit_change integer)
returns integer
language plpgsql
security definer
set search_path = ''
as $$
begin
  perform private.require_admin();
  if credit_change is null or credit_change not between 1 and 100000 then
    raise check_violation using message = 'Between 1 and 100,000 credits can be added at once.';
  end if;
  if not private.lock_profile(target_user_id) then
    raise no_data_found using message = 'This user has no profile yet.';
  end if;
  perform private.change_coins(target_user_id, credit_change, 'admin');
  return (select coins from public.profiles where user_id = target_user_id);
end
$$;

comment on function public.admin_update_user_credits(uuid, integer) is
  'Adds 1 to 100,000 credits and answers the new balance; the ledger names the administrator (S-384, D13).';

create function public.admin_delete_user(target_user_id uuid)
returns void
language plpgsql
security definer
set search_path = ''
as $$
begin
  perform private.require_admin();
  if target_user_id = auth.uid() then
    raise check_violation using message = 'Administrators cannot delete their own account.';
  end if;
  delete from auth.users where id = target_user_id;
  if not found then
    raise no_data_found using message = 'There is no such account.';
  end if;
end
$$;

comment on function public.admin_delete_user(uuid) is
  'Deletes an account with profile, roles and payments; ledger and generations stay without personal data (S-332, S-333, D07).';

alter table public.payment_transactions
add column granted_credits integer check (granted_credits between 1 and credits),
add column settled_by uuid,
add column settled_at timestamptz,
add constraint payment_transactions_granted check (granted_credits is null or status = 'APPROVED');

comment on column public.payment_transactions.granted_credits is 'Credits that were added when the payment was approved.';
comment on column public.payment_transactions.settled_by is 'The administrator who approved or rejected it.';

create function public.admin_settle_payment(payment_id text, approved_credits integer default null)
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
  if approved_credits is not null and not private.lock_profile(payment.user_id) then
    raise no_data_found using message = 'This user has no profile yet.';
  end if;
  if approved_credits not between 1 and payment.credits then
    raise check_violation using message = 'Between 1 credit and those of the payment can be given.';
  end if;
  update public.payment_transactions
  set
    status = case when approved_credits is null then 'REJECTED' else 'APPROVED' end,
    granted_credits = approved_credits,
    settled_by = auth.uid(),
    settled_at = now()
  where transaction_id = payment_id
    and status = 'PENDING';
  if not found then
    raise check_violation using message = 'This payment is settled already.';
  end if;
  if approved_credits is null then
    return null;
  end if;
  perform private.change_coins(payment.user_id, approved_credits, 'admin');
  return (select coins from public.profiles where user_id = payment.user_id);
end
$$;

comment on function public.admin_settle_payment(text, integer) is
  'Approves a pending payment with credits named by the administrator, at most those of the row, and answers the new balance; without credits it rejects the payment. Who and when stays in the row, and nothing is settled twice (D11).';

create function public.admin_recent_generations()
returns table (
  id uuid, user_id uuid, email text, tool text, status text, model_backed boolean,
  started_at timestamptz, finished_at timestamptz, failure_reason text
)
language plpgsql
stable
security definer
set search_path = ''
as $$
begin
  perform private.require_admin();
  return query
  select
    generations.id, generations.user_id, users.email::text, generations.tool, generations.status,
    generations.model_backed, generations.started_at, generations.finished_at, generations.failure_reason
  from public.generations
  left join auth.users on users.id = generations.user_id
  where generations.started_at > now() - interval '24 hours'
  order by generations.started_at desc
  limit 200;
end
$$;

comment on function public.admin_recent_generations() is
  'What was generated in the last 24 hours, the newest 200, without what it says: nobody reads the documents of others.';

revoke all on function private.require_admin() from public;
revoke all on function public.get_all_users() from public, anon, authenticated, service_role;
revoke all on function public.assign_user_role(uuid, text) from public, anon, authenticated, service_role;
revoke all on function public.admin_update_user_credits(uuid, integer) from public, anon, authenticated, service_role;
revoke all on function public.admin_delete_user(uuid) from public, anon, authenticated, service_role;
revoke all on function public.admin_settle_payment(text, integer) from public, anon, authenticated, service_role;
revoke all on function public.admin_recent_generations() from public, anon, authenticated, service_role;
grant execute on function public.get_all_users() to authenticated;
grant execute on function public.assign_user_role(uuid, text) to authenticated;
grant execute on function public.admin_update_user_credits(uuid, integer) to authenticated;
grant execute on function public.admin_delete_user(uuid) to authenticated;
grant execute on function public.admin_settle_payment(text, integer) to authenticated;
grant execute on function public.admin_recent_generations() to authenticated;
