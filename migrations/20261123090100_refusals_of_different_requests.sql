-- What is pressed again is the same request: who sends it five times has sent one that is unsafe, not five (generation.md 8).

alter table private.refused_requests
add column body_hash text check (length(body_hash) = 64);

comment on table private.refused_requests is
  'One row a different request that was refused as unsafe lately. It holds nothing of what was asked for but its hash.';

drop function public.note_refusal(uuid, text);

create function public.note_refusal(owner uuid, tool text, body_hash text default null)
returns integer
language plpgsql
security definer
set search_path = ''
as $$
declare
  seconds integer;
begin
  -- One at a time for a user, so that parallel requests do not pass the limit together.
  perform pg_advisory_xact_lock(hashtextextended('refused_requests.' || owner, 0));
  delete from private.refused_requests
  where user_id = owner
    and refused_at <= now() - (select unsafe_requests_window from private.settings);
  seconds := private.seconds_after_refusals(owner);
  if seconds = 0 then
    insert into private.refused_requests (user_id, tool, body_hash)
    select owner, note_refusal.tool, note_refusal.body_hash
    where not exists (
      select from private.refused_requests
      where user_id = owner
        and refused_requests.body_hash = note_refusal.body_hash
    );
  end if;
  return seconds;
end
$$;

comment on function public.note_refusal(uuid, text, text) is
  'Counts a request that was refused as unsafe, once however often it is sent. Answers 0, or the seconds that the account has to wait after too many of them.';

revoke all on function public.note_refusal(uuid, text, text) from public, anon, authenticated, service_role;
grant execute on function public.note_refusal(uuid, text, text) to service_role;
