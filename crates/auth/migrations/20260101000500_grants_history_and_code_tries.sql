-- Who may do what with the tables (auth.md Z17), the reference's history so that it could take over (Z14), and our own
-- record of wrong codes (M9).

do $$
begin
    if exists (select from pg_roles where rolname = 'postgres') then
        grant all on all tables in schema auth to postgres;
        grant all on all sequences in schema auth to postgres;
        grant select on all tables in schema auth to postgres with grant option;
        revoke insert, update, delete, truncate on auth.schema_migrations from postgres;
    end if;
    if exists (select from pg_roles where rolname = 'dashboard_user') then
        grant all on all tables in schema auth to dashboard_user;
        grant all on all sequences in schema auth to dashboard_user;
        revoke all on auth.schema_migrations from dashboard_user;
    end if;
end;
$$;

insert into auth.schema_migrations (version) values
    ('00'), ('20210710035447'), ('20210722035447'), ('20210730183235'), ('20210909172000'),
    ('20210927181326'), ('20211122151130'), ('20211124214934'), ('20211202183645'), ('20220114185221'),
    ('20220114185340'), ('20220224000811'), ('20220323170000'), ('20220429102000'), ('20220531120530'),
    ('20220614074223'), ('20220811173540'), ('20221003041349'), ('20221003041400'), ('20221011041400'),
    ('20221020193600'), ('20221021073300'), ('20221021082433'), ('20221027105023'), ('20221114143122'),
    ('20221114143410'), ('20221125140132'), ('20221208132122'), ('20221215195500'), ('20221215195800'),
    ('20221215195900'), ('20230116124310'), ('20230116124412'), ('20230131181311'), ('20230322519590'),
    ('20230402418590'), ('20230411005111'), ('20230508135423'), ('20230523124323'), ('20230818113222'),
    ('20230914180801'), ('20231027141322'), ('20231114161723'), ('20231117164230'), ('20240115144230'),
    ('20240214120130'), ('20240306115329'), ('20240314092811'), ('20240427152123'), ('20240612123726'),
    ('20240729123726'), ('20240802193726'), ('20240806073726'), ('20241009103726'), ('20250717082212'),
    ('20250731150234'), ('20250804100000'), ('20250901200500'), ('20250903112500'), ('20250904133000'),
    ('20250925093508'), ('20251007112900'), ('20251104100000'), ('20251111201300'), ('20251201000000'),
    ('20260115000000'), ('20260121000000'), ('20260219120000'), ('20260302000000'), ('20260625000000');

-- After the grants: it is nobody's business but the service's.
create table auth.banyan_code_tries (
    address bytea not null,
    client bytea not null,
    asked_for_code boolean not null default false,
    tries integer not null default 0,
    updated_at timestamptz not null,
    primary key (address, client)
);

comment on table auth.banyan_code_tries is
    'Codes entered since the last one was sent, by address and client, both as keyed hashes. '
    'Kept for unknown addresses too, so that an answer and its time do not tell who has an account.';

create index banyan_code_tries_updated_at on auth.banyan_code_tries (updated_at);

alter table auth.banyan_code_tries enable row level security;
