-- What an administrator names and is not there is answered 404: P0002 is an error of the server to the REST service, a 500.

create or replace function public.assign_user_role(target_user_id uuid, new_role text)
returns void
language plpgsql
security definer
set search_path = ''
as $$
begin
  perform private.require_admin();
  if not exists (select from auth.users where id = target_user_id) then
    raise sqlstate 'PT404' using message = 'There is no such account.';
  end if;
  insert into public.user_roles (user_id, role)
  values (target_user_id, new_role)
  on conflict do nothing;
end
$$;

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
    raise sqlstate 'PT404' using message = 'This user has no profile yet.';
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

create or replace function public.admin_delete_user(target_user_id uuid)
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
  perform private.lock_profile(target_user_id);
  delete from auth.users where id = target_user_id;
  if not found then
    raise sqlstate 'PT404' using message = 'There is no such account.';
  end if;
end
$$;
