-- A claim locks the profile and then refers to the account; a deletion that begins with the account would meet it half-way.

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
    raise no_data_found using message = 'There is no such account.';
  end if;
end
$$;
