-- A key is bound to its body only while that is made and as long as its document would be replayed: one that failed or was
-- cancelled has none, so the teacher may correct the form and press again.

create or replace function private.key_of_another_body(owner uuid, tool text, request_key text, body_hash text)
returns boolean
language sql
stable
security definer
set search_path = ''
as $$
  select exists (
    select from public.generations
    where generations.user_id = owner
      and generations.tool = key_of_another_body.tool
      and generations.request_key = key_of_another_body.request_key
      and generations.body_hash <> key_of_another_body.body_hash
      and (
        generations.status = 'running'
        or (
          generations.status = 'finished'
          and generations.result is not null
          and generations.finished_at > now() - (select replay_window from private.settings)
        )
      )
  )
$$;
