-- A call that is answered with a refusal before it claims anything gets no document, so what its client has deducted for it
-- goes back with the answer and not with the sweep (generation.md 2, D10).

alter table private.deductions
add column refused boolean not null default false;

comment on column private.deductions.refused is
  'Returned since a call was refused before its claim. Where another call had opened it, one is opened in its place.';

create or replace function private.returned_to_another_call(owner uuid, price integer)
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
      or returned.refused
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
  'A deduction of that price which nobody claimed, and which a replay, a refused call or the late refund of a failed one took just now.';

create function public.refuse_call(owner uuid, tool text)
returns boolean
language plpgsql
security definer
set search_path = ''
as $$
declare
  returned private.deductions;
begin
  if not exists (select from private.tools where name = refuse_call.tool) then
    raise invalid_parameter_value using message = format('There is no tool %L.', refuse_call.tool);
  end if;
  -- A client that deducts nothing has nothing open for this call.
  if (select charges_itself from private.tools where name = refuse_call.tool) or not private.lock_profile(owner) then
    return false;
  end if;
  update private.deductions
  set state = 'returned', settled_at = now(), refused = true
  where id = (
    select id
    from private.deductions
    where user_id = owner
      and state = 'open'
      and amount = (select generation_price from private.settings)
    order by opened_at desc, id desc
    limit 1
    for update
  )
  returning * into returned;
  if not found then
    return false;
  end if;
  perform private.change_coins(owner, returned.amount, 'return', returned.id);
  return true;
end
$$;

comment on function public.refuse_call(uuid, text) is
  'Returns the newest open deduction of the user, whose call was refused before it claimed anything; false where there is none.';

revoke all on function public.refuse_call(uuid, text) from public, anon, authenticated, service_role;
grant execute on function public.refuse_call(uuid, text) to service_role;
