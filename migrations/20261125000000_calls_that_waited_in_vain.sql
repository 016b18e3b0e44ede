-- Who cancels drops the request, not one of its calls: a call that waits for the cancelled generation, as an app makes one
-- after a lost connection, ends with it and charges nothing anew (D09). And one that waited for a generation that failed, and
-- has nothing to pay another with, is told of the failure and not of a balance that is too low.

alter table private.claims
drop constraint claims_outcome_check,
add constraint claims_outcome_check check (outcome in ('claimed', 'running', 'replayed', 'given_up', 'ended'));

create function private.waited_for(owner uuid, claim_id uuid)
returns public.generations
language sql
stable
security definer
set search_path = ''
as $$
  select generations
  from private.claims
  join public.generations on generations.id = claims.generation_id
  where claims.claim_id = waited_for.claim_id
    and claims.user_id = owner
    and claims.outcome in ('running', 'ended')
$$;

comment on function private.waited_for(uuid, uuid) is
  'The generation that this very call has waited for, whatever has become of it.';

revoke all on function private.waited_for(uuid, uuid) from public;

create function private.end_waiting(owner uuid, tool text, claim_id uuid, cancelled uuid)
returns void
language plpgsql
volatile
security definer
set search_path = ''
as $$
begin
  -- Asked again after a lost answer, it has been given back already; what is open now is another call's.
  if private.was_told(owner, claim_id, cancelled, 'ended') then
    return;
  end if;
  perform public.refuse_call(owner, tool);
  perform private.remember_claim(owner, claim_id, cancelled, 'ended');
end
$$;

comment on function private.end_waiting(uuid, text, uuid, uuid) is
  'Ends a call that waited for a generation which was cancelled: what was deducted for it goes back, once. The caller holds the lock on the profile.';

revoke all on function private.end_waiting(uuid, text, uuid, uuid) from public;

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
  waited public.generations;
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

  waited := private.waited_for(owner, claim_generation.claim_id);
  if waited.status = 'cancelled' then
    perform private.end_waiting(owner, claim_generation.tool, claim_generation.claim_id, waited.id);
    return query select 'ended', waited.id, waited.attempt, null::jsonb, null::integer;
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
  if deduction is null and waited.status in ('failed', 'expired') then
    return query select 'failed', waited.id, waited.attempt, null::jsonb, null::integer;
    return;
  elsif deduction is null then
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

comment on function public.claim_generation(uuid, text, text, boolean, text, uuid) is
  'Claims an open deduction for one generation. Outcomes: claimed, go on, and again for the same claim_id while it runs; ended, what this claim_id had claimed was cancelled or given back, or what it waited for was cancelled, and nothing else is taken for it; failed, what it waited for has failed and there is no open deduction for another; replayed, the stored result, and the fresh deduction went back; running, the same request is being made; busy, as running, but others wait for it in place of this call; other_body, the key was used with another body_hash, the deduction stays open; rate_limited, with retry_after in seconds, the deduction stays open; insufficient, there is no open deduction (D01, D03, D08, D09, D10).';
