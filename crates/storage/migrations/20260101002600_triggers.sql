-- What follows a change (`_banyan.storage_…`). They fire while a dump is restored too, which asks
-- for no triggers.

create trigger banyan_garbage_of_replaced after update on storage.objects
    referencing old table as old_rows
    for each statement execute function _banyan.storage_queue_garbage();
create trigger banyan_garbage_of_removed after delete on storage.objects
    referencing old table as old_rows
    for each statement execute function _banyan.storage_queue_garbage();

create trigger banyan_garbage_of_removed after delete on storage.s3_multipart_uploads
    referencing old table as old_rows
    for each statement execute function _banyan.storage_queue_garbage();

create trigger banyan_tell_of_replaced after update on storage.objects
    referencing old table as old_rows new table as new_rows
    for each statement execute function _banyan.storage_tell_objects();
create trigger banyan_tell_of_removed after delete on storage.objects
    referencing old table as old_rows
    for each statement execute function _banyan.storage_tell_objects();
create trigger banyan_tell_of_all after truncate on storage.objects
    for each statement execute function _banyan.storage_tell_objects();

create trigger banyan_tell_of_added after insert on storage.buckets
    referencing new table as new_rows
    for each statement execute function _banyan.storage_tell_buckets();
create trigger banyan_tell_of_replaced after update on storage.buckets
    referencing old table as old_rows new table as new_rows
    for each statement execute function _banyan.storage_tell_buckets();
create trigger banyan_tell_of_removed after delete on storage.buckets
    referencing old table as old_rows
    for each statement execute function _banyan.storage_tell_buckets();
create trigger banyan_tell_of_all after truncate on storage.buckets
    for each statement execute function _banyan.storage_tell_buckets();

create trigger banyan_usage_of_added after insert on storage.objects
    referencing new table as new_rows
    for each statement execute function _banyan.storage_count_usage();
create trigger banyan_usage_of_replaced after update on storage.objects
    referencing old table as old_rows new table as new_rows
    for each statement execute function _banyan.storage_count_usage();
create trigger banyan_usage_of_removed after delete on storage.objects
    referencing old table as old_rows
    for each statement execute function _banyan.storage_count_usage();
create trigger banyan_usage_of_all after truncate on storage.objects
    for each statement execute function _banyan.storage_count_usage();

create trigger banyan_events_of_added after insert on storage.objects
    referencing new table as new_rows
    for each statement execute function _banyan.storage_note_objects();
create trigger banyan_events_of_replaced after update on storage.objects
    referencing old table as old_rows new table as new_rows
    for each statement execute function _banyan.storage_note_objects();
create trigger banyan_events_of_removed after delete on storage.objects
    referencing old table as old_rows
    for each statement execute function _banyan.storage_note_objects();

create trigger banyan_events_of_added after insert on storage.buckets
    referencing new table as new_rows
    for each statement execute function _banyan.storage_note_buckets();
create trigger banyan_events_of_removed after delete on storage.buckets
    referencing old table as old_rows
    for each statement execute function _banyan.storage_note_buckets();

alter table storage.objects enable always trigger banyan_garbage_of_replaced;
alter table storage.objects enable always trigger banyan_garbage_of_removed;
alter table storage.s3_multipart_uploads enable always trigger banyan_garbage_of_removed;
alter table storage.objects enable always trigger banyan_tell_of_replaced;
alter table storage.objects enable always trigger banyan_tell_of_removed;
alter table storage.objects enable always trigger banyan_tell_of_all;
alter table storage.buckets enable always trigger banyan_tell_of_added;
alter table storage.buckets enable always trigger banyan_tell_of_replaced;
alter table storage.buckets enable always trigger banyan_tell_of_removed;
alter table storage.buckets enable always trigger banyan_tell_of_all;
-- These are turned on while a quota or a webhook is set (`_banyan.storage_switch`).
alter table storage.objects disable trigger banyan_usage_of_added;
alter table storage.objects disable trigger banyan_usage_of_replaced;
alter table storage.objects disable trigger banyan_usage_of_removed;
alter table storage.objects disable trigger banyan_usage_of_all;
alter table storage.objects disable trigger banyan_events_of_added;
alter table storage.objects disable trigger banyan_events_of_replaced;
alter table storage.objects disable trigger banyan_events_of_removed;
alter table storage.buckets disable trigger banyan_events_of_added;
alter table storage.buckets disable trigger banyan_events_of_removed;
