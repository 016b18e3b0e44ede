//! Paths that try to be something else.

use http::{Method, Request};
use serde_json::json;

use crate::support::{Stage, Who};

const SERVICE: Who = Who::Service;

// rows: C06 K04
#[tokio::test]
async fn a_name_is_decoded_once_and_is_nothing_but_a_name() {
    let stage = Stage::new().await;
    stage.bucket("a", false).await;
    let key = |path: &'static str| {
        let stage = stage.clone();
        async move { stage.upload(SERVICE, &format!("a/{path}"), path).await }
    };
    for (path, name) in [
        ("../../b", "../../b"),
        ("k%2Fl", "k/l"),
        ("k//m", "k//m"),
        ("/absolute", "/absolute"),
        ("what%3Fx", "what?x"),
        (
            "objects/00/00000000-0000-0000-0000-000000000000",
            "objects/00/00000000-0000-0000-0000-000000000000",
        ),
        ("trash/x", "trash/x"),
        (".", "."),
        ("..", ".."),
        ("CON", "CON"),
    ] {
        assert_eq!(key(path).await.ok()["Key"], format!("a/{name}"), "{path}");
        let got = stage.get_by(SERVICE, &format!("/object/a/{path}")).await;
        assert_eq!((got.status, got.text()), (200, path), "{path}");
    }
    // Another way to write the first name.
    assert_eq!(key("%2e%2e/%2E%2E/b").await.error(), (400, "KeyAlreadyExists"));
    let count = stage.number("select count(distinct version) from storage.objects").await;
    assert_eq!(count, stage.number("select count(*) from storage.objects").await);
}

// rows: C06 C12 InvalidKey
#[tokio::test]
async fn names_of_other_characters_or_too_many_are_refused() {
    let stage = Stage::new().await;
    stage.bucket("a", false).await;
    let (longest, longer) = ("x".repeat(1024), "x".repeat(1025));
    assert_eq!(stage.upload(SERVICE, &format!("a/{longest}"), "").await.status, 200);
    for name in [
        "%00",
        "x%00y",
        "k%5Cl",
        "%25",
        "x%0Ay",
        "%7B%7D",
        "%E0%A4%AA",
        "%C3%A4",
        "a%CC%88",
        "%FF",
        "%C0%AE",
        "%ED%A0%80",
        &longer,
    ] {
        for method in [Method::POST, Method::PUT, Method::DELETE] {
            let answer = stage.by(SERVICE, method.clone(), &format!("/object/a/{name}")).await;
            assert_eq!(answer.error(), (400, "InvalidKey"), "{method} {name}");
        }
        // A row that SQL inserted could be read by any name, so this one is only missing.
        let answer = stage.get_by(SERVICE, &format!("/object/a/{name}")).await;
        assert!(["InvalidKey", "NoSuchKey"].contains(&answer.error().1), "{name}: {answer:?}");
    }
    let empty = stage.upload(SERVICE, "a/", "").await;
    assert_eq!(empty.error(), (400, "InvalidKey"));
    assert_eq!(stage.number("select count(*) from storage.objects").await, 1);
}

// rows: C12 B2
#[tokio::test]
async fn letters_of_all_scripts_are_taken_where_that_is_set_and_never_folded() {
    let stage = Stage::changed(|storage| storage.unicode_names = true).await;
    stage.bucket("a", false).await;
    let composed = "%C3%A4";
    let decomposed = "a%CC%88";
    for (name, bytes) in [("%E0%A4%AA%E0%A4%BE%E0%A4%A0", "lesson"), (composed, "one"), (decomposed, "two")] {
        assert_eq!(stage.upload(SERVICE, &format!("a/{name}"), bytes).await.status, 200, "{name}");
        assert_eq!(stage.get_by(SERVICE, &format!("/object/a/{name}")).await.text(), bytes, "{name}");
    }
    for name in ["%00", "%7F", "%C2%85", "k%5Cl", "%FF"] {
        let answer = stage.upload(SERVICE, &format!("a/{name}"), "").await;
        assert_eq!(answer.error(), (400, "InvalidKey"), "{name}");
    }
}

// rows: C06 InvalidBucketName
#[tokio::test]
async fn a_bucket_in_a_path_is_one_name() {
    let stage = Stage::new().await;
    stage.bucket("a", false).await;
    for path in ["/object/info/%2e%2e%2Fa/x", "/object/info/a%2Fb/x", "/object/info/a%5C/x"] {
        assert_eq!(stage.get_by(SERVICE, path).await.error(), (400, "InvalidBucketName"), "{path}");
    }
    let nul = stage.get_by(SERVICE, "/bucket/a%00").await;
    assert_eq!(nul.error(), (400, "InvalidKey"));
    for id in ["..", "%2e%2e", "a%2F..", "A"] {
        let answer = stage.get_by(SERVICE, &format!("/bucket/{id}")).await;
        assert_eq!(answer.error(), (400, "NoSuchBucket"), "{id}");
    }
}

// rows: C01 C06
#[tokio::test]
async fn a_word_of_a_route_may_be_a_bucket() {
    let stage = Stage::new().await;
    for bucket in ["list", "copy", "public", "info"] {
        stage.bucket(bucket, false).await;
        assert_eq!(stage.upload(SERVICE, &format!("{bucket}/k/x"), "water").await.status, 200, "{bucket}");
        let removed =
            stage.delete_by(SERVICE, &format!("/object/{bucket}"), json!({"prefixes": ["k/x"]})).await;
        assert_eq!(removed.ok()[0]["name"], "k/x", "{bucket}");
    }
}

// rows: C06
#[tokio::test]
async fn a_question_mark_ends_the_name() {
    let stage = Stage::new().await;
    stage.bucket("a", false).await;
    assert_eq!(stage.upload(SERVICE, "a/x?y", "water").await.ok()["Key"], "a/x");
    let request = Request::get("/object/public/a/x?token=..%2f..").body(banyan_web::empty()).unwrap();
    assert_eq!(stage.answer(request).await.status(), 400);
}
