-- What is kept of an address that codes go to, whoever asks for them and whether or not anybody has it (auth.md M7, M9):
-- when the last one went, how much of its hourly allowance is spent, and the wrong codes of all who did not ask.

create table auth.banyan_code_addresses (
    address bytea not null,
    sent_at timestamptz,
    spent_until timestamptz,
    foreign_tries integer not null default 0,
    updated_at timestamptz not null,
    constraint banyan_code_addresses_pkey primary key (address)
);

comment on table auth.banyan_code_addresses is
    'Codes sent to an address and tries by clients that did not ask for them; addresses are keyed hashes. '
    'Kept for unknown addresses too, so that an answer and its time do not tell who has an account.';

create index banyan_code_addresses_updated_at on auth.banyan_code_addresses (updated_at);

alter table auth.banyan_code_addresses enable row level security;

do $$
begin
    if exists (select from pg_roles where rolname = 'dashboard_user') then
        revoke all on auth.banyan_code_addresses from dashboard_user;
    end if;
end $$;
