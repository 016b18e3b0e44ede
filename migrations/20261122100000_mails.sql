-- Mails that functions send: to whom they may go, how many, and one mail for one request.

alter table private.settings
add column mails_per_minute integer not null default 6 check (mails_per_minute > 0),
add column mails_per_day integer not null default 60 check (mails_per_day > 0);

comment on column private.settings.mails_per_minute is 'Mails a user may send in any 60 seconds.';
comment on column private.settings.mails_per_day is 'Mails a user may send in any 24 hours.';

create table private.mails (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null references auth.users (id) on delete cascade,
  kind text not null check (kind in ('document', 'credits')),
  request_key text not null check (length(request_key) between 1 and 200),
  claimed_at timestamptz not null default now()
);

comment on table private.mails is 'One row a mail that a user asked for in the last day. It holds neither text nor address.';
comment on column private.mails.id is 'The idempotency key that the mail queue is given, so that handing over twice sends once.';
comment on column private.mails.request_key is 'Names the request: the same key within the replay window is the same mail.';

create index mails_of_user on private.mails (user_id, claimed_at);

alter table private.mails enable row level security;

create function private.seconds_until_mail(sender uuid)
returns integer
language sql
volatile
security definer
set search_path = ''
as $$
  with
    windows (span, allowed) as (
      select interval '1 minute', mails_per_minute
      from private.settings
      union all
      select interval '1 day', mails_per_day
      from private.settings
    )
  select coalesce(max(ceil(extract(epoch from blocking.claimed_at + span - now()))), 0)::integer
  from windows
  cross join lateral (
    select mails.claimed_at
    from private.mails
    where mails.user_id = sender
      and mails.claimed_at > now() - span
    order by mails.claimed_at desc
    offset allowed - 1
    limit 1
  ) as blocking
$$;

comment on function private.seconds_until_mail(uuid) is 'Whole seconds until the user may send another mail, 0 when now.';

create function private.mail_refusal(sender uuid, kind text, recipient text)
returns text
language sql
stable
security definer
set search_path = ''
as $$
  select case
    when kind = 'document' and not exists (
      select from auth.users
      where id = sender
        and lower(email) = lower(recipient)
        and email_confirmed_at is not null
        and deleted_at is null
    ) then 'not_own_address'
    when kind = 'credits' and not exists (
      select from public.user_roles
      where user_id = sender
        and role = 'admin'
    ) then 'forbidden'
    when kind = 'credits' and not exists (
      select from auth.users
      where lower(email) = lower(recipient)
        and deleted_at is null
    ) then 'unknown_recipient'
  end
$$;

comment on function private.mail_refusal(uuid, text, text) is
  'Why this user may not send this kind of mail there: a document goes to the own confirmed address only (S-391), news of credits come from administrators and go to accounts (S-393). Null when it may be sent.';

create function public.claim_mail(sender uuid, kind text, request_key text, recipient text)
returns table (outcome text, mail_id uuid, retry_after integer)
language plpgsql
security definer
set search_path = ''
as $$
declare
  refusal constant text := private.mail_refusal(sender, kind, recipient);
begin
  if refusal is not null then
    return query select refusal, null::uuid, null::integer;
    return;
  end if;
  -- One at a time for a sender: counting and adding is one step, and twins of a request find one another.
  perform pg_advisory_xact_lock(hashtextextended('mails.' || sender, 0));
  delete from private.mails
  where user_id = sender
    and claimed_at <= now() - interval '1 day';

  select mails.id
  into mail_id
  from private.mails
  where mails.user_id = sender
    and mails.kind = claim_mail.kind
    and mails.request_key = claim_mail.request_key
    and mails.claimed_at > now() - (select replay_window from private.settings)
  order by mails.claimed_at desc
  limit 1;
  if mail_id is null then
    retry_after := private.seconds_until_mail(sender);
    if retry_after > 0 then
      return query select 'rate_limited', null::uuid, retry_after;
      return;
    end if;
    insert into private.mails (user_id, kind, request_key)
    values (sender, claim_mail.kind, claim_mail.request_key)
    returning id into mail_id;
  end if;
  return query select 'claimed', mail_id, null::integer;
end
$$;

comment on function public.claim_mail(uuid, text, text, text) is
  'Asks whether a user may send a mail. Outcomes: claimed, hand it to the queue under mail_id, which is the same for the same request within the replay window; rate_limited, with retry_after in seconds; not_own_address, forbidden, unknown_recipient.';

revoke all on function private.seconds_until_mail(uuid) from public;
revoke all on function private.mail_refusal(uuid, text, text) from public;
revoke all on function public.claim_mail(uuid, text, text, text) from public, anon, authenticated, service_role;
grant execute on function public.claim_mail(uuid, text, text, text) to service_role;
