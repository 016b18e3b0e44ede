use sqlx::PgPool;
use uuid::Uuid;

use crate::callers::{
    FORBIDDEN, as_service, as_user, as_visitor, refusal, service_runs, sign_up, sign_up_admin,
};
use crate::database::{product_database, product_database_for};

const UPLOAD: &str = "insert into storage.objects (bucket_id, name, version) values ('samples', $1, '1')";
const READ: &str = "select from storage.objects where bucket_id = 'samples' and name = $1";
const DELETE: &str = "delete from storage.objects where bucket_id = 'samples' and name = $1";
const MOVE: &str = "update storage.objects set bucket_id = 'samples' where name = $1";

/// A name for a sample in that user's folder.
fn name_for(id: Uuid) -> String {
    format!("{id}/{}.pdf", Uuid::new_v4())
}

/// Runs a statement about an object as a user, or as a visitor, as an upload does.
async fn run(
    pool: &PgPool,
    caller: Option<Uuid>,
    statement: &'static str,
    name: &str,
) -> Result<u64, sqlx::Error> {
    run_in("storage.tus.upload.part", pool, caller, statement, name).await
}

/// Runs a statement as the storage service does in that operation.
async fn run_in(
    operation: &str,
    pool: &PgPool,
    caller: Option<Uuid>,
    statement: &'static str,
    name: &str,
) -> Result<u64, sqlx::Error> {
    let mut transaction = match caller {
        Some(id) => as_user(pool, id).await,
        None => as_visitor(pool).await,
    };
    sqlx::query(
        "select set_config('storage.allow_delete_query', 'true', true), set_config('storage.operation', $1, true)",
    )
    .bind(operation)
    .execute(&mut *transaction)
    .await?;
    let done = sqlx::query(statement).bind(name).execute(&mut *transaction).await?;
    transaction.commit().await?;
    Ok(done.rows_affected())
}

async fn upload(pool: &PgPool, id: Uuid) -> String {
    let name = name_for(id);
    run(pool, Some(id), UPLOAD, &name).await.expect("the own folder is open");
    // The version is named with the rights of the service.
    sqlx::query("update storage.objects set version = gen_random_uuid() where name = $1")
        .bind(&name)
        .execute(pool)
        .await
        .expect("the owner of the database may");
    name
}

/// Moves the upload of a sample into the past.
async fn let_pass(pool: &PgPool, name: &str, interval: &str) {
    sqlx::query("update storage.objects set created_at = created_at - $2::interval where name = $1")
        .bind(name)
        .bind(interval)
        .execute(pool)
        .await
        .expect("the owner can rewrite the past");
}

/// The samples of all users, oldest first.
async fn samples(pool: &PgPool) -> Vec<String> {
    sqlx::query_scalar("select name from storage.objects where bucket_id = 'samples' order by created_at")
        .fetch_all(pool)
        .await
        .expect("the owner reads all objects")
}

/// Versions whose bytes the sweep of the storage service deletes next.
async fn versions_to_delete(pool: &PgPool) -> Vec<String> {
    let mut superuser = pool.begin().await.expect("a transaction begins");
    sqlx::query("set local role supabase_storage_admin").execute(&mut *superuser).await.expect("a member");
    sqlx::query_scalar("select version::text from _banyan.storage_garbage order by 1")
        .fetch_all(&mut *superuser)
        .await
        .expect("the service reads its queue")
}

async fn versions(pool: &PgPool) -> Vec<String> {
    sqlx::query_scalar("select version from storage.objects where bucket_id = 'samples' order by 1")
        .fetch_all(pool)
        .await
        .expect("the owner reads all objects")
}

// rows: app/S-204 app/S-414 app/D37
#[tokio::test]
async fn the_bucket_is_private_and_takes_pdf_and_docx_of_10_mb() {
    let pool = product_database().await;
    let bucket: (bool, i64, Vec<String>) = sqlx::query_as(
        "select public, file_size_limit, allowed_mime_types from storage.buckets where id = 'samples'",
    )
    .fetch_one(&*pool)
    .await
    .expect("the bucket is there");
    let docx = "application/vnd.openxmlformats-officedocument.wordprocessingml.document";
    assert_eq!(bucket, (false, 10_000_000, vec!["application/pdf".into(), docx.into()]));
}

// rows: app/D32
#[tokio::test]
async fn a_teacher_uploads_reads_and_deletes_own_samples() {
    let pool = product_database().await;
    let id = sign_up(&pool).await;
    let name = upload(&pool, id).await;
    assert_eq!(run(&pool, Some(id), READ, &name).await.expect("it runs"), 1);
    assert_eq!(run(&pool, Some(id), DELETE, &name).await.expect("it runs"), 1);
    assert!(samples(&pool).await.is_empty());
}

// rows: app/D32
#[tokio::test]
async fn nobody_touches_a_sample_in_the_folder_of_another() {
    let pool = product_database().await;
    let owner = sign_up(&pool).await;
    let name = upload(&pool, owner).await;
    let others = [Some(sign_up(&pool).await), Some(sign_up_admin(&pool).await), None];
    for caller in others {
        assert_eq!(refusal(run(&pool, caller, UPLOAD, &name_for(owner)).await), FORBIDDEN, "{caller:?}");
        for statement in [READ, DELETE, MOVE] {
            let touched = run(&pool, caller, statement, &name).await.expect("it runs");
            assert_eq!(touched, 0, "{caller:?}: {statement}");
        }
    }
    assert_eq!(samples(&pool).await, [name]);
}

// rows: app/D32
#[tokio::test]
async fn a_sample_lies_in_a_folder_and_is_never_replaced_or_moved() {
    let pool = product_database().await;
    let id = sign_up(&pool).await;
    let name = upload(&pool, id).await;
    let file = format!("{}.pdf", Uuid::new_v4());
    for outside in [
        id.to_string(),
        file.clone(),
        format!("/{id}/{file}"),
        format!("x/{id}/{file}"),
        format!("{id}/x/{file}"),
        format!("{id}/{file}.exe"),
        format!("{id}/a.pdf"),
    ] {
        assert_eq!(refusal(run(&pool, Some(id), UPLOAD, &outside).await), FORBIDDEN, "{outside}");
    }
    assert_eq!(run(&pool, Some(id), MOVE, &name).await.expect("it runs"), 0);
    let upsert = "insert into storage.objects (bucket_id, name) values ('samples', $1)
         on conflict (bucket_id, name) do update set version = excluded.version";
    assert_eq!(refusal(run(&pool, Some(id), upsert, &name).await), FORBIDDEN);
}

// rows: app/D32 app/D37
#[tokio::test]
async fn a_sample_is_uploaded_and_never_copied_into_another_day() {
    let pool = product_database().await;
    let id = sign_up(&pool).await;
    for operation in ["storage.object.upload", "storage.tus.upload.create", "storage.tus.upload.part"] {
        run_in(operation, &pool, Some(id), UPLOAD, &name_for(id)).await.expect("an upload is open");
    }
    for operation in ["storage.object.copy", "storage.s3.object.copy", "storage.object.upload_update", ""] {
        let copied = run_in(operation, &pool, Some(id), UPLOAD, &name_for(id)).await;
        assert_eq!(refusal(copied), FORBIDDEN, "{operation}");
    }
}

// rows: app/D32
#[tokio::test]
async fn a_user_has_room_for_all_samples_and_a_few_unfinished_uploads() {
    let pool = product_database().await;
    let samples: i64 = sqlx::query_scalar(
        "select samples_per_user * file_size_limit from private.settings, storage.buckets where buckets.id = 'samples'",
    )
    .fetch_one(&*pool)
    .await
    .expect("the settings can be read");
    let settings: toml::Table =
        include_str!("../../../../supabase/banyan.toml").parse().expect("banyan.toml is TOML");
    let quota = settings["storage"]["quota_per_user"].as_str().expect("a quota");
    let quota: i64 = quota.strip_suffix("MB").expect("megabytes").parse().expect("a number");
    assert!((samples + 20_000_000..2 * samples).contains(&(quota << 20)), "{quota} MB");
}

// rows: app/D32 app/D37
#[tokio::test]
async fn samples_of_a_user_and_old_ones_are_found_by_indexes() {
    let pool = product_database().await;
    let ranges: i32 = sqlx::query_scalar(
        r#"select sum(regexp_count(prosrc, 'name collate "C" (>=|<) '))::int from pg_proc
           where pronamespace = 'private'::regnamespace and prosrc ~ 'from storage.objects'"#,
    )
    .fetch_one(&*pool)
    .await
    .expect("the functions are there");
    assert_eq!(ranges, 4, "two functions look for the folder of a user");
    let indexes: Vec<String> = sqlx::query_scalar(
        "select regexp_replace(indexdef, '^.* USING ', '') from pg_indexes
         where schemaname = 'storage' and tablename = 'objects'",
    )
    .fetch_all(&*pool)
    .await
    .expect("the catalog can be read");
    for index in
        [r#"btree (bucket_id, name COLLATE "C")"#, "btree (created_at) WHERE (bucket_id = 'samples'::text)"]
    {
        assert!(indexes.iter().any(|found| found == index), "{index}: {indexes:#?}");
    }
}

// rows: app/D32
#[tokio::test]
async fn the_eleventh_sample_takes_the_place_of_the_oldest() {
    let pool = product_database_for(12).await;
    let (id, other) = (sign_up(&pool).await, sign_up(&pool).await);
    let others = upload(&pool, other).await;
    let oldest = upload(&pool, id).await;
    let_pass(&pool, &oldest, "1 hour").await;
    for _ in 0..9 {
        upload(&pool, id).await;
    }
    assert!(samples(&pool).await.contains(&oldest));
    let newest = upload(&pool, id).await;
    let left = samples(&pool).await;
    assert_eq!(left.len(), 11);
    assert!(!left.contains(&oldest) && left.contains(&newest) && left.contains(&others));
    assert_eq!(versions_to_delete(&pool).await.len(), 1);
}

// rows: app/D32
#[tokio::test]
async fn uploads_at_the_same_time_leave_ten_samples() {
    let pool = product_database_for(12).await;
    let id = sign_up(&pool).await;
    let uploads = (0..24).map(|_| upload(&pool, id));
    futures_util::future::join_all(uploads).await;
    assert_eq!(samples(&pool).await.len(), 10);
}

// rows: app/D37
#[tokio::test]
async fn a_sample_is_deleted_after_24_hours() {
    let pool = product_database().await;
    let id = sign_up(&pool).await;
    let (old, young) = (upload(&pool, id).await, upload(&pool, id).await);
    let_pass(&pool, &old, "24 hours 1 second").await;
    let_pass(&pool, &young, "23 hours 59 minutes").await;
    let before = versions(&pool).await;
    service_runs(&pool, id, "select public.sweep_deductions()").await.expect("the schedule may sweep");
    assert_eq!(samples(&pool).await, [young]);
    let after = versions(&pool).await;
    let gone: Vec<_> = before.into_iter().filter(|version| !after.contains(version)).collect();
    assert_eq!(versions_to_delete(&pool).await, gone, "the storage service deletes the bytes");
}

// rows: app/D37
#[tokio::test]
async fn an_object_of_another_bucket_outlives_the_sweep() {
    let pool = product_database().await;
    let id = sign_up(&pool).await;
    for statement in [
        "insert into storage.buckets (id, name) values ('kept', 'kept')",
        "insert into storage.objects (bucket_id, name, created_at) values ('kept', 'a.pdf', now() - interval '9 days')",
    ] {
        sqlx::query(statement).execute(&*pool).await.expect("the owner may");
    }
    service_runs(&pool, id, "select public.sweep_deductions()").await.expect("the schedule may sweep");
    let kept: i64 = sqlx::query_scalar("select count(*) from storage.objects where bucket_id = 'kept'")
        .fetch_one(&*pool)
        .await
        .expect("the owner reads all objects");
    assert_eq!(kept, 1);
}

// rows: app/D37
#[tokio::test]
async fn samples_are_deleted_with_the_account() {
    let pool = product_database().await;
    for deletion in
        ["delete from auth.users where id = $1", "update auth.users set deleted_at = now() where id = $1"]
    {
        let (gone, stays) = (sign_up(&pool).await, sign_up(&pool).await);
        upload(&pool, gone).await;
        upload(&pool, gone).await;
        let kept = upload(&pool, stays).await;
        let queued = versions_to_delete(&pool).await.len();
        sqlx::query(deletion).bind(gone).execute(&*pool).await.expect("the owner deletes accounts");
        assert!(samples(&pool).await.iter().all(|name| !name.starts_with(&gone.to_string())), "{deletion}");
        assert!(samples(&pool).await.contains(&kept));
        assert_eq!(versions_to_delete(&pool).await.len(), queued + 2, "the bytes go too");
        // The token of a deleted account lives on for up to an hour.
        assert_eq!(refusal(run(&pool, Some(gone), UPLOAD, &name_for(gone)).await), FORBIDDEN, "{deletion}");
    }
}

/// Runs a procedure about the reading of a sample.
async fn reading(pool: &PgPool, statement: &'static str, id: Uuid) -> bool {
    let mut caller = as_service(pool).await;
    let answer = sqlx::query_scalar(statement).bind(id).fetch_one(&mut *caller).await.expect("it answers");
    caller.commit().await.expect("it commits");
    answer
}

const BEGIN_READING: &str = "select public.begin_sample_reading($1)";
const END_READING: &str = "select public.end_sample_reading($1)";

// rows: functions/GEN-1.14
#[tokio::test]
async fn one_sample_of_a_user_is_read_for_an_estimate_at_a_time() {
    let pool = product_database().await;
    let (id, other) = (sign_up(&pool).await, sign_up(&pool).await);
    assert!(reading(&pool, BEGIN_READING, id).await);
    assert!(!reading(&pool, BEGIN_READING, id).await, "one is read");
    assert!(reading(&pool, BEGIN_READING, other).await, "each user has one");
    assert!(reading(&pool, END_READING, id).await);
    assert!(!reading(&pool, END_READING, id).await, "it has ended");
    assert!(reading(&pool, BEGIN_READING, id).await);
    sqlx::query("update private.sample_readings set ends_at = ends_at - interval '30 seconds'")
        .execute(&*pool)
        .await
        .expect("time passes");
    assert!(reading(&pool, BEGIN_READING, id).await, "a reading that nobody ends is over");
}

// rows: app/D37 storage/T10
#[tokio::test]
async fn unfinished_uploads_end_with_the_account() {
    let pool = product_database().await;
    let (gone, stays) = (sign_up(&pool).await, sign_up(&pool).await);
    for id in [gone, stays] {
        as_storage(
            &pool,
            "insert into _banyan.storage_uploads
               (id, bucket_id, name, owner_id, upsert, upload_metadata, parts_id, md5, expires_at)
             values (gen_random_uuid(), 'samples', $1 || '/a.pdf', $1, false, '', '', '', now() + interval '1 hour')",
            id,
        )
        .await;
    }
    sqlx::query("delete from auth.users where id = $1")
        .bind(gone)
        .execute(&*pool)
        .await
        .expect("it is deleted");
    assert_eq!(as_storage(&pool, EXPIRED, gone).await, 1);
    assert_eq!(as_storage(&pool, EXPIRED, stays).await, 0);
}

const EXPIRED: &str = "select from _banyan.storage_uploads where expires_at <= now() and owner_id = $1";

/// Runs a statement about a user as the storage service, and answers how many rows it touched.
async fn as_storage(pool: &PgPool, statement: &'static str, id: Uuid) -> u64 {
    let mut transaction = pool.begin().await.expect("a transaction begins");
    sqlx::query("set local role supabase_storage_admin").execute(&mut *transaction).await.expect("a member");
    let done = sqlx::query(statement)
        .bind(id.to_string())
        .execute(&mut *transaction)
        .await
        .expect("the service may");
    transaction.commit().await.expect("it commits");
    done.rows_affected()
}
