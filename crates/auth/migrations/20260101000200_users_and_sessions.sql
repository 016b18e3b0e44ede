-- Users, their identities, sessions and one-time codes, in the reference's shape. Names and types are a contract: user SQL
-- (triggers, foreign keys, policies, seeds) and dumps depend on them (auth.md section 24).


create type auth.aal_level as enum ( 'aal1', 'aal2', 'aal3' );

create type auth.code_challenge_method as enum ( 's256', 'plain' );

create type auth.oauth_client_type as enum ( 'public', 'confidential' );

create type auth.oauth_registration_type as enum ( 'dynamic', 'manual' );

create type auth.one_time_token_type as enum ( 'confirmation_token', 'reauthentication_token', 'recovery_token', 'email_change_token_new', 'email_change_token_current', 'phone_change_token' );

create table auth.instances (
    id uuid not null,
    uuid uuid,
    raw_base_config text,
    created_at timestamptz,
    updated_at timestamptz,
    constraint instances_pkey primary key (id)
);

comment on table auth.instances is 'Auth: Manages users across multiple sites.';

alter table auth.instances enable row level security;

create table auth.schema_migrations (
    version varchar(255) not null,
    constraint schema_migrations_pkey primary key (version)
);

comment on table auth.schema_migrations is 'Auth: Manages updates to the auth system.';

alter table auth.schema_migrations enable row level security;

create table auth.users (
    instance_id uuid,
    id uuid not null,
    aud varchar(255),
    role varchar(255),
    email varchar(255),
    encrypted_password varchar(255),
    email_confirmed_at timestamptz,
    invited_at timestamptz,
    confirmation_token varchar(255),
    confirmation_sent_at timestamptz,
    recovery_token varchar(255),
    recovery_sent_at timestamptz,
    email_change_token_new varchar(255),
    email_change varchar(255),
    email_change_sent_at timestamptz,
    last_sign_in_at timestamptz,
    raw_app_meta_data jsonb,
    raw_user_meta_data jsonb,
    is_super_admin boolean,
    created_at timestamptz,
    updated_at timestamptz,
    phone text default null,
    phone_confirmed_at timestamptz,
    phone_change text default '',
    phone_change_token varchar(255) default '',
    phone_change_sent_at timestamptz,
    confirmed_at timestamptz generated always as (least(email_confirmed_at, phone_confirmed_at)) stored,
    email_change_token_current varchar(255) default '',
    email_change_confirm_status smallint default 0,
    banned_until timestamptz,
    reauthentication_token varchar(255) default '',
    reauthentication_sent_at timestamptz,
    is_sso_user boolean default false not null,
    deleted_at timestamptz,
    is_anonymous boolean default false not null,
    constraint users_email_change_confirm_status_check check (((email_change_confirm_status >= 0) and (email_change_confirm_status <= 2))),
    constraint users_phone_key unique (phone),
    constraint users_pkey primary key (id)
);

create unique index confirmation_token_idx on auth.users (confirmation_token) where ((confirmation_token) !~ '^[0-9 ]*$');
create unique index email_change_token_current_idx on auth.users (email_change_token_current) where ((email_change_token_current) !~ '^[0-9 ]*$');
create unique index email_change_token_new_idx on auth.users (email_change_token_new) where ((email_change_token_new) !~ '^[0-9 ]*$');
create unique index reauthentication_token_idx on auth.users (reauthentication_token) where ((reauthentication_token) !~ '^[0-9 ]*$');
create unique index recovery_token_idx on auth.users (recovery_token) where ((recovery_token) !~ '^[0-9 ]*$');
create unique index users_email_partial_key on auth.users (email) where (is_sso_user = false);
create index users_instance_id_email_idx on auth.users (instance_id, lower((email)));
create index users_instance_id_idx on auth.users (instance_id);
create index users_is_anonymous_idx on auth.users (is_anonymous);

comment on table auth.users is 'Auth: Stores user login data within a secure schema.';
comment on column auth.users.is_sso_user is 'Auth: Set this column to true when the account comes from SSO. These accounts can have duplicate emails.';

alter table auth.users enable row level security;

create table auth.identities (
    provider_id text not null,
    user_id uuid not null,
    identity_data jsonb not null,
    provider text not null,
    last_sign_in_at timestamptz,
    created_at timestamptz,
    updated_at timestamptz,
    email text generated always as (lower((identity_data ->> 'email'))) stored,
    id uuid default gen_random_uuid() not null,
    constraint identities_pkey primary key (id),
    constraint identities_provider_id_provider_unique unique (provider_id, provider),
    constraint identities_user_id_fkey foreign key (user_id) references auth.users(id) on delete cascade
);

create index identities_email_idx on auth.identities (email text_pattern_ops);
create index identities_user_id_idx on auth.identities (user_id);

comment on table auth.identities is 'Auth: Stores identities associated to a user.';
comment on column auth.identities.email is 'Auth: Email is a generated column that references the optional email property in the identity_data';

alter table auth.identities enable row level security;

create table auth.oauth_clients (
    id uuid not null,
    client_secret_hash text,
    registration_type auth.oauth_registration_type not null,
    redirect_uris text not null,
    grant_types text not null,
    client_name text,
    client_uri text,
    logo_uri text,
    created_at timestamptz default now() not null,
    updated_at timestamptz default now() not null,
    deleted_at timestamptz,
    client_type auth.oauth_client_type default 'confidential'::auth.oauth_client_type not null,
    token_endpoint_auth_method text not null,
    constraint oauth_clients_client_name_length check ((char_length(client_name) <= 1024)),
    constraint oauth_clients_client_uri_length check ((char_length(client_uri) <= 2048)),
    constraint oauth_clients_logo_uri_length check ((char_length(logo_uri) <= 2048)),
    constraint oauth_clients_token_endpoint_auth_method_check check ((token_endpoint_auth_method = any (array['client_secret_basic', 'client_secret_post', 'none']))),
    constraint oauth_clients_pkey primary key (id)
);

create index oauth_clients_deleted_at_idx on auth.oauth_clients (deleted_at);

alter table auth.oauth_clients enable row level security;

create table auth.sessions (
    id uuid not null,
    user_id uuid not null,
    created_at timestamptz,
    updated_at timestamptz,
    factor_id uuid,
    aal auth.aal_level,
    not_after timestamptz,
    refreshed_at timestamp,
    user_agent text,
    ip inet,
    tag text,
    oauth_client_id uuid,
    refresh_token_hmac_key text,
    refresh_token_counter bigint,
    scopes text,
    constraint sessions_scopes_length check ((char_length(scopes) <= 4096)),
    constraint sessions_pkey primary key (id),
    constraint sessions_oauth_client_id_fkey foreign key (oauth_client_id) references auth.oauth_clients(id) on delete cascade,
    constraint sessions_user_id_fkey foreign key (user_id) references auth.users(id) on delete cascade
);

create index sessions_not_after_idx on auth.sessions (not_after desc);
create index sessions_oauth_client_id_idx on auth.sessions (oauth_client_id);
create index sessions_user_id_idx on auth.sessions (user_id);
create index user_id_created_at_idx on auth.sessions (user_id, created_at);

comment on table auth.sessions is 'Auth: Stores session data associated to a user.';
comment on column auth.sessions.not_after is 'Auth: Not after is a nullable column that contains a timestamp after which the session should be regarded as expired.';
comment on column auth.sessions.refresh_token_hmac_key is 'Holds a HMAC-SHA256 key used to sign refresh tokens for this session.';
comment on column auth.sessions.refresh_token_counter is 'Holds the ID (counter) of the last issued refresh token.';

alter table auth.sessions enable row level security;

create table auth.refresh_tokens (
    instance_id uuid,
    id bigserial not null,
    token varchar(255),
    user_id varchar(255),
    revoked boolean,
    created_at timestamptz,
    updated_at timestamptz,
    parent varchar(255),
    session_id uuid,
    constraint refresh_tokens_pkey primary key (id),
    constraint refresh_tokens_token_unique unique (token),
    constraint refresh_tokens_session_id_fkey foreign key (session_id) references auth.sessions(id) on delete cascade
);

create index refresh_tokens_instance_id_idx on auth.refresh_tokens (instance_id);
create index refresh_tokens_instance_id_user_id_idx on auth.refresh_tokens (instance_id, user_id);
create index refresh_tokens_parent_idx on auth.refresh_tokens (parent);
create index refresh_tokens_session_id_revoked_idx on auth.refresh_tokens (session_id, revoked);
create index refresh_tokens_updated_at_idx on auth.refresh_tokens (updated_at desc);

comment on table auth.refresh_tokens is 'Auth: Store of tokens used to refresh JWT tokens once they expire.';

alter table auth.refresh_tokens enable row level security;

create table auth.one_time_tokens (
    id uuid not null,
    user_id uuid not null,
    token_type auth.one_time_token_type not null,
    token_hash text not null,
    relates_to text not null,
    created_at timestamp default now() not null,
    updated_at timestamp default now() not null,
    constraint one_time_tokens_token_hash_check check ((char_length(token_hash) > 0)),
    constraint one_time_tokens_pkey primary key (id),
    constraint one_time_tokens_user_id_fkey foreign key (user_id) references auth.users(id) on delete cascade
);

create index one_time_tokens_relates_to_hash_idx on auth.one_time_tokens using hash (relates_to);
create index one_time_tokens_token_hash_hash_idx on auth.one_time_tokens using hash (token_hash);
create unique index one_time_tokens_user_id_token_type_key on auth.one_time_tokens (user_id, token_type);

alter table auth.one_time_tokens enable row level security;

create table auth.flow_state (
    id uuid not null,
    user_id uuid,
    auth_code text,
    code_challenge_method auth.code_challenge_method,
    code_challenge text,
    provider_type text not null,
    provider_access_token text,
    provider_refresh_token text,
    created_at timestamptz,
    updated_at timestamptz,
    authentication_method text not null,
    auth_code_issued_at timestamptz,
    invite_token text,
    referrer text,
    oauth_client_state_id uuid,
    linking_target_id uuid,
    email_optional boolean default false not null,
    constraint flow_state_pkey primary key (id)
);

create index flow_state_created_at_idx on auth.flow_state (created_at desc);
create index idx_auth_code on auth.flow_state (auth_code);
create index idx_user_id_auth_method on auth.flow_state (user_id, authentication_method);

comment on table auth.flow_state is 'Stores metadata for all OAuth/SSO login flows';

alter table auth.flow_state enable row level security;

create table auth.mfa_amr_claims (
    session_id uuid not null,
    created_at timestamptz not null,
    updated_at timestamptz not null,
    authentication_method text not null,
    id uuid not null,
    constraint amr_id_pk primary key (id),
    constraint mfa_amr_claims_session_id_authentication_method_pkey unique (session_id, authentication_method),
    constraint mfa_amr_claims_session_id_fkey foreign key (session_id) references auth.sessions(id) on delete cascade
);

comment on table auth.mfa_amr_claims is 'auth: stores authenticator method reference claims for multi factor authentication';

alter table auth.mfa_amr_claims enable row level security;

create table auth.audit_log_entries (
    instance_id uuid,
    id uuid not null,
    payload json,
    created_at timestamptz,
    ip_address varchar(64) default '' not null,
    constraint audit_log_entries_pkey primary key (id)
);

create index audit_logs_instance_id_idx on auth.audit_log_entries (instance_id);

comment on table auth.audit_log_entries is 'Auth: Audit trail for user actions.';

alter table auth.audit_log_entries enable row level security;
