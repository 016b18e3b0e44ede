use serde_json::json;

use crate::support::{ASHA, Stage};

const TRIGGER: &str = "
    create table public.people (id uuid primary key references auth.users (id) on delete cascade, email text, name text, times int not null default 1);
    create function public.handle_new_user() returns trigger language plpgsql security definer set search_path = '' as $$
    begin
        insert into public.people (id, email, name) values (new.id, new.email, new.raw_user_meta_data ->> 'name');
        return new;
    end $$;
    create trigger on_auth_user_created after insert on auth.users for each row execute function public.handle_new_user();";

// rows: Z4
#[tokio::test]
async fn the_classic_trigger_copies_a_new_user_once() {
    let stage = Stage::new().await;
    stage.execute(TRIGGER).await;
    stage.post("/otp", json!({"email": ASHA, "data": {"name": "Asha"}})).await;
    stage.sign_in(ASHA).await;
    let copied: Vec<(String, String)> =
        sqlx::query_as("select email, name from public.people").fetch_all(stage.sql()).await.unwrap();
    assert_eq!(copied, [(ASHA.to_owned(), "Asha".to_owned())]);
}

// rows: C5
#[tokio::test]
async fn the_error_of_a_trigger_reaches_the_developer_and_nothing_is_kept() {
    let stage = Stage::new().await;
    stage.execute(TRIGGER).await;
    stage.execute("alter table public.people add column school text not null").await;
    let refused = stage.ask(ASHA).await;
    assert_eq!(refused.error(), (500, "unexpected_failure"));
    let text = refused.field("msg");
    assert!(text.starts_with("Database error saving new user"), "{text}");
    assert!(text.contains("school") && text.contains("23502"), "{text}");
    assert_eq!(stage.number("select count(*) from auth.users").await, 0);
    assert!(stage.mails(ASHA).await.is_empty(), "no mail of a change that failed");
}

// rows: C5
#[tokio::test]
async fn on_a_public_listener_the_answer_keeps_quiet() {
    let mut config = banyan_testkit::config();
    config.server.host = "0.0.0.0".parse().unwrap();
    let stage = Stage::of(config).await;
    stage.execute(TRIGGER).await;
    stage.execute("alter table public.people add column school text not null").await;
    assert_eq!(stage.ask(ASHA).await["msg"], "Database error saving new user");
}

// rows: C5
#[tokio::test]
async fn a_status_raised_by_a_trigger_is_honoured() {
    let stage = Stage::new().await;
    stage
        .execute(
            "create function public.only_school() returns trigger language plpgsql as $$
            begin
                raise sqlstate 'PT403' using message = 'Only school addresses';
            end $$;
            create trigger only_school before insert on auth.users for each row execute function public.only_school();",
        )
        .await;
    let refused = stage.ask(ASHA).await;
    assert_eq!((refused.status, refused.field("msg")), (403, "Only school addresses"));
}

// rows: Z3
#[tokio::test]
async fn a_seeded_user_with_null_columns_can_sign_in() {
    let stage = Stage::new().await;
    stage
        .execute(
            "insert into auth.users (id, instance_id, aud, role, email, email_confirmed_at)
            values ('00000000-0000-0000-0000-000000000007', '00000000-0000-0000-0000-000000000000',
                'authenticated', 'authenticated', 'asha@example.com', now())",
        )
        .await;
    let session = stage.sign_in(ASHA).await;
    assert_eq!(session["user"]["id"], "00000000-0000-0000-0000-000000000007");
    let put = stage.put("/user", json!({"data": {"a": 1}})).bearer(session.field("access_token")).await;
    assert_eq!(put["user_metadata"]["a"], json!(1), "{}", put.json());
}

// rows: Z17 Z18
#[tokio::test]
async fn api_roles_see_no_table_of_auth() {
    let stage = Stage::new().await;
    stage.sign_in(ASHA).await;
    for role in ["anon", "authenticated", "service_role"] {
        let mut transaction = stage.sql().begin().await.unwrap();
        sqlx::raw_sql(sqlx::AssertSqlSafe(format!("set local role {role}")))
            .execute(&mut *transaction)
            .await
            .unwrap();
        let read = sqlx::query("select * from auth.users").fetch_all(&mut *transaction).await;
        assert!(read.unwrap_err().to_string().contains("permission denied"), "{role}");
    }
    let bare = stage
        .number("select count(*) from pg_class where relnamespace = 'auth'::regnamespace and relkind = 'r' and not relrowsecurity")
        .await;
    assert_eq!(bare, 0, "row-level security is on everywhere");
    let open = stage
        .number(
            "select count(*) from pg_class, unnest(array['anon', 'authenticated', 'service_role', 'dashboard_user']) as role
            where relnamespace = 'auth'::regnamespace and relname like 'banyan\\_%' and relkind = 'r'
                and exists (select from pg_roles where rolname = role)
                and has_table_privilege(role, pg_class.oid, 'select, insert, update, delete')",
        )
        .await;
    assert_eq!(open, 0, "our own tables are nobody's business");
    let foreign = stage
        .number("select count(*) from pg_class where relnamespace = 'auth'::regnamespace and relkind = 'r' and relowner <> 'supabase_auth_admin'::regrole")
        .await;
    assert_eq!(foreign, 0);
}

/// SHA-256 of the versions of the reference's folder `migrations` at commit bc32168e, in order,
/// with commas between them: `ls | sed 's/_.*//' | sort -u | paste -sd,`.
const HISTORY: &str = "c4204123cf258574461ce72008e490c5533a51848e95e336e16a3359bce7b078";

// rows: Z14
#[tokio::test]
async fn the_references_history_is_listed() {
    let stage = Stage::new().await;
    let versions: Vec<String> =
        sqlx::query_scalar("select version from auth.schema_migrations order by version collate \"C\"")
            .fetch_all(stage.sql())
            .await
            .unwrap();
    assert_eq!((versions.len(), versions[0].as_str(), versions[69].as_str()), (70, "00", "20260625000000"));
    let listed: String = sqlx::query_scalar("select encode(sha256(convert_to($1, 'utf8')), 'hex')")
        .bind(versions.join(","))
        .fetch_one(stage.sql())
        .await
        .unwrap();
    assert_eq!(listed, HISTORY, "{versions:?}");
}

// rows: C5
#[tokio::test]
async fn the_row_of_an_account_is_in_no_answer() {
    let stage = Stage::new().await;
    stage
        .execute("alter table auth.users add constraint schools check (email like '%@school.example')")
        .await;
    let refused = stage.post("/signup", json!({"email": ASHA, "password": "long enough"})).await;
    assert_eq!(refused.status, 500);
    assert!(refused.json().to_string().contains("schools"), "the developer learns which: {}", refused.json());
    for secret in ["Failing row", "argon2"] {
        assert!(!refused.json().to_string().contains(secret), "{}", refused.json());
    }
}

// rows: C5
#[tokio::test]
async fn behind_a_public_address_the_answer_keeps_quiet() {
    for toml in [
        "[auth]\nsite_url = \"https://school.example\"\n",
        "[auth]\nexternal_url = \"https://school.example/auth/v1\"\n",
    ] {
        let mut config = banyan_testkit::config();
        if toml.contains("site_url") {
            config.auth.site_url = "https://school.example".into();
        } else {
            config.auth.external_url = "https://school.example/auth/v1".into();
        }
        let stage = Stage::of(config).await;
        stage.execute("alter table auth.users add constraint schools check (email is null)").await;
        let refused = stage.ask(ASHA).await;
        assert_eq!((refused.status, refused.field("msg")), (500, "Database error saving new user"), "{toml}");
    }
}
