-- A message claims an open deduction where there is one (D03), though its client opens none: it is another tab's, which has
-- pressed and is about to claim. That one's claim may take the price again, as where a replay or a refusal was faster.

create function private.claimed_for_a_message(owner uuid, price integer)
returns uuid
language sql
volatile
security definer
set search_path = ''
as $$
  select claimed.id
  from public.generations
  join private.tools on tools.name = generations.tool
  join private.deductions as claimed on claimed.generation_id = generations.id
  cross join private.settings
  where generations.user_id = owner
    and generations.started_at > now() - settings.stand_in_window
    and tools.charges_itself
    and claimed.amount = price
    -- One that the claim opened itself has the very moment of its generation.
    and claimed.opened_at <> generations.started_at
    and not exists (select from private.deductions where stands_for = claimed.id)
  order by generations.started_at, claimed.id
  limit 1
$$;

comment on function private.claimed_for_a_message(uuid, integer) is
  'A deduction of that price which a tool that charges by itself claimed just now, though another client had opened it.';

revoke all on function private.claimed_for_a_message(uuid, integer) from public;

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
    missing := coalesce(private.returned_to_another_call(owner, price), private.claimed_for_a_message(owner, price));
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
  'The oldest open deduction of the user; else, if the balance allows, a new one for a tool that charges by itself (D03) and in place of one that another call had. Null when there is none. The caller holds the lock on the profile.';

comment on column private.deductions.stands_for is
  'The deduction that was returned to another call or claimed for a message, in whose place this one was opened. Unique: once for each.';
