//! What the database refuses, as clients are told.

use serde_json::{Value, json};

use crate::support::{ASHA, Stage, Who, assert_error};

/// A bucket whose rows no statement can read without `fault`.
async fn with_policy(policy: &'static str) -> Stage {
    let stage = Stage::new().await;
    stage.bucket("a", false).await;
    stage.sql(policy).await;
    stage
}

async fn list(stage: &Stage) -> banyan_testkit::Answer {
    stage.post_by(Who::User(ASHA), "/object/list-v2/a", json!({})).await
}

// rows: E06 DatabaseError InternalError
#[tokio::test]
async fn an_unexpected_failure_tells_nothing_of_the_database() {
    let stage = with_policy(
        "create policy broken on storage.objects for select to authenticated using (1 / (length(name) - 1) = 1);
         insert into storage.objects (bucket_id, name) values ('a', 'x')",
    )
    .await;
    assert_error(&list(&stage).await, 500, ["500", "Internal", "InternalError", "Internal Server Error"]);
}

// rows: DatabaseInvalidObjectDefinition E01
#[tokio::test]
async fn a_policy_that_asks_itself_is_told_as_such() {
    let stage = with_policy(
        "create policy endless on storage.objects for select to authenticated
         using (exists (select from storage.objects as others where others.id <> objects.id))",
    )
    .await;
    assert_eq!(list(&stage).await.error(), (400, "DatabaseInvalidObjectDefinition"));
}

// rows: DatabaseTimeout E01
#[tokio::test]
async fn a_statement_that_is_cancelled_has_its_own_status() {
    let stage = with_policy(
        "create function public.cancelled() returns boolean language plpgsql as
         $$ begin raise exception using errcode = 'query_canceled'; end $$;
         create policy cancelled on storage.objects for select to authenticated using (public.cancelled());
         insert into storage.objects (bucket_id, name) values ('a', 'x')",
    )
    .await;
    let message = "The connection to the database timed out";
    assert_error(&list(&stage).await, 544, ["544", "DatabaseTimeout", "DatabaseTimeout", message]);
}

// rows: ResourceLocked DatabaseReadOnly DatabaseSchemaMismatch DatabaseTransactionAborted SlowDown E07 InvalidParameter ResourceAlreadyExists
#[tokio::test]
async fn states_of_the_database_have_codes_of_their_own() {
    for (state, status, code) in [
        ("55P03", 400, "ResourceLocked"),
        ("25006", 400, "DatabaseReadOnly"),
        ("42P01", 400, "DatabaseSchemaMismatch"),
        ("25P02", 500, "DatabaseTransactionAborted"),
        ("53300", 429, "SlowDown"),
        ("22P02", 400, "InvalidParameter"),
        ("22007", 400, "InvalidParameter"),
        ("22008", 400, "InvalidParameter"),
        ("23505", 400, "ResourceAlreadyExists"),
        ("P0001", 500, "InternalError"),
    ] {
        let stage = with_policy(
            "create function public.fails() returns boolean language plpgsql as
             $$ begin raise exception using errcode = (select state from public.wanted); end $$;
             create table public.wanted (state text);
             grant select on public.wanted to authenticated;
             create policy fails on storage.objects for select to authenticated using (public.fails());
             insert into storage.objects (bucket_id, name) values ('a', 'x')",
        )
        .await;
        let insert = sqlx::query("insert into public.wanted values ($1)").bind(state);
        insert.execute(stage.pool()).await.expect("a state");
        assert_eq!(list(&stage).await.error(), (status, code), "{state}");
    }
}

// rows: ResourceReferenced
#[tokio::test]
async fn a_bucket_that_others_refer_to_is_not_deleted() {
    let stage = with_policy(
        "create table public.classes (bucket text references storage.buckets (id));
         insert into public.classes values ('a')",
    )
    .await;
    let answer = stage.delete_by(Who::Service, "/bucket/a", json!({})).await;
    assert_eq!(answer.error(), (400, "ResourceReferenced"));
}

// rows: AccessDenied R09
#[tokio::test]
async fn a_role_that_is_not_there_may_nothing() {
    let stage = Stage::new().await;
    for role in ["nobody_at_all", "none", "postgres", "supabase_admin", "supabase_storage_admin"] {
        let token = banyan_testkit::token(role, Some(ASHA), Value::Null);
        let answer = stage.get("/bucket").bearer(&token).await;
        assert_eq!(answer.error(), (400, "AccessDenied"), "{role}");
    }
}
