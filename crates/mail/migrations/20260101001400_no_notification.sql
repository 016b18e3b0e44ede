-- Whoever queues a message wakes the drain of its own process after the commit; other drains look at the queue by
-- themselves. A notification had every commit with a mail wait for the one before it: PostgreSQL keeps them in one order by
-- a lock of the whole database, which is held until the commit is on the disk.

create or replace function mail.enqueue(
    recipients text[],
    subject text,
    text_body text,
    html_body text,
    headers jsonb,
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
        (recipients, subject, text_body, html_body, headers, idempotency_key, fingerprint, created_at, due_at, expires_at)
    values
        (enqueue.recipients, enqueue.subject, enqueue.text_body, enqueue.html_body, enqueue.headers,
         enqueue.idempotency_key, enqueue.fingerprint, enqueue.queued_at, enqueue.queued_at, enqueue.expires_at)
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

    if cardinality(enqueue.filenames) > 0 then
        insert into mail.attachments (message_id, position, filename, content_type, content)
        select enqueue.id, file.position, file.filename, file.content_type, file.content
        from unnest(enqueue.filenames, enqueue.content_types, enqueue.contents) with ordinality
            as file (filename, content_type, content, position);
    end if;
end;
$$;

comment on function mail.enqueue is 'Queues one message in the caller''s transaction.';
