use crate::project::Project;

#[test]
fn stack_1_4_migrations_are_listed_applied_and_repaired() {
    let project = Project::new();
    project.migration("20260101000000", "create table public.one (id int);");
    project.succeed(&["start"]);
    project.migration("20260102000000", "create table public.two (id int);");
    let list = project.succeed(&["migration", "list"]).out;
    assert!(list.contains("20260102000000 |                |"), "{list}");

    project.succeed(&["db", "query", "copy public.one from stdin;\n5\n6\n\\.\n"]);
    let copied =
        project.succeed(&["db", "query", "copy (select id from public.one order by id) to stdout"]).out;
    assert_eq!(copied, "5\n6\n");
    let rows = project.succeed(&["db", "query", "select 1 as a, 2 as b; select 3 as c"]).out;
    assert_eq!(rows, " a | b\n---+---\n 1 | 2\n c\n---\n 3\n");
    let wrong = project.run(&["db", "query", "copy public.one from stdin"]);
    assert!(
        wrong.code == 1 && wrong.notes.contains("query:1: copy from stdin takes its data"),
        "{}",
        wrong.notes
    );

    let up = project.succeed(&["migration", "up"]);
    assert!(up.notes.contains("Applying migration 20260102000000_test.sql..."), "{}", up.notes);
    assert_eq!(project.succeed(&["migration", "up"]).out, "Local database is up to date.\n");

    let repaired = project.succeed(&["migration", "repair", "20260102000000", "--status", "reverted"]).out;
    assert_eq!(repaired, "Repaired migration history: [20260102000000] => reverted\n");
    let failed = project.run(&["migration", "up"]);
    assert!(failed.code == 1 && failed.notes.contains("already exists"), "{}", failed.notes);
    project.succeed(&["migration", "repair", "20260102000000", "--status", "applied"]);
    assert_eq!(project.succeed(&["migration", "up"]).out, "Local database is up to date.\n");
}

#[test]
fn stack_1_4_a_reset_makes_the_database_anew() {
    let project = Project::new();
    project.migration("20260101000000", "create table public.one (id int);");
    project.migration("20260102000000", "create table public.two (id int);");
    std::fs::write(project.path().join("supabase/seed.sql"), "insert into public.one values (7);")
        .expect("written");
    project.succeed(&["start"]);
    project.query("insert into public.one values (8)");

    project.succeed(&["db", "reset"]);
    let rows = project.query("select string_agg(id::text, ',') as ids from public.one");
    assert_eq!(rows[0]["ids"], "7");
    project.succeed(&["db", "reset", "--version", "20260101000000", "--no-seed"]);
    let rows =
        project.query("select (select count(*) from public.one) as n, to_regclass('public.two') as two");
    assert_eq!((rows[0]["n"].clone(), rows[0]["two"].clone()), ("0".into(), serde_json::Value::Null));
    assert_eq!(project.run(&["db", "reset", "--last", "2"]).code, 1);
}

#[test]
fn stack_1_7_a_failing_migration_stops_the_start_and_can_be_mended() {
    let project = Project::new();
    project.migration("20260101000000", "create table public.one (id int);");
    project.migration("20260102000000", "create tabel public.two (id int);");
    let failed = project.run(&["start"]);
    assert!(failed.code == 1 && failed.notes.contains("20260102000000_test.sql"), "{}", failed.notes);
    assert!(
        !project.path().join("state/postgres/data/postmaster.pid").exists(),
        "PostgreSQL was stopped again"
    );

    project.migration("20260102000000", "create table public.two (id int);");
    project.succeed(&["start"]);
    assert_eq!(project.query("select to_regclass('public.two')::text as two")[0]["two"], "two");
}

#[test]
fn stack_1_4_new_migrations_take_their_text_from_a_pipe() {
    let project = Project::new();
    let said = project.succeed(&["migration", "new", "first_step"]).out;
    let shown = said.trim().strip_prefix("Created new migration at ").expect("a path").to_owned();
    assert!(shown.starts_with("supabase/migrations/") && shown.ends_with("_first_step.sql"), "{shown}");
    assert!(project.path().join(shown).exists());
    assert_eq!(project.run(&["migration", "new", "../out"]).code, 1);
}
