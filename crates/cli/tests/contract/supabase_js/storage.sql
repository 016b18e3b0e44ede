-- Whoever is signed in has a folder of the name of his id, in a private bucket. A test may run it again.
insert into storage.buckets (id, name, public, file_size_limit, allowed_mime_types)
values
    ('contract-private', 'contract-private', false, null, null),
    ('contract-public', 'contract-public', true, 1000000, array['image/*', 'text/plain'])
on conflict (id) do nothing;

drop policy if exists contract_own_folder on storage.objects;

create policy contract_own_folder on storage.objects
    for all to authenticated
    using (bucket_id = 'contract-private' and (storage.foldername(name))[1] = auth.uid()::text)
    with check (bucket_id = 'contract-private' and (storage.foldername(name))[1] = auth.uid()::text);
