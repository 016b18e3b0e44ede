-- What `scripts/bench rest` reads and writes: a schema of its own, guarded by policies as an application's is.
drop schema if exists bench cascade;
create schema bench;
do $$ begin
    if not exists (select from pg_roles where rolname = 'bench_user') then create role bench_user nologin; end if;
    if not exists (select from pg_roles where rolname = 'bench_login') then
        create role bench_login login noinherit password 'bench';
    end if;
end $$;
grant bench_user to bench_login;

create function bench.me() returns uuid language sql stable
    as $$ select (current_setting('request.jwt.claims', true)::json ->> 'sub')::uuid $$;
create table bench.items (id bigint primary key, owner uuid not null, title text, body text, grade int);
insert into bench.items
    select n, '00000000-0000-4000-8000-000000000001', 'Item ' || n, repeat('Words of an item. ', 5), n % 12
    from generate_series(1, 20000) as n;
create index on bench.items (grade);
create table bench.books (id bigint primary key, owner uuid not null, title text);
create table bench.pages (id bigint primary key, book_id bigint not null references bench.books, number int);
create table bench.notes (id bigint primary key, page_id bigint not null references bench.pages, words text);
insert into bench.books select n, '00000000-0000-4000-8000-000000000001', 'Book ' || n from generate_series(1, 500) as n;
insert into bench.pages select n, (n - 1) / 5 + 1, n % 5 from generate_series(1, 2500) as n;
insert into bench.notes select n, (n - 1) / 3 + 1, 'A note.' from generate_series(1, 7500) as n;
create index on bench.pages (book_id);
create index on bench.notes (page_id);
create table bench.inserted (
    id bigint generated always as identity primary key, owner uuid not null, title text, body text, grade int
);
create function bench.add(a int, b int) returns int language sql immutable as $$ select a + b $$;
create function bench.large(bytes int) returns text language sql stable as $$ select repeat('x', bytes) $$;

do $$ declare t text; begin
    foreach t in array array['items', 'books', 'inserted'] loop
        execute format('alter table bench.%I enable row level security', t);
        execute format('create policy own on bench.%I using (owner = (select bench.me())) with check (owner = (select bench.me()))', t);
    end loop;
end $$;
-- pgbench prepares its statements before a role is set, for which the login has to know the schema.
grant usage on schema bench to bench_user, bench_login;
grant all on all tables in schema bench to bench_user;
grant usage on all sequences in schema bench to bench_user;
grant execute on all functions in schema bench to bench_user;
analyze bench.items, bench.books, bench.pages, bench.notes;
