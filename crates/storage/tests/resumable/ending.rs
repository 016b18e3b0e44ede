use super::client::{Upload, assert_refused, number, path_of, post};
use crate::support::{ASHA, OWN_FOLDER, RAVI, Stage, Who};

async fn begun(stage: &Stage) -> Upload {
    stage.bucket("plans", false).await;
    Upload::begin(stage, Who::Service, "plans", "a", 5).await
}

// rows: T06
#[tokio::test]
async fn an_unfinished_upload_is_given_up() {
    let stage = Stage::new().await;
    let upload = begun(&stage).await;
    assert_eq!(upload.patch(0, "wat").await.status, 204);
    let ended = upload.delete().await;
    assert_eq!((ended.status, ended.header("tus-resumable")), (204, Some("1.0.0")));
    assert_eq!(upload.head().await.status, 404);
    assert_refused(&upload.patch(3, "er").await, 404, "The file for this url was not found");
    assert_eq!(stage.number("select count(*) from _banyan.storage_upload_parts").await, 0);
}

// rows: T06
#[tokio::test]
async fn a_finished_upload_cannot_be_given_up() {
    let stage = Stage::new().await;
    let upload = begun(&stage).await;
    assert_eq!(upload.patch(0, "water").await.status, 204);
    assert_refused(&upload.delete().await, 400, "Cannot terminate an already completed upload");
    assert_eq!(stage.number("select count(*) from storage.objects").await, 1);
}

// rows: T04 T10
#[tokio::test]
async fn an_upload_ends_after_an_hour() {
    let stage = Stage::new().await;
    let upload = begun(&stage).await;
    let told = upload.head().await;
    assert_eq!(told.header("upload-expires"), Some("Mon, 21 Sep 2026 15:13:20 GMT"));
    assert_eq!(told.header("cache-control"), Some("no-store"));
    stage.wait(3599);
    assert_eq!(upload.patch(0, "w").await.status, 204);
    stage.wait(1);
    assert_refused(&upload.patch(1, "ater").await, 410, "The file for this url no longer exists");
    assert_eq!((upload.head().await.status, upload.delete().await.status), (410, 410));
}

// rows: T10
#[tokio::test]
async fn the_life_of_an_upload_is_a_setting() {
    let stage =
        Stage::changed(|storage| storage.resumable_upload_life = std::time::Duration::from_secs(10)).await;
    let upload = begun(&stage).await;
    stage.wait(10);
    assert_eq!(upload.head().await.status, 410);
}

// rows: T10
#[tokio::test]
async fn a_finished_upload_is_told_of_for_as_long() {
    let stage = Stage::new().await;
    stage.bucket("plans", false).await;
    let created = post(&stage, Who::Service, "plans", "b").header("upload-length", "0").await;
    let upload = Upload { path: path_of(&created), stage: stage.clone(), who: Who::Service };
    assert_eq!(number(&upload.head().await, "upload-offset"), Some(0));
    stage.wait(3600);
    assert_eq!(upload.head().await.status, 410);
    assert_eq!(stage.number("select count(*) from storage.objects").await, 1);
}

// rows: T10 K12
#[tokio::test]
async fn a_project_ends_the_uploads_of_an_owner() {
    let stage = Stage::new().await;
    stage.sql(OWN_FOLDER).await;
    stage.bucket("plans", false).await;
    let of_asha = Upload::begin(&stage, Who::User(ASHA), "plans", &format!("{ASHA}/a"), 5).await;
    let of_ravi = Upload::begin(&stage, Who::User(RAVI), "plans", &format!("{RAVI}/a"), 5).await;
    assert_eq!(of_asha.patch(0, "wat").await.status, 204);
    stage
        .sql(
            "insert into storage.s3_multipart_uploads (id, upload_signature, bucket_id, key, version, owner_id)
             select id::text, '', bucket_id, name, id::text, owner_id
             from _banyan.storage_uploads",
        )
        .await;
    stage
        .sql("select storage.banyan_end_uploads(owner_id) from _banyan.storage_uploads where received = 3")
        .await;
    assert_eq!((of_asha.head().await.status, of_ravi.head().await.status), (410, 200));
    let old = "select string_agg(owner_id, ',') from storage.s3_multipart_uploads
               where created_at < now() - interval '7 days'";
    assert_eq!(stage.text(old).await, ASHA.to_string());
    let callers = "select string_agg(role, ',' order by role)
        from unnest(array['anon', 'authenticated', 'postgres', 'service_role']) as role
        where has_function_privilege(role, 'storage.banyan_end_uploads(text)', 'execute')";
    assert_eq!(stage.text(callers).await, "postgres,service_role");
}
