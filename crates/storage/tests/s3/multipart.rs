//! Objects in parts (CONTRACT.md X08).

use std::path::{Path, PathBuf};

use banyan_testkit::token;
use tempfile::TempDir;

use super::client::{Ask, Keys, ask, ask_as, element, elements, error};
use crate::{
    quota::somebody_waits,
    stacks::names,
    support::{ASHA, OWN_FOLDER, RAVI, Stage, Who},
};

async fn stage() -> Stage {
    let stage = Stage::new().await;
    stage.sql(OWN_FOLDER).await;
    stage.bucket("b", false).await;
    stage
}

async fn begin(ask: Ask) -> String {
    let answer = ask.send().await;
    element(answer.text(), "UploadId").unwrap_or_else(|| panic!("{answer:?}"))
}

fn part(stage: &Stage, key: &str, id: &str, number: u32, text: &str) -> Ask {
    ask(stage, &format!("PUT /b/{key}?partNumber={number}&uploadId={id}")).body(text)
}

async fn tag(ask: Ask) -> String {
    let answer = ask.send().await;
    answer.header("etag").unwrap_or_else(|| panic!("{answer:?}")).to_owned()
}

fn complete(stage: &Stage, key: &str, id: &str, parts: &[(u32, &str)]) -> Ask {
    let part = |(number, tag): &(u32, &str)| {
        format!("<Part><ETag>{tag}</ETag><PartNumber>{number}</PartNumber></Part>")
    };
    let parts: String = parts.iter().map(part).collect();
    let body = format!("<CompleteMultipartUpload>{parts}</CompleteMultipartUpload>");
    ask(stage, &format!("POST /b/{key}?uploadId={id}")).body(body)
}

// rows: X08 X09 X10
#[tokio::test]
async fn parts_in_any_order_make_one_object() {
    let stage = stage().await;
    let create = ask(&stage, "POST /b/big.txt?uploads=")
        .header("content-type", "text/plain")
        .header("cache-control", "max-age=9")
        .header("x-amz-meta-a", "1");
    let id = begin(create).await;
    let second = tag(part(&stage, "big.txt", &id, 2, "moon")).await;
    tag(part(&stage, "big.txt", &id, 1, "wrong")).await;
    let first = tag(part(&stage, "big.txt", &id, 1, "hello ")).await;
    let listed = ask(&stage, &format!("GET /b/big.txt?uploadId={id}")).send().await;
    assert_eq!(elements(listed.text(), "PartNumber"), ["1", "2"]);
    assert_eq!(elements(listed.text(), "Size"), ["6", "4"]);
    let uploads = ask(&stage, "GET /b?uploads=").send().await;
    assert_eq!(elements(uploads.text(), "UploadId"), [id.as_str()]);
    assert_eq!(ask(&stage, "GET /b/big.txt").send().await.status, 404, "not before it is complete");

    let done = complete(&stage, "big.txt", &id, &[(1, &first), (2, &second)]).send().await;
    let tag = element(done.text(), "ETag").unwrap_or_else(|| panic!("{done:?}"));
    assert!(tag.ends_with("-2\""), "{tag}");
    let get = ask(&stage, "GET /b/big.txt").send().await;
    assert_eq!((get.text(), get.header("etag")), ("hello moon", Some(tag.as_str())));
    assert_eq!(
        (get.header("content-type"), get.header("cache-control")),
        (Some("text/plain"), Some("max-age=9"))
    );
    assert_eq!(get.header("x-amz-meta-a"), Some("1"));
    let rest = stage.get_by(Who::Service, "/object/b/big.txt").await;
    assert_eq!((rest.text(), rest.header("etag")), ("hello moon", Some(tag.as_str())));
    assert_eq!(stage.number("select count(*) from storage.s3_multipart_uploads").await, 0);
    assert_eq!(stage.number("select count(*) from storage.s3_multipart_uploads_parts").await, 0);
}

// rows: X08 K03
#[tokio::test]
async fn parts_that_are_replaced_or_come_too_late_leave_no_bytes() {
    let folder = TempDir::new().unwrap();
    let stage = Stage::on_disk(folder.path()).await;
    stage.bucket("b", false).await;
    let own = folder.path().join(stage.text("select id::text from _banyan.storage_stack").await);
    let id = begin(ask(&stage, "POST /b/a?uploads=")).await;
    let parts = || names(&own.join(format!("parts/{}/{id}", &id[..2])));
    for text in ["1", "22", "333"] {
        assert_eq!(part(&stage, "a", &id, 1, text).send().await.status, 200);
        assert_eq!(parts().len(), 1);
    }
    // The row of an upload that ended meanwhile is not there to be updated.
    stage
        .sql(
            "create function storage.ended() returns trigger language plpgsql as 'begin return null; end';
            create trigger ended before update on storage.s3_multipart_uploads
            for each row execute function storage.ended()",
        )
        .await;
    let late = part(&stage, "a", &id, 2, "4444").send().await;
    assert_eq!(error(&late), (404, "NoSuchUpload".into()));
    assert_eq!(parts().len(), 1);
    assert_eq!(complete(&stage, "a", &id, &[]).send().await.status, 200);
    assert_eq!(ask(&stage, "GET /b/a").send().await.text(), "333");
    assert!(!own.join(format!("parts/{}/{id}", &id[..2])).exists());
}

// rows: X08 NoSuchUpload
#[tokio::test]
async fn an_upload_that_is_given_up_leaves_nothing() {
    let stage = stage().await;
    let id = begin(ask(&stage, "POST /b/a?uploads=")).await;
    tag(part(&stage, "a", &id, 1, "1")).await;
    assert_eq!(ask(&stage, &format!("DELETE /b/a?uploadId={id}")).send().await.status, 204);
    let gone = (404, "NoSuchUpload".to_owned());
    assert_eq!(error(&ask(&stage, &format!("DELETE /b/a?uploadId={id}")).send().await), gone);
    assert_eq!(error(&part(&stage, "a", &id, 2, "1").send().await), gone);
    assert_eq!(error(&ask(&stage, &format!("GET /b/a?uploadId={id}")).send().await), gone);
    assert_eq!(stage.number("select count(*) from storage.s3_multipart_uploads_parts").await, 0);
}

// rows: X05 X08
#[tokio::test]
async fn a_bucket_with_an_unfinished_upload_is_kept() {
    let stage = stage().await;
    let id = begin(ask(&stage, "POST /b/a?uploads=")).await;
    assert_eq!(error(&ask(&stage, "DELETE /b").send().await), (409, "ResourceReferenced".into()));
    assert_eq!(ask(&stage, &format!("DELETE /b/a?uploadId={id}")).send().await.status, 204);
    assert_eq!(ask(&stage, "DELETE /b").send().await.status, 204);
}

// rows: X08
#[tokio::test]
async fn all_parts_together_keep_to_the_limit() {
    let stage = stage().await;
    stage.sql("update storage.buckets set file_size_limit = 10").await;
    let id = begin(ask(&stage, "POST /b/a?uploads=")).await;
    assert_eq!(part(&stage, "a", &id, 1, "123456").send().await.status, 200);
    assert_eq!(error(&part(&stage, "a", &id, 2, "12345").send().await), (413, "EntityTooLarge".into()));
    assert_eq!(part(&stage, "a", &id, 1, "1234567890").send().await.status, 200, "in place of the first");
    let progress = "select in_progress_size from storage.s3_multipart_uploads";
    assert_eq!(stage.number(progress).await, 10);
}

// rows: X08 MissingPart
#[tokio::test]
async fn only_parts_that_were_written_can_be_named() {
    let stage = stage().await;
    let id = begin(ask(&stage, "POST /b/a?uploads=")).await;
    let missing = (400, "MissingPart".to_owned());
    assert_eq!(error(&complete(&stage, "a", &id, &[]).send().await), missing);
    let first = tag(part(&stage, "a", &id, 1, "1")).await;
    assert_eq!(error(&complete(&stage, "a", &id, &[(2, &first)]).send().await), missing);
    assert_eq!(error(&complete(&stage, "a", &id, &[(1, "\"x\"")]).send().await), missing);
    let twice = complete(&stage, "a", &id, &[(1, &first), (1, &first)]).send().await;
    assert_eq!(error(&twice), (400, "InvalidPartOrder".into()));
    for number in [0, 10_001] {
        assert_eq!(
            error(&part(&stage, "a", &id, number, "1").send().await),
            (400, "InvalidParameter".into())
        );
    }
    let elsewhere = complete(&stage, "other", &id, &[(1, &first)]).send().await;
    assert_eq!(error(&elsewhere), (404, "NoSuchUpload".into()));
    let broken = ask(&stage, &format!("POST /b/a?uploadId={id}")).body("<Complete").send().await;
    assert_eq!(error(&broken), (400, "MalformedXML".into()));
    assert_eq!(complete(&stage, "a", &id, &[(1, &first)]).send().await.status, 200);
}

// rows: X08 X03
#[tokio::test]
async fn a_part_that_is_not_what_was_signed_does_not_count() {
    let stage = stage().await;
    let id = begin(ask(&stage, "POST /b/a?uploads=")).await;
    let first = tag(part(&stage, "a", &id, 1, "good")).await;
    let mut other = part(&stage, "a", &id, 1, "good");
    other.body = b"evil".to_vec();
    assert_eq!(error(&other.send().await), (400, "XAmzContentSHA256Mismatch".into()));
    assert_eq!(complete(&stage, "a", &id, &[(1, &first)]).send().await.status, 200);
    assert_eq!(ask(&stage, "GET /b/a").send().await.text(), "good");
}

// rows: X08
#[tokio::test]
async fn a_part_may_be_a_part_of_another_object() {
    let stage = stage().await;
    stage.upload(Who::Service, "b/from.txt", "0123456789").await;
    let id = begin(ask(&stage, "POST /b/a?uploads=")).await;
    let copy = |number: u32, range: Option<&str>| {
        let ask = ask(&stage, &format!("PUT /b/a?partNumber={number}&uploadId={id}"));
        let ask = ask.header("x-amz-copy-source", "/b/from.txt");
        match range {
            Some(range) => ask.header("x-amz-copy-source-range", range),
            None => ask,
        }
    };
    let copied = |ask: Ask| async move { element(ask.send().await.text(), "ETag").unwrap() };
    let first = copied(copy(1, Some("bytes=2-4"))).await;
    let second = copied(copy(2, None)).await;
    for range in ["bytes=20-30", "bytes=a-b", "bytes=0-1,3-4"] {
        assert_eq!(error(&copy(3, Some(range)).send().await), (400, "InvalidRange".into()), "{range}");
    }
    assert_eq!(complete(&stage, "a", &id, &[(1, &first), (2, &second)]).send().await.status, 200);
    assert_eq!(ask(&stage, "GET /b/a").send().await.text(), "2340123456789");
}

// rows: X08 U11
#[tokio::test]
async fn an_end_that_is_asked_for_again_and_refused_keeps_the_object() {
    let stage = stage().await;
    let id = begin(ask(&stage, "POST /b/a?uploads=")).await;
    let first = tag(part(&stage, "a", &id, 1, "water")).await;
    let refused = "create function public.refuse() returns trigger language plpgsql as
        $$ begin raise exception 'refused'; end $$";
    stage.sql(refused).await;
    // The object is there, and the upload as well.
    stage
        .sql(
            "create trigger t before delete on storage.s3_multipart_uploads execute function public.refuse()",
        )
        .await;
    assert_ne!(complete(&stage, "a", &id, &[(1, &first)]).send().await.status, 200);
    stage.sql("create trigger t after update on storage.objects execute function public.refuse()").await;
    assert_ne!(complete(&stage, "a", &id, &[(1, &first)]).send().await.status, 200);
    assert_eq!(ask(&stage, "GET /b/a").send().await.text(), "water");
}

// rows: X08 X01 R02
#[tokio::test]
async fn an_upload_of_a_user_is_closed_to_others() {
    let stage = stage().await;
    let (asha, ravi) = (Keys::user(&stage, ASHA), Keys::user(&stage, RAVI));
    let key = format!("{ASHA}/a");
    let id = begin(ask_as(&stage, &asha, &format!("POST /b/{key}?uploads="))).await;
    let of =
        |keys: &Keys, request: &str| ask_as(&stage, keys, &request.replace("KEY", &key).replace("ID", &id));
    stage.sql("create policy everything on storage.objects for all to public using (true)").await;
    let gone = (404, "NoSuchUpload".to_owned());
    for request in [
        "PUT /b/KEY?partNumber=1&uploadId=ID",
        "POST /b/KEY?uploadId=ID",
        "DELETE /b/KEY?uploadId=ID",
        "GET /b/KEY?uploadId=ID",
    ] {
        assert_eq!(error(&of(&ravi, request).send().await), gone, "{request}");
    }
    let written = of(&asha, "PUT /b/KEY?partNumber=1&uploadId=ID").body("mine").send().await;
    assert_eq!(written.status, 200, "{written:?}");
    assert_eq!(elements(of(&asha, "GET /b?uploads=").send().await.text(), "UploadId").len(), 0);
    assert_eq!(of(&asha, "POST /b/KEY?uploadId=ID").send().await.status, 200, "all parts");
    assert_eq!(of(&asha, "GET /b/KEY").send().await.text(), "mine");
    let owner = stage.text("select owner_id from storage.objects").await;
    assert_eq!(owner, ASHA.to_string());
}

// rows: X08 X01
#[tokio::test]
async fn an_upload_of_the_service_is_closed_to_users_and_one_of_nobody_is_of_nobody() {
    let stage = stage().await;
    stage.sql("create policy everything on storage.objects for all to public using (true)").await;
    let anon = Keys::session(&stage, &token("anon", None, serde_json::Value::Null));
    let asha = Keys::user(&stage, ASHA);
    let of_service = begin(ask(&stage, "POST /b/a?uploads=")).await;
    let of_anon = begin(ask_as(&stage, &anon, "POST /b/a?uploads=")).await;
    let put = async |keys: &Keys, id: &str| {
        let put = ask_as(&stage, keys, &format!("PUT /b/a?partNumber=1&uploadId={id}"));
        put.body("1").send().await.status
    };
    for (keys, statuses) in [(&anon, (404, 200)), (&asha, (404, 404)), (&Keys::service(), (200, 200))] {
        assert_eq!((put(keys, &of_service).await, put(keys, &of_anon).await), statuses, "{keys:?}");
    }
}

// rows: X08 R02
#[tokio::test]
async fn who_began_an_upload_must_still_be_allowed_to_write() {
    let stage = stage().await;
    let asha = Keys::user(&stage, ASHA);
    let id = begin(ask_as(&stage, &asha, &format!("POST /b/{ASHA}/a?uploads="))).await;
    stage.sql("drop policy own_folder on storage.objects").await;
    for method in ["PUT", "POST", "DELETE", "GET"] {
        let request = format!("{method} /b/{ASHA}/a?partNumber=1&uploadId={id}");
        let request = if method == "PUT" { request } else { request.replace("partNumber=1&", "") };
        let denied = ask_as(&stage, &asha, &request).send().await;
        assert_eq!(error(&denied), (403, "AccessDenied".into()), "{request}");
    }
}

// rows: X08 InvalidUploadSignature
#[tokio::test]
async fn a_row_that_was_changed_is_not_of_the_service() {
    let stage = stage().await;
    let id = begin(ask(&stage, "POST /b/a?uploads=")).await;
    stage.sql("update storage.s3_multipart_uploads set version = gen_random_uuid()::text").await;
    let refused = part(&stage, "a", &id, 1, "1").send().await;
    assert_eq!(error(&refused), (400, "InvalidUploadSignature".into()));
    let id = begin(ask(&stage, "POST /b/c?uploads=")).await;
    stage.sql("update storage.s3_multipart_uploads set owner_id = 'somebody'").await;
    let refused = part(&stage, "c", &id, 1, "1").send().await;
    assert_eq!(error(&refused), (400, "InvalidUploadSignature".into()));
}

// rows: X08
#[tokio::test]
async fn uploads_are_listed_page_by_page_with_folders() {
    let stage = stage().await;
    for key in ["a/1", "a/2", "b", "c"] {
        begin(ask(&stage, &format!("POST /b/{key}?uploads="))).await;
    }
    let first = ask(&stage, "GET /b?delimiter=%2F&max-uploads=2&uploads=").send().await;
    assert_eq!(elements(first.text(), "Key"), ["b"]);
    assert_eq!(elements(first.text(), "CommonPrefixes"), ["<Prefix>a/</Prefix>"]);
    let (key, id) = (
        element(first.text(), "NextKeyMarker").unwrap(),
        element(first.text(), "NextUploadIdMarker").unwrap(),
    );
    let next = format!("GET /b?delimiter=%2F&key-marker={key}&upload-id-marker={id}&uploads=");
    assert_eq!(elements(ask(&stage, &next).send().await.text(), "Key"), ["c"]);
}

/// A service whose bytes lie on disk, the folder of its stack, and an upload of one part.
async fn on_disk() -> (TempDir, Stage, PathBuf, String) {
    let folder = TempDir::new().unwrap();
    let stage = Stage::on_disk(folder.path()).await;
    stage.bucket("b", false).await;
    let own = folder.path().join(stage.text("select id::text from _banyan.storage_stack").await);
    let id = begin(ask(&stage, "POST /b/a?uploads=")).await;
    tag(part(&stage, "a", &id, 1, "water")).await;
    (folder, stage, own, id)
}

fn blobs(own: &Path) -> usize {
    let objects = own.join("objects");
    names(&objects).iter().map(|shard| names(&objects.join(shard)).len()).sum()
}

const UPLOADS: &str = "select count(*) from storage.s3_multipart_uploads";

// rows: X08 K03
#[tokio::test]
async fn a_part_whose_client_went_away_has_a_row_or_no_bytes() {
    let (_folder, stage, own, id) = on_disk().await;
    let mut other = stage.pool().begin().await.unwrap();
    let lock = "select from storage.s3_multipart_uploads for update";
    sqlx::raw_sql(lock).execute(&mut *other).await.unwrap();
    let second = part(&stage, "a", &id, 2, "moon");
    let request = tokio::spawn(async move { second.send().await });
    somebody_waits(&stage, 1).await;
    request.abort();
    assert!(request.await.is_err());
    other.commit().await.unwrap();
    let parts = "select count(*) from storage.s3_multipart_uploads_parts";
    while stage.number(parts).await == 1 {
        tokio::task::yield_now().await;
    }
    assert_eq!(names(&own.join(format!("parts/{}/{id}", &id[..2]))).len(), 2);
}

// rows: X08 K03
#[tokio::test]
async fn an_upload_whose_object_is_refused_at_the_end_leaves_no_bytes() {
    let (_folder, stage, own, id) = on_disk().await;
    let refused = "create function public.refuse() returns trigger language plpgsql as
        $$ begin if new.version <> '1' then raise insufficient_privilege; end if; return new; end $$;
        create trigger t before insert on storage.objects for each row execute function public.refuse()";
    stage.sql(refused).await;
    assert_eq!(error(&complete(&stage, "a", &id, &[]).send().await), (403, "AccessDenied".into()));
    assert_eq!((blobs(&own), stage.number(UPLOADS).await), (0, 0));
    assert_eq!(stage.number("select count(*) from _banyan.storage_garbage").await, 0);
}

// rows: X08 K03
#[tokio::test]
async fn an_upload_that_is_given_up_once_its_parts_were_joined_leaves_no_bytes() {
    let (_folder, stage, own, id) = on_disk().await;
    let failing = "create function public.fail() returns trigger language plpgsql as
        $$ begin if new.version <> '1' then raise 'no'; end if; return new; end $$;
        create trigger t before insert on storage.objects for each row execute function public.fail()";
    stage.sql(failing).await;
    assert_eq!(complete(&stage, "a", &id, &[]).send().await.status, 500);
    assert_eq!((blobs(&own), stage.number(UPLOADS).await), (1, 1), "it may be asked for again");
    assert_eq!(ask(&stage, &format!("DELETE /b/a?uploadId={id}")).send().await.status, 204);
    assert_eq!((blobs(&own), stage.number(UPLOADS).await), (0, 0));
}

// rows: X08 K03
#[tokio::test]
async fn an_upload_that_was_given_up_meanwhile_becomes_no_object() {
    let (_folder, stage, own, id) = on_disk().await;
    let mut other = stage.pool().begin().await.unwrap();
    sqlx::raw_sql("delete from storage.s3_multipart_uploads").execute(&mut *other).await.unwrap();
    let asked = complete(&stage, "a", &id, &[]);
    let asked = tokio::spawn(async move { asked.send().await });
    somebody_waits(&stage, 1).await;
    other.commit().await.unwrap();
    assert_eq!(error(&asked.await.unwrap()), (404, "NoSuchUpload".into()));
    assert_eq!((blobs(&own), stage.number("select count(*) from storage.objects").await), (0, 0));
}

// rows: X08 B3
#[tokio::test]
async fn an_image_in_parts_must_be_one_where_the_setting_asks_so() {
    let stage = Stage::changed(|storage| storage.content_sniffing = true).await;
    stage.bucket("b", false).await;
    let id = begin(ask(&stage, "POST /b/a?uploads=").header("content-type", "image/png")).await;
    tag(part(&stage, "a", &id, 1, "<script>")).await;
    assert_eq!(error(&complete(&stage, "a", &id, &[]).send().await), (415, "InvalidMimeType".into()));
}
