-- The price of a generation is 20 credits (S-004): clients take it off the balance themselves, so it cannot be another one here.
-- With any other number a deduction of 20 was a plain decrease that no claim found and no sweep gave back.

create function private.generation_price()
returns integer
language sql
immutable
set search_path = ''
return 20;

comment on function private.generation_price() is
  'Credits that one generation costs, and the most an owner may take off the own balance at once. Clients know it as well, so it is no setting.';

revoke all on function private.generation_price() from public;

create or replace function private.record_own_change()
returns trigger
language plpgsql
security definer
set search_path = ''
as $$
declare
  change constant integer := new.coins - old.coins;
  price constant integer := private.generation_price();
  deduction uuid;
begin
  if change = - price then
    insert into private.deductions (user_id, amount)
    values (new.user_id, price)
    returning id into deduction;
  elsif change > 0 then
    deduction := private.take_back(new.user_id, change);
  end if;
  if change < - price or (change > 0 and deduction is null) then
    raise check_violation using
      message = 'The balance cannot be changed like this.',
      hint = 'Read the balance again and retry.';
  end if;
  perform private.write_entry(
    new.user_id, change, new.coins,
    case when change > 0 then 'return' when deduction is null then 'decrease' else 'deduction' end,
    deduction
  );
  return null;
end
$$;

create or replace function private.take_open_deduction(owner uuid, tool text)
returns uuid
language plpgsql
security definer
set search_path = ''
as $$
declare
  deduction private.deductions;
  price constant integer := private.generation_price();
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

create or replace function public.refuse_call(owner uuid, tool text)
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
      and amount = private.generation_price()
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

alter table private.settings
drop column generation_price;
