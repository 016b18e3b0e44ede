-- A deduction has no mark of the call that it was opened for, so a replay or a late refund in one tab may return what another
-- tab has just opened. That tab's claim may take the price again: the teacher pressed, and the balance has it.

alter table private.settings
add column stand_in_window interval not null default '1 minute';

comment on column private.settings.stand_in_window is
  'A claim that finds its deduction returned to another call so recently opens one in its place.';

alter table private.deductions
add column returned_for uuid references public.generations (id),
add column stands_for uuid unique references private.deductions (id);

comment on column private.deductions.returned_for is 'The generation whose stored document answered the call that it was returned for.';
comment on column private.deductions.stands_for is
  'The deduction that was returned to another call, in whose place this one was opened. Unique: once for each.';

create index deductions_returned on private.deductions (user_id, settled_at)
where state = 'returned';

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
      and opened_at > replayed.started_at
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

create function private.returned_to_another_call(owner uuid, price integer)
returns uuid
language sql
volatile
security definer
set search_path = ''
as $$
  select returned.id
  from private.deductions as returned
  cross join private.settings
  where returned.user_id = owner
    and returned.amount = price
    and returned.state = 'returned'
    and returned.generation_id is null
    and returned.settled_at > now() - settings.stand_in_window
    and returned.settled_at < returned.opened_at + settings.open_deduction_lifetime
    and not exists (select from private.deductions where stands_for = returned.id)
    and (
      returned.returned_for is not null
      -- The owner took it back, though what failed just before had been given back: the write of a call that was late.
      or exists (
        select from private.deductions as failed
        where failed.user_id = owner
          and failed.state = 'returned'
          and failed.generation_id is not null
          and failed.settled_at between returned.settled_at - settings.stand_in_window and returned.settled_at
      )
    )
  order by returned.settled_at, returned.id
  limit 1
$$;

comment on function private.returned_to_another_call(uuid, integer) is
  'A deduction of that price which nobody claimed, and which a replay or the late refund of a failed call took just now.';

revoke all on function private.returned_to_another_call(uuid, integer) from public;

create or replace function private.take_open_deduction(owner uuid, tool text)
returns uuid
language plpgsql
security definer
set search_path = ''
as $$
declare
  deduction private.deductions;
  price constant integer := (select generation_price from private.settings);
  missing uuid;
begin
  select *
  into deduction
  from private.deductions
  where user_id = owner
    and state = 'open'
    and amount = price
  order by opened_at, id
  limit 1
  for update;
  if found or (select coins < price from public.profiles where user_id = owner) then
    return deduction.id;
  end if;
  if not (select charges_itself from private.tools where name = tool) then
    missing := private.returned_to_another_call(owner, price);
    if missing is null then
      return null;
    end if;
  end if;
  insert into private.deductions (user_id, amount, stands_for)
  values (owner, price, missing)
  returning * into deduction;
  perform private.change_coins(owner, - price, 'deduction', deduction.id);
  return deduction.id;
end
$$;

comment on function private.take_open_deduction(uuid, text) is
  'The oldest open deduction of the user; else, if the balance allows, a new one for a tool that charges by itself (D03) and in place of one that was returned to another call. Null when there is none. The caller holds the lock on the profile.';
