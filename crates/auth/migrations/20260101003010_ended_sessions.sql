-- The end of a session, a ban and the deletion of a user are told by the database. The condition is the
-- trigger's own, so that a sign-in, which changes the row of its user, costs nothing.
create trigger banyan_tell_ended after delete on auth.sessions
    for each row execute function _banyan.tell_ended_session('session');
create trigger banyan_tell_all_ended after truncate on auth.sessions
    for each statement execute function _banyan.tell_ended_session();

create trigger banyan_tell_deleted after delete on auth.users
    for each row execute function _banyan.tell_ended_session('user');
create trigger banyan_tell_banned after update of banned_until, deleted_at on auth.users
    for each row
    when (
        (new.banned_until is distinct from old.banned_until and new.banned_until > now())
        or (new.deleted_at is not null and old.deleted_at is null)
    )
    execute function _banyan.tell_ended_session('user');
