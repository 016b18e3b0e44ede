-- Second factors and passkeys, in the reference's shape. Names and types are a contract: user SQL
-- (triggers, foreign keys, policies, seeds) and dumps depend on them (auth.md section 24).


create type auth.factor_status as enum ( 'unverified', 'verified' );

create type auth.factor_type as enum ( 'totp', 'webauthn', 'phone' );

create table auth.mfa_factors (
    id uuid not null,
    user_id uuid not null,
    friendly_name text,
    factor_type auth.factor_type not null,
    status auth.factor_status not null,
    created_at timestamptz not null,
    updated_at timestamptz not null,
    secret text,
    phone text,
    last_challenged_at timestamptz,
    web_authn_credential jsonb,
    web_authn_aaguid uuid,
    last_webauthn_challenge_data jsonb,
    constraint mfa_factors_last_challenged_at_key unique (last_challenged_at),
    constraint mfa_factors_pkey primary key (id),
    constraint mfa_factors_user_id_fkey foreign key (user_id) references auth.users(id) on delete cascade
);

create index factor_id_created_at_idx on auth.mfa_factors (user_id, created_at);
create unique index mfa_factors_user_friendly_name_unique on auth.mfa_factors (friendly_name, user_id) where (trim(both from friendly_name) <> '');
create index mfa_factors_user_id_idx on auth.mfa_factors (user_id);
create unique index unique_phone_factor_per_user on auth.mfa_factors (user_id, phone);

comment on table auth.mfa_factors is 'auth: stores metadata about factors';
comment on column auth.mfa_factors.last_webauthn_challenge_data is 'Stores the latest WebAuthn challenge data including attestation/assertion for customer verification';

alter table auth.mfa_factors enable row level security;

create table auth.mfa_challenges (
    id uuid not null,
    factor_id uuid not null,
    created_at timestamptz not null,
    verified_at timestamptz,
    ip_address inet not null,
    otp_code text,
    web_authn_session_data jsonb,
    constraint mfa_challenges_pkey primary key (id),
    constraint mfa_challenges_auth_factor_id_fkey foreign key (factor_id) references auth.mfa_factors(id) on delete cascade
);

create index mfa_challenge_created_at_idx on auth.mfa_challenges (created_at desc);

comment on table auth.mfa_challenges is 'auth: stores metadata about challenge requests made';

alter table auth.mfa_challenges enable row level security;

create table auth.webauthn_credentials (
    id uuid default gen_random_uuid() not null,
    user_id uuid not null,
    credential_id bytea not null,
    public_key bytea not null,
    attestation_type text default '' not null,
    aaguid uuid,
    sign_count bigint default 0 not null,
    transports jsonb default '[]'::jsonb not null,
    backup_eligible boolean default false not null,
    backed_up boolean default false not null,
    friendly_name text default '' not null,
    created_at timestamptz default now() not null,
    updated_at timestamptz default now() not null,
    last_used_at timestamptz,
    constraint webauthn_credentials_pkey primary key (id),
    constraint webauthn_credentials_user_id_fkey foreign key (user_id) references auth.users(id) on delete cascade
);

create unique index webauthn_credentials_credential_id_key on auth.webauthn_credentials (credential_id);
create index webauthn_credentials_user_id_idx on auth.webauthn_credentials (user_id);

alter table auth.webauthn_credentials enable row level security;

create table auth.webauthn_challenges (
    id uuid default gen_random_uuid() not null,
    user_id uuid,
    challenge_type text not null,
    session_data jsonb not null,
    created_at timestamptz default now() not null,
    expires_at timestamptz not null,
    constraint webauthn_challenges_challenge_type_check check ((challenge_type = any (array['signup', 'registration', 'authentication']))),
    constraint webauthn_challenges_pkey primary key (id),
    constraint webauthn_challenges_user_id_fkey foreign key (user_id) references auth.users(id) on delete cascade
);

create index webauthn_challenges_expires_at_idx on auth.webauthn_challenges (expires_at);
create index webauthn_challenges_user_id_idx on auth.webauthn_challenges (user_id);

alter table auth.webauthn_challenges enable row level security;
