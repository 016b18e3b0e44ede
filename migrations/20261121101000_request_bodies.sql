-- A request key names one request: the same key with another body is refused instead of answered with the other document.

alter table public.generations
add column body_hash text check (body_hash ~ '^[0-9a-f]{64}$');

comment on column public.generations.body_hash is
  'SHA-256 of what was asked for in its normal form, without outputType. Null for generations older than this column.';
comment on column public.generations.attempt is
  'How many generations of this request the user has had, by its key or by its body; the seed depends on it.';

create function private.key_of_another_body(owner uuid, tool text, request_key text, body_hash text)
returns boolean
language sql
stable
security definer
set search_path = ''
as $$
  select exists (
    select from public.generations
    where generations.user_id = owner
      and generations.tool = key_of_another_body.tool
      and generations.request_key = key_of_another_body.request_key
      and generations.body_hash <> key_of_another_body.body_hash
      and (
        generations.status = 'running'
        or generations.finished_at > now() - (select replay_window from private.settings)
      )
  )
$$;

comment on function private.key_of_another_body(uuid, text, text, text) is
  'Whether this key stands for something else of the user now: while that is made, and as long as it would be replayed.';

revoke all on function private.key_of_another_body(uuid, text, text, text) from public;

drop function public.claim_generation(uuid, text, text, boolean);

create function public.claim_generation(
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

  select count(*)
  into number_of_attempts
  from public.generations
  where generations.user_id = owner
    and generations.tool = claim_generation.tool
    and (
      generations.request_key = claim_generation.request_key
      or generations.body_hash = claim_generation.body_hash
    );
  insert into public.generations (user_id, tool, request_key, body_hash, attempt, model_backed, deadline_at)
  select owner, claim_generation.tool, claim_generation.request_key, claim_generation.body_hash,
    number_of_attempts + 1, coalesce(claim_generation.model_backed, false), now() + generation_deadline
  from private.settings
  returning * into known;
  update private.deductions
  set state = 'claimed', generation_id = known.id
  where id = deduction;
  return query select 'claimed', known.id, known.attempt, null::jsonb, null::integer;
end
$$;

comment on function public.claim_generation(uuid, text, text, boolean, text) is
  'Claims an open deduction for one generation. Outcomes: claimed, go on; replayed, the stored result, and the fresh deduction went back; running, the same request is being made; other_body, the key was used with another body_hash, the deduction stays open; rate_limited, with retry_after in seconds, the deduction stays open; insufficient, there is no open deduction (D01, D03, D08, D10).';

revoke all on function public.claim_generation(uuid, text, text, boolean, text) from public, anon, authenticated, service_role;
grant execute on function public.claim_generation(uuid, text, text, boolean, text) to service_role;

create or replace function private.forget_account()
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
    body_hash = null,
    result = null,
    failure_reason = null
  where user_id = old.id;
  return null;
end
$$;
