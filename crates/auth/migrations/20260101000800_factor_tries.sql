-- What the reference does not keep of second factors: the last code used, so that none counts twice (auth.md F5), and
-- wrong codes in a row, so that guessing is slow.

create table auth.banyan_factor_tries (
    factor_id uuid not null,
    last_step bigint not null default 0,
    wrong integer not null default 0,
    blocked_until timestamptz,
    constraint banyan_factor_tries_pkey primary key (factor_id),
    constraint banyan_factor_tries_factor_id_fkey foreign key (factor_id)
        references auth.mfa_factors (id) on delete cascade
);

comment on table auth.banyan_factor_tries is
    'The newest step of a factor whose code was accepted, and the wrong codes entered since.';

alter table auth.banyan_factor_tries enable row level security;

-- The audit log is read newest first.
create index if not exists banyan_audit_log_created_at on auth.audit_log_entries (created_at desc, id);
