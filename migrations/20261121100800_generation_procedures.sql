-- The procedures around one generation: claim a deduction before the costly work, then complete, fail or cancel.

create function private.seconds_until_allowed(owner uuid, model_backed boolean)
returns integer
language sql
volatile
security definer
set search_path = ''
as $$
  with
    windows (span, allowed, counts_model_only) as (
      select interval '1 minute', generations_per_minute, false
      from private.settings
      union all
      select interval '1 minute', model_generations_per_minute, true
      from private.settings
      where seconds_until_allowed.model_backed
      union all
      select interval '1 day', model_generations_per_day, true
      from private.settings
      where seconds_until_allowed.model_backed
    )
  select coalesce(max(ceil(extract(epoch from blocking.started_at + span - now()))), 0)::integer
  from windows
  cross join lateral (
    select generations.started_at
    from public.generations
    where generations.user_id = owner
      and generations.started_at > now() - span
      and (generations.model_backed or not counts_model_only)
    order by generations.started_at desc
    offset allowed - 1
    limit 1
  ) as blocking
$$;

comment on function private.seconds_until_allowed(uuid, boolean) is
  'Whole seconds until the user may start another generation, 0 when now (D10). Cancelled and failed ones count.';

create function private.take_open_deduction(owner uuid, tool text)
returns uuid
language plpgsql
security definer
set search_path = ''
as $$
declare
  deduction private.deductions;
  price constant integer := (select generation_price from private.settings);
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
  if found
    or not (select charges_itself from private.tools where name = tool)
    or (select coins < price from public.profiles where user_id = owner)
  then
    return deduction.id;
  end if;
  insert into private.deductions (user_id, amount)
  values (owner, price)
  returning * into deduction;
  perform private.change_coins(owner, - price, 'deduction', deduction.id);
  return deduction.id;
end
$$;

comment on function private.take_open_deduction(uuid, text) is
  'The oldest open deduction of the user; for a tool that charges by itself else a new one, if the balance allows (D03). Null when there is none. The caller holds the lock on the profile.';

create function private.give_back_for_replay(replayed public.generations)
returns void
language sql
volatile
security definer
set search_path = ''
as $$
  select private.give_back(fresh.id)
  from (
    select id
    from private.deductions
    where user_id = replayed.user_id
      and state = 'open'
      and opened_at > replayed.started_at
    order by opened_at, id
    limit 1
    for update
  ) as fresh
$$;

comment on function private.give_back_for_replay(public.generations) is
  'Returns the deduction that was opened for a call which is answered with a stored document, if there is one (D08).';

create function public.claim_generation(
  owner uuid,
  tool text,
  request_key text,
  model_backed boolean default false
)
returns table (outcome text, generation_id uuid, attempt integer, result jsonb, retry_after integer)
language plpgsql
security definer
set search_path = ''
as $$
declare
  deduction uuid;
  known public.generations;
  number_of_attempts integer;
begin
  if not exists (select from private.tools where name = claim_generation.tool) then
    raise invalid_parameter_value using message = format('There is no tool %L.', claim_generation.tool);
  end if;
  if coalesce(length(request_key), 0) not between 1 and 200 then
    raise invalid_parameter_value using message = 'The request key has 1 to 200 characters.';
  end if;

  if not private.lock_profile(owner) then
    return query select 'insufficient', null::uuid, null::integer, null::jsonb, null::integer;
    return;
  end if;
  perform private.give_back_due(owner);

  select *
  into known
  from public.generations
  where generations.user_id = owner
    and generations.tool = claim_generation.tool
    and generations.request_key = claim_generation.request_key
    and (
      generations.status = 'running'
      or (
        generations.status = 'finished'
        and generations.result is not null
        and generations.finished_at > now() - (select replay_window from private.settings)
      )
    )
  order by generations.attempt desc
  limit 1;
  if known.status = 'running' then
    return query select 'running', known.id, known.attempt, null::jsonb, null::integer;
    return;
  elsif known.status = 'finished' then
    perform private.give_back_for_replay(known);
    return query select 'replayed', known.id, known.attempt, known.result, null::integer;
    return;
  end if;

  retry_after := private.seconds_until_allowed(owner, model_backed);
  if retry_after > 0 then
    return query select 'rate_limited', null::uuid, null::integer, null::jsonb, retry_after;
    return;
  end if;

  deduction := private.take_open_deduction(owner, claim_generation.tool);
  if deduction is null then
    return query select 'insufficient', null::uuid, null::integer, null::jsonb, null::integer;
    return;
  end if;

  select count(*)
  into number_of_attempts
  from public.generations
  where generations.user_id = owner
    and generations.tool = claim_generation.tool
    and generations.request_key = claim_generation.request_key;
  insert into public.generations (user_id, tool, request_key, attempt, model_backed, deadline_at)
  select owner, claim_generation.tool, claim_generation.request_key, number_of_attempts + 1,
    coalesce(claim_generation.model_backed, false), now() + generation_deadline
  from private.settings
  returning * into known;
  update private.deductions
  set state = 'claimed', generation_id = known.id
  where id = deduction;
  return query select 'claimed', known.id, known.attempt, null::jsonb, null::integer;
end
$$;

comment on function public.claim_generation(uuid, text, text, boolean) is
  'Claims an open deduction for one generation. Outcomes: claimed, go on; replayed, the stored result, and the fresh deduction went back; running, the same request is being made; rate_limited, with retry_after in seconds, the deduction stays open; insufficient, there is no open deduction (D01, D03, D08, D10).';

create function public.complete_generation(generation_id uuid, result jsonb)
returns boolean
language plpgsql
security definer
set search_path = ''
as $$
begin
  if result is null then
    raise invalid_parameter_value using message = 'A generation is completed with its result.';
  end if;
  update public.generations
  set status = 'finished', finished_at = now(), result = complete_generation.result
  where id = generation_id
    and status = 'running';
  if not found then
    return false;
  end if;
  update private.deductions
  set state = 'spent', settled_at = now()
  where deductions.generation_id = complete_generation.generation_id;
  return true;
end
$$;

comment on function public.complete_generation(uuid, jsonb) is
  'Stores the result and spends the deduction. False when the generation was cancelled, failed or given back meanwhile: then nothing may be delivered as paid.';

create function private.end_unpaid(generation public.generations, ending text, reason text)
returns boolean
language plpgsql
security definer
set search_path = ''
as $$
declare
  has_profile constant boolean := private.lock_profile(generation.user_id);
begin
  update public.generations
  set status = ending, finished_at = now(), failure_reason = left(reason, 500)
  where id = generation.id
    and status = 'running';
  if not found or not has_profile then
    return false;
  end if;
  return private.give_back((select id from private.deductions where generation_id = generation.id));
end
$$;

comment on function private.end_unpaid(public.generations, text, text) is
  'Ends a running generation without a document and gives its credits back: true when they went back now. Without a profile they wait for one.';

create function public.fail_generation(generation_id uuid, reason text)
returns boolean
language plpgsql
security definer
set search_path = ''
as $$
declare
  failed public.generations;
begin
  select *
  into failed
  from public.generations
  where id = generation_id;
  return found and private.end_unpaid(failed, 'failed', reason);
end
$$;

comment on function public.fail_generation(uuid, text) is
  'Marks a running generation as failed and gives its credits back. True when they went back now, at most once.';

create function public.cancel_generation(request_key text)
returns boolean
language plpgsql
security definer
set search_path = ''
as $$
declare
  running public.generations;
  cancelled boolean := false;
begin
  for running in
    select *
    from public.generations
    where generations.user_id = auth.uid()
      and generations.request_key = cancel_generation.request_key
      and generations.status = 'running'
  loop
    cancelled := private.end_unpaid(running, 'cancelled', null) or cancelled;
  end loop;
  return cancelled;
end
$$;

comment on function public.cancel_generation(text) is
  'Cancels the caller''s own running generation with that key and gives its credits back. False when there was none running, for one when it is already done (D09).';

create function private.forget_account()
returns trigger
language plpgsql
security definer
set search_path = ''
as $$
begin
  update public.generations
  set
    status = case status when 'running' then 'cancelled' else status end,
    finished_at = coalesce(finished_at, now()),
    request_key = id::text,
    result = null,
    failure_reason = null
  where user_id = old.id;
  return null;
end
$$;

comment on function private.forget_account() is
  'Takes what is personal out of the generations of a deleted account; rows and ledger stay (D07).';

create trigger forget_account
after delete on auth.users
for each row
execute function private.forget_account();

revoke all on function public.claim_generation(uuid, text, text, boolean) from public, anon, authenticated, service_role;
revoke all on function public.complete_generation(uuid, jsonb) from public, anon, authenticated, service_role;
revoke all on function public.fail_generation(uuid, text) from public, anon, authenticated, service_role;
revoke all on function public.cancel_generation(text) from public, anon, authenticated, service_role;
grant execute on function public.claim_generation(uuid, text, text, boolean) to service_role;
grant execute on function public.complete_generation(uuid, jsonb) to service_role;
grant execute on function public.fail_generation(uuid, text) to service_role;
grant execute on function public.cancel_generation(text) to authenticated;

revoke all on function private.seconds_until_allowed(uuid, boolean) from public;
revoke all on function private.take_open_deduction(uuid, text) from public;
revoke all on function private.give_back_for_replay(public.generations) from public;
revoke all on function private.end_unpaid(public.generations, text, text) from public;
revoke all on function private.forget_account() from public;
