-- Codes and guesses are counted for each network that asks, and more widely for the address, and neither is given back by
-- a new code (auth.md M7, M9). What was counted before was worth a day at most.
drop table auth.banyan_code_tries;
drop table auth.banyan_code_addresses;

create table auth.banyan_code_clients (
    address bytea not null,
    client bytea not null,
    sent_at timestamptz,
    codes_spent_until timestamptz,
    tries integer not null default 0,
    guesses_spent_until timestamptz,
    known_until timestamptz,
    updated_at timestamptz not null,
    constraint banyan_code_clients_pkey primary key (address, client)
);

comment on table auth.banyan_code_clients is
    'What one network may still ask for and guess at one address, both as keyed hashes, and until when it counts as known '
    'because a right code came from there. Kept for unknown addresses too, so that an answer and its time do not tell who '
    'has an account.';

create index banyan_code_clients_updated_at on auth.banyan_code_clients (updated_at);

alter table auth.banyan_code_clients enable row level security;

create table auth.banyan_code_addresses (
    address bytea not null,
    codes_spent_until timestamptz,
    guesses_spent_until timestamptz,
    askers_spent_until timestamptz,
    updated_at timestamptz not null,
    constraint banyan_code_addresses_pkey primary key (address)
);

comment on table auth.banyan_code_addresses is
    'What all networks that are not known may still ask for and guess at one address, a keyed hash: those that asked for a '
    'code lately apart from those that did not.';

create index banyan_code_addresses_updated_at on auth.banyan_code_addresses (updated_at);

alter table auth.banyan_code_addresses enable row level security;

-- Where and with which challenge an account was signed up: its own hand may ask again without putting it in doubt (M18).
alter table auth.banyan_first_hands
    add column client bytea,
    add column challenge bytea,
    add column made_at timestamptz;

do $$
begin
    if exists (select from pg_roles where rolname = 'dashboard_user') then
        revoke all on auth.banyan_code_clients, auth.banyan_code_addresses from dashboard_user;
    end if;
end $$;
