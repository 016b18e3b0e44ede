-- Functions that policies and projects call (CONTRACT.md Q11, Q13 and T10). Those of one expression
-- are inlined into the policy.

create function storage.foldername(name text) returns text[]
language sql immutable
as $$
    select (string_to_array(name, '/'))[1 : array_length(string_to_array(name, '/'), 1) - 1]
$$;

comment on function storage.foldername is 'The folders that an object lies in, outermost first: {a,b} of a/b/c.png.';

create function storage.filename(name text) returns text
language sql immutable
as $$
    select (string_to_array(name, '/'))[array_length(string_to_array(name, '/'), 1)]
$$;

comment on function storage.filename is 'The last part of an object''s name: c.png of a/b/c.png.';

create function storage.extension(name text) returns text
language sql immutable
as $$
    select split_part((string_to_array(name, '/'))[array_length(string_to_array(name, '/'), 1)], '.', -1)
$$;

comment on function storage.extension is 'What follows the last dot of the file''s name; the whole of it without a dot.';

create function storage.operation() returns text
language sql stable
as $$
    select current_setting('storage.operation', true)
$$;

comment on function storage.operation is 'What the request does, such as storage.object.upload.';

create function storage.allow_any_operation(expected_operations text[]) returns boolean
language sql stable
as $$
    select exists (
        select
        from unnest(expected_operations) as expected (operation)
        where regexp_replace(operation, '^storage\.', '')
            = nullif(regexp_replace(storage.operation(), '^storage\.', ''), '')
    )
$$;

comment on function storage.allow_any_operation is
    'Whether the request does one of these. The prefix "storage." may be left out.';

create function storage.allow_only_operation(expected_operation text) returns boolean
language sql stable
as $$
    select storage.allow_any_operation(array[expected_operation])
$$;

comment on function storage.allow_only_operation is
    'Whether the request does this. The prefix "storage." may be left out.';

create function storage.can_insert_object(bucketid text, name text, owner uuid, metadata jsonb) returns void
language plpgsql
as $$
begin
    insert into storage.objects (bucket_id, name, owner, metadata) values (bucketid, name, owner, metadata);
    raise sqlstate 'PT200' using message = 'ROLLBACK', detail = 'rollback successful insert';
end
$$;

comment on function storage.can_insert_object is
    'Always fails: with PT200 if the caller may insert such an object, else with what forbids it.';

create function storage.get_size_by_bucket() returns table (size bigint, bucket_id text)
language sql stable
as $$
    select sum((o.metadata ->> 'size')::bigint)::bigint, o.bucket_id
    from storage.objects as o
    group by o.bucket_id
$$;

comment on function storage.get_size_by_bucket is 'Bytes of the objects that the caller sees, by bucket.';

-- Called by a project's own SQL where it deletes an account, of which storage knows nothing.
create function storage.banyan_end_uploads(owner text) returns void
language sql security definer
set search_path = ''
as $$
    update _banyan.storage_uploads
    set expires_at = 'epoch'
    where coalesce(owner_id, '') = owner
        and not finished;
    update storage.s3_multipart_uploads
    set created_at = 'epoch'
    where coalesce(owner_id, '') = owner
$$;

comment on function storage.banyan_end_uploads is
    'Ends the unfinished uploads of an owner. The sweep deletes their bytes within minutes.';

revoke all on function storage.banyan_end_uploads from public;
grant execute on function storage.banyan_end_uploads to postgres, service_role;
