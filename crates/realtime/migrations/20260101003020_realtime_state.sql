-- What the stack does to the tables of realtime. Nobody calls these functions but the stack.

-- Made empty, as by the supabase CLI.
create schema if not exists _realtime authorization supabase_admin;

-- The new table is attached, and not made as a partition, since that would wait for every writer.
create function _banyan.realtime_add_partition(day date) returns void
language plpgsql
set search_path = ''
as $$
declare
    name constant text := 'messages_' || to_char(day, 'YYYY_MM_DD');
begin
    if to_regclass(format('realtime.%I', name)) is not null then
        return;
    end if;
    execute format('create table realtime.%I (like realtime.messages including all)', name);
    execute format('alter table realtime.%I owner to supabase_realtime_admin', name);
    execute format('alter table realtime.%I enable row level security', name);
    execute format(
        'alter table realtime.messages attach partition realtime.%I for values from (%L) to (%L)', name, day, day + 1
    );
end
$$;

comment on function _banyan.realtime_add_partition is
    'Makes the partition of realtime.messages for a day, if it is not there.';

create function _banyan.realtime_keep_partitions() returns void
language plpgsql
set search_path = '' set lock_timeout = '2s'
as $$
declare
    today constant date := (now() at time zone 'utc')::date;
    old name;
begin
    -- Two nodes that start together take turns.
    perform pg_advisory_xact_lock(hashtext('_banyan.realtime_keep_partitions'));
    perform _banyan.realtime_add_partition(today + ahead) from generate_series(-1, 3) as ahead;
    for old in
        select child.relname
        from pg_inherits
        join pg_class as child on child.oid = inhrelid
        where inhparent = 'realtime.messages'::regclass
            and child.relname ~ '^messages_\d{4}_\d{2}_\d{2}$'
            and to_date(right(child.relname, 10), 'YYYY_MM_DD') < today - 3
    loop
        execute format('drop table realtime.%I', old);
    end loop;
end
$$;

comment on function _banyan.realtime_keep_partitions is
    'Makes the partitions of realtime.messages from yesterday to three days ahead, and drops those of days that ended '
    '72 hours ago or earlier.';

create function _banyan.realtime_keep_publication() returns void
language plpgsql
set search_path = ''
as $$
begin
    if exists (
        select
        from pg_publication as publication
        join pg_publication_rel as held on held.prpubid = publication.oid
        where publication.pubname = 'supabase_realtime_messages_publication'
            and publication.pubinsert and publication.pubviaroot
            and not publication.pubupdate and not publication.pubdelete and not publication.pubtruncate
            and held.prrelid = 'realtime.messages'::regclass and held.prqual is null and held.prattrs is null
            and (select count(*) from pg_publication_rel where prpubid = publication.oid) = 1
            and not exists (select from pg_publication_namespace where pnpubid = publication.oid)
    ) then
        return;
    end if;
    drop publication if exists supabase_realtime_messages_publication;
    create publication supabase_realtime_messages_publication for table realtime.messages
        with (publish = 'insert', publish_via_partition_root = true);
    alter publication supabase_realtime_messages_publication owner to supabase_realtime_admin;
end
$$;

comment on function _banyan.realtime_keep_publication is
    'Makes the publication of realtime.messages anew where it is gone or holds anything else.';

revoke all on function _banyan.realtime_add_partition, _banyan.realtime_keep_partitions,
    _banyan.realtime_keep_publication from public;
grant execute on function _banyan.realtime_add_partition, _banyan.realtime_keep_partitions,
    _banyan.realtime_keep_publication to supabase_realtime_admin;
