-- Estimates are free, and one with a sample takes up to four seconds of CPU: each user has one of them read at a time.

alter table private.settings
add column sample_reading_lease interval not null default '30 seconds' check (sample_reading_lease > interval '0');

comment on column private.settings.sample_reading_lease is
  'How long a sample is read for an estimate at most. Then the reading counts as ended, also if the function did not say so.';

create table private.sample_readings (
  user_id uuid primary key references auth.users (id) on delete cascade,
  ends_at timestamptz not null
);

comment on table private.sample_readings is 'One row a user whose sample is being read for an estimate.';

alter table private.sample_readings enable row level security;

create function public.begin_sample_reading(owner uuid)
returns boolean
language sql
volatile
security definer
set search_path = ''
as $$
  with begun as (
    insert into private.sample_readings (user_id, ends_at)
    select owner, now() + settings.sample_reading_lease
    from private.settings
    on conflict (user_id) do update
    set ends_at = excluded.ends_at
    where sample_readings.ends_at <= now()
    returning user_id
  )
  select exists (select from begun)
$$;

comment on function public.begin_sample_reading(uuid) is
  'Begins to read a sample of that user for an estimate. Answers false while another one is read.';

create function public.end_sample_reading(owner uuid)
returns boolean
language sql
volatile
security definer
set search_path = ''
as $$
  with ended as (
    delete from private.sample_readings
    where user_id = owner
    returning user_id
  )
  select exists (select from ended)
$$;

comment on function public.end_sample_reading(uuid) is
  'Ends the reading of a sample of that user. Answers false if none is read.';

revoke all on function public.begin_sample_reading(uuid) from public, anon, authenticated, service_role;
revoke all on function public.end_sample_reading(uuid) from public, anon, authenticated, service_role;
grant execute on function public.begin_sample_reading(uuid) to service_role;
grant execute on function public.end_sample_reading(uuid) to service_role;
