-- Lists of one level of names (CONTRACT.md Q12). They read an index in its order and skip what lies
-- in a folder, so that a page costs the same whatever the bucket holds. Sorting is off and a plan
-- is made once, so that no other plan is chosen. Every list runs as its caller: policies decide
-- what is in it.
--
-- Two characters make places between names. chr(1) behind a name is the first place after it.
-- chr(1114111), the greatest character, behind a prefix is the place after all names that begin
-- with the prefix.

create function storage.get_common_prefix(p_key text, p_prefix text, p_delimiter text) returns text
language sql immutable
as $$
    select case
        when p_delimiter <> '' and strpos(substr(p_key, length(p_prefix) + 1), p_delimiter) > 0 then left(
            p_key,
            length(p_prefix) + strpos(substr(p_key, length(p_prefix) + 1), p_delimiter) + length(p_delimiter) - 1
        )
    end
$$;

comment on function storage.get_common_prefix is
    'The folder below a prefix that a name lies in, with its delimiter: a/b/ of a/b/c below a/. Null if it lies in none.';

create function storage.list_objects_with_delimiter(
    _bucket_id text,
    prefix_param text,
    delimiter_param text,
    max_keys integer default 100,
    start_after text default '',
    next_token text default '',
    sort_order text default 'asc'
) returns table (
    name text,
    id uuid,
    metadata jsonb,
    updated_at timestamptz,
    created_at timestamptz,
    last_accessed_at timestamptz
)
language plpgsql stable
set enable_sort = off set plan_cache_mode = force_generic_plan
as $$
declare
    is_ascending constant boolean := lower(coalesce(sort_order, 'asc')) <> 'desc';
    prefix constant text collate "C" := coalesce(prefix_param, '');
    past_prefix constant text collate "C" := prefix || chr(1114111);
    marker constant text collate "C" := coalesce(nullif(next_token, ''), start_after, '');
    place text collate "C";
    folder text := storage.get_common_prefix(marker, prefix, delimiter_param);
    entries refcursor;
    listed integer := 0;
begin
    -- Where a page ended with a folder, the next one begins after all that the folder holds.
    if folder is distinct from marker then
        folder := null;
    end if;
    -- A caller may give a folder without its delimiter, as it is listed.
    if folder is null and marker <> '' and coalesce(next_token, '') = '' and exists (
        select
        from storage.objects as o
        where o.bucket_id = _bucket_id
            and o.name collate "C" >= marker || delimiter_param
            and o.name collate "C" < marker || delimiter_param || chr(1114111)
    ) then
        folder := marker || delimiter_param;
    end if;
    if is_ascending then
        place := greatest(prefix, case when folder is null then marker || chr(1) else folder || chr(1114111) end);
    else
        place := least(past_prefix, coalesce(folder, nullif(marker, ''), past_prefix));
    end if;
    while listed < max_keys loop
        if is_ascending then
            open entries for
                select o.name, o.id, o.metadata, o.updated_at, o.created_at, o.last_accessed_at
                from storage.objects as o
                where o.bucket_id = _bucket_id and o.name collate "C" >= place and o.name collate "C" < past_prefix
                order by o.name collate "C";
        else
            open entries for
                select o.name, o.id, o.metadata, o.updated_at, o.created_at, o.last_accessed_at
                from storage.objects as o
                where o.bucket_id = _bucket_id and o.name collate "C" >= prefix and o.name collate "C" < place
                order by o.name collate "C" desc;
        end if;
        folder := null;
        while listed < max_keys and folder is null loop
            fetch entries into name, id, metadata, updated_at, created_at, last_accessed_at;
            exit when not found;
            folder := storage.get_common_prefix(name, prefix, delimiter_param);
            if folder is not null then
                place := case when is_ascending then folder || chr(1114111) else folder end;
                name := left(folder, -length(delimiter_param));
                id := null;
                metadata := null;
                updated_at := null;
                created_at := null;
                last_accessed_at := null;
            end if;
            return next;
            listed := listed + 1;
        end loop;
        close entries;
        exit when folder is null;
    end loop;
end
$$;

comment on function storage.list_objects_with_delimiter is
    'Objects directly below a prefix, and folders, which have a name and no id. The next page begins after next_token: the '
    'name of an object, or that of a folder with its delimiter. start_after takes a folder without it, too.';

create function storage.search_by_timestamp(
    p_prefix text,
    p_bucket_id text,
    p_limit integer,
    p_level integer,
    p_start_after text,
    p_sort_order text,
    p_sort_column text,
    p_sort_column_after text
) returns table (
    key text,
    name text,
    id uuid,
    updated_at timestamptz,
    created_at timestamptz,
    last_accessed_at timestamptz,
    metadata jsonb
)
language sql stable
as $$
    with below as (
        select o.*, storage.get_common_prefix(o.name, coalesce(p_prefix, ''), '/') as folder
        from storage.objects as o
        where o.bucket_id = p_bucket_id
            and o.name collate "C" >= coalesce(p_prefix, '')
            and o.name collate "C" < coalesce(p_prefix, '') || chr(1114111)
    ),
    entries as (
        -- A folder is as old as the oldest object in it.
        select left(b.folder, -1) collate "C" as name, null::uuid as id, min(b.created_at) as updated_at,
            min(b.created_at) as created_at, null::timestamptz as last_accessed_at, null::jsonb as metadata
        from below as b
        where b.folder is not null
        group by b.folder
        union all
        select b.name collate "C", b.id, b.updated_at, b.created_at, b.last_accessed_at, b.metadata
        from below as b
        where b.folder is null
    ),
    timed as (
        -- As fine as the cursor of a client is.
        select e.*, coalesce(
            date_trunc('milliseconds', case when p_sort_column = 'updated_at' then e.updated_at else e.created_at end),
            'epoch'
        ) as at
        from entries as e
    )
    select split_part(t.name, '/', p_level), t.name, t.id, t.updated_at, t.created_at, t.last_accessed_at, t.metadata
    from timed as t
    where coalesce(p_start_after, '') = ''
        or case
            when p_sort_order = 'desc'
            then (t.at, t.name) < (coalesce(nullif(p_sort_column_after, '')::timestamptz, 'epoch'), p_start_after)
            else (t.at, t.name) > (coalesce(nullif(p_sort_column_after, '')::timestamptz, 'epoch'), p_start_after)
        end
    order by
        case when p_sort_order = 'desc' then t.at end desc,
        case when p_sort_order = 'desc' then t.name end desc,
        t.at,
        t.name
    limit p_limit
$$;

comment on function storage.search_by_timestamp is
    'As search_v2, by updated_at or created_at. It reads all that lies below the prefix.';

create function storage.search_v2(
    prefix text,
    bucket_name text,
    limits integer default 100,
    levels integer default 1,
    start_after text default '',
    sort_order text default 'asc',
    sort_column text default 'name',
    sort_column_after text default ''
) returns table (
    key text,
    name text,
    id uuid,
    updated_at timestamptz,
    created_at timestamptz,
    last_accessed_at timestamptz,
    metadata jsonb
)
language plpgsql stable
as $$
declare
    at_most constant integer := least(coalesce(limits, 100), 1500);
    direction constant text := case when lower(sort_order) = 'desc' then 'desc' else 'asc' end;
begin
    if lower(sort_column) in ('updated_at', 'created_at') then
        return query
        select t.*
        from storage.search_by_timestamp(
            prefix, bucket_name, at_most, levels, start_after, direction, lower(sort_column), sort_column_after
        ) as t;
    else
        return query
        select split_part(l.name, '/', levels), l.name, l.id, l.updated_at, l.created_at, l.last_accessed_at, l.metadata
        from storage.list_objects_with_delimiter(bucket_name, prefix, '/', at_most, start_after, '', direction) as l;
    end if;
end
$$;

comment on function storage.search_v2 is
    'Objects directly below a prefix, and folders, which have no id: at most 1500. name is the whole path, key its part at '
    'the level. The next page begins after the last name, and with a sort column after its time too.';

create function storage.banyan_level(
    in_bucket text,
    below text,
    is_ascending boolean,
    skipped integer,
    at_most integer
) returns table (
    name text,
    id uuid,
    updated_at timestamptz,
    created_at timestamptz,
    last_accessed_at timestamptz,
    metadata jsonb
)
language plpgsql stable
set enable_sort = off set plan_cache_mode = force_generic_plan
as $$
declare
    prefix constant text collate "C" := storage.banyan_lower(below);
    past_prefix constant text collate "C" := prefix || chr(1114111);
    place text collate "C" := case when is_ascending then prefix else past_prefix end;
    folder text;
    entries refcursor;
    met integer := 0;
    last constant integer := skipped + at_most;
begin
    while met < last or last is null loop
        if is_ascending then
            open entries for
                select o.name, o.id, o.updated_at, o.created_at, o.last_accessed_at, o.metadata
                from storage.objects as o
                where o.bucket_id = in_bucket
                    and storage.banyan_lower(o.name) collate "C" >= place
                    and storage.banyan_lower(o.name) collate "C" < past_prefix
                order by storage.banyan_lower(o.name) collate "C";
        else
            open entries for
                select o.name, o.id, o.updated_at, o.created_at, o.last_accessed_at, o.metadata
                from storage.objects as o
                where o.bucket_id = in_bucket
                    and storage.banyan_lower(o.name) collate "C" >= prefix
                    and storage.banyan_lower(o.name) collate "C" < place
                order by storage.banyan_lower(o.name) collate "C" desc;
        end if;
        folder := null;
        while folder is null and (met < last or last is null) loop
            fetch entries into name, id, updated_at, created_at, last_accessed_at, metadata;
            exit when not found;
            folder := storage.get_common_prefix(storage.banyan_lower(name), prefix, '/');
            if folder is not null then
                place := case when is_ascending then folder || chr(1114111) else folder end;
                name := left(storage.get_common_prefix(name, below, '/'), -1);
                id := null;
                updated_at := null;
                created_at := null;
                last_accessed_at := null;
                metadata := null;
            end if;
            met := met + 1;
            if met > skipped then
                return next;
            end if;
        end loop;
        close entries;
        exit when folder is null;
    end loop;
end
$$;

comment on function storage.banyan_level is
    'Objects directly below a prefix, and folders, which have no id; case is ignored. Null for the whole level.';

create function storage.search(
    prefix text,
    bucketname text,
    limits integer default 100,
    levels integer default 1,
    offsets integer default 0,
    search text default '',
    sortcolumn text default 'name',
    sortorder text default 'asc'
) returns table (
    name text,
    id uuid,
    updated_at timestamptz,
    created_at timestamptz,
    last_accessed_at timestamptz,
    metadata jsonb
)
language plpgsql stable
as $$
declare
    below constant text := concat(prefix, search);
    behind_prefix constant integer := coalesce(length(prefix), 0) + 1;
    at_most constant integer := greatest(least(coalesce(limits, 100), 1500), 0);
    skipped constant integer := greatest(coalesce(offsets, 0), 0);
    is_ascending constant boolean := lower(coalesce(sortorder, 'asc')) <> 'desc';
    by_time constant text := lower(sortcolumn);
begin
    if by_time in ('updated_at', 'created_at', 'last_accessed_at') then
        return query
        select substr(l.name, behind_prefix), l.id, l.updated_at, l.created_at, l.last_accessed_at, l.metadata
        from storage.banyan_level(bucketname, below, is_ascending, 0, null) with ordinality as l,
            lateral (
                select case by_time
                    when 'updated_at' then l.updated_at
                    when 'created_at' then l.created_at
                    else l.last_accessed_at
                end
            ) as of_entry (at)
        order by
            l.id is not null,
            case when is_ascending then at end,
            case when not is_ascending then at end desc,
            l.ordinality
        limit at_most offset skipped;
    else
        return query
        select substr(l.name, behind_prefix), l.id, l.updated_at, l.created_at, l.last_accessed_at, l.metadata
        from storage.banyan_level(bucketname, below, is_ascending, skipped, at_most) as l;
    end if;
end
$$;

comment on function storage.search is
    'Objects directly below a prefix followed by the start of a name, and folders, which have no id: at most 1500. Names are '
    'relative to the prefix, and case is ignored. By a time, folders come first. levels is not used.';

create function storage.list_multipart_uploads_with_delimiter(
    bucket_id text,
    prefix_param text,
    delimiter_param text,
    max_keys integer default 100,
    next_key_token text default '',
    next_upload_token text default ''
) returns table (key text, id text, created_at timestamptz)
language plpgsql stable
set enable_sort = off set plan_cache_mode = force_generic_plan
as $$
declare
    in_bucket constant text := bucket_id;
    prefix constant text collate "C" := coalesce(prefix_param, '');
    past_prefix constant text collate "C" := prefix || chr(1114111);
    marker constant text collate "C" := coalesce(next_key_token, '');
    after_id constant text := nullif(next_upload_token, '');
    after_time timestamptz;
    place text collate "C";
    folder text := storage.get_common_prefix(marker, prefix, delimiter_param);
    entries refcursor;
    listed integer := 0;
begin
    if after_id is not null then
        select u.created_at into after_time from storage.s3_multipart_uploads as u where u.id = after_id;
    end if;
    place := greatest(prefix, case
        when folder = marker then marker || chr(1114111)
        when after_id is null then marker || chr(1)
        else marker
    end);
    while listed < max_keys loop
        open entries for
            select u.key, u.id, u.created_at
            from storage.s3_multipart_uploads as u
            where u.bucket_id = in_bucket and u.key >= place and u.key < past_prefix
                and (
                    after_id is null
                    or u.key <> marker
                    or (u.created_at, u.id) > (coalesce(after_time, '-infinity'), after_id)
                )
            order by u.key, u.created_at, u.id;
        folder := null;
        while listed < max_keys and folder is null loop
            fetch entries into key, id, created_at;
            exit when not found;
            folder := storage.get_common_prefix(key, prefix, delimiter_param);
            if folder is not null then
                place := folder || chr(1114111);
                key := folder;
                id := null;
                created_at := null;
            end if;
            return next;
            listed := listed + 1;
        end loop;
        close entries;
        exit when folder is null;
    end loop;
end
$$;

comment on function storage.list_multipart_uploads_with_delimiter is
    'Unfinished uploads by key, then by age, and folders, which have no id. The next page begins after the last key and id.';
