use banyan_db::Login;

use super::{ASHA, RAVI, database, run, run_as, sqlstate, texts};

/// Columns in their order: name, type, `not null`, default.
const COLUMNS: &str = "
    select concat_ws(' ', a.attname, format_type(a.atttypid, a.atttypmod), case when a.attnotnull then 'not null' end,
        'default ' || pg_get_expr(d.adbin, d.adrelid))
    from pg_attribute as a
    left join pg_attrdef as d on d.adrelid = a.attrelid and d.adnum = a.attnum
    where a.attrelid = 'realtime.messages'::regclass and a.attnum > 0
    order by a.attnum";

// rows: O2
#[tokio::test]
async fn messages_have_the_columns_of_the_reference() {
    let database = database().await;
    assert_eq!(
        texts(&database, COLUMNS).await,
        [
            "topic text not null",
            "extension text not null",
            "payload jsonb",
            "event text",
            "private boolean default false",
            "updated_at timestamp without time zone not null default now()",
            "inserted_at timestamp without time zone not null default now()",
            "id uuid not null default gen_random_uuid()",
            "binary_payload bytea",
        ]
    );
    let indexes = "select pg_get_indexdef(indexrelid) from pg_index where indrelid = 'realtime.messages'::regclass order by 1";
    assert_eq!(
        texts(&database, indexes).await,
        [
            "CREATE INDEX messages_inserted_at_topic_index ON ONLY realtime.messages USING btree (inserted_at DESC, topic) \
             WHERE ((extension = 'broadcast'::text) AND private)",
            "CREATE UNIQUE INDEX messages_pkey ON ONLY realtime.messages USING btree (id, inserted_at)",
        ]
    );
    let both = "insert into realtime.messages (topic, extension, payload, binary_payload) values ('t', 'broadcast', '{}', '')";
    let error = run(&database, Login::Postgres, both).await.expect_err("two payloads");
    assert_eq!(sqlstate(&error), "23514");
}

// rows: O1 O2 O10
#[tokio::test]
async fn supabase_realtime_admin_owns_what_is_there_and_nothing_is_granted_by_a_policy() {
    let database = database().await;
    let schemas = "select concat_ws(' ', nspname, nspowner::regrole) from pg_namespace where nspname like '%realtime' order by 1";
    assert_eq!(texts(&database, schemas).await, ["_realtime supabase_admin", "realtime supabase_admin"]);
    let foreign = "
        select relname::text from pg_class
        where relnamespace = 'realtime'::regnamespace and relowner <> 'supabase_realtime_admin'::regrole
        union all
        select proname from pg_proc
        where pronamespace = 'realtime'::regnamespace and proowner <> 'supabase_realtime_admin'::regrole";
    assert_eq!(texts(&database, foreign).await, [""; 0]);
    let open = "
        select concat_ws(' ', rolname, has_schema_privilege(oid, 'realtime', 'usage'),
            has_table_privilege(oid, 'realtime.messages', 'select'), has_table_privilege(oid, 'realtime.messages', 'insert'),
            has_table_privilege(oid, 'realtime.messages', 'update'), has_table_privilege(oid, 'realtime.messages', 'delete'))
        from pg_roles where rolname in ('anon', 'authenticated', 'service_role') order by 1";
    let each = ["anon", "authenticated", "service_role"].map(|role| format!("{role} t t t t f"));
    assert_eq!(texts(&database, open).await, each);
    let insert = "insert into realtime.messages (topic, extension) values ('room', 'broadcast')";
    assert_eq!(run_as(&database, "authenticated", ASHA, insert).await, Err("42501".to_owned()));
    assert_eq!(run_as(&database, "service_role", ASHA, insert).await, Ok(()));
}

// rows: O3 O6
#[tokio::test]
async fn postgres_makes_policies_by_the_topic_and_triggers_on_messages() {
    let database = database().await;
    let policies = "
        create table public.members (user_id uuid, room text);
        insert into public.members values ('00000000-0000-0000-0000-00000000000a', 'room-1');
        grant select on public.members to authenticated;
        create policy members_write on realtime.messages for insert to authenticated with check (
            exists (select from public.members where user_id = auth.uid() and room = realtime.topic())
        );
        create function public.noted() returns trigger language plpgsql as $$ begin return new; end $$;
        create trigger noted before insert on realtime.messages for each row execute function public.noted();";
    run(&database, Login::Postgres, policies).await.expect("postgres may make them");
    let insert = "select set_config('realtime.topic', 'room-1', true);
        insert into realtime.messages (topic, extension) values ('room-1', 'broadcast')";
    assert_eq!(run_as(&database, "authenticated", ASHA, insert).await, Ok(()));
    assert_eq!(run_as(&database, "authenticated", RAVI, insert).await, Err("42501".to_owned()));
    let topics = "select realtime.topic()";
    assert_eq!(texts(&database, topics).await, ["null"]);
    let set = "select realtime.topic() from (select set_config('realtime.topic', 'room:1', true) offset 0) as is_set";
    assert_eq!(texts(&database, set).await, ["room:1"]);
}

/// Name, owner, whether it publishes inserts, updates, deletes and truncates, by the root, and what
/// it holds.
const PUBLICATIONS: &str = "
    select concat_ws(' ', pubname, pubowner::regrole, pubinsert, pubupdate, pubdelete, pubtruncate, pubviaroot,
        (select string_agg(concat(prrelid::regclass, ' where ' || pg_get_expr(prqual, prrelid)), ',')
            from pg_publication_rel where prpubid = p.oid),
        (select string_agg(pnnspid::regnamespace::text, ',') from pg_publication_namespace where pnpubid = p.oid))
    from pg_publication as p
    order by pubname";

// rows: O5 O7
#[tokio::test]
async fn the_publications_of_changes_and_messages_are_there_and_stay_what_they_are() {
    let database = database().await;
    let made = [
        "supabase_realtime postgres t t t t f",
        "supabase_realtime_messages_publication supabase_realtime_admin t f f f t realtime.messages",
    ];
    assert_eq!(texts(&database, PUBLICATIONS).await, made);
    let keep = "select _banyan.realtime_keep_publication()";
    for spoilt in [
        "drop publication supabase_realtime_messages_publication",
        "alter publication supabase_realtime_messages_publication set (publish = 'insert, update')",
        "alter publication supabase_realtime_messages_publication add table public.notes",
        "alter publication supabase_realtime_messages_publication set table realtime.messages where (topic = 'a')",
        "alter publication supabase_realtime_messages_publication add tables in schema public",
        "drop publication supabase_realtime_messages_publication;
         create publication supabase_realtime_messages_publication for all tables",
    ] {
        let spoil = format!("create table if not exists public.notes (id int); {spoilt}");
        run(&database, Login::Admin, &spoil).await.expect(spoilt);
        assert_ne!(texts(&database, PUBLICATIONS).await, made, "{spoilt}");
        run(&database, Login::Admin, keep).await.expect(spoilt);
        assert_eq!(texts(&database, PUBLICATIONS).await, made, "{spoilt}");
    }
    let add = "create table public.coins (id int primary key); alter publication supabase_realtime add table public.coins";
    run(&database, Login::Postgres, add).await.expect("a migration adds its tables");
}

// rows: O9
#[tokio::test]
async fn the_history_names_all_changes_of_the_reference() {
    let database = database().await;
    let history =
        "select concat_ws(' ', count(*), min(version), max(version)) from realtime.schema_migrations";
    assert_eq!(texts(&database, history).await, ["81 20211116024918 20260709120000"]);
}

// rows: O11
#[tokio::test]
async fn the_server_writes_a_log_that_can_be_read_and_bounds_what_a_slot_keeps() {
    let database = database().await;
    let settings = "
        select concat_ws(' ', current_setting('wal_level'), current_setting('max_replication_slots')::int >= 2,
            current_setting('max_wal_senders')::int >= 2, current_setting('max_slot_wal_keep_size'))";
    assert_eq!(texts(&database, settings).await, ["logical t t 4GB"]);
}
