-- What reading needs beside the school: rooms and their partitioned bookings, staff that refers to itself, views of
-- every kind, samples of types, payments to add up, names that are hard to write.
create schema library;
create schema unseen;

create table public.rooms (id int primary key, name text not null);
create table public.bookings (
    room_id int references public.rooms (id),
    day date,
    seats int,
    primary key (day, room_id)
) partition by range (day);
create table public.bookings_2024 partition of public.bookings for values from ('2024-01-01') to ('2025-01-01');
create table public.bookings_2025 partition of public.bookings for values from ('2025-01-01') to ('2026-01-01');

create table public.exercises (
    id int primary key,
    lesson_id int,
    chapter_number int,
    prompt text,
    constraint exercises_chapter_fkey foreign key (lesson_id, chapter_number)
        references public.chapters (lesson_id, number)
);
create table public.badges (id int primary key, lesson_id int unique references public.lessons (id), label text);
create table public.staff (
    id int primary key,
    name text,
    boss_id int references public.staff (id),
    mentor_id int references public.staff (id)
);
create table public.teams (id int primary key, name text, boss_id int references public.teams (id));
create table public.payments (
    id int primary key,
    subject_id int references public.subjects (id),
    room_id int references public.rooms (id),
    kind text,
    amount numeric,
    data jsonb
);
create table hidden.subject_rooms (
    subject_id int references public.subjects (id),
    room_id int references public.rooms (id),
    primary key (subject_id, room_id)
);
create table hidden.tag_rooms (
    tag_id int references public.tags (id),
    room_id int references public.rooms (id),
    primary key (tag_id, room_id)
);
create table library.books (id int primary key, lesson_id int references public.lessons (id), title text);
create table public.guarded (id int primary key, open text, secret text);

create view public.tag_room_list as select tag_id, room_id from hidden.tag_rooms;
create view public.chapter_list as select lesson_id as lesson, number as place, name from public.chapters;
create view public.lesson_deep as select lesson, title, subject from public.lesson_list;
create view unseen.lesson_base as select id, title, subject_id from public.lessons;
create view public.lesson_through as select id, title, subject_id from unseen.lesson_base;
create view public.lesson_twice as
    select id, id as number, subject_id as subject, subject_id as topic from public.lessons;
create view public.lesson_half as select title, subject_id + 0 as subject_id from public.lessons;
create view public.exercise_half as select id, lesson_id, prompt from public.exercises;
create view public.everybody as select id, name from public.rooms union all select id, name from public.subjects;
create view public.booked as
    select r.id as room, b.room_id as booked_room, r.name, b.day from public.rooms r join public.bookings b on b.room_id = r.id;
create materialized view public.lesson_cards as select id, title, subject_id from public.lessons;
create view library.titles as select id, title from public.lessons;

create type public.spot as (x int, y int, label text);
create domain public.words as tsvector;
create domain public.more_words as public.words;
create domain public.bag as jsonb;
create table public.samples (
    id int primary key,
    flag boolean,
    doc json,
    data jsonb,
    bag public.bag,
    spot public.spot,
    numbers int[],
    span int4range,
    seen timestamptz,
    level public.level,
    note text,
    words public.more_words
);
create table public."Ünï; table" (
    "a.b" int primary key,
    "(x)" text,
    "say ""hi""" text,
    "x-y" int,
    "select" text,
    "पाठ" text,
    "$cost" int,
    "back\slash" text
);
create schema "odd schema";
create table "odd schema"."in" (id int primary key);

create function public.all_chapters(public.lessons) returns setof public.chapters stable language sql
    as $$ select * from public.chapters where lesson_id = $1.id $$;
create function public.main_subject(public.lessons) returns public.subjects stable language sql
    as $$ select * from public.subjects where id = $1.subject_id $$;
create function public.list_tags(public.lesson_list) returns setof public.tags stable language sql
    as $$ select t.* from public.tags t join public.lesson_tags l on l.tag_id = t.id where l.lesson_id = $1.lesson $$;
create function public.juniors(public.staff) returns setof public.staff stable language sql
    as $$ select * from public.staff where mentor_id = $1.id $$;
create function public.secret_of(public.lessons) returns setof hidden.secrets stable language sql
    as $$ select * from hidden.secrets where id = $1.id $$;
create function public.spot_of(public.lessons) returns public.spot stable language sql
    as $$ select ($1.id, 2, 'here')::public.spot $$;
create function public.all_lessons() returns setof public.lessons stable language sql
    as $$ select * from public.lessons $$;
create function public."odd; function"() returns int immutable language sql as $$ select 7 $$;

insert into public.rooms values (1, 'Lab'), (2, 'Hall');
insert into public.bookings values (1, '2024-05-01', 10), (1, '2025-05-01', 12), (2, '2025-06-01', 30);
insert into public.exercises values (1, 1, 1, 'Cut'), (2, 1, 2, 'Fold'), (3, 2, 1, 'Shine'), (4, null, null, 'Rest');
insert into public.badges values (1, 1, 'gold'), (2, null, 'spare');
insert into public.staff values (1, 'Asha', null, null), (2, 'Bina', 1, 1), (3, 'Chand', 1, 2);
insert into public.teams values (1, 'All', null), (2, 'North', 1), (3, 'Far north', 2);
insert into public.payments values
    (1, 1, 1, 'fee', 10.5, '{"tax": 1, "from": "a"}'),
    (2, 1, 2, 'fee', 20, '{"tax": 2, "from": "b"}'),
    (3, 2, 1, 'gift', 5, '{"tax": 3, "from": "a"}'),
    (4, null, null, 'gift', null, '{}');
insert into hidden.subject_rooms values (1, 1);
insert into hidden.tag_rooms values (1, 1), (1, 2);
insert into library.books values (1, 1, 'Cakes'), (2, null, 'Blank');
insert into public.guarded values (1, 'yes', 'no');
insert into public.samples values
    (1, true, '{"a": {"b": [1, 2]}, "key with space": 1, "x-y": 5, "0": "zero"}', '{"n": 1, "list": ["p", "q"]}', '{"in": 1}',
        '(3,4,door)', '{10,20}', '[1,5)', '2024-01-02 03:04:05+00', 'easy', 'a,b', 'fat cat'),
    (2, false, '[1, 2, 3]', '{"n": 2, "list": []}', '{"in": 2}', '(5,6,wall)', '{30}', '[5,9)', '2030-01-01 00:00:00+00',
        'hard', '(c)', 'thin rat'),
    (3, null, null, null, null, null, null, null, null, null, null, null);
insert into public."Ünï; table" values (1, 'p', 'q', 5, 's', 'एक', 9, 'b');
insert into "odd schema"."in" values (1);
refresh materialized view public.lesson_cards;

grant usage on schema library, "odd schema" to anon, authenticated;
grant all on all tables in schema library, "odd schema" to anon, authenticated;
grant all on public.rooms, public.bookings, public.exercises, public.badges, public.staff, public.teams,
    public.payments, public.tag_room_list, public.chapter_list, public.lesson_deep, public.lesson_through,
    public.lesson_twice, public.lesson_half, public.exercise_half, public.everybody, public.booked, public.lesson_cards,
    public.samples, public."Ünï; table" to anon, authenticated;
revoke all on public.guarded from anon, authenticated;
grant select (id, open), update (open) on public.guarded to anon;
