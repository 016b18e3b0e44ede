-- What follows a change of objects and buckets, in the same transaction. The triggers come with the
-- tables. Their functions run with the rights of supabase_storage_admin, not of the superuser: a
-- project may change those tables. Nobody calls them.

-- Each old version is looked up by its index: a plan of one large delete must not serve the small
-- ones after it.
create function _banyan.storage_queue_garbage() returns trigger
language plpgsql security definer
set search_path = '' set enable_hashjoin = off set enable_mergejoin = off set enable_seqscan = off
as $$
begin
    insert into _banyan.storage_garbage (version)
    select case when gone.version ~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' then gone.version::uuid end
    from old_rows as gone
    where gone.version ~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$'
        and not exists (select from storage.objects as live where live.version = gone.version)
    on conflict (version) do nothing;
    return null;
end
$$;

comment on function _banyan.storage_queue_garbage is
    'Queues versions that no object has any more. A version that is no UUID names no bytes of ours.';

-- A notification holds up other commits that notify, so an insert sends none: no cache holds what
-- was not there.
create function _banyan.storage_tell_objects() returns trigger
language plpgsql security definer
set search_path = ''
as $$
declare
    names_fit boolean;
    changed jsonb;
begin
    if tg_op = 'TRUNCATE' then
        perform _banyan.storage_tell('objects', null);
        return null;
    end if;
    select count(*) <= 100 into names_fit from old_rows;
    if tg_op = 'UPDATE' then
        select jsonb_object_agg(bucket_id, names) into changed
        from (
            select bucket_id, jsonb_agg(distinct name) filter (where names_fit) as names
            from (select bucket_id, name from old_rows union all select bucket_id, name from new_rows) as both_rows
            where bucket_id is not null and name is not null
            group by bucket_id
        ) as of_bucket;
    else
        select jsonb_object_agg(bucket_id, names) into changed
        from (
            select bucket_id, jsonb_agg(distinct name) filter (where names_fit) as names
            from old_rows
            where bucket_id is not null and name is not null
            group by bucket_id
        ) as of_bucket;
    end if;
    -- An upsert that only inserted comes here without a row.
    if changed is not null then
        perform _banyan.storage_tell('objects', changed);
    end if;
    return null;
end
$$;

create function _banyan.storage_tell_buckets() returns trigger
language plpgsql security definer
set search_path = ''
as $$
declare
    changed jsonb;
begin
    case tg_op
        when 'TRUNCATE' then
            perform _banyan.storage_tell('buckets', null);
        when 'INSERT' then
            select jsonb_object_agg(id, null) into changed from new_rows;
        when 'UPDATE' then
            select jsonb_object_agg(id, null) into changed
            from (select id from old_rows union select id from new_rows) as both_rows;
        when 'DELETE' then
            select jsonb_object_agg(id, null) into changed from old_rows;
    end case;
    if changed is not null then
        perform _banyan.storage_tell('buckets', changed);
    end if;
    return null;
end
$$;

-- One notification of at most 7999 bytes, which is what PostgreSQL sends: names are left out where
-- they do not fit.
create function _banyan.storage_tell(what text, changed jsonb) returns void
language plpgsql
set search_path = ''
as $$
declare
    payload text := jsonb_build_object(what, changed);
begin
    if octet_length(payload) > 7999 then
        select jsonb_build_object(what, jsonb_object_agg(bucket_id, null)) into payload
        from jsonb_object_keys(changed) as bucket_id;
    end if;
    if octet_length(payload) > 7999 then
        payload := jsonb_build_object(what, null);
    end if;
    perform pg_notify('banyan_storage', payload);
end
$$;

comment on function _banyan.storage_tell is
    'Notifies banyan_storage, such as {"objects": {"bucket": ["name"]}} or {"buckets": {"bucket": null}}. Null in place of '
    'names stands for all of a bucket, and in place of buckets for all of them.';

create function _banyan.storage_size(metadata jsonb) returns bigint
language sql immutable
as $$
    select case when jsonb_typeof(size) = 'number' then least(greatest(size::numeric, 0), 1e18)::bigint else 0 end
    from (select coalesce(metadata -> 'size', metadata -> 'contentLength')) as of_row (size)
$$;

comment on function _banyan.storage_size is 'Bytes of an object by its metadata; nonsense counts as none.';

-- The owners' rows are changed in one order, so that two statements cannot wait for each other.
create function _banyan.storage_count_usage() returns trigger
language plpgsql security definer
set search_path = ''
as $$
declare
    quota constant bigint := nullif(current_setting('banyan.storage_quota', true), '')::bigint;
    owners text[];
    changes bigint[];
begin
    case tg_op
        when 'TRUNCATE' then
            delete from _banyan.storage_usage;
        when 'INSERT' then
            select array_agg(owner_id), array_agg(bytes) into owners, changes
            from (
                select owner_id, sum(_banyan.storage_size(metadata))::bigint as bytes from new_rows group by owner_id
            ) as of_owner;
        when 'UPDATE' then
            select array_agg(owner_id), array_agg(bytes) into owners, changes
            from (
                select owner_id, sum(size)::bigint as bytes
                from (
                    select owner_id, _banyan.storage_size(metadata) as size from new_rows
                    union all
                    select owner_id, -_banyan.storage_size(metadata) from old_rows
                ) as both_rows
                group by owner_id
            ) as of_owner;
        when 'DELETE' then
            select array_agg(owner_id), array_agg(bytes) into owners, changes
            from (
                select owner_id, -sum(_banyan.storage_size(metadata))::bigint as bytes from old_rows group by owner_id
            ) as of_owner;
    end case;
    if owners is null then
        return null;
    end if;
    insert into _banyan.storage_usage as used (owner_id, bytes)
    select owner_id, bytes
    from unnest(owners, changes) as change (owner_id, bytes)
    where owner_id is not null and bytes <> 0
    order by owner_id
    on conflict (owner_id) do update set bytes = greatest(used.bytes + excluded.bytes, 0);
    if quota is not null and exists (
        select
        from unnest(owners, changes) as change (owner_id, bytes)
        join _banyan.storage_usage as used using (owner_id)
        where change.bytes > 0
            and used.bytes + (
                select coalesce(sum(upload.bytes), 0) from _banyan.storage_unfinished(change.owner_id) as upload
            ) > quota
    ) then
        raise configuration_limit_exceeded using message = 'The quota of the owner is used up.';
    end if;
    return null;
end
$$;

comment on function _banyan.storage_count_usage is
    'Counts the bytes of each owner. With the setting banyan.storage_quota (bytes) it refuses more than that with 53400. '
    'Unfinished uploads of the owner count.';

create function _banyan.storage_unfinished(owner text) returns table (version text, bytes bigint)
language plpgsql stable
set search_path = ''
as $$
begin
    return query
    select upload.version, upload.bytes
    from (
        select resumable.id::text, coalesce(resumable.length, resumable.received)
        from _banyan.storage_uploads as resumable
        where coalesce(resumable.owner_id, '') = coalesce(owner, '')
            and not resumable.finished
            and resumable.bounded
        union all
        select multipart.version, multipart.in_progress_size
        from storage.s3_multipart_uploads as multipart
        where coalesce(multipart.owner_id, '') = coalesce(owner, '')
            and coalesce(multipart.metadata ->> 'isOfService', '') <> 'true'
    ) as upload (version, bytes)
    where not exists (select from storage.objects as object where object.version = upload.version);
end
$$;

comment on function _banyan.storage_unfinished is
    'Uploads of an owner that are no object yet, and the bytes that they have or will have. Those of service_role are left out, and those that it has signed.';

-- The row of the owner is locked first; what others have committed until then is seen after it.
create function _banyan.storage_admit(
    owner text, upload text, size bigint, quota bigint, most integer
) returns boolean
language plpgsql
set search_path = ''
as $$
declare
    used bigint;
    others bigint;
    of_others bigint;
begin
    insert into _banyan.storage_usage as usage (owner_id, bytes)
    values (coalesce(owner, ''), 0)
    on conflict (owner_id) do update set bytes = usage.bytes
    returning usage.bytes into used;
    select count(*), coalesce(sum(unfinished.bytes), 0) into others, of_others
    from _banyan.storage_unfinished(owner) as unfinished
    where unfinished.version <> upload;
    if others >= most then
        raise insufficient_resources using message = 'Too many uploads of the owner are unfinished.';
    end if;
    if owner <> '' and used + of_others + size > quota then
        raise configuration_limit_exceeded using message = 'The quota of the owner is used up.';
    end if;
    return true;
end
$$;

comment on function _banyan.storage_admit is
    'Whether an upload of so many bytes may begin or go on: the owner has less than so many others (else 53000), and objects and '
    'uploads stay within the quota (else 53400). Null is no bound. The owner''s next upload waits for the end of the transaction.';

create function _banyan.storage_note_objects() returns trigger
language plpgsql security definer
set search_path = ''
as $$
declare
    operation constant text := coalesce(current_setting('storage.operation', true), '');
    is_copy constant boolean := operation ~ '\mcopy';
    upload constant jsonb := jsonb_build_object('uploadType', case
        when operation like 'storage.s3.%' then 's3'
        when operation like 'storage.tus.%' then 'resumable'
        else 'standard'
    end);
begin
    case tg_op
        when 'INSERT' then
            insert into _banyan.storage_events (type, payload)
            select case when is_copy then 'ObjectCreated:Copy' else 'ObjectCreated:Post' end,
                upload || _banyan.storage_event(new_row.bucket_id, new_row.name, new_row.version, new_row.metadata)
            from new_rows as new_row;
        when 'UPDATE' then
            insert into _banyan.storage_events (type, payload)
            select event.type, event.payload
            from new_rows as new_row
            join old_rows as old_row using (id)
            cross join lateral (
                select (new_row.bucket_id, new_row.name) is distinct from (old_row.bucket_id, old_row.name),
                    new_row.version is distinct from old_row.version,
                    (new_row.metadata, new_row.user_metadata) is distinct from (old_row.metadata, old_row.user_metadata),
                    _banyan.storage_event(old_row.bucket_id, old_row.name, old_row.version, old_row.metadata),
                    _banyan.storage_event(new_row.bucket_id, new_row.name, new_row.version, new_row.metadata)
            ) as change (is_moved, is_replaced, is_described, before, after)
            cross join lateral (
                select 'ObjectRemoved:Move', before where is_moved
                union all
                select 'ObjectCreated:Move', upload || after || jsonb_build_object('oldObject', before - 'metadata')
                where is_moved
                union all
                select case when is_copy then 'ObjectCreated:Copy' else 'ObjectCreated:Put' end, upload || after
                where is_replaced and not is_moved
                union all
                select 'ObjectUpdated:Metadata', after where is_described and not is_replaced and not is_moved
            ) as event (type, payload);
        when 'DELETE' then
            insert into _banyan.storage_events (type, payload)
            select 'ObjectRemoved:Delete',
                _banyan.storage_event(old_row.bucket_id, old_row.name, old_row.version, old_row.metadata)
            from old_rows as old_row;
    end case;
    return null;
end
$$;

comment on function _banyan.storage_note_objects is
    'Notes changed objects for the webhook. A new row is ObjectCreated:Post, and a new version of a row ObjectCreated:Put.';

create function _banyan.storage_event(bucket_id text, name text, version text, metadata jsonb) returns jsonb
language sql immutable
as $$
    select jsonb_build_object('bucketId', bucket_id, 'name', name, 'version', version, 'metadata', metadata)
$$;

create function _banyan.storage_note_buckets() returns trigger
language plpgsql security definer
set search_path = ''
as $$
begin
    if tg_op = 'INSERT' then
        insert into _banyan.storage_events (type, payload)
        select 'Bucket:Created', jsonb_build_object('bucketId', id, 'bucketName', name, 'type', type) from new_rows;
    else
        insert into _banyan.storage_events (type, payload)
        select 'Bucket:Deleted', jsonb_build_object('bucketId', id, 'bucketName', name, 'type', type) from old_rows;
    end if;
    return null;
end
$$;

create function _banyan.storage_set_usage(counted boolean) returns void
language plpgsql
set search_path = ''
as $$
begin
    -- Once writers have ended, and before others begin. The switch is asked again then: another
    -- node may have turned it.
    if _banyan.storage_switch('usage', counted) then
        delete from _banyan.storage_usage;
        if counted then
            insert into _banyan.storage_usage (owner_id, bytes)
            select owner_id, sum(_banyan.storage_size(metadata))
            from storage.objects
            where owner_id is not null
            group by owner_id;
        end if;
    end if;
end
$$;

comment on function _banyan.storage_set_usage is
    'Begins or ends to count the bytes of each owner. Whoever uploads waits while all objects are counted, once.';

create function _banyan.storage_set_events(noted boolean) returns void
language plpgsql
set search_path = ''
as $$
begin
    perform _banyan.storage_switch('events', noted);
end
$$;

comment on function _banyan.storage_set_events is 'Begins or ends to note changes for the webhook.';

create function _banyan.storage_switch(what text, turn_on boolean) returns boolean
language plpgsql
set search_path = ''
as $$
declare
    how constant text := case when turn_on then 'enable always' else 'disable' end;
    named record;
begin
    if _banyan.storage_is_on(what) = turn_on then
        return false;
    end if;
    lock table storage.buckets, storage.objects in share row exclusive mode;
    if _banyan.storage_is_on(what) = turn_on then
        return false;
    end if;
    for named in select * from _banyan.storage_triggers(what) loop
        execute format('alter table %s %s trigger %I', named.of_table, how, named.name);
    end loop;
    return true;
end
$$;

comment on function _banyan.storage_switch is
    'Turns the triggers banyan_usage_… or banyan_events_… on or off. False if they were so already.';

create function _banyan.storage_triggers(what text) returns table (of_table regclass, name name, is_on boolean)
language sql stable
set search_path = ''
as $$
    select tgrelid::regclass, tgname, tgenabled <> 'D'
    from pg_trigger
    where tgrelid in (to_regclass('storage.buckets'), to_regclass('storage.objects'))
        and starts_with(tgname, concat('banyan_', what, '_'))
$$;

create function _banyan.storage_is_on(what text) returns boolean
language sql stable
set search_path = ''
as $$
    select coalesce(bool_or(is_on), false) from _banyan.storage_triggers(what)
$$;

do $$
declare
    name text;
begin
    foreach name in array array[
        'storage_queue_garbage()', 'storage_tell_objects()', 'storage_tell_buckets()', 'storage_tell(text, jsonb)',
        'storage_size(jsonb)', 'storage_count_usage()', 'storage_note_objects()', 'storage_note_buckets()',
        'storage_unfinished(text)', 'storage_admit(text, text, bigint, bigint, integer)',
        'storage_event(text, text, text, jsonb)', 'storage_set_usage(boolean)', 'storage_set_events(boolean)',
        'storage_switch(text, boolean)', 'storage_is_on(text)', 'storage_triggers(text)'
    ] loop
        execute format('alter function _banyan.%s owner to supabase_storage_admin', name);
        execute format('revoke all on function _banyan.%s from public', name);
    end loop;
end
$$;
