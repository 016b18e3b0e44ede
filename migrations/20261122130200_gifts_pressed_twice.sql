-- Credits that an administrator adds once are added once: the same number for the same account, asked for again within the
-- half minute in which an answer may be lost and the button pressed again, is refused in words that say what to do.

alter table private.settings
add column repeated_gift_window interval not null default '30 seconds';

comment on column private.settings.repeated_gift_window is
  'The same administrator does not add the same number to the same account again within this time.';

create or replace function public.admin_update_user_credits(target_user_id uuid, credit_change integer)
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
  if exists (
    select from public.credit_ledger
    cross join private.settings
    where credit_ledger.user_id = target_user_id
      and credit_ledger.reason = 'admin'
      and credit_ledger.delta = credit_change
      and credit_ledger.actor_id = auth.uid()
      and credit_ledger.written_at > now() - settings.repeated_gift_window
  ) then
    raise check_violation using
      message = 'You have just added this number of credits to this account.',
      hint = 'Look at the balance. To add as many again, wait half a minute.';
  end if;
  perform private.change_coins(target_user_id, credit_change, 'admin');
  return (select coins from public.profiles where user_id = target_user_id);
end
$$;

comment on function public.admin_update_user_credits(uuid, integer) is
  'Adds 1 to 100,000 credits and answers the new balance; the ledger names the administrator. The same again within half a minute is refused, since it is a press whose answer was lost (S-384, D13).';
