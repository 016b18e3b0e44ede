-- What the stack has done to this database. No role of a request may look in.
create schema if not exists _banyan authorization supabase_admin;
-- Made here, before anybody else could: the superuser works on its tables.
create schema if not exists mail authorization supabase_admin;

do $$
declare
  foreign_schema text := (
    select nspname from pg_catalog.pg_namespace
    where nspname in ('_banyan', 'mail') and nspowner <> 'supabase_admin'::regrole
    limit 1
  );
begin
  if foreign_schema is not null then
    raise exception 'the schema % is the stack''s own, and belongs to another role: drop it', foreign_schema;
  end if;
end
$$;

create table if not exists _banyan.platform (
  only_row boolean primary key default true check (only_row),
  fingerprint text not null,
  applied_at timestamptz not null default now()
);

create table if not exists _banyan.migrations (
  service text not null,
  version bigint not null,
  name text not null,
  sha256 text not null,
  applied_at timestamptz not null default now(),
  primary key (service, version)
);

alter table _banyan.platform owner to supabase_admin;
alter table _banyan.migrations owner to supabase_admin;
alter table _banyan.platform enable row level security;
alter table _banyan.migrations enable row level security;

-- A service applies its own migrations.
grant usage on schema _banyan to supabase_auth_admin, supabase_storage_admin, supabase_realtime_admin;
grant select, insert on _banyan.migrations to supabase_auth_admin, supabase_storage_admin, supabase_realtime_admin;
drop policy if exists own_changes on _banyan.migrations;
create policy own_changes on _banyan.migrations to supabase_auth_admin, supabase_storage_admin, supabase_realtime_admin
  using (service not in ('db', 'mail', 'storage_state', 'realtime_state'));
comment on policy own_changes on _banyan.migrations is
  'A service sees and notes its own changes, and none of those that the superuser applies.';
-- What a start is about to apply. The superuser alone writes it.
create table if not exists _banyan.expected_migrations (
  service text not null,
  version bigint not null,
  sha256 text not null,
  primary key (service, version)
);

alter table _banyan.expected_migrations owner to supabase_admin;
alter table _banyan.expected_migrations enable row level security;
grant select on _banyan.expected_migrations to supabase_auth_admin, supabase_storage_admin, supabase_realtime_admin;
drop policy if exists own_changes on _banyan.expected_migrations;
create policy own_changes on _banyan.expected_migrations for select
  to supabase_auth_admin, supabase_storage_admin, supabase_realtime_admin using (service not in ('db', 'mail', 'storage_state', 'realtime_state'));

-- A start goes by these rows, and the project may become who notes them: only what the superuser expects is noted. No
-- policy alone: postgres passes them.
create or replace function _banyan.guard_history() returns trigger language plpgsql
set search_path = '' as $$
begin
  if (new.service in ('db', 'mail', 'storage_state', 'realtime_state') and current_setting('is_superuser') <> 'on')
    or not exists (
      select from _banyan.expected_migrations as expected
      where expected.service = new.service and expected.version = new.version and expected.sha256 = new.sha256
    )
  then
    raise insufficient_privilege using message = 'Only the stack notes its own changes.';
  end if;
  return new;
end
$$;

alter function _banyan.guard_history() owner to supabase_admin;
create or replace trigger guard_history before insert on _banyan.migrations
  for each row execute function _banyan.guard_history();
alter table _banyan.migrations enable always trigger guard_history;
