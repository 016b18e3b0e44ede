-- Without a model a document takes less than a second, so what has not ended long after that never will: its instance came to
-- an end that let it say nothing, and the credits go back within a minute (D10).

alter table private.settings
add column built_in_deadline interval not null default '30 seconds';

comment on column private.settings.generation_deadline is
  'A generation that has not ended by then counts as failed; without a model built_in_deadline counts, where it is shorter.';
comment on column private.settings.built_in_deadline is 'The same for the built-in generator.';

create function private.deadline_from_now(model_backed boolean)
returns timestamptz
language sql
stable
security definer
set search_path = ''
as $$
  select now() + case when model_backed then generation_deadline else least(generation_deadline, built_in_deadline) end
  from private.settings
$$;

comment on function private.deadline_from_now(boolean) is 'When a generation that is claimed now counts as failed.';

revoke all on function private.deadline_from_now(boolean) from public;

create or replace function public.claim_generation(
  owner uuid,
  tool text,
  request_key text,
  model_backed boolean default false,
  body_hash text default null,
  claim_id uuid default null
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

  known := private.own_claim(owner, claim_generation.claim_id);
  if known.id is not null then
    -- What is open now is another call's, so nothing is given back for a document that this call has paid for itself.
    return query
    select
      case known.status when 'running' then 'claimed' when 'finished' then 'replayed' else 'ended' end,
      known.id, known.attempt, known.result, null::integer;
    return;
  end if;

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
    return query
    select private.wait_for(owner, claim_generation.claim_id, known.id), known.id, known.attempt, null::jsonb, null::integer;
    return;
  elsif known.status = 'finished' then
    -- Asked again after a lost answer, it has been given back already; what is open now is another call's.
    if not private.was_told(owner, claim_generation.claim_id, known.id, 'replayed') then
      perform private.give_back_for_replay(known);
      perform private.remember_claim(owner, claim_generation.claim_id, known.id, 'replayed');
    end if;
    return query select 'replayed', known.id, known.attempt, known.result, null::integer;
    return;
  end if;

  retry_after := greatest(private.seconds_until_allowed(owner, model_backed), private.seconds_after_refusals(owner));
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
    coalesce(claim_generation.model_backed, false), private.deadline_from_now(claim_generation.model_backed)
  returning * into known;
  update private.deductions
  set state = 'claimed', generation_id = known.id
  where id = deduction;
  perform private.remember_claim(owner, claim_generation.claim_id, known.id, 'claimed');
  return query select 'claimed', known.id, known.attempt, null::jsonb, null::integer;
end
$$;
