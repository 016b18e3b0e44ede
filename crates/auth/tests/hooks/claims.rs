//! The hook that changes the claims of access tokens.

use super::{answers, function};
use crate::support::{ASHA, Stage};

// rows: HK7 T16
#[tokio::test]
async fn the_access_token_hook_changes_claims_and_may_not_break_them() {
    let stage = Stage::with(&function("custom_access_token")).await;
    answers(
        &stage,
        "begin
            return jsonb_build_object('claims',
                event -> 'claims' || jsonb_build_object('plan', 'school', 'by', event ->> 'authentication_method'));
        end",
    )
    .await;
    let session = stage.sign_in(ASHA).await;
    let claims = stage.claims(session.field("access_token"));
    assert_eq!((claims["plan"].as_str(), claims["by"].as_str()), (Some("school"), Some("otp")));
    stage.wait(60);
    let refreshed = stage.refresh(session.field("refresh_token")).await;
    assert_eq!(stage.claims(refreshed.field("access_token"))["by"], "token_refresh");
    answers(&stage, "begin return jsonb_build_object('claims', (event -> 'claims') - 'role'); end").await;
    stage.wait(60);
    let broken = stage.refresh(refreshed.field("refresh_token")).await;
    assert_eq!(broken.error(), (500, "unexpected_failure"));
    assert!(broken.field("msg").contains("role is required"), "{}", broken.json());
    answers(&stage, "begin return event -> 'claims'; end").await;
    let missing = stage.refresh(refreshed.field("refresh_token")).await;
    assert!(missing.field("msg").contains("claims field is missing"), "{}", missing.json());
    answers(&stage, "begin return event; end").await;
    assert_eq!(
        stage.refresh(refreshed.field("refresh_token")).await.status,
        200,
        "no fault of the hook costs the session"
    );
}

// rows: HK7
#[tokio::test]
async fn who_gets_no_claims_from_the_database_has_no_session() {
    let stage = Stage::with(&function("custom_access_token")).await;
    answers(&stage, "begin return event; end").await;
    stage.sign_in(ASHA).await;
    stage.wait(2);
    let left = "select count(*) from (select id from auth.sessions union all select id from auth.audit_log_entries where payload ->> 'action' = 'login') as r";
    let before = stage.number(left).await;
    answers(&stage, "begin raise exception 'none today'; end").await;
    stage.ask(ASHA).await;
    let refused = stage.verify(ASHA, &stage.code(ASHA).await).await;
    assert_eq!(refused.error(), (500, "unexpected_failure"), "{}", refused.json());
    assert_eq!(stage.number(left).await, before);
}

// rows: HK7
#[tokio::test]
async fn a_code_whose_claims_the_database_refuses_can_be_entered_again() {
    let stage = Stage::with(&function("custom_access_token")).await;
    answers(&stage, "begin return event; end").await;
    stage.sign_in(ASHA).await;
    stage.wait(2);
    stage.ask(ASHA).await;
    let code = stage.code(ASHA).await;
    let signed_in = "select extract(epoch from last_sign_in_at)::bigint from auth.users";
    let before = stage.number(signed_in).await;
    answers(&stage, "begin raise exception 'none today'; end").await;
    let refused = stage.verify(ASHA, &code).await;
    assert_eq!(refused.error(), (500, "unexpected_failure"), "{}", refused.json());
    assert_eq!(stage.number(signed_in).await, before);
    answers(&stage, "begin return event; end").await;
    let entered = stage.verify(ASHA, &code).await;
    assert_eq!(entered.status, 200, "{}", entered.json());
}
