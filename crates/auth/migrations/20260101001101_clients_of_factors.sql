-- Clients that gave a right answer for a factor: their wrong codes are their own, so that guessing elsewhere closes the
-- factor for others only.

create table auth.banyan_factor_clients (
    factor_id uuid not null,
    client bytea not null,
    wrong integer not null default 0,
    blocked_until timestamptz,
    constraint banyan_factor_clients_pkey primary key (factor_id, client),
    constraint banyan_factor_clients_factor_id_fkey foreign key (factor_id)
        references auth.mfa_factors (id) on delete cascade
);

comment on table auth.banyan_factor_clients is
    'Clients, as keyed hashes, that a factor was shown from before, and the wrong codes each entered since.';

alter table auth.banyan_factor_clients enable row level security;

do $$
begin
    if exists (select from pg_roles where rolname = 'dashboard_user') then
        revoke all on auth.banyan_factor_clients from dashboard_user;
    end if;
end $$;
