//! Buckets and lists (CONTRACT.md X05, X06).

use super::client::{Keys, ask, ask_as, element, elements, error};
use crate::support::{ASHA, Stage, Who};

// rows: X05
#[tokio::test]
async fn buckets_are_made_told_and_deleted() {
    let stage = Stage::new().await;
    assert_eq!(ask(&stage, "PUT /papers").send().await.header("location"), Some("/papers"));
    assert_eq!(ask(&stage, "PUT /open").header("x-amz-acl", "public-read").send().await.status, 200);
    assert_eq!(error(&ask(&stage, "PUT /open").send().await), (409, "BucketAlreadyExists".into()));
    assert_eq!(error(&ask(&stage, "PUT /no%2Fname").send().await).0, 400);
    let public = "select count(*) from storage.buckets where (id = 'open') = public";
    assert_eq!(stage.number(public).await, 2);
    let list = ask(&stage, "GET /").send().await;
    assert_eq!(elements(list.text(), "Name"), ["open", "papers"]);
    assert!(elements(list.text(), "CreationDate")[0].ends_with('Z'));
    let head = ask(&stage, "HEAD /papers").send().await;
    assert_eq!((head.status, head.header("x-amz-bucket-region")), (200, Some("local")));
    let location = ask(&stage, "GET /papers?location=").send().await;
    assert!(location.text().ends_with(">local</LocationConstraint>"), "{}", location.text());
    let versioning = ask(&stage, "GET /papers?versioning=").send().await;
    assert_eq!(element(versioning.text(), "Status").as_deref(), Some("Suspended"));
    stage.upload(Who::Service, "papers/a.txt", "a").await;
    assert_eq!(error(&ask(&stage, "DELETE /papers").send().await), (409, "ResourceNotEmpty".into()));
    assert_eq!(ask(&stage, "DELETE /open").send().await.status, 204);
    for request in ["DELETE /open", "GET /open?location=", "GET /open?list-type=2", "GET /open"] {
        assert_eq!(error(&ask(&stage, request).send().await), (404, "NoSuchBucket".into()), "{request}");
    }
    assert_eq!(ask(&stage, "HEAD /open").send().await.status, 404);
}

// rows: X05 R06
#[tokio::test]
async fn a_user_without_rights_sees_and_makes_no_bucket() {
    let stage = Stage::new().await;
    stage.bucket("b", false).await;
    let asha = Keys::user(&stage, ASHA);
    assert!(!ask_as(&stage, &asha, "GET /").send().await.text().contains("<Name>"));
    assert_eq!(error(&ask_as(&stage, &asha, "PUT /mine").send().await), (403, "AccessDenied".into()));
    assert_eq!(error(&ask_as(&stage, &asha, "DELETE /b").send().await), (404, "NoSuchBucket".into()));
    assert_eq!(ask_as(&stage, &asha, "HEAD /b").send().await.status, 404);
}

async fn filled() -> Stage {
    let stage = Stage::new().await;
    stage.bucket("b", false).await;
    for name in ["a.txt", "a/1.txt", "a/2.txt", "b & c.txt", "d/e/3.txt", "z.txt"] {
        stage.upload(Who::Service, &format!("b/{name}"), name).await;
    }
    stage
}

// rows: X06
#[tokio::test]
async fn objects_are_listed_with_folders_and_page_by_page() {
    let stage = filled().await;
    let all = ask(&stage, "GET /b?list-type=2").send().await;
    let keys = ["a.txt", "a/1.txt", "a/2.txt", "b & c.txt", "d/e/3.txt", "z.txt"];
    assert_eq!(elements(all.text(), "Key"), keys);
    assert_eq!(elements(all.text(), "Size")[0], "5");
    assert_eq!(elements(all.text(), "ETag")[0].len(), 34);
    assert_eq!(element(all.text(), "IsTruncated").as_deref(), Some("false"));

    let (mut seen, mut token) = (Vec::new(), String::new());
    loop {
        let query = format!("GET /b?delimiter=%2F&list-type=2&max-keys=2{token}");
        let page = ask(&stage, &query).send().await;
        seen.extend(elements(page.text(), "Key"));
        let folders = elements(page.text(), "CommonPrefixes");
        seen.extend(folders.iter().map(|folder| element(folder, "Prefix").unwrap()));
        match element(page.text(), "NextContinuationToken") {
            Some(next) => token = format!("&continuation-token={next}"),
            None => break,
        }
    }
    seen.sort();
    assert_eq!(seen, ["a.txt", "a/", "b & c.txt", "d/", "z.txt"]);
    let inside =
        ask(&stage, "GET /b?delimiter=%2F&list-type=2&prefix=a%2F&start-after=a%2F1.txt").send().await;
    assert_eq!(elements(inside.text(), "Key"), ["a/2.txt"]);
    assert_eq!(error(&ask(&stage, "GET /b?continuation-token=%25&list-type=2").send().await).0, 400);
}

// rows: X06
#[tokio::test]
async fn the_first_version_of_lists_goes_on_at_a_marker() {
    let stage = filled().await;
    let page = ask(&stage, "GET /b?delimiter=%2F&max-keys=2").send().await;
    assert_eq!(elements(page.text(), "Key"), ["a.txt"]);
    assert_eq!(element(page.text(), "NextMarker").as_deref(), Some("a/"));
    let next = ask(&stage, "GET /b?delimiter=%2F&marker=a%2F&max-keys=2").send().await;
    assert_eq!(elements(next.text(), "Key"), ["b & c.txt"]);
    let flat = ask(&stage, "GET /b?marker=a%2F1.txt&max-keys=1").send().await;
    assert_eq!(elements(flat.text(), "Key"), ["a/2.txt"]);
    let encoded = ask(&stage, "GET /b?encoding-type=url&prefix=b%20").send().await;
    assert_eq!(elements(encoded.text(), "Key"), ["b%20%26%20c.txt"]);
    assert_eq!(element(encoded.text(), "Prefix").as_deref(), Some("b%20"));
    assert_eq!(elements(ask(&stage, "GET /b?max-keys=0").send().await.text(), "Key").len(), 0);
    assert_eq!(error(&ask(&stage, "GET /b?max-keys=many").send().await), (400, "InvalidParameter".into()));
}

// rows: X06 NoSuchVersion
#[tokio::test]
async fn each_object_is_its_only_version() {
    let stage = filled().await;
    let (mut keys, mut markers) = (Vec::new(), String::new());
    loop {
        let page = ask(&stage, &format!("GET /b?{markers}max-keys=4&versions=")).send().await;
        assert!(elements(page.text(), "VersionId").iter().all(|version| version == "null"));
        assert!(elements(page.text(), "IsLatest").iter().all(|is_latest| is_latest == "true"));
        keys.extend(elements(page.text(), "Key"));
        let Some(next) = element(page.text(), "NextKeyMarker") else { break };
        assert_eq!(element(page.text(), "NextVersionIdMarker").as_deref(), Some("null"));
        let next = next.replace(' ', "%20").replace('&', "%26");
        markers = format!("key-marker={next}&version-id-marker=null&");
    }
    assert_eq!(keys, ["a.txt", "a/1.txt", "a/2.txt", "b & c.txt", "d/e/3.txt", "z.txt"]);
    let level = ask(&stage, "GET /b?delimiter=%2F&prefix=a&versions=").send().await;
    assert_eq!(elements(level.text(), "CommonPrefixes"), ["<Prefix>a/</Prefix>"]);
    let asha = ask_as(&stage, &Keys::user(&stage, ASHA), "GET /b?versions=").send().await;
    assert_eq!((asha.status, elements(asha.text(), "Key").len()), (200, 0), "policies let her see none");

    let missing = (404, "NoSuchVersion".to_owned());
    for request in ["GET /b/z.txt?versionId=7", "DELETE /b/z.txt?versionId=7"] {
        assert_eq!(error(&ask(&stage, request).send().await), missing, "{request}");
    }
    let delete = |version: &str| {
        format!("<Delete><Object><Key>a.txt</Key><VersionId>{version}</VersionId></Object></Delete>")
    };
    assert_eq!(error(&ask(&stage, "POST /b?delete=").body(delete("7")).send().await), missing);
    let copy = ask(&stage, "PUT /b/copy").header("x-amz-copy-source", "b/z.txt?versionId=7");
    assert_eq!(error(&copy.send().await), missing);
    assert_eq!(ask(&stage, "GET /b/z.txt?versionId=null").send().await.status, 200);
    assert_eq!(ask(&stage, "POST /b?delete=").body(delete("null")).send().await.status, 200);
    assert_eq!(ask(&stage, "DELETE /b/z.txt?versionId=null").send().await.status, 204);
    assert_eq!(ask(&stage, "GET /b/z.txt").send().await.status, 404);
}
