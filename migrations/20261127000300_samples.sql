-- Samples: files that a teacher shows to the generator. Each lies in a private bucket, for a day at most (S-204, D32, D37).

insert into storage.buckets (id, name, public, file_size_limit, allowed_mime_types)
values (
  'samples',
  'samples',
  false,
  10000000,
  array['application/pdf', 'application/vnd.openxmlformats-officedocument.wordprocessingml.document']
);

alter table private.settings
add column sample_lifetime interval not null default '24 hours',
add column samples_per_user integer not null default 10 check (samples_per_user > 0);

comment on column private.settings.sample_lifetime is 'A sample is deleted this long after its upload.';
comment on column private.settings.samples_per_user is 'Samples that a user may have at a time. The next one takes the place of the oldest.';

create policy samples_select on storage.objects
for select
to authenticated
using (bucket_id = 'samples' and (storage.foldername(name))[1] = (select auth.uid())::text);

comment on policy samples_select on storage.objects is 'Teachers read samples in their own folder, which bears their id (D32).';

create policy samples_insert on storage.objects
for insert
to authenticated
with check (
  bucket_id = 'samples'
  and name ~ ('^' || (select auth.uid()) || '/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\.(pdf|docx)$')
  and storage.allow_any_operation(
    array['object.upload', 'tus.upload.create', 'tus.upload.part', 'tus.upload.get', 'tus.upload.delete']
  )
);

comment on policy samples_insert on storage.objects is
  'Teachers upload samples into their own folder (D32). Nobody replaces, moves or copies one over the API: a copy would outlive the day.';

create policy samples_delete on storage.objects
for delete
to authenticated
using (bucket_id = 'samples' and (storage.foldername(name))[1] = (select auth.uid())::text);

comment on policy samples_delete on storage.objects is 'Teachers delete samples in their own folder (D32).';

create index samples_created_at on storage.objects (created_at)
where bucket_id = 'samples';

create function private.delete_samples(ids uuid[])
returns void
language plpgsql
security definer
set search_path = ''
as $$
declare
  allowed constant text := coalesce(current_setting('storage.allow_delete_query', true), '');
begin
  perform set_config('storage.allow_delete_query', 'true', true);
  delete from storage.objects
  where bucket_id = 'samples'
    and id = any (ids);
  perform set_config('storage.allow_delete_query', allowed, true);
end
$$;

comment on function private.delete_samples(uuid[]) is 'Deletes samples. The storage service then deletes their bytes.';

-- In names, `/` comes directly before `0`: what lies in a folder is a range of an index of storage.
create function private.make_room_for_sample()
returns trigger
language plpgsql
security definer
set search_path = ''
as $$
declare
  folder constant text := (storage.foldername(new.name))[1];
begin
  -- Of several uploads at once each sees those before it, and a deletion of the account is before or after, never between.
  perform from auth.users
  where id = folder::uuid
    and deleted_at is null
  for no key update;
  if not found then
    raise insufficient_privilege using message = 'A sample belongs to an account.';
  end if;
  perform private.delete_samples(array(
    select id
    from storage.objects
    where bucket_id = 'samples'
      and name collate "C" >= folder || '/'
      and name collate "C" < folder || '0'
      and id <> new.id
    order by created_at desc, id
    offset (select samples_per_user - 1 from private.settings)
  ));
  return null;
end
$$;

comment on function private.make_room_for_sample() is
  'Deletes the oldest samples of an account beyond the number that it may have. Refuses a sample of no account, or of a deleted one.';

-- Afterwards: the policies have refused the folder of another by then.
create trigger make_room_for_sample
after insert on storage.objects
for each row
when (new.bucket_id = 'samples')
execute function private.make_room_for_sample();

create function private.delete_samples_of_account()
returns trigger
language plpgsql
security definer
set search_path = ''
as $$
begin
  perform private.delete_samples(array(
    select id
    from storage.objects
    where bucket_id = 'samples'
      and name collate "C" >= old.id || '/'
      and name collate "C" < old.id || '0'
  ));
  perform storage.banyan_end_uploads(old.id::text);
  return null;
end
$$;

comment on function private.delete_samples_of_account() is 'Deletes the samples of a deleted account, and ends its unfinished uploads (D37).';

create trigger delete_samples_of_account
after delete on auth.users
for each row
execute function private.delete_samples_of_account();

create trigger delete_samples_of_hidden_account
after update of deleted_at on auth.users
for each row
when (new.deleted_at is not null)
execute function private.delete_samples_of_account();

create function private.delete_old_samples()
returns void
language sql
volatile
security definer
set search_path = ''
as $$
  select private.delete_samples(array(
    select id
    from storage.objects
    where bucket_id = 'samples'
      and created_at < now() - (select sample_lifetime from private.settings)
  ))
$$;

comment on function private.delete_old_samples() is 'Deletes samples that are older than the setting allows (D37).';

revoke all on function private.delete_samples(uuid[]) from public;
revoke all on function private.make_room_for_sample() from public;
revoke all on function private.delete_samples_of_account() from public;
revoke all on function private.delete_old_samples() from public;

create or replace function public.sweep_deductions()
returns integer
language plpgsql
security definer
set search_path = ''
as $$
declare
  owner uuid;
  returned integer := 0;
begin
  -- The one that waits longest comes first, so that none starves behind a thousand others.
  for owner in
    select deductions.user_id
    from private.deductions
    join public.profiles on profiles.user_id = deductions.user_id
    left join public.generations on generations.id = deductions.generation_id
    where (deductions.state = 'open' and deductions.opened_at < now() - (select open_deduction_lifetime from private.settings))
      or (
        deductions.state = 'claimed'
        and (generations.status in ('failed', 'cancelled', 'expired') or (generations.status = 'running' and generations.deadline_at < now()))
      )
    group by deductions.user_id
    order by min(deductions.opened_at), deductions.user_id
    limit 1000
  loop
    begin
      -- A wallet in use right now is left to the next sweep: waiting here for one could only end in a deadlock.
      perform from public.profiles
      where user_id = owner
      for update skip locked;
      if found then
        returned := returned + private.give_back_due(owner);
      end if;
    exception when others then
      raise warning 'the wallet of % could not be swept: %', owner, sqlerrm;
    end;
  end loop;
  begin
    perform private.erase_old_results();
  exception when others then
    raise warning 'old documents could not be erased: %', sqlerrm;
  end;
  begin
    perform private.delete_old_samples();
  exception when others then
    raise warning 'old samples could not be deleted: %', sqlerrm;
  end;
  return returned;
end
$$;

comment on function public.sweep_deductions() is
  'Gives back what is due in every wallet, erases old documents and deletes old samples. Returns the number of deductions given back; safe to call at any time and from several places at once (D02, D37).';
