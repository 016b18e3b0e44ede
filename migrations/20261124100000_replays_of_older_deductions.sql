-- Two tabs that send one form at the same moment both deduct before either is claimed, so what the second one's replay
-- returns is mostly older than the document (D08). Where another call had opened it, that one's claim stands in for it.

create or replace function private.give_back_for_replay(replayed public.generations)
returns void
language plpgsql
security definer
set search_path = ''
as $$
declare
  fresh private.deductions;
begin
  -- Its client opens none, so an open one is another call's.
  if (select charges_itself from private.tools where name = replayed.tool) then
    return;
  end if;
  update private.deductions
  set state = 'returned', settled_at = now(), returned_for = replayed.id
  where id = (
    select id
    from private.deductions
    where user_id = replayed.user_id
      and state = 'open'
    order by opened_at, id
    limit 1
    for update
  )
  returning * into fresh;
  if found then
    perform private.change_coins(fresh.user_id, fresh.amount, 'return', fresh.id);
  end if;
end
$$;
