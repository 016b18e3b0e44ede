-- Who gets no answer to a claim at all gives it up by its number: what it took goes back then, and not when its time is over; and
-- if it is still on its way, it takes nothing any more (D01, D10).

alter table private.claims
alter column generation_id drop not null,
drop constraint claims_outcome_check,
add constraint claims_outcome_check check (outcome in ('claimed', 'running', 'replayed', 'given_up')),
add constraint claims_generation_check check ((generation_id is null) = (outcome = 'given_up'));

create or replace function private.remember_claim(owner uuid, claim_id uuid, generation_id uuid, outcome text)
returns void
language plpgsql
volatile
security definer
set search_path = ''
as $$
begin
  delete from private.claims
  where user_id = owner
    and asked_at < now() - interval '1 hour';
  insert into private.claims (claim_id, user_id, generation_id, outcome)
  select remember_claim.claim_id, owner, remember_claim.generation_id, remember_claim.outcome
  where remember_claim.claim_id is not null
  on conflict on constraint claims_pkey do update
  set generation_id = excluded.generation_id, outcome = excluded.outcome, asked_at = excluded.asked_at
  where claims.user_id = excluded.user_id
    and (claims.outcome <> 'given_up' or excluded.outcome = 'given_up');
  if not found and remember_claim.claim_id is not null then
    -- What the call has taken in this transaction goes back with it.
    raise invalid_parameter_value using message = 'This claim was given up, or its number is another user''s.';
  end if;
end
$$;

comment on function private.remember_claim(uuid, uuid, uuid, text) is
  'Notes what a call is told, and forgets what the owner''s calls were told more than an hour ago. Refused for a number that was given up. The caller holds the lock on the profile.';

create function public.fail_claim(owner uuid, claim_id uuid, reason text)
returns boolean
language plpgsql
security definer
set search_path = ''
as $$
declare
  claimed public.generations;
begin
  perform private.lock_profile(owner);
  claimed := private.own_claim(owner, fail_claim.claim_id);
  if claimed.id is not null then
    return private.end_unpaid(claimed, 'failed', reason);
  end if;
  perform private.remember_claim(owner, fail_claim.claim_id, null, 'given_up');
  return false;
end
$$;

comment on function public.fail_claim(uuid, uuid, text) is
  'Gives up a claim whose answer was never heard: marks what it claimed as failed and gives its credits back, or keeps it from claiming when it comes late. True when credits went back now, at most once.';

revoke all on function public.fail_claim(uuid, uuid, text) from public, anon, authenticated, service_role;
grant execute on function public.fail_claim(uuid, uuid, text) to service_role;
