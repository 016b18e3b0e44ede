-- Giving credits back: for one deduction, for all that an owner has coming, and for everybody by the sweep.

create function private.lock_profile(owner uuid)
returns boolean
language sql
volatile
security definer
set search_path = ''
as $$
  select exists (
    select from public.profiles
    where user_id = owner
    for update
  )
$$;

comment on function private.lock_profile(uuid) is
  'Takes the lock under which the wallet of one user changes; false when the user has no profile.';

create function private.give_back(deduction uuid)
returns boolean
language plpgsql
security definer
set search_path = ''
as $$
declare
  returned private.deductions;
begin
  update private.deductions
  set state = 'returned', settled_at = now()
  where id = deduction
    and state in ('open', 'claimed')
  returning * into returned;
  if not found then
    return false;
  end if;
  perform private.change_coins(returned.user_id, returned.amount, 'return', returned.id);
  return true;
end
$$;

comment on function private.give_back(uuid) is
  'Returns one deduction to the balance, at most once. The caller holds the lock on the profile and has made sure that nothing was delivered for it.';

create function private.give_back_due(owner uuid)
returns integer
language plpgsql
security definer
set search_path = ''
as $$
declare
  due uuid;
  returned integer := 0;
begin
  update public.generations
  set status = 'expired', finished_at = now()
  where user_id = owner
    and status = 'running'
    and deadline_at < now();
  for due in
    select deductions.id
    from private.deductions
    left join public.generations on generations.id = deductions.generation_id
    where deductions.user_id = owner
      and (
        (deductions.state = 'open' and deductions.opened_at < now() - (select open_deduction_lifetime from private.settings))
        or (deductions.state = 'claimed' and generations.status in ('failed', 'cancelled', 'expired'))
      )
    order by deductions.opened_at
    for update of deductions
  loop
    if private.give_back(due) then
      returned := returned + 1;
    end if;
  end loop;
  return returned;
end
$$;

comment on function private.give_back_due(uuid) is
  'Returns what one user has coming: deductions nobody claimed in time, and those of generations that failed or passed their deadline. The caller holds the lock on the profile.';

create function private.erase_old_results()
returns void
language sql
volatile
security definer
set search_path = ''
as $$
  update public.generations
  set result = null
  where result is not null
    and finished_at < now() - private.history_window()
$$;

comment on function private.erase_old_results() is 'Erases documents that the history no longer hands out.';

create function public.sweep_deductions()
returns integer
language plpgsql
security definer
set search_path = ''
as $$
declare
  owner uuid;
  returned integer := 0;
begin
  for owner in
    select deductions.user_id
    from private.deductions
    join public.profiles on profiles.user_id = deductions.user_id
    left join public.generations on generations.id = deductions.generation_id
    where (deductions.state = 'open' and deductions.opened_at < now() - (select open_deduction_lifetime from private.settings))
      or (
        deductions.state = 'claimed'
        and (generations.status in ('failed', 'cancelled', 'expired') or (generations.status = 'running' and generations.deadline_at < now()))
      )
    group by deductions.user_id
    limit 1000
  loop
    -- A wallet in use right now is left to the next sweep: waiting here for one could only end in a deadlock.
    perform from public.profiles
    where user_id = owner
    for update skip locked;
    if found then
      returned := returned + private.give_back_due(owner);
    end if;
  end loop;
  perform private.erase_old_results();
  return returned;
end
$$;

comment on function public.sweep_deductions() is
  'Gives back what is due in every wallet and erases old documents. Returns the number of deductions given back; safe to call at any time and from several places at once (D02).';

revoke all on function public.sweep_deductions() from public, anon, authenticated, service_role;
grant execute on function public.sweep_deductions() to service_role;

revoke all on function private.lock_profile(uuid) from public;
revoke all on function private.give_back(uuid) from public;
revoke all on function private.give_back_due(uuid) from public;
revoke all on function private.erase_old_results() from public;
