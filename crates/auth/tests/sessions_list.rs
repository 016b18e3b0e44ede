use banyan_testkit::Answer;
use http::Method;
use serde_json::json;

use crate::support::{ASHA, RAVI, Stage};

// rows: C11
#[tokio::test]
async fn a_user_lists_and_ends_single_sessions_and_nobody_elses() {
    let stage = Stage::new().await;
    let (first, second) = (stage.sign_in(ASHA).await, stage.sign_in(ASHA).await);
    let ravi = stage.sign_in(RAVI).await;
    let list = stage.get("/user/sessions").bearer(second.field("access_token")).await;
    let sessions = list["sessions"].as_array().unwrap();
    assert_eq!(sessions.len(), 2, "{}", list.json());
    assert_eq!(
        (&sessions[0]["current"], &sessions[1]["current"]),
        (&json!(true), &json!(false)),
        "newest first"
    );
    assert_eq!(sessions[0]["ip"], "192.0.2.1");
    let of = |session: &Answer| {
        stage.claims(session.field("access_token"))["session_id"].as_str().unwrap().to_owned()
    };
    let delete = async |token: &str, path: String| stage.call(Method::DELETE, &path).bearer(token).await;
    let foreign = delete(ravi.field("access_token"), format!("/user/sessions/{}", of(&first))).await;
    assert_eq!(foreign.error(), (404, "session_not_found"));
    assert_eq!(delete(second.field("access_token"), "/user/sessions/seven".into()).await.status, 404);
    assert_eq!(
        delete(second.field("access_token"), format!("/user/sessions/{}", of(&first))).await.status,
        204
    );
    assert_eq!(stage.refresh(first.field("refresh_token")).await.error(), (400, "refresh_token_not_found"));
    assert_eq!(stage.refresh(second.field("refresh_token")).await.status, 200);

    let user = format!("/admin/users/{}", ravi["user"]["id"].as_str().unwrap());
    let refused = stage.get(&format!("{user}/sessions")).bearer(second.field("access_token")).await;
    assert_eq!(refused.error(), (403, "not_admin"));
    let key = stage.service_key();
    let list = stage.get(&format!("{user}/sessions")).bearer(&key).await;
    assert_eq!(list["sessions"][0]["id"], json!(of(&ravi)));
    assert_eq!(
        delete(&key, format!("{user}/sessions/{}", of(&second))).await.error(),
        (404, "session_not_found")
    );
    assert_eq!(delete(&key, format!("{user}/sessions/{}", of(&ravi))).await.status, 204);
    let gone = stage.get("/user").bearer(ravi.field("access_token")).await;
    assert_eq!(gone.error(), (403, "session_not_found"));
}
