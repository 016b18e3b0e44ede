//! Rendered images.

use std::io::Cursor;

use http::Method;
use image::{DynamicImage, GenericImageView, ImageFormat, Rgb, RgbImage};
use serde_json::json;

use crate::support::{ASHA, Done, OWN_FOLDER, RAVI, Stage, Who, assert_error};

const ON: &str = "[storage.image_transformation]\nenabled = true";

/// A picture of 60 by 40 pixels.
fn picture(format: ImageFormat) -> Vec<u8> {
    #[expect(clippy::cast_possible_truncation, reason = "colours of a small picture")]
    let colour = |x: u32, y: u32| Rgb([(x * 4) as u8, (y * 6) as u8, 90]);
    let mut bytes = Cursor::new(Vec::new());
    DynamicImage::from(RgbImage::from_fn(60, 40, colour)).write_to(&mut bytes, format).unwrap();
    bytes.into_inner()
}

/// Buckets `open` and `closed`, each with `<Asha>/a.jpg`, a JPEG that is stored as a text.
async fn stage() -> Stage {
    let stage = Stage::with(ON).await;
    stage.sql(OWN_FOLDER).await;
    for (bucket, public) in [("open", true), ("closed", false)] {
        stage.bucket(bucket, public).await;
        put(&stage, &path(bucket), "text/plain", picture(ImageFormat::Jpeg)).await;
    }
    stage
}

fn path(bucket: &str) -> String {
    format!("{bucket}/{ASHA}/a.jpg")
}

async fn put(stage: &Stage, path: &str, media_type: &str, bytes: Vec<u8>) {
    let call = stage.by(Who::Service, Method::POST, &format!("/object/{path}"));
    call.header("x-upsert", "true")
        .header("cache-control", "max-age=60")
        .body(media_type, bytes)
        .await
        .done();
}

// rows: I01 I02 I04 I05 I08 D10
#[tokio::test]
async fn a_public_image_is_rendered_for_everybody() {
    let stage = stage().await;
    let url = format!("/render/image/public/{}?width=30&height=30&quality=60&cacheNonce=1", path("open"));
    let answer = stage.get_by(Who::Nobody, &url).await;
    assert_eq!(answer.status, 200, "{answer:?}");
    assert_eq!(answer.header("content-type"), Some("image/jpeg"));
    assert_eq!(answer.header("x-transformations"), Some("height:30,width:30,resizing_type:fill,quality:60"));
    assert_eq!(answer.header("vary"), Some("accept"));
    assert_eq!(answer.header("cache-control"), Some("max-age=60"));
    assert_eq!(answer.header("x-content-type-options"), Some("nosniff"));
    assert_eq!(answer.header("content-length"), Some(answer.bytes.len().to_string().as_str()));
    assert_eq!(image::load_from_memory(&answer.bytes).unwrap().dimensions(), (30, 30));
}

// rows: I01 D01 D02 R09
#[tokio::test]
async fn a_private_image_is_rendered_for_whom_its_policies_let_read_it() {
    let stage = stage().await;
    let url = format!("/render/image/authenticated/{}?width=30", path("closed"));
    assert_eq!(stage.get_by(Who::User(ASHA), &url).await.status, 200);
    let no_key = ["404", "not_found", "NoSuchKey", "Object not found"];
    assert_error(&stage.get_by(Who::User(RAVI), &url).await, 400, no_key);
    assert_error(&stage.get_by(Who::Anon, &url).await, 400, no_key);
    let no_token = ["403", "Unauthorized", "AccessDenied", "Invalid Compact JWS"];
    assert_error(&stage.get_by(Who::Nobody, &url).await, 400, no_token);
    let public = format!("/render/image/public/{}", path("closed"));
    let no_bucket = ["404", "Bucket not found", "NoSuchBucket", "Bucket not found"];
    assert_error(&stage.get_by(Who::User(ASHA), &public).await, 400, no_bucket);
    // One that was rendered already is as closed as before.
    assert_error(&stage.get_by(Who::User(RAVI), &url).await, 400, no_key);
}

// rows: I01 I08 S01 S03 S04
#[tokio::test]
async fn a_signed_url_renders_as_it_was_signed() {
    let stage = stage().await;
    let body = json!({"expiresIn": 60, "transform": {"width": 20, "height": 20, "resize": "contain"}});
    let sign = format!("/object/sign/{}", path("closed"));
    let signed = stage.post_by(Who::User(ASHA), &sign, body).await.ok();
    let url = signed["signedURL"].as_str().unwrap();
    assert!(url.starts_with("/render/image/sign/closed/"), "{url}");
    let answer = stage.get_by(Who::Nobody, &format!("{url}&width=50&download=me.jpg")).await;
    assert_eq!(answer.status, 200, "{answer:?}");
    assert_eq!(answer.header("x-transformations"), Some("height:20,width:20,resizing_type:fit"));
    assert_eq!(image::load_from_memory(&answer.bytes).unwrap().dimensions(), (20, 13));
    assert!(answer.header("expires").is_some() && answer.header("cache-control").is_none());
    assert!(answer.header("content-disposition").unwrap().contains("me.jpg"));
    let of_another = url.replace("closed", "open");
    let wrong = ["400", "InvalidSignature", "InvalidSignature", "Invalid signature"];
    assert_error(&stage.get_by(Who::Nobody, &of_another).await, 400, wrong);
    stage.wait(61);
    assert_eq!(stage.get_by(Who::Nobody, url).await.error().1, "InvalidJWT");
}

// rows: I02 E03
#[tokio::test]
async fn bad_options_are_refused_before_the_object_is_looked_for() {
    let stage = stage().await;
    for (query, message) in [
        ("width=wide", "querystring/width must be integer"),
        ("quality=5", "querystring/quality must be >= 20"),
        ("resize=zoom", "querystring/resize must be equal to one of the allowed values"),
    ] {
        let answer = stage.get_by(Who::Nobody, &format!("/render/image/public/none/a.jpg?{query}")).await;
        assert_error(&answer, 400, ["400", "Error", "InvalidRequest", message]);
    }
    let body = json!({"expiresIn": 60, "transform": {"width": "wide"}});
    let answer = stage.post_by(Who::User(ASHA), &format!("/object/sign/{}", path("closed")), body).await;
    let message = "body/transform/width must be integer";
    assert_error(&answer, 400, ["400", "Error", "InvalidRequest", message]);
    let focal = format!("/render/image/public/{}?gravity=fp&x_offset=0.5", path("open"));
    assert_eq!(stage.get_by(Who::Nobody, &focal).await.json()["code"], "InvalidParameter");
}

// rows: I04 I05 D12
#[tokio::test]
async fn each_variant_has_a_tag_of_its_own() {
    let stage = stage().await;
    let url = format!("/render/image/public/{}", path("open"));
    let get = |query: &str, accept: &'static str, tag: String| {
        let call = stage.get_by(Who::Nobody, &format!("{url}?{query}")).header("accept", accept);
        async move { call.header("if-none-match", tag).await }
    };
    let plain = get("width=30", "*/*", String::new()).await;
    let webp = get("width=30", "image/webp,*/*", String::new()).await;
    let small = get("width=20", "*/*", String::new()).await;
    assert_eq!(webp.header("content-type"), Some("image/webp"));
    let tags = [&plain, &webp, &small].map(|answer| answer.header("etag").unwrap().to_owned());
    assert!(tags[0] != tags[1] && tags[0] != tags[2] && tags[1] != tags[2], "{tags:?}");
    let known = get("width=30", "*/*", tags[0].clone()).await;
    assert_eq!((known.status, known.bytes.len()), (304, 0));
    assert_eq!(get("width=30", "image/webp,*/*", tags[0].clone()).await.status, 200);
    // Other bytes under the same name make another tag.
    put(&stage, &path("open"), "image/png", picture(ImageFormat::Png)).await;
    let replaced = get("width=30", "*/*", tags[0].clone()).await;
    assert_eq!((replaced.status, replaced.header("content-type")), (200, Some("image/png")));
}

// rows: I06 D20
#[tokio::test]
async fn what_cannot_be_rendered_is_refused_and_a_drawing_never_runs() {
    let stage = stage().await;
    let svg = "<svg xmlns='http://www.w3.org/2000/svg'><script>alert(1)</script></svg>";
    put(&stage, "open/a.svg", "image/png", svg.into()).await;
    let drawing = stage.get_by(Who::Nobody, "/render/image/public/open/a.svg?width=10&format=webp").await;
    assert_eq!((drawing.status, drawing.text()), (200, svg));
    assert_eq!(drawing.header("content-type"), Some("image/svg+xml"));
    assert_eq!(drawing.header("content-security-policy"), Some("default-src 'none'; sandbox"));
    assert_eq!(drawing.header("content-disposition"), Some("attachment"));
    let message = "The image is damaged, or its format is not supported";
    for (name, bytes) in
        [("page.png", b"<html></html>".to_vec()), ("cut.jpg", picture(ImageFormat::Jpeg)[..40].to_vec())]
    {
        put(&stage, &format!("open/{name}"), "image/png", bytes).await;
        let answer = stage.get_by(Who::Nobody, &format!("/render/image/public/open/{name}")).await;
        assert_error(&answer, 400, ["400", "InvalidRequest", "InvalidRequest", message]);
    }
}

// rows: I01
#[tokio::test]
async fn the_group_is_off_unless_the_project_turns_it_on() {
    let stage = Stage::new().await;
    stage.bucket("open", true).await;
    for route in ["public", "authenticated", "sign"] {
        let url = format!("/render/image/{route}/open/a.jpg");
        let answer = stage.get_by(Who::Service, &url).await;
        assert_eq!((answer.status, answer.json()["error"].as_str()), (404, Some("Not Found")), "{route}");
        assert!(answer.json()["message"].to_string().contains("[storage.image_transformation]"), "{route}");
    }
    // A signed URL then opens the object as it is.
    put(&stage, "open/a.jpg", "image/jpeg", picture(ImageFormat::Jpeg)).await;
    let body = json!({"expiresIn": 60, "transform": {"width": 20}});
    let signed = stage.post_by(Who::Service, "/object/sign/open/a.jpg", body).await.ok();
    assert!(signed["signedURL"].as_str().unwrap().starts_with("/object/sign/"));
}

// rows: I07 SlowDown
#[tokio::test]
async fn a_path_may_be_bounded_to_some_renders_a_second() {
    let stage = Stage::changed(|storage| {
        storage.image_transformation = true;
        storage.renders_per_second = Some(1);
    })
    .await;
    stage.bucket("open", true).await;
    put(&stage, "open/a.png", "image/png", picture(ImageFormat::Png)).await;
    let get = |width| stage.get_by(Who::Nobody, &format!("/render/image/public/open/a.png?width={width}"));
    for width in 1..=4 {
        assert_eq!(get(width).await.status, 200);
    }
    let answer = get(5).await;
    assert_eq!((answer.status, answer.json()["code"].as_str()), (429, Some("SlowDown")));
    stage.wait(4);
    assert_eq!(get(5).await.status, 200);
}
