-- An instance that is ended by a limit can tell nobody. So a function says again and again that it still works, and what says
-- nothing for half a minute has failed: its credits are back within a minute of the end, whoever writes (D10).

alter table private.settings
rename column built_in_deadline to silence_limit;

alter table private.settings
alter column silence_limit set default '25 seconds';

update private.settings
set silence_limit = '25 seconds';

comment on column private.settings.generation_deadline is
  'A generation that has not ended by then counts as failed, whatever its function says.';
comment on column private.settings.silence_limit is
  'A generation whose function has not said for so long that it goes on counts as failed.';

create or replace function private.deadline_from_now(model_backed boolean)
returns timestamptz
language sql
stable
security definer
set search_path = ''
as $$
  select now() + least(generation_deadline, silence_limit)
  from private.settings
$$;

comment on function private.deadline_from_now(boolean) is
  'When a generation that is claimed now counts as failed, unless its function says that it goes on. The same whoever writes.';

create function public.prolong_generation(generation_id uuid)
returns boolean
language sql
volatile
security definer
set search_path = ''
as $$
  with prolonged as (
    update public.generations
    set deadline_at = least(started_at + generation_deadline, now() + silence_limit)
    from private.settings
    where generations.id = prolong_generation.generation_id
      and status = 'running'
      and deadline_at >= now()
    returning generations.id
  )
  select exists (select from prolonged)
$$;

comment on function public.prolong_generation(uuid) is
  'Says that a generation is still being made; false once it has ended, or counts as failed.';

revoke all on function public.prolong_generation(uuid) from public, anon, authenticated, service_role;
grant execute on function public.prolong_generation(uuid) to service_role;
