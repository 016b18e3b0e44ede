-- What `scripts/bench auth` works with: accounts that were confirmed long ago, each with one session. Ids are made from
-- numbers, and the sessions' keys are known, so that their refresh tokens can be written by the bench.
insert into auth.users
    (instance_id, id, aud, role, email, encrypted_password, email_confirmed_at, confirmation_token, recovery_token,
     email_change_token_new, email_change, raw_app_meta_data, raw_user_meta_data, created_at, updated_at)
select
    '00000000-0000-0000-0000-000000000000', ('00000000-0000-4000-8000-' || lpad(n::text, 12, '0'))::uuid, 'authenticated',
    'authenticated', 'user' || n || '@school.example', '', '2026-01-01', '', '', '', '',
    '{"provider": "email", "providers": ["email"]}', jsonb_build_object('full_name', 'Teacher ' || n), '2026-01-01', '2026-01-01'
from generate_series(1, :accounts) as n;
insert into auth.identities (id, provider_id, user_id, identity_data, provider, last_sign_in_at, created_at, updated_at)
select gen_random_uuid(), id, id, jsonb_build_object('sub', id, 'email', email, 'email_verified', true), 'email',
    created_at, created_at, created_at
from auth.users;
insert into auth.sessions
    (id, user_id, created_at, updated_at, aal, refresh_token_hmac_key, refresh_token_counter)
select ('00000000-0000-4000-9000-' || right(id::text, 12))::uuid, id, created_at, created_at, 'aal1', :'key', 0
from auth.users;
insert into auth.mfa_amr_claims (id, session_id, created_at, updated_at, authentication_method)
select gen_random_uuid(), id, created_at, created_at, 'otp' from auth.sessions;
vacuum analyze auth.users, auth.identities, auth.sessions, auth.mfa_amr_claims;
