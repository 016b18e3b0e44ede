-- Requests that are not safe for children are refused without a charge, and counted: who goes on with them has to wait
-- (generation.md 8).

alter table private.settings
add column unsafe_requests integer not null default 5 check (unsafe_requests > 0),
add column unsafe_requests_window interval not null default '15 minutes' check (unsafe_requests_window > interval '0');

comment on column private.settings.unsafe_requests is
  'Unsafe requests of a user within the window, after which nothing is generated for that account until the first of them is older.';
comment on column private.settings.unsafe_requests_window is 'How long an unsafe request counts.';

create table private.refused_requests (
  id bigint generated always as identity primary key,
  user_id uuid not null references auth.users (id) on delete cascade,
  tool text not null references private.tools (name),
  refused_at timestamptz not null default clock_timestamp()
);

comment on table private.refused_requests is
  'One row a request that was refused as unsafe lately. It holds nothing of what was asked for.';

create index refused_requests_of_user on private.refused_requests (user_id, refused_at);

alter table private.refused_requests enable row level security;

create function private.seconds_after_refusals(owner uuid)
returns integer
language sql
volatile
security definer
set search_path = ''
as $$
  select coalesce(max(ceil(extract(epoch from blocking.refused_at + settings.unsafe_requests_window - now()))), 0)::integer
  from private.settings
  cross join lateral (
    select refused_requests.refused_at
    from private.refused_requests
    where refused_requests.user_id = owner
      and refused_requests.refused_at > now() - settings.unsafe_requests_window
    order by refused_requests.refused_at desc
    offset settings.unsafe_requests - 1
    limit 1
  ) as blocking
$$;

comment on function private.seconds_after_refusals(uuid) is
  'Whole seconds until something is generated again for a user with too many unsafe requests, 0 when now.';

create function public.note_refusal(owner uuid, tool text)
returns integer
language plpgsql
security definer
set search_path = ''
as $$
declare
  seconds integer;
begin
  -- One at a time for a user, so that parallel requests do not pass the limit together.
  perform pg_advisory_xact_lock(hashtextextended('refused_requests.' || owner, 0));
  delete from private.refused_requests
  where user_id = owner
    and refused_at <= now() - (select unsafe_requests_window from private.settings);
  seconds := private.seconds_after_refusals(owner);
  if seconds = 0 then
    insert into private.refused_requests (user_id, tool)
    values (owner, note_refusal.tool);
  end if;
  return seconds;
end
$$;

comment on function public.note_refusal(uuid, text) is
  'Counts a request that was refused as unsafe. Answers 0, or the seconds that the account has to wait after too many of them.';

revoke all on function private.seconds_after_refusals(uuid) from public;
revoke all on function public.note_refusal(uuid, text) from public, anon, authenticated, service_role;
grant execute on function public.note_refusal(uuid, text) to service_role;
