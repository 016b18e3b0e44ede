-- A client that a second factor was shown from stays known for a while and not for ever: what one house, school or carrier
-- has by itself is not left to whoever comes there later (auth.md F4).
alter table auth.banyan_factor_clients
    add column known_until timestamptz not null default now() + interval '90 days';
alter table auth.banyan_factor_clients alter column known_until drop default;

create index banyan_factor_clients_known_until on auth.banyan_factor_clients (known_until);

comment on table auth.banyan_factor_clients is
    'Clients, as keyed hashes, that a factor was shown from lately, and the wrong codes each entered since.';

-- Wrong passwords, for each client and address: nobody else's are in anybody's way (auth.md PW1).
create table auth.banyan_password_tries (
    address bytea not null,
    client bytea not null,
    spent_until timestamptz not null,
    constraint banyan_password_tries_pkey primary key (address, client)
);

comment on table auth.banyan_password_tries is
    'Until when the tries of one client at the password of one address are spent, both as keyed hashes. Kept for unknown '
    'addresses too, so that an answer does not tell who has an account.';

create index banyan_password_tries_spent_until on auth.banyan_password_tries (spent_until);

alter table auth.banyan_password_tries enable row level security;

do $$
begin
    if exists (select from pg_roles where rolname = 'dashboard_user') then
        revoke all on auth.banyan_password_tries from dashboard_user;
    end if;
end $$;
