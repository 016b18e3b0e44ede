-- The sweep goes on where one wallet cannot be given back: that one is told in the log and tried again by the next sweep.

create or replace function public.sweep_deductions()
returns integer
language plpgsql
security definer
set search_path = ''
as $$
declare
  owner uuid;
  returned integer := 0;
begin
  -- The one that waits longest comes first, so that none starves behind a thousand others.
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
    order by min(deductions.opened_at), deductions.user_id
    limit 1000
  loop
    begin
      -- A wallet in use right now is left to the next sweep: waiting here for one could only end in a deadlock.
      perform from public.profiles
      where user_id = owner
      for update skip locked;
      if found then
        returned := returned + private.give_back_due(owner);
      end if;
    exception when others then
      raise warning 'the wallet of % could not be swept: %', owner, sqlerrm;
    end;
  end loop;
  begin
    perform private.erase_old_results();
  exception when others then
    raise warning 'old documents could not be erased: %', sqlerrm;
  end;
  return returned;
end
$$;
