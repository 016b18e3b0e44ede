-- What follows a change of objects and buckets, in the same transaction. The triggers come with the tables. Their functions
-- run with the rights of supabase_storage_admin, not of the superuser: a project may change those tables. Nobody calls them.

-- Each old version is looked up by its index: a plan of one large delete must not serve the small ones after it.
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

-- A notification holds up other commits that notify, so an insert sends none: no cache holds what was not there.
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

-- One notification of at most 7999 bytes, which is what PostgreSQL sends: names are left out where they do not fit.
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
    if exists (
        select
        from unnest(owners, changes) as change (owner_id, bytes)
        join _banyan.storage_usage as used using (owner_id)
        where change.bytes > 0 and used.bytes > quota
    ) then
        raise configuration_limit_exceeded using message = 'The quota of the owner is used up.';
    end if;
    return null;
end
$$;

comment on function _banyan.storage_count_usage is
    'Counts the bytes of each owner. With the setting banyan.storage_quota (bytes) it refuses more than that with 53400.';

-- By the service's login, which owns the table.
create function _banyan.storage_set_usage(counted boolean) returns void
language plpgsql
set search_path = ''
as $$
begin
    if _banyan.storage_usage_is_counted() = counted then
        return;
    end if;
    -- Writers end first, and others wait.
    lock table storage.objects in share row exclusive mode;
    if _banyan.storage_usage_is_counted() = counted then
        return;
    end if;
    delete from _banyan.storage_usage;
    if not counted then
        alter table storage.objects disable trigger banyan_usage_of_added;
        alter table storage.objects disable trigger banyan_usage_of_replaced;
        alter table storage.objects disable trigger banyan_usage_of_removed;
        alter table storage.objects disable trigger banyan_usage_of_all;
        return;
    end if;
    insert into _banyan.storage_usage (owner_id, bytes)
    select owner_id, sum(_banyan.storage_size(metadata))
    from storage.objects
    where owner_id is not null
    group by owner_id;
    alter table storage.objects enable always trigger banyan_usage_of_added;
    alter table storage.objects enable always trigger banyan_usage_of_replaced;
    alter table storage.objects enable always trigger banyan_usage_of_removed;
    alter table storage.objects enable always trigger banyan_usage_of_all;
end
$$;

comment on function _banyan.storage_set_usage is
    'Begins or ends to count the bytes of each owner. Whoever uploads waits while all objects are counted, once.';

create function _banyan.storage_usage_is_counted() returns boolean
language sql stable
set search_path = ''
as $$
    select exists (
        select
        from pg_trigger
        where tgrelid = to_regclass('storage.objects') and tgname = 'banyan_usage_of_added' and tgenabled <> 'D'
    )
$$;

do $$
declare
    name text;
begin
    foreach name in array array[
        'storage_queue_garbage()', 'storage_tell_objects()', 'storage_tell_buckets()', 'storage_tell(text, jsonb)',
        'storage_size(jsonb)', 'storage_count_usage()', 'storage_set_usage(boolean)', 'storage_usage_is_counted()'
    ] loop
        execute format('alter function _banyan.%s owner to supabase_storage_admin', name);
        execute format('revoke all on function _banyan.%s from public', name);
    end loop;
end
$$;
