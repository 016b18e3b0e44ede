-- A school; ROLE stands for the beginning of the names of its roles.
create schema school;
create schema annex;
grant usage on schema school, annex to ROLE_anon, ROLE_teacher;
create table school.lessons (id int primary key, title text not null);
insert into school.lessons select n, 'lesson ' || n from generate_series(1, 5) as n;
create table school.marks (id int primary key, pupil text);
insert into school.marks values (1, 'Asha');
create table annex.rooms (id int primary key);
grant select on school.lessons, annex.rooms to ROLE_anon, ROLE_teacher;
grant insert on school.lessons to ROLE_teacher;
create function school.motto() returns text stable language sql as $$ select current_setting('app.settings.motto', true) $$;
create function school.whoami() returns json stable language sql as $$
  select json_build_object('role', current_user, 'claims', current_setting('request.jwt.claims', true)::json)
$$;
create function school.backend() returns int language sql as $$ select pg_backend_pid() $$;
create function school.nap(seconds float) returns text language sql as $$
  select 'rested' from (select pg_sleep(seconds)) as _
$$;
create function school.server_version() returns int stable language sql as $$
  select current_setting('server_version_num')::int
$$;
