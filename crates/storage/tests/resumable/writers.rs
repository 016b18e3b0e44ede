use banyan_web::{Body, BoxError};
use bytes::Bytes;
use futures_util::{StreamExt as _, stream};
use http::{Method, Request};
use http_body::Frame;
use http_body_util::{BodyExt as _, StreamBody};
use serde_json::Value;
use tokio::sync::oneshot;

use super::client::{BYTES, Upload, assert_refused, text_of};
use crate::support::{Stage, Who};
use banyan_testkit::Answer;

/// A `PATCH` at offset 0 that sends `first` and then waits; what is told to `rest` ends the body.
struct Slow {
    answer: tokio::task::JoinHandle<Answer>,
    rest: oneshot::Sender<&'static str>,
}

/// Sends `first`, and waits until the service asks for more.
async fn slow(upload: &Upload, first: &'static str) -> Slow {
    let (asked, is_asked) = oneshot::channel();
    let (rest, told) = oneshot::channel();
    let last = async move {
        asked.send(()).expect("the test waits");
        // Without a rest the line is dead.
        let Ok(rest) = told.await else { std::future::pending().await };
        Ok::<_, BoxError>(Frame::data(Bytes::from_static(str::as_bytes(rest))))
    };
    let body = stream::iter([Ok(Frame::data(Bytes::from(first)))]).chain(stream::once(last));
    let request = request(upload, StreamBody::new(body).boxed_unsync());
    let stage = upload.stage.clone();
    let answer = tokio::spawn(async move { Answer::read(stage.answer(request).await).await });
    is_asked.await.expect("the service asks for more");
    Slow { answer, rest }
}

fn request(upload: &Upload, body: Body) -> Request<Body> {
    let request = Request::builder().method(Method::PATCH).uri(&upload.path);
    let token = banyan_testkit::token("service_role", None, Value::Null);
    request
        .header("authorization", format!("Bearer {token}"))
        .header("tus-resumable", "1.0.0")
        .header("content-type", BYTES)
        .header("upload-offset", "0")
        .body(body)
        .expect("a request")
}

async fn begun(stage: &Stage) -> Upload {
    stage.bucket("plans", false).await;
    Upload::begin(stage, Who::Service, "plans", "a", 5).await
}

const SUPERSEDED: &str = "Request aborted since a newer request continues the upload";

// rows: T11
#[tokio::test]
async fn a_client_that_lost_its_line_goes_on_with_what_arrived() {
    let stage = Stage::new().await;
    let upload = begun(&stage).await;
    let old = slow(&upload, "wat").await;
    assert_eq!(upload.offset().await, 3, "what the old request received counts");
    assert_refused(&old.answer.await.expect("an answer"), 400, SUPERSEDED);
    assert_eq!(upload.patch(3, "er").await.header("tus-complete"), Some("1"));
    assert_eq!(text_of(&stage, "plans/a").await, "water");
    drop(old.rest);
}

// rows: T11
#[tokio::test]
async fn of_two_tabs_the_later_one_writes() {
    let stage = Stage::new().await;
    let upload = begun(&stage).await;
    let first = slow(&upload, "wa").await;
    // The second one has not asked how far the upload is, so it learns so now.
    assert_refused(&upload.patch(0, "water").await, 409, "Upload-Offset conflict");
    assert_refused(&first.answer.await.expect("an answer"), 400, SUPERSEDED);
    assert_eq!(upload.patch(2, "ter").await.header("tus-complete"), Some("1"));
    drop(first.rest);
}

// rows: T11
#[tokio::test]
async fn an_upload_is_given_up_while_somebody_sends() {
    let stage = Stage::new().await;
    let upload = begun(&stage).await;
    let sending = slow(&upload, "wa").await;
    assert_eq!(upload.delete().await.status, 204);
    assert_refused(&sending.answer.await.expect("an answer"), 400, SUPERSEDED);
    assert_eq!(upload.head().await.status, 404);
    drop(sending.rest);
}

// rows: T11
#[tokio::test]
async fn a_request_that_may_not_write_stops_nobody() {
    let stage = Stage::new().await;
    let upload = begun(&stage).await;
    let sending = slow(&upload, "wat").await;
    assert_eq!(upload.by(Who::Anon).patch(0, "XXXXX").await.status, 404);
    assert_eq!(upload.by(Who::Nobody).head().await.status, 403);
    sending.rest.send("er").expect("it still sends");
    let ended = sending.answer.await.expect("an answer");
    assert_eq!(ended.header("tus-complete"), Some("1"), "{ended:?}");
    assert_eq!(text_of(&stage, "plans/a").await, "water");
}

// rows: T11 T12 K07
#[tokio::test]
async fn of_two_nodes_the_newer_writer_counts() {
    let stage = Stage::new().await;
    let other = stage.another_node();
    let upload = begun(&stage).await;
    let on_other = Upload { stage: other.clone(), ..upload.clone() };
    let old = slow(&upload, "XXX").await;
    // The other node knows of no writer. From here on it is the newest.
    assert_eq!(on_other.offset().await, 0);
    old.rest.send("XX").expect("it still sends");
    assert_refused(&old.answer.await.expect("an answer"), 400, SUPERSEDED);
    assert_eq!(on_other.patch(0, "wat").await.status, 204);
    assert_eq!(upload.patch(3, "er").await.header("tus-complete"), Some("1"));
    assert_eq!(text_of(&stage, "plans/a").await, "water");
    assert_eq!(on_other.head().await.header("tus-complete"), Some("1"));
}
