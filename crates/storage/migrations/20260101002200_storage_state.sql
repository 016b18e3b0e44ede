-- What storage keeps for itself, beside the tables that a project may see. The superuser owns these
-- tables, so that no project puts a trigger on them; supabase_storage_admin, the service's own
-- login, reads and writes their rows. The roles of a request have no right on them, nor on their
-- schema.

create table _banyan.storage_stack (
    only_row boolean primary key default true check (only_row),
    id uuid not null
);

comment on table _banyan.storage_stack is
    'The stack that this database belongs to. The bytes of objects lie below its id, in a folder or a bucket of S3.';

create table _banyan.storage_garbage (
    version uuid primary key,
    since timestamptz not null default now()
);

comment on table _banyan.storage_garbage is
    'Versions of objects that were replaced or deleted, and whose bytes are still to be deleted.';

create table _banyan.storage_uploads (
    id uuid primary key,
    bucket_id text not null,
    name text not null,
    owner_id text,
    of_service boolean not null default false,
    bounded boolean not null default true,
    upsert boolean not null,
    length bigint check (length >= 0),
    received bigint not null default 0 check (received between 0 and coalesce(length, received)),
    upload_metadata text not null,
    parts_id text not null,
    next_part int not null default 1,
    tail uuid,
    tail_size bigint check (tail_size > 0),
    md5 bytea not null,
    generation bigint not null default 0,
    finished boolean not null default false,
    created_at timestamptz not null default now(),
    expires_at timestamptz not null,
    check ((tail is null) = (tail_size is null))
);

comment on table _banyan.storage_uploads is
    'Resumable uploads (TUS): those that are no object yet, and those that became one lately.';
comment on column _banyan.storage_uploads.id is 'The version that the object gets.';
comment on column _banyan.storage_uploads.of_service is 'Whether service_role began it; then nobody else goes on.';
comment on column _banyan.storage_uploads.bounded is
    'Whether it counts to what its owner may have. Not if service_role began it, or signed the URL that it is sent to.';
comment on column _banyan.storage_uploads.length is 'Bytes of the whole; null as long as the client has not said.';
comment on column _banyan.storage_uploads.received is 'Bytes that are safe: the client goes on from here.';
comment on column _banyan.storage_uploads.upload_metadata is 'The header Upload-Metadata, as it was sent.';
comment on column _banyan.storage_uploads.parts_id is 'The back end''s own name for the unfinished bytes.';
comment on column _banyan.storage_uploads.next_part is 'Number of the next part. No two writers have the same.';
comment on column _banyan.storage_uploads.tail is
    'Key of the last bytes received, where they are too few for a part of the back end.';
comment on column _banyan.storage_uploads.md5 is 'The state of the MD5 over all bytes received.';
comment on column _banyan.storage_uploads.generation is
    'Counts the writers. What a writer does to the row names its generation, and fails once there is a newer one.';

create table _banyan.storage_upload_parts (
    upload_id uuid not null references _banyan.storage_uploads on delete cascade,
    number int not null check (number > 0),
    part_id text not null,
    size bigint not null check (size > 0),
    primary key (upload_id, number)
);

comment on table _banyan.storage_upload_parts is 'Parts of resumable uploads that the back end holds.';

create index storage_uploads_expires_at on _banyan.storage_uploads (expires_at);
create index storage_uploads_of_owner on _banyan.storage_uploads (coalesce(owner_id, '')) where not finished;

create table _banyan.storage_events (
    id bigint generated always as identity primary key,
    type text not null,
    payload jsonb not null,
    created_at timestamptz not null default now(),
    attempts int not null default 0,
    refused boolean not null default false,
    next_at timestamptz not null default now()
);

comment on table _banyan.storage_events is 'Changes that the webhook is still to be told of.';
comment on column _banyan.storage_events.refused is
    'Whether the webhook refused this event itself at the last try. Those behind it do not wait then.';

create index storage_events_next_at on _banyan.storage_events (next_at);

create table _banyan.storage_usage (
    owner_id text primary key,
    bytes bigint not null
) with (fillfactor = 50);

comment on table _banyan.storage_usage is
    'Bytes of the objects of each owner, kept while a quota is set. What adds to them locks the row, so that two at a time are '
    'not both let through. Callers without an id have one row, which counts nothing.';

-- Row-level security lets the service's login alone pass.
do $$
declare
    name text;
begin
    foreach name in array array['stack', 'garbage', 'uploads', 'upload_parts', 'events', 'usage'] loop
        execute format('alter table _banyan.storage_%s enable row level security', name);
        execute format('revoke all on _banyan.storage_%s from public', name);
        execute format('grant select, insert, update, delete on _banyan.storage_%s to supabase_storage_admin', name);
        execute format('create policy of_the_service on _banyan.storage_%s to supabase_storage_admin using (true)', name);
    end loop;
end
$$;

-- lower(), declared to tell nothing of what it is asked: an index of it serves lists below policies
-- too. Only a superuser may declare that.
create function storage.banyan_lower(text) returns text
language internal immutable strict leakproof parallel safe
as 'lower';

alter function storage.banyan_lower owner to supabase_storage_admin;

comment on function storage.banyan_lower is 'lower(), in a form that indexes serve below row-level security.';
