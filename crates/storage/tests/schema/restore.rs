use std::path::Path;

use banyan_db::{Login, migrations, platform};
use banyan_testkit::{SERVICES, TestDatabase, bare_database, config, platform_database};

use super::{run, texts};

/// The data of a hosted project, as `supabase db dump --data-only` writes it.
const DUMP: &str = include_str!("hosted_dump.sql");

/// Policies, grants and triggers of a hosted project, as `pg_dump` writes them.
const POLICIES: &str = "
    alter table storage.objects enable row level security;
    create policy \"Public read\" on storage.objects as permissive for select to anon, authenticated using (bucket_id = 'avatars'::text);
    create policy \"Own uploads\" on storage.objects for insert to authenticated
        with check (((storage.foldername(name))[1] = (auth.uid())::text));
    create policy \"Anybody\" on storage.buckets for select using (true);
    grant all on table storage.objects to anon;
    create function public.noted() returns trigger language plpgsql as $$ begin return new; end $$;
    create trigger noted after insert on storage.objects for each row execute function public.noted();";

const KEPT: &str = "select name::text from (
        select polname from pg_policy where polrelid in ('storage.objects'::regclass, 'storage.buckets'::regclass)
        union all select tgname from pg_trigger where tgname = 'noted'
    ) as kept (name) order by name";

/// Brings a database up to date, as a start does.
async fn start(database: &TestDatabase) {
    platform::bootstrap(database, &config()).await.expect("prepared");
    for schema in SERVICES {
        migrations::stack(database, schema).await.expect(schema.name);
    }
}

async fn seed(database: &TestDatabase, folder: &Path, sql: &str) {
    std::fs::create_dir_all(folder.join("supabase")).expect("made");
    std::fs::write(folder.join("supabase/dump.sql"), sql).expect("written");
    migrations::seed(database, folder, &["dump.sql".to_owned()], &mut |_| ()).await.expect("restored");
}

// rows: Q06 Q07 Q14
#[tokio::test]
async fn a_dump_of_a_hosted_project_restores() {
    let database = platform_database().await;
    let folder = tempfile::tempdir().expect("a folder");
    seed(&database, folder.path(), DUMP).await;
    let objects = "select concat_ws(' ', bucket_id, name, path_tokens[1], version, metadata ->> 'size') from storage.objects order by name";
    assert_eq!(
        texts(&database, objects).await,
        [
            "avatars 11111111-1111-4111-8111-111111111111/me.png 11111111-1111-4111-8111-111111111111 5a3f6a0e-5f3b-4d53-9a63-0f5d3c1b2a10 18432",
            "papers term 1/maths.pdf term 1 9b0a7c22-7d7f-4a55-8d0e-3f1f5b6c7d20 90210",
        ]
    );
    let counts = "select concat_ws(' ', (select count(*) from storage.buckets), (select count(*) from storage.s3_multipart_uploads),
        (select count(*) from storage.s3_multipart_uploads_parts), (select count(*) from storage.buckets_analytics),
        (select count(*) from storage.buckets_vectors), (select count(*) from storage.vector_indexes))";
    assert_eq!(texts(&database, counts).await, ["2 1 1 0 0 0"]);
    let listed = "select name from storage.search('', 'papers')";
    assert_eq!(texts(&database, listed).await, ["term 1"]);
}

// rows: Q14
#[tokio::test]
async fn policies_and_triggers_of_a_project_survive_restarts() {
    let database = platform_database().await;
    run(&database, Login::Postgres, POLICIES).await.expect("postgres may make them");
    Box::pin(start(&database)).await;
    Box::pin(start(&database)).await;
    let forced = "update _banyan.platform set fingerprint = 'of an older version'";
    run(&database, Login::Admin, forced).await.expect("set");
    Box::pin(start(&database)).await;
    assert_eq!(texts(&database, KEPT).await, ["Anybody", "Own uploads", "Public read", "noted"]);
}

// rows: Q14
#[tokio::test]
async fn a_database_with_the_empty_schema_gets_the_tables() {
    let database = bare_database().await;
    platform::bootstrap(&database, &config()).await.expect("prepared");
    for schema in SERVICES.iter().filter(|schema| !schema.name.starts_with("storage")) {
        migrations::stack(&database, schema).await.expect(schema.name);
    }
    let owner = "select nspowner::regrole::text from pg_namespace where nspname = 'storage'";
    let tables =
        "select count(*)::text from pg_class where relnamespace = 'storage'::regnamespace and relkind = 'r'";
    assert_eq!(texts(&database, tables).await, ["0"]);
    Box::pin(start(&database)).await;
    assert_eq!(texts(&database, tables).await, ["10"]);
    assert_eq!(texts(&database, owner).await, ["supabase_admin"]);
}
