//! Several nodes of one project: what protects an account is counted in the database
//! (CONTRACT.md Q13).

use serde_json::json;

use crate::{
    factors,
    passwords::{PASSWORD, sign_up},
    support::{ASHA, RAVI, Stage, wrong},
};

// rows: Q13 M9
#[tokio::test]
async fn guesses_at_a_code_are_counted_over_all_nodes() {
    let stage = Stage::new().await;
    let nodes = [stage.clone(), stage.another_node()];
    stage.ask(ASHA).await;
    let code = stage.code(ASHA).await;
    for step in 1..=5 {
        let refused = nodes[step % 2].verify(ASHA, &wrong(&code, step as u32)).await;
        assert_eq!(refused.error(), (403, "otp_expired"));
    }
    for node in &nodes {
        assert_eq!(node.verify(ASHA, &code).await.error(), (403, "otp_expired"), "there were five");
    }
    stage.wait(2);
    nodes[0].ask(ASHA).await;
    let session = nodes[1].verify(ASHA, &stage.code(ASHA).await).await;
    assert_eq!(session.status, 200, "a code counts at every node: {}", session.json());
}

// rows: Q13 M7
#[tokio::test]
async fn codes_that_are_sent_are_counted_over_all_nodes() {
    let stage = Stage::new().await;
    let nodes = [stage.clone(), stage.another_node()];
    assert_eq!(nodes[0].ask(ASHA).await.status, 200);
    assert_eq!(nodes[1].ask(ASHA).await.error(), (429, "over_email_send_rate_limit"), "the pause");
    for round in 1..10 {
        stage.wait(2);
        assert_eq!(nodes[round % 2].ask(ASHA).await.status, 200, "{round}");
    }
    stage.wait(2);
    for node in &nodes {
        assert_eq!(node.ask(ASHA).await.error(), (429, "over_email_send_rate_limit"), "ten of one network");
    }
}

// rows: Q13 PW1
#[tokio::test]
async fn wrong_passwords_are_counted_over_all_nodes() {
    let stage = Stage::new().await;
    let nodes = [stage.clone(), stage.another_node()];
    sign_up(&stage, ASHA).await;
    sign_up(&stage, RAVI).await;
    let sign_in = async |node: &Stage, email: &str, password: &str| {
        let body = json!({"email": email, "password": password});
        node.post("/token?grant_type=password", &body).await.status
    };
    for number in 0..20 {
        assert_eq!(sign_in(&nodes[number % 2], ASHA, "wrong one").await, 400);
    }
    for node in &nodes {
        assert_eq!(sign_in(node, ASHA, PASSWORD).await, 429);
        assert_eq!(sign_in(node, RAVI, PASSWORD).await, 200);
    }
}

// rows: Q13 F4
#[tokio::test]
async fn wrong_answers_of_a_second_factor_are_counted_over_all_nodes() {
    let stage = Stage::with("[auth.mfa.totp]\nenroll_enabled = true\nverify_enabled = true\n").await;
    let nodes = [stage.clone(), stage.another_node()];
    let (id, secret, raised) = factors::with_factor(&stage, ASHA).await;
    stage.wait(60);
    for number in 0..5 {
        let answer = factors::code(&stage, &secret, 9);
        let refused = factors::verify(&nodes[number % 2], raised.field("access_token"), &id, &answer).await;
        assert_eq!(refused.error(), (422, "mfa_verification_failed"));
    }
    for node in &nodes {
        let right = factors::code(&stage, &secret, 0);
        let closed = factors::verify(node, raised.field("access_token"), &id, &right).await;
        assert_eq!(closed.error(), (429, "over_request_rate_limit"));
    }
}
