-- Buckets, objects and unfinished uploads, in the reference's shape. Names and types are a
-- contract: policies, triggers and dumps of projects depend on them (CONTRACT.md Q01 to Q10).

create type storage.buckettype as enum ('STANDARD', 'ANALYTICS', 'VECTOR');

create table storage.buckets (
    id text not null,
    name text not null,
    owner uuid,
    created_at timestamptz default now(),
    updated_at timestamptz default now(),
    public boolean default false,
    avif_autodetection boolean default false,
    file_size_limit bigint,
    allowed_mime_types text[],
    owner_id text,
    type storage.buckettype not null default 'STANDARD',
    versioning_status text not null default 'DISABLED',
    constraint buckets_pkey primary key (id),
    constraint buckets_versioning_status_check check (versioning_status in ('DISABLED', 'ENABLED', 'SUSPENDED')),
    constraint buckets_versioning_standard_only_check check (type = 'STANDARD' or versioning_status = 'DISABLED'),
    constraint buckets_versioning_dark_check check (versioning_status = 'DISABLED')
);

comment on column storage.buckets.owner is 'Deprecated: owner_id takes its place.';

create unique index bname on storage.buckets (name);

create table storage.objects (
    id uuid not null default gen_random_uuid(),
    bucket_id text,
    name text,
    owner uuid,
    created_at timestamptz default now(),
    updated_at timestamptz default now(),
    last_accessed_at timestamptz default now(),
    metadata jsonb,
    path_tokens text[] generated always as (string_to_array(name, '/')) stored,
    version text,
    owner_id text,
    user_metadata jsonb,
    archived_at timestamptz,
    is_delete_marker boolean not null default false,
    is_versioned boolean not null default false,
    constraint objects_pkey primary key (id),
    constraint "objects_bucketId_fkey" foreign key (bucket_id) references storage.buckets (id)
);

comment on column storage.objects.owner is 'Deprecated: owner_id takes its place.';
comment on column storage.objects.version is 'The name of the object''s bytes in the back end.';

create unique index bucketid_objname on storage.objects (bucket_id, name);
create index idx_objects_bucket_id_name on storage.objects (bucket_id, (name collate "C"));
-- Lists that ignore case. PostgreSQL uses an index below policies only if nothing in its expression
-- could tell what they hide, and lower() is not declared so.
create index idx_objects_bucket_id_name_lower on storage.objects (bucket_id, (storage.banyan_lower(name) collate "C"));
create index name_prefix_search on storage.objects (name text_pattern_ops);
-- Whether bytes are still some object's.
create index banyan_objects_version on storage.objects (version);

create table storage.s3_multipart_uploads (
    id text not null,
    in_progress_size bigint not null default 0,
    upload_signature text not null,
    bucket_id text not null,
    key text collate "C" not null,
    version text not null,
    owner_id text,
    created_at timestamptz not null default now(),
    user_metadata jsonb,
    metadata jsonb,
    constraint s3_multipart_uploads_pkey primary key (id),
    constraint s3_multipart_uploads_bucket_id_fkey foreign key (bucket_id) references storage.buckets (id)
);

create index idx_multipart_uploads_list on storage.s3_multipart_uploads (bucket_id, key, created_at, id);
create index banyan_uploads_of_owner on storage.s3_multipart_uploads (coalesce(owner_id, ''));

create table storage.s3_multipart_uploads_parts (
    id uuid not null default gen_random_uuid(),
    upload_id text not null,
    size bigint not null default 0,
    part_number integer not null,
    bucket_id text not null,
    key text collate "C" not null,
    etag text not null,
    owner_id text,
    version text not null,
    created_at timestamptz not null default now(),
    constraint s3_multipart_uploads_parts_pkey primary key (id),
    constraint s3_multipart_uploads_parts_bucket_id_fkey foreign key (bucket_id) references storage.buckets (id),
    constraint s3_multipart_uploads_parts_upload_id_fkey foreign key (upload_id)
        references storage.s3_multipart_uploads (id) on delete cascade
);

create index banyan_parts_of_upload on storage.s3_multipart_uploads_parts (upload_id, part_number);

-- No policy: what a project does not open stays closed, but to service_role.
alter table storage.buckets enable row level security;
alter table storage.objects enable row level security;
alter table storage.s3_multipart_uploads enable row level security;
alter table storage.s3_multipart_uploads_parts enable row level security;

grant all on storage.buckets, storage.objects to anon, authenticated, service_role;
grant all on storage.buckets, storage.objects to postgres with grant option;
grant all on storage.s3_multipart_uploads, storage.s3_multipart_uploads_parts to service_role;
grant select on storage.s3_multipart_uploads, storage.s3_multipart_uploads_parts to anon, authenticated;

create function storage.update_updated_at_column() returns trigger
language plpgsql
as $$
begin
    new.updated_at := now();
    return new;
end
$$;

create trigger update_objects_updated_at before update on storage.objects
    for each row execute function storage.update_updated_at_column();

create function storage.enforce_bucket_name_length() returns trigger
language plpgsql
as $$
begin
    if length(new.name) > 100 then
        raise exception 'The bucket name "%" has % characters; at most 100 are allowed.', new.name, length(new.name);
    end if;
    return new;
end
$$;

create trigger enforce_bucket_name_length_trigger before insert or update of name on storage.buckets
    for each row execute function storage.enforce_bucket_name_length();

create function storage.protect_delete() returns trigger
language plpgsql
as $$
begin
    if coalesce(current_setting('storage.allow_delete_query', true), '') <> 'true' then
        raise insufficient_privilege using
            message = 'Direct deletion from storage tables is not allowed. Use the Storage API instead.',
            hint = 'The storage API deletes the files too. `set storage.allow_delete_query = ''true''` allows it.';
    end if;
    return null;
end
$$;

create trigger protect_buckets_delete before delete on storage.buckets
    for each statement execute function storage.protect_delete();
create trigger protect_objects_delete before delete on storage.objects
    for each statement execute function storage.protect_delete();

-- Whoever could name a version would read, or delete, the bytes of any object. The service names
-- them as service_role; a rehearsal as the caller has the version 1, which names no bytes.
create function storage.banyan_refuse_version() returns trigger
language plpgsql
as $$
begin
    raise insufficient_privilege using message = 'The storage API alone names the version of an object.';
end
$$;

comment on function storage.banyan_refuse_version is
    'Refuses a version that may name bytes, of a role that is no member of service_role.';

create trigger banyan_guard_new_version before insert on storage.objects
    for each row
    when (
        not pg_has_role(current_user, 'service_role', 'member')
        and new.version ~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$'
    )
    execute function storage.banyan_refuse_version();
create trigger banyan_guard_version before update on storage.objects
    for each row
    when (
        not pg_has_role(current_user, 'service_role', 'member')
        and new.version is distinct from old.version
        and new.version ~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$'
    )
    execute function storage.banyan_refuse_version();
