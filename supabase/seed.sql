-- A demo for one machine: an administrator, three teachers with different histories, and two payments to verify.
-- Sign in as one of them by the code that arrives in the local inbox. The addresses end in .example, where no mail
-- is ever delivered, the accounts have no password, and a database that already has other accounts or stands on
-- another machine refuses it.

do $$
begin
  if inet_server_addr() is not null and not inet_server_addr() <<= any (array['127.0.0.0/8', '::1/128']::inet[]) then
    raise insufficient_privilege using message = 'The demo is for a database on this machine.';
  end if;
  if exists (select from auth.users where email is null or email not like '%@shikshak-saathi.example') then
    raise insufficient_privilege using message = 'The demo is for a database without other accounts.';
  end if;
end
$$;

insert into auth.users (
  instance_id, id, aud, role, email, email_confirmed_at, raw_app_meta_data, raw_user_meta_data,
  confirmation_token, recovery_token, email_change_token_new, email_change, created_at, updated_at
)
select
  '00000000-0000-0000-0000-000000000000', id, 'authenticated', 'authenticated', email, now(),
  '{"provider": "email", "providers": ["email"]}', '{}', '', '', '', '', now(), now()
from (
  values
    ('00000000-0000-4000-8000-00000000000a'::uuid, 'admin@shikshak-saathi.example'),
    ('00000000-0000-4000-8000-000000000001'::uuid, 'asha@shikshak-saathi.example'),
    ('00000000-0000-4000-8000-000000000002'::uuid, 'ravi@shikshak-saathi.example'),
    ('00000000-0000-4000-8000-000000000003'::uuid, 'meera@shikshak-saathi.example')
) as accounts (id, email)
on conflict (id) do nothing;

insert into auth.identities (id, user_id, provider, provider_id, identity_data, last_sign_in_at, created_at, updated_at)
select
  id, id, 'email', id::text,
  jsonb_build_object('sub', id, 'email', email, 'email_verified', true, 'phone_verified', false),
  now(), now(), now()
from auth.users
where email like '%@shikshak-saathi.example'
on conflict do nothing;

insert into public.user_roles (user_id, role)
values ('00000000-0000-4000-8000-00000000000a', 'admin')
on conflict do nothing;

-- Asha has just arrived, Ravi has spent everything, Meera bought a pack and waits for another.
insert into public.profiles (user_id, coins, last_payment_amount, last_payment_date, last_payment_time)
values
  ('00000000-0000-4000-8000-00000000000a', 100, null, null, null),
  ('00000000-0000-4000-8000-000000000001', 20, null, null, null),
  ('00000000-0000-4000-8000-000000000002', 0, 20, current_date, '09:15'),
  ('00000000-0000-4000-8000-000000000003', 170, 250, current_date, '18:40')
on conflict do nothing;

insert into public.payment_transactions (transaction_id, user_id, amount, credits, status, phone_number, customer_info)
values
  ('MANUAL_demo-1', '00000000-0000-4000-8000-000000000002', 20, 20, 'PENDING', '9000000002', '{"mobile": "9000000002"}'),
  ('UPI_demo-1', '00000000-0000-4000-8000-000000000003', 100, 150, 'APPROVED', '9000000003', '{"phone": "9000000003", "plan": "standard"}'),
  ('UPI_demo-2', '00000000-0000-4000-8000-000000000003', 250, 400, 'PENDING', '9000000003', '{"phone": "9000000003", "plan": "premium"}')
on conflict do nothing;
