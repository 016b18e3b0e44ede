-- The app waits up to 20 seconds for the answer to a gift and as long again for the list that it reads anew, so the press of an
-- administrator who saw no answer may come after more than half a minute: the window holds well beyond that.

alter table private.settings
alter column repeated_gift_window set default '2 minutes';

update private.settings
set repeated_gift_window = '2 minutes'
where repeated_gift_window = '30 seconds';

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
  if private.just_gave(target_user_id, credit_change) then
    raise check_violation using
      message = 'You have just added this number of credits to this account.',
      hint = 'Look at the balance. To add as many again, wait two minutes.';
  end if;
  perform private.change_coins(target_user_id, credit_change, 'admin');
  return (select coins from public.profiles where user_id = target_user_id);
end
$$;

comment on function public.admin_update_user_credits(uuid, integer) is
  'Adds 1 to 100,000 credits and answers the new balance. Who added them is kept where no caller reads. The same again within two minutes is refused, since it is a press whose answer was lost (S-384, D13).';
