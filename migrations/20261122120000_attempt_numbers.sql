-- The number of an attempt follows the highest one of its key or body: counting gave a number twice where a key had asked
-- for several bodies, and then refused that key for good.

create function private.next_attempt(owner uuid, tool text, request_key text, body_hash text)
returns integer
language sql
stable
security definer
set search_path = ''
as $$
  select coalesce(max(generations.attempt), 0) + 1
  from public.generations
  where generations.user_id = owner
    and generations.tool = next_attempt.tool
    and (
      generations.request_key = next_attempt.request_key
      or generations.body_hash = next_attempt.body_hash
    )
$$;

comment on function private.next_attempt(uuid, text, text, text) is
  'One more than the highest attempt that the user has had with this key or with this body. The caller holds the lock on the profile.';

revoke all on function private.next_attempt(uuid, text, text, text) from public;

create or replace function public.claim_generation(
  owner uuid,
  tool text,
  request_key text,
  model_backed boolean default false,
  body_hash text default null
)
returns table (outcome text, generation_id uuid, attempt integer, result jsonb, retry_after integer)
language plpgsql
security definer
set search_path = ''
as $$
declare
  deduction uuid;
  known public.generations;
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

  if private.key_of_another_body(owner, tool, request_key, body_hash) then
    return query select 'other_body', null::uuid, null::integer, null::jsonb, null::integer;
    return;
  end if;

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

  insert into public.generations (user_id, tool, request_key, body_hash, attempt, model_backed, deadline_at)
  select owner, claim_generation.tool, claim_generation.request_key, claim_generation.body_hash,
    private.next_attempt(owner, claim_generation.tool, claim_generation.request_key, claim_generation.body_hash),
    coalesce(claim_generation.model_backed, false), now() + generation_deadline
  from private.settings
  returning * into known;
  update private.deductions
  set state = 'claimed', generation_id = known.id
  where id = deduction;
  return query select 'claimed', known.id, known.attempt, null::jsonb, null::integer;
end
$$;
