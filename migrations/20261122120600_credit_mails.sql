-- News of credits have a limit of their own: an administrator who clears a morning's payments tells every payer, and has the
-- mails of the own documents besides.

alter table private.settings
add column credit_mails_per_minute integer not null default 60 check (credit_mails_per_minute > 0),
add column credit_mails_per_day integer not null default 1000 check (credit_mails_per_day > 0);

comment on column private.settings.mails_per_minute is 'Mails with documents that a user may send in any 60 seconds.';
comment on column private.settings.mails_per_day is 'Mails with documents that a user may send in any 24 hours.';
comment on column private.settings.credit_mails_per_minute is 'News of credits that an administrator may send in any 60 seconds.';
comment on column private.settings.credit_mails_per_day is 'News of credits that an administrator may send in any 24 hours.';

create function private.seconds_until_mail(sender uuid, kind text)
returns integer
language sql
volatile
security definer
set search_path = ''
as $$
  with
    windows (span, allowed) as (
      select interval '1 minute', case seconds_until_mail.kind when 'credits' then credit_mails_per_minute else mails_per_minute end
      from private.settings
      union all
      select interval '1 day', case seconds_until_mail.kind when 'credits' then credit_mails_per_day else mails_per_day end
      from private.settings
    )
  select coalesce(max(ceil(extract(epoch from blocking.claimed_at + span - now()))), 0)::integer
  from windows
  cross join lateral (
    select mails.claimed_at
    from private.mails
    where mails.user_id = sender
      and mails.kind = seconds_until_mail.kind
      and mails.claimed_at > now() - span
    order by mails.claimed_at desc
    offset allowed - 1
    limit 1
  ) as blocking
$$;

comment on function private.seconds_until_mail(uuid, text) is 'Whole seconds until the user may send another mail of that kind, 0 when now.';

revoke all on function private.seconds_until_mail(uuid, text) from public;

create or replace function public.claim_mail(sender uuid, kind text, request_key text, recipient text)
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
    retry_after := private.seconds_until_mail(sender, claim_mail.kind);
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

drop function private.seconds_until_mail(uuid);
