-- The queue of outgoing mail. Only supabase_admin reads it; services put messages in through mail.enqueue(), inside
-- their own transaction, so that a mail exists exactly when the change that it tells of was committed.

create schema if not exists mail;
revoke all on schema mail from public;

create table mail.messages (
    id uuid primary key default gen_random_uuid(),
    state text not null default 'queued' check (state in ('queued', 'sending', 'sent', 'failed')),
    recipients text[] not null check (cardinality(recipients) between 1 and 50),
    subject text,
    text_body text,
    html_body text,
    idempotency_key text unique check (length(idempotency_key) between 1 and 255),
    fingerprint bytea not null,
    tries smallint not null default 0,
    reason text,
    created_at timestamptz not null,
    due_at timestamptz not null,
    expires_at timestamptz,
    claimed_at timestamptz,
    handed_over_at timestamptz,
    settled_at timestamptz
);

comment on table mail.messages is
    'Outgoing mail: queued, sending (claimed), then sent or failed. Subject, bodies and attachments go when it is settled.';
comment on column mail.messages.fingerprint is
    'SHA-256 of the content: a second message under the same idempotency key must be the same message.';
comment on column mail.messages.handed_over_at is
    'Set and committed just before the content goes to the mail server: from here on it may have been accepted.';

create index messages_due on mail.messages (due_at) where state = 'queued';
create index messages_claimed on mail.messages (claimed_at) where state = 'sending';
create index messages_settled on mail.messages (settled_at) where state in ('sent', 'failed');

create table mail.attachments (
    message_id uuid not null references mail.messages (id) on delete cascade,
    position smallint not null,
    filename text not null,
    content_type text not null,
    content bytea not null,
    primary key (message_id, position)
);

comment on table mail.attachments is 'Files of messages that are not settled yet.';

-- No policy: nobody but the owner sees a row.
alter table mail.messages enable row level security;
alter table mail.attachments enable row level security;
revoke all on mail.messages, mail.attachments from public;

create function mail.enqueue(
    recipients text[],
    subject text,
    text_body text,
    html_body text,
    filenames text[],
    content_types text[],
    contents bytea[],
    idempotency_key text,
    fingerprint bytea,
    queued_at timestamptz,
    expires_at timestamptz,
    out id uuid,
    out replayed boolean,
    out same_content boolean
)
language plpgsql
security definer
set search_path = ''
as $$
#variable_conflict use_column
begin
    insert into mail.messages as m
        (recipients, subject, text_body, html_body, idempotency_key, fingerprint, created_at, due_at, expires_at)
    values
        (enqueue.recipients, enqueue.subject, enqueue.text_body, enqueue.html_body, enqueue.idempotency_key,
         enqueue.fingerprint, enqueue.queued_at, enqueue.queued_at, enqueue.expires_at)
    on conflict (idempotency_key) do nothing
    returning m.id into enqueue.id;

    enqueue.replayed := enqueue.id is null;
    enqueue.same_content := true;
    if enqueue.replayed then
        select m.id, m.fingerprint = enqueue.fingerprint into enqueue.id, enqueue.same_content
        from mail.messages as m
        where m.idempotency_key = enqueue.idempotency_key;
        return;
    end if;

    insert into mail.attachments (message_id, position, filename, content_type, content)
    select enqueue.id, file.position, file.filename, file.content_type, file.content
    from unnest(enqueue.filenames, enqueue.content_types, enqueue.contents) with ordinality
        as file (filename, content_type, content, position);

    perform pg_notify('banyan_mail', '');
end;
$$;

comment on function mail.enqueue is
    'Queues one message in the caller''s transaction; the notification wakes the drain when it commits.';

revoke all on function mail.enqueue from public;

do $$
begin
    -- The auth service mails its codes in the transaction that stores them.
    if exists (select from pg_roles where rolname = 'supabase_auth_admin') then
        grant usage on schema mail to supabase_auth_admin;
        grant execute on function mail.enqueue to supabase_auth_admin;
    end if;
end;
$$;
