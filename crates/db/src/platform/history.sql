-- What the stack has done to this database. No role of a request may look in.
create schema if not exists _banyan authorization supabase_admin;

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

-- A service applies its own migrations.
grant usage on schema _banyan to supabase_auth_admin;
grant select, insert on _banyan.migrations to supabase_auth_admin;
