use banyan_db::{Login, migrations, platform};
use banyan_testkit::{SERVICES, bare_database, config};

use super::{database, run, texts};

/// What `pg_dump` writes of a hosted project that uses private channels and broadcasts from the
/// database, and a migration of such a project.
const DUMP: &str = "
    set session_replication_role = replica;
    set check_function_bodies = false;
    alter table realtime.messages enable row level security;
    create policy \"Members read\" on realtime.messages as permissive for select to authenticated
        using (((realtime.topic() = ('room:'::text || (auth.uid())::text)) and (extension = any (array['broadcast'::text, 'presence'::text]))));
    create policy \"Members write\" on realtime.messages for insert to authenticated with check (true);
    create table public.notes (id bigint primary key, body text);
    create function public.notes_changed() returns trigger language plpgsql security definer as $$
    begin
        perform realtime.broadcast_changes('notes:' || new.id::text, tg_op, tg_op, tg_table_name, tg_table_schema, new, old);
        return null;
    end $$;
    create trigger notes_changed after insert or update on public.notes for each row execute function public.notes_changed();
    alter publication supabase_realtime add table only public.notes;
    reset session_replication_role;";

// rows: O5 O6 O12
#[tokio::test]
async fn a_dump_of_a_hosted_project_restores() {
    let database = database().await;
    run(&database, Login::Postgres, DUMP).await.expect("restored");
    run(&database, Login::Postgres, "insert into public.notes values (7, 'x')").await.expect("inserted");
    assert_eq!(texts(&database, "select topic from realtime.messages").await, ["notes:7"]);
}

// rows: O12
#[tokio::test]
async fn a_database_with_the_empty_schema_gets_the_tables() {
    let database = bare_database().await;
    platform::bootstrap(&database, &config()).await.expect("prepared");
    let tables = "select count(*)::text from pg_class where relnamespace = 'realtime'::regnamespace and relkind in ('r', 'p')";
    for schema in SERVICES.iter().filter(|schema| !schema.name.starts_with("realtime")) {
        migrations::stack(&database, schema).await.expect(schema.name);
    }
    assert_eq!(texts(&database, tables).await, ["0"]);
    for _ in 0..2 {
        for schema in SERVICES {
            migrations::stack(&database, schema).await.expect(schema.name);
        }
        assert_eq!(texts(&database, tables).await, ["7"]);
    }
}
