use std::future::pending;

use banyan_storage::Blobs;
use banyan_testkit::Answer;
use banyan_web::{Body, BoxError};
use bytes::Bytes;
use futures_util::{StreamExt as _, stream};
use http::{Method, Request};
use http_body::Frame;
use http_body_util::{BodyExt as _, StreamBody};
use serde_json::Value;
use tokio::sync::oneshot;

use super::client::{BYTES, Upload, assert_refused, call, metadata, number, path_of, post, text_of};
use crate::support::{Stage, Who};

/// More than one piece.
const LARGE: usize = 9 << 20;

/// A body of these pieces, which then breaks off or waits for ever.
fn unfinished(pieces: Vec<Bytes>, breaks: bool) -> Body {
    let pieces = stream::iter(pieces).map(|piece| Ok(Frame::data(piece)));
    let end = stream::once(async move {
        if !breaks {
            pending::<()>().await;
        }
        Err::<Frame<Bytes>, BoxError>(std::io::Error::from(std::io::ErrorKind::UnexpectedEof).into())
    });
    StreamBody::new(pieces.chain(end)).boxed_unsync()
}

fn patch(upload: &Upload, offset: u64, body: Body) -> Request<Body> {
    let request = Request::builder().method(Method::PATCH).uri(&upload.path);
    request
        .header(
            "authorization",
            format!("Bearer {}", banyan_testkit::token("service_role", None, Value::Null)),
        )
        .header("tus-resumable", "1.0.0")
        .header("content-type", BYTES)
        .header("upload-offset", offset)
        .body(body)
        .expect("a request")
}

async fn sent(upload: &Upload, offset: u64, body: Body) -> Answer {
    Answer::read(upload.stage.answer(patch(upload, offset, body)).await).await
}

async fn begun(stage: &Stage, length: usize) -> Upload {
    stage.bucket("plans", false).await;
    Upload::begin(stage, Who::Service, "plans", "a", length as u64).await
}

// rows: T05
#[tokio::test]
async fn pieces_of_any_size_make_the_whole() {
    let stage = Stage::new().await;
    let upload = begun(&stage, 11).await;
    let mut offset = 0;
    for piece in ["h", "", "ello", " ", "worl"] {
        let sent = upload.patch(offset, piece).await;
        offset += piece.len() as u64;
        assert_eq!((sent.status, number(&sent, "upload-offset")), (204, Some(offset)), "{sent:?}");
        assert!(sent.header("tus-complete").is_none() && sent.header("upload-expires").is_some());
        assert_eq!(upload.offset().await, offset);
    }
    assert_eq!(stage.number("select count(*) from storage.objects").await, 0);
    assert_eq!(upload.patch(offset, "d").await.header("tus-complete"), Some("1"));
    assert_eq!(text_of(&stage, "plans/a").await, "hello world");
    assert_eq!(stage.number("select count(*) from _banyan.storage_upload_parts").await, 0);
}

// rows: T05
#[tokio::test]
async fn a_broken_connection_keeps_what_arrived() {
    let stage = Stage::new().await;
    let upload = begun(&stage, 5).await;
    let broken = sent(&upload, 0, unfinished(vec![Bytes::from("wa"), Bytes::from("t")], true)).await;
    assert_eq!(broken.status, 499, "{broken:?}");
    assert_eq!(upload.offset().await, 3);
    assert_eq!(upload.patch(3, "er").await.status, 204);
    assert_eq!(text_of(&stage, "plans/a").await, "water");
}

// rows: T05
#[tokio::test]
async fn a_connection_that_breaks_after_the_last_byte_does_no_harm() {
    let stage = Stage::new().await;
    let upload = begun(&stage, 5).await;
    let whole = sent(&upload, 0, unfinished(vec![Bytes::from("water")], true)).await;
    assert_eq!((whole.status, whole.header("tus-complete")), (204, Some("1")), "{whole:?}");
    assert_eq!(text_of(&stage, "plans/a").await, "water");
}

// rows: T05
#[tokio::test]
async fn a_process_that_ends_loses_at_most_the_last_piece() {
    let stage = Stage::new().await;
    let whole = Bytes::from(vec![b'w'; LARGE]);
    let upload = begun(&stage, LARGE).await;
    let frames = (0..LARGE).step_by(64 << 10).map(|at| whole.slice(at..LARGE.min(at + (64 << 10))));
    let frames: Vec<_> = frames.take(130).collect();
    {
        let request = stage.answer(patch(&upload, 0, unfinished(frames, false)));
        let noted = async {
            let received = "select received from _banyan.storage_uploads";
            while stage.number(received).await == 0 {
                tokio::task::yield_now().await;
            }
        };
        tokio::select! {
            _ = request => panic!("the body never ends"),
            () = noted => {}
        }
    }
    // What was received on a node that is gone is not asked for.
    let upload = Upload { stage: stage.another_node(), ..upload };
    let offset = upload.offset().await;
    assert_eq!(offset, 8 << 20);
    let rest = whole.slice(usize::try_from(offset).expect("small")..);
    assert_eq!(upload.patch(offset, rest).await.header("tus-complete"), Some("1"));
    assert_eq!(text_of(&stage, "plans/a").await.len(), LARGE);
}

// rows: T05 T12
#[tokio::test]
async fn bytes_that_no_row_counts_are_sent_again() {
    let stage = Stage::new().await;
    let upload = begun(&stage, 5).await;
    let (asked, is_asked) = oneshot::channel();
    let (go_on, goes_on) = oneshot::channel::<()>();
    let pieces = stream::iter([Ok(Frame::data(Bytes::from("XXX")))]).chain(stream::once(async move {
        asked.send(()).expect("the test waits");
        goes_on.await.expect("the test goes on");
        Ok::<_, BoxError>(Frame::data(Bytes::from("XX")))
    }));
    let (sent, sender) = (patch(&upload, 0, StreamBody::new(pieces).boxed_unsync()), stage.clone());
    let request = tokio::spawn(async move { sender.answer(sent).await });
    is_asked.await.expect("the back end reads");
    let mut blocking = stage.pool().begin().await.expect("a transaction");
    sqlx::query("update _banyan.storage_uploads set generation = generation + 1")
        .execute(&mut *blocking)
        .await
        .expect("a newer writer");
    go_on.send(()).expect("the body waits");
    // The bytes are written, and the row cannot be.
    let blocked = "select count(*) from pg_stat_activity where wait_event_type = 'Lock'
        and query like '%storage_upload_parts%' and datname = current_database()";
    while stage.number(blocked).await == 0 {
        assert!(!request.is_finished());
        tokio::task::yield_now().await;
    }
    blocking.commit().await.expect("committed");
    assert_eq!(request.await.expect("an answer").status(), 400);

    let offset = upload.offset().await;
    assert_eq!(offset, 0);
    assert_eq!(upload.patch(0, "water").await.header("tus-complete"), Some("1"));
    assert_eq!(text_of(&stage, "plans/a").await, "water");
}

// rows: T05
#[tokio::test]
async fn small_parts_wait_in_a_tail_where_the_back_end_takes_none() {
    let stage = Stage::of(banyan_testkit::config(), Blobs::in_memory_with_smallest_part(4)).await;
    let upload = begun(&stage, 11).await;
    for (offset, piece) in [(0, "h"), (1, "el"), (3, "lo wo"), (8, "r"), (9, "ld")] {
        assert_eq!(upload.patch(offset, piece).await.status, 204);
    }
    assert_eq!(text_of(&stage, "plans/a").await, "hello world");
    let row = stage.text("select metadata ->> 'eTag' from storage.objects").await;
    assert_eq!(row, "\"5eb63bbbe01eeed093cb22bb8f5acdc3\"");
}

// rows: T05
#[tokio::test]
async fn a_length_that_is_told_last_makes_the_tail_the_last_part() {
    let stage = Stage::of(banyan_testkit::config(), Blobs::in_memory_with_smallest_part(4)).await;
    stage.bucket("plans", false).await;
    let created = post(&stage, Who::Service, "plans", "a").header("upload-defer-length", "1").await;
    let upload = Upload { path: path_of(&created), stage: stage.clone(), who: Who::Service };
    assert_eq!(upload.patch(0, "hello w").await.status, 204);
    assert_eq!(upload.patch(7, "or").await.status, 204);
    let ended = upload.at(9).header("upload-length", "9").body(BYTES, "").await;
    assert_eq!(ended.header("tus-complete"), Some("1"), "{ended:?}");
    assert_eq!(text_of(&stage, "plans/a").await, "hello wor");
}

// rows: T07
#[tokio::test]
async fn a_body_with_more_than_was_declared_is_refused() {
    let stage = Stage::new().await;
    let upload = begun(&stage, 5).await;
    // It says how long it is.
    let refused = upload.at(0).header("content-length", "6").body(BYTES, "waters").await;
    assert_refused(&refused, 413, "upload's size exceeded");
    // It does not.
    let body = StreamBody::new(stream::iter(["wat", "ers"]).map(|text| Ok(Frame::data(Bytes::from(text)))));
    let refused = sent(&upload, 0, body.boxed_unsync()).await;
    assert_refused(&refused, 413, "upload's size exceeded");
    assert_eq!(upload.offset().await, 0);
    let created = post(&stage, Who::Service, "plans", "b").header("upload-length", "2");
    let refused = created.header("content-length", "3").body(BYTES, "abc").await;
    assert_refused(&refused, 413, "upload's size exceeded");
}

// rows: T05
#[tokio::test]
async fn a_client_that_did_not_hear_of_the_end_learns_of_it() {
    let stage = Stage::new().await;
    let upload = begun(&stage, 5).await;
    assert_eq!(upload.patch(0, "water").await.status, 204);
    let told = upload.head().await;
    assert_eq!((number(&told, "upload-offset"), number(&told, "upload-length")), (Some(5), Some(5)));
    assert_eq!(told.header("tus-complete"), Some("1"));
    let again = upload.patch(5, "").await;
    assert_eq!((again.status, again.header("tus-complete")), (204, Some("1")), "{again:?}");
    assert_refused(&upload.patch(0, "water").await, 409, "Upload-Offset conflict");
    let more = upload.at(5).header("content-length", "1").body(BYTES, "s").await;
    assert_refused(&more, 413, "upload's size exceeded");
    assert_eq!(text_of(&stage, "plans/a").await, "water");
}

// rows: T05
#[tokio::test]
async fn who_asks_after_a_process_ended_finishes_what_it_received() {
    let stage = Stage::new().await;
    stage.bucket("plans", false).await;
    let created = post(&stage, Who::Service, "plans", "a").header("upload-defer-length", "1").await;
    let upload = Upload { path: path_of(&created), stage: stage.clone(), who: Who::Service };
    assert_eq!(upload.patch(0, "water").await.status, 204);
    // As a process leaves it that ends after the last byte.
    stage.sql("update _banyan.storage_uploads set length = 5").await;
    let told = upload.head().await;
    assert_eq!(
        (number(&told, "upload-offset"), told.header("tus-complete")),
        (Some(5), Some("1")),
        "{told:?}"
    );
    assert_eq!(text_of(&stage, "plans/a").await, "water");
    // As one leaves it that ends after the object's row.
    stage.sql("update _banyan.storage_uploads set finished = false").await;
    assert_eq!(upload.head().await.header("tus-complete"), Some("1"));
    assert_eq!(upload.patch(5, "").await.header("tus-complete"), Some("1"));
    assert_eq!(stage.number("select count(*) from storage.objects").await, 1);
}

// rows: T07 U11
#[tokio::test]
async fn an_upload_whose_object_is_refused_at_the_end_is_gone() {
    let stage = Stage::new().await;
    let upload = begun(&stage, 5).await;
    let other = Upload::begin(&stage, Who::Service, "plans", "a", 3).await;
    assert_eq!(upload.patch(0, "wate").await.status, 204);
    stage.sql("create function public.refuse() returns trigger language plpgsql as 'begin raise unique_violation; end';
        create trigger refuse before insert on storage.objects for each row
        when (new.version <> '1') execute function public.refuse()").await;
    assert_refused(&upload.patch(4, "r").await, 409, "The resource already exists");
    stage.sql("drop trigger refuse on storage.objects").await;
    assert_refused(&upload.head().await, 404, "");
    assert_eq!(other.patch(0, "new").await.header("tus-complete"), Some("1"));
    assert_eq!(text_of(&stage, "plans/a").await, "new");
}

// rows: B3
#[tokio::test]
async fn the_first_bytes_must_be_of_the_type_where_the_setting_asks_so() {
    let stage = Stage::changed(|storage| storage.content_sniffing = true).await;
    stage.bucket("plans", false).await;
    let pairs = [("bucketName", "plans"), ("objectName", "a.pdf"), ("contentType", "application/pdf")];
    for (bytes, status) in [("<script>", 415), ("%PDF-1.7", 201)] {
        let created = call(&stage, Who::Service, Method::POST, "/upload/resumable")
            .header("upload-metadata", metadata(&pairs))
            .header("upload-length", "8")
            .body(BYTES, bytes)
            .await;
        assert_eq!(created.status, status, "{created:?}");
    }
    assert_eq!(text_of(&stage, "plans/a.pdf").await, "%PDF-1.7");
    assert_eq!(stage.number("select count(*) from _banyan.storage_uploads where not finished").await, 0);
}

// rows: T05 U11
#[tokio::test]
async fn a_commit_that_may_go_well_the_next_time_is_tried_again() {
    let stage = Stage::new().await;
    let upload = begun(&stage, 5).await;
    stage.sql("create function public.refuse() returns trigger language plpgsql as 'begin raise lock_not_available; end';
        create trigger refuse before insert on storage.objects for each row
        when (new.version <> '1') execute function public.refuse()").await;
    assert_eq!(upload.patch(0, "water").await.status, 423);
    assert_eq!(upload.head().await.status, 423);
    stage.sql("drop trigger refuse on storage.objects").await;
    assert_eq!(upload.head().await.header("tus-complete"), Some("1"));
    assert_eq!(text_of(&stage, "plans/a").await, "water");
}
