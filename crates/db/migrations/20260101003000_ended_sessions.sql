-- Who has channels open must hear when a session ends. The database tells it: auth deletes and bans,
-- and knows nobody who listens. Auth's own migration puts the trigger on its tables.

create function _banyan.tell_ended_session() returns trigger
language plpgsql
set search_path = ''
as $$
begin
    if tg_op = 'TRUNCATE' then
        perform pg_notify('banyan_sessions', 'all');
    else
        perform pg_notify('banyan_sessions', tg_argv[0] || ' ' || old.id);
    end if;
    return null;
end
$$;

comment on function _banyan.tell_ended_session is
    'Notifies banyan_sessions: "session <id>" or "user <id>", by the argument of the trigger; after truncate "all".';

-- Its body names tables that auth makes later.
create function _banyan.ended_sessions(sessions uuid[], users uuid[]) returns table (kind text, id uuid)
language plpgsql stable security definer
set search_path = ''
as $$
begin
    return query
    select 'session', asked.id
    from unnest(sessions) as asked (id)
    where not exists (select from auth.sessions as live where live.id = asked.id)
    union all
    select 'user', gone.id
    from auth.users as gone
    where gone.id = any (users) and (gone.banned_until > now() or gone.deleted_at is not null);
end
$$;

comment on function _banyan.ended_sessions is
    'Which of these sessions are gone, and which of these users are banned or deleted: for who missed notifications.';

alter function _banyan.ended_sessions owner to supabase_auth_admin;
revoke all on function _banyan.tell_ended_session, _banyan.ended_sessions from public;
grant execute on function _banyan.tell_ended_session to supabase_auth_admin;
grant execute on function _banyan.ended_sessions to supabase_realtime_admin;
