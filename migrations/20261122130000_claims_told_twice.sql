-- A call claims under a number of its own. Who lost the answer asks again with it and is told the same; and of the calls that
-- wait for one generation the newest few go on waiting, so that no account holds the places of everybody.

alter table private.settings
add column waiting_calls integer not null default 4 check (waiting_calls > 0),
add column calls_of_one_generation integer not null default 30 check (calls_of_one_generation > 0);

comment on column private.settings.waiting_calls is
  'Calls that may wait for one running generation; the newest stay, since an older one has lost its client.';
comment on column private.settings.calls_of_one_generation is
  'Calls that may ever have waited for one generation; a further one is told to come back.';

create table private.claims (
  claim_id uuid primary key,
  user_id uuid not null references auth.users (id) on delete cascade,
  generation_id uuid not null references public.generations (id),
  outcome text not null check (outcome in ('claimed', 'running', 'replayed')),
  asked_at timestamptz not null default clock_timestamp()
);

comment on table private.claims is 'What the calls of the last hour were told, by the number that each of them chose.';
comment on column private.claims.asked_at is 'When the call came to this generation; the order of those who wait.';

create index claims_of_generation on private.claims (generation_id, asked_at);
create index claims_of_user on private.claims (user_id, asked_at);

alter table private.claims enable row level security;

create function private.remember_claim(owner uuid, claim_id uuid, generation_id uuid, outcome text)
returns void
language sql
volatile
security definer
set search_path = ''
as $$
  delete from private.claims
  where user_id = owner
    and asked_at < now() - interval '1 hour';
  insert into private.claims (claim_id, user_id, generation_id, outcome)
  select remember_claim.claim_id, owner, remember_claim.generation_id, remember_claim.outcome
  where remember_claim.claim_id is not null
  on conflict on constraint claims_pkey do update
  set generation_id = excluded.generation_id, outcome = excluded.outcome, asked_at = excluded.asked_at
$$;

comment on function private.remember_claim(uuid, uuid, uuid, text) is
  'Notes what a call is told, and forgets what the owner''s calls were told more than an hour ago. The caller holds the lock on the profile.';

create function private.was_told(owner uuid, claim_id uuid, generation_id uuid, outcome text)
returns boolean
language sql
stable
security definer
set search_path = ''
as $$
  select exists (
    select from private.claims
    where claims.claim_id = was_told.claim_id
      and claims.user_id = owner
      and claims.generation_id = was_told.generation_id
      and claims.outcome = was_told.outcome
  )
$$;

comment on function private.was_told(uuid, uuid, uuid, text) is 'Whether that call of the owner has been told this before.';

create function private.wait_for(owner uuid, claim_id uuid, generation_id uuid)
returns text
language plpgsql
volatile
security definer
set search_path = ''
as $$
declare
  settings constant private.settings := (select settings from private.settings);
begin
  if claim_id is null then
    return 'running';
  end if;
  if not private.was_told(owner, claim_id, generation_id, 'running') then
    if (
      select count(*) >= settings.calls_of_one_generation
      from private.claims
      where claims.generation_id = wait_for.generation_id
    ) then
      return 'busy';
    end if;
    perform private.remember_claim(owner, claim_id, generation_id, 'running');
  end if;
  return case
    when exists (
      select from (
        select claims.claim_id
        from private.claims
        where claims.generation_id = wait_for.generation_id
          and claims.outcome = 'running'
        order by claims.asked_at desc, claims.claim_id
        limit settings.waiting_calls
      ) as newest
      where newest.claim_id = wait_for.claim_id
    ) then 'running'
    else 'busy'
  end;
end
$$;

comment on function private.wait_for(uuid, uuid, uuid) is
  'What a call is told for which a generation runs already: running, it may wait; busy, newer calls wait in its place or too many have come. The caller holds the lock on the profile.';

create function private.own_claim(owner uuid, claim_id uuid)
returns public.generations
language sql
stable
security definer
set search_path = ''
as $$
  select generations
  from private.claims
  join public.generations on generations.id = claims.generation_id
  where claims.claim_id = own_claim.claim_id
    and claims.user_id = owner
    and claims.outcome = 'claimed'
    and generations.status = 'running'
$$;

comment on function private.own_claim(uuid, uuid) is
  'The running generation that this very call has claimed, where the answer was lost on its way.';

drop function public.claim_generation(uuid, text, text, boolean, text);

create function public.claim_generation(
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
    return query select 'claimed', known.id, known.attempt, null::jsonb, null::integer;
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
    coalesce(claim_generation.model_backed, false), now() + generation_deadline
  from private.settings
  returning * into known;
  update private.deductions
  set state = 'claimed', generation_id = known.id
  where id = deduction;
  perform private.remember_claim(owner, claim_generation.claim_id, known.id, 'claimed');
  return query select 'claimed', known.id, known.attempt, null::jsonb, null::integer;
end
$$;

comment on function public.claim_generation(uuid, text, text, boolean, text, uuid) is
  'Claims an open deduction for one generation. Outcomes: claimed, go on, and again for the same claim_id; replayed, the stored result, and the fresh deduction went back; running, the same request is being made; busy, as running, but others wait for it in place of this call; other_body, the key was used with another body_hash, the deduction stays open; rate_limited, with retry_after in seconds, the deduction stays open; insufficient, there is no open deduction (D01, D03, D08, D10).';

revoke all on function public.claim_generation(uuid, text, text, boolean, text, uuid) from public, anon, authenticated, service_role;
grant execute on function public.claim_generation(uuid, text, text, boolean, text, uuid) to service_role;

revoke all on function private.remember_claim(uuid, uuid, uuid, text) from public;
revoke all on function private.was_told(uuid, uuid, uuid, text) from public;
revoke all on function private.wait_for(uuid, uuid, uuid) from public;
revoke all on function private.own_claim(uuid, uuid) from public;
