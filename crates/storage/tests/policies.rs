//! Settings and operations that policies see.

use http::Method;
use serde_json::{Value, json};

use crate::support::{ASHA, Stage, Who};

/// Notes what each statement on an object is told, and lets it pass.
const NOTES: &str = "
    create table public.notes (setting text, value text);
    grant all on public.notes to public;
    create function public.note(setting text) returns boolean language plpgsql security definer as $$
    begin
        insert into public.notes values (setting, current_setting(setting, true));
        return true;
    exception when read_only_sql_transaction then
        return true;
    end $$";

async fn noted(stage: &Stage, setting: &'static str) -> Vec<String> {
    let notes =
        sqlx::query_scalar("select distinct value from public.notes where setting = $1 order by value");
    notes.bind(setting).fetch_all(stage.pool()).await.expect("notes")
}

// rows: R07
#[tokio::test]
async fn policies_are_told_about_the_request() {
    let stage = Stage::new().await;
    stage.bucket("a", false).await;
    stage.sql(NOTES).await;
    stage
        .sql(
            "create policy told on storage.objects for all to authenticated using (true) with check (
                public.note('request.method') and public.note('request.path')
                and public.note('request.jwt.claim.sub') and public.note('request.jwt.claim.role')
                and public.note('storage.operation') and public.note('request.headers')
                and auth.uid() = owner and auth.jwt() ->> 'role' = 'authenticated'
                and storage.operation() = 'storage.object.move'
             );
             insert into storage.objects (bucket_id, name) values ('a', 'x')",
        )
        .await;
    let body = json!({"bucketId": "a", "sourceKey": "x", "destinationKey": "y"});
    let call = stage.post_by(Who::User(ASHA), "/object/move", body).header("x-mark", "seen");
    let answer = call.header("cookie", "secret=1").await;
    assert_eq!(answer.status, 200, "{answer:?}");
    assert_eq!(noted(&stage, "request.method").await, ["POST"]);
    assert_eq!(noted(&stage, "request.path").await, ["/storage/v1/object/move"]);
    assert_eq!(noted(&stage, "request.jwt.claim.sub").await, [ASHA.to_string()]);
    assert_eq!(noted(&stage, "request.jwt.claim.role").await, ["authenticated"]);
    let headers = noted(&stage, "request.headers").await.concat();
    let headers: Value = serde_json::from_str(&headers).expect("an object");
    assert_eq!((&headers["x-mark"], &headers["cookie"]), (&json!("seen"), &Value::Null));
}

// rows: R08
#[tokio::test]
async fn every_call_has_a_name_that_policies_can_ask_for() {
    let stage = Stage::new().await;
    stage.bucket("a", false).await;
    assert_eq!(stage.upload(Who::Service, "a/x", "water").await.status, 200);
    for operation in
        ["list", "list_v2", "sign", "sign_many", "copy", "move", "delete_many", "delete", "sign_upload_url"]
    {
        let (method, path, body) = match operation {
            "list" => (Method::POST, "/object/list/a", json!({"prefix": ""})),
            "list_v2" => (Method::POST, "/object/list-v2/a", json!({})),
            "sign" => (Method::POST, "/object/sign/a/x", json!({"expiresIn": 9})),
            "sign_many" => (Method::POST, "/object/sign/a", json!({"expiresIn": 9, "paths": ["x"]})),
            "copy" => (
                Method::POST,
                "/object/copy",
                json!({"bucketId": "a", "sourceKey": "x", "destinationKey": "y"}),
            ),
            "move" => (
                Method::POST,
                "/object/move",
                json!({"bucketId": "a", "sourceKey": "x", "destinationKey": "z"}),
            ),
            "delete_many" => (Method::DELETE, "/object/a", json!({"prefixes": ["y"]})),
            "delete" => (Method::DELETE, "/object/a/z", json!({})),
            _ => (Method::POST, "/object/upload/sign/a/n", json!({})),
        };
        assert_named(&stage, &format!("storage.object.{operation}"), (method, path, body)).await;
    }
    for (operation, method, path, body) in [
        ("storage.bucket.create", Method::POST, "/bucket", json!({"name": "b"})),
        ("storage.bucket.get", Method::GET, "/bucket/b", json!({})),
        ("storage.bucket.list", Method::GET, "/bucket", json!({})),
        ("storage.bucket.update", Method::PUT, "/bucket/b", json!({"public": true})),
        ("storage.bucket.delete", Method::DELETE, "/bucket/b", json!({})),
    ] {
        assert_named(&stage, operation, (method, path, body)).await;
    }
}

/// Lets policies pass this operation alone, and asserts that the call passes.
async fn assert_named(stage: &Stage, operation: &str, (method, path, body): (Method, &str, Value)) {
    let policies = format!(
        "drop policy if exists named on storage.objects;
         drop policy if exists named on storage.buckets;
         create policy named on storage.objects to authenticated using (storage.operation() = '{operation}');
         create policy named on storage.buckets to authenticated using (storage.operation() = '{operation}')"
    );
    sqlx::raw_sql(sqlx::AssertSqlSafe(policies)).execute(stage.pool()).await.expect("policies");
    let answer = stage.by(Who::User(ASHA), method, path).json(body).await;
    assert_eq!(answer.status, 200, "{operation}: {answer:?}");
    let is_nothing = answer.text() == "[]" || answer.text().contains("\"error\":\"E");
    assert!(!is_nothing, "{operation}: {answer:?}");
}

// rows: R04 R05 R06
#[tokio::test]
async fn everyday_policies_work_as_they_stand() {
    let stage = Stage::new().await;
    stage.bucket("a", false).await;
    stage
        .sql(
            "create table public.classes (folder text, teacher uuid);
             grant select on public.classes to authenticated;
             create policy mine on storage.objects for all to authenticated
             using (owner_id = auth.uid()::text) with check (
                bucket_id = 'a' and storage.extension(name) = 'txt' and owner_id = auth.uid()::text
                and (metadata ->> 'mimetype') = 'text/plain'
             );
             create policy of_class on storage.objects for select to authenticated using (
                exists (
                    select from public.classes
                    where folder = (storage.foldername(objects.name))[1] and teacher = auth.uid()
                )
             );
             insert into storage.objects (bucket_id, name) values ('a', 'five/plan.txt')",
        )
        .await;
    let info = || stage.get_by(Who::User(ASHA), "/object/info/a/five/plan.txt");
    assert_eq!(info().await.error(), (400, "NoSuchKey"));
    stage.sql("insert into public.classes values ('five', '00000000-0000-0000-0000-00000000000a')").await;
    assert_eq!(info().await.status, 200);
    assert_eq!(stage.upload(Who::User(ASHA), "a/mine.txt", "water").await.status, 200);
    assert_eq!(stage.upload(Who::User(ASHA), "a/mine.png", "water").await.error(), (400, "AccessDenied"));
    let removed = stage
        .delete_by(Who::User(ASHA), "/object/a", json!({"prefixes": ["mine.txt", "five/plan.txt"]}))
        .await;
    assert_eq!(removed.ok()[0]["name"], "mine.txt");
    assert_eq!(stage.text("select name from storage.objects").await, "five/plan.txt");
}
