-- Generations: what was made for whom, and the document itself for as long as it is handed out.

create table public.generations (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null,
  tool text not null references private.tools (name),
  request_key text not null check (length(request_key) between 1 and 200),
  attempt integer not null check (attempt > 0),
  model_backed boolean not null default false,
  status text not null default 'running' check (status in ('running', 'finished', 'failed', 'cancelled', 'expired')),
  result jsonb check (octet_length(result::text) <= 8388608),
  failure_reason text check (length(failure_reason) <= 500),
  started_at timestamptz not null default now(),
  deadline_at timestamptz not null,
  finished_at timestamptz,
  constraint generations_result_when_finished check (result is null or status = 'finished'),
  constraint generations_running_or_ended check ((status = 'running') = (finished_at is null)),
  unique (user_id, tool, request_key, attempt)
);

comment on table public.generations is
  'One row a paid generation. Rows stay when the account goes, then without key, result and reason (D07).';
comment on column public.generations.request_key is 'Names the request: the same key within ten minutes gives the stored result (D08).';
comment on column public.generations.attempt is 'How many generations the user has had with this key; the seed depends on it.';
comment on column public.generations.model_backed is 'A language model was asked, so the lower rate limits counted (D10).';
comment on column public.generations.result is 'What the function answered, at most 8 MiB; erased when the history window is over.';
comment on column public.generations.deadline_at is 'Still running after this moment counts as failed: the credits go back.';

create unique index generations_one_running on public.generations (user_id, tool, request_key)
where status = 'running';

create index generations_started on public.generations (user_id, started_at);

create index generations_running on public.generations (deadline_at)
where status = 'running';

create index generations_stored_results on public.generations (finished_at)
where result is not null;

alter table public.generations enable row level security;

revoke all on public.generations from public, anon, authenticated, service_role;
grant select on public.generations to authenticated, service_role;

create function private.history_window()
returns interval
language sql
stable
security definer
set search_path = ''
as $$
  select history_window from private.settings
$$;

comment on function private.history_window() is 'How long a finished document is handed out again, for the policy of generations.';

revoke all on function private.history_window() from public;
grant execute on function private.history_window() to authenticated;

create policy generations_select on public.generations
for select
to authenticated
using (
  user_id = (select auth.uid())
  and status = 'finished'
  and finished_at > now() - (select private.history_window())
);

comment on policy generations_select on public.generations is
  'History: a teacher reads the own delivered documents of the last 24 hours, nobody those of another (D08). Writing is for the wallet procedures alone.';
