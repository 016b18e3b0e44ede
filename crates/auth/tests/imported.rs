//! Data of a hosted project, restored as pg_dump writes it: explicit columns, triggers off, NULL
//! where the host has it.

use serde_json::json;
use sha2::{Digest, Sha224};

use crate::{
    factors,
    support::{ASHA, RAVI, Stage},
};

const SECRET: &str = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ";

const DUMP: &str = "
set session_replication_role = replica;
insert into auth.users (instance_id, id, aud, role, email, encrypted_password, email_confirmed_at, invited_at,
    confirmation_token, confirmation_sent_at, recovery_token, recovery_sent_at, email_change_token_new, email_change,
    email_change_sent_at, last_sign_in_at, raw_app_meta_data, raw_user_meta_data, is_super_admin, created_at, updated_at,
    phone, phone_confirmed_at, phone_change, phone_change_token, phone_change_sent_at, email_change_token_current,
    email_change_confirm_status, banned_until, reauthentication_token, reauthentication_sent_at, is_sso_user, deleted_at,
    is_anonymous)
values
    ('00000000-0000-0000-0000-000000000000', '5a0b8f5c-0000-4000-8000-000000000001', 'authenticated', 'authenticated',
    'asha@example.com', extensions.crypt('her own password', extensions.gen_salt('bf', 6)), '2025-03-01 10:00:00.123456+00',
    null, '', null, '', null, '', '', null, '2025-04-01 10:00:00+00', '{\"provider\": \"email\", \"providers\": [\"email\"]}',
    '{\"name\": \"Asha\"}', null, '2025-03-01 10:00:00+00', '2025-04-01 10:00:00+00', null, null, '', '', null, '', 0, null,
    '', null, false, null, false),
    ('00000000-0000-0000-0000-000000000000', '5a0b8f5c-0000-4000-8000-000000000002', 'authenticated', 'authenticated',
    'ravi@example.com', null, '2025-03-01 10:00:00+00', null, null, null, null, null, null, null, null, null, null, null,
    null, '2025-03-01 10:00:00+00', null, null, null, null, null, null, null, null, null, null, null, false, null, false);
insert into auth.identities (provider_id, user_id, identity_data, provider, last_sign_in_at, created_at, updated_at, id)
values ('5a0b8f5c-0000-4000-8000-000000000001', '5a0b8f5c-0000-4000-8000-000000000001',
    '{\"sub\": \"5a0b8f5c-0000-4000-8000-000000000001\", \"email\": \"asha@example.com\", \"email_verified\": true}', 'email',
    '2025-03-01 10:00:00+00', '2025-03-01 10:00:00+00', '2025-03-01 10:00:00+00', '5a0b8f5c-0000-4000-8000-000000000003');
insert into auth.sessions (id, user_id, created_at, updated_at, factor_id, aal, not_after, refreshed_at, user_agent, ip, tag)
values ('5a0b8f5c-0000-4000-8000-000000000004', '5a0b8f5c-0000-4000-8000-000000000001', '2025-04-01 10:00:00+00',
    '2025-04-01 10:00:00+00', null, 'aal1', null, null, 'Mozilla', '198.51.100.7', null);
insert into auth.mfa_amr_claims (session_id, created_at, updated_at, authentication_method, id)
values ('5a0b8f5c-0000-4000-8000-000000000004', '2025-04-01 10:00:00+00', '2025-04-01 10:00:00+00', 'password',
    '5a0b8f5c-0000-4000-8000-000000000005');
insert into auth.refresh_tokens (instance_id, id, token, user_id, revoked, created_at, updated_at, parent, session_id)
values ('00000000-0000-0000-0000-000000000000', 1, 'abcdefgh2345', '5a0b8f5c-0000-4000-8000-000000000001', false,
    '2025-04-01 10:00:00+00', '2025-04-01 10:00:00+00', null, '5a0b8f5c-0000-4000-8000-000000000004');
insert into auth.mfa_factors (id, user_id, friendly_name, factor_type, status, created_at, updated_at, secret, phone,
    last_challenged_at, web_authn_credential, web_authn_aaguid, last_webauthn_challenge_data)
values ('5a0b8f5c-0000-4000-8000-000000000006', '5a0b8f5c-0000-4000-8000-000000000001', 'phone app', 'totp', 'verified',
    '2025-03-02 10:00:00+00', '2025-03-02 10:00:00+00', 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ', null, null, null, null, null);
set session_replication_role = default;";

/// Restores as the owner of a project does: by its login, and all or nothing.
async fn restore(stage: &Stage) {
    let mut transaction = stage.sql().begin().await.unwrap();
    sqlx::raw_sql("set local role postgres").execute(&mut *transaction).await.unwrap();
    sqlx::raw_sql(DUMP).execute(&mut *transaction).await.unwrap();
    transaction.commit().await.unwrap();
}

// rows: Z20 Z3
#[tokio::test]
async fn users_of_a_restored_dump_sign_in_by_password_and_by_code() {
    let stage = Stage::with("[auth.mfa.totp]\nverify_enabled = true\n").await;
    restore(&stage).await;
    let body = json!({"email": ASHA, "password": "her own password"});
    let session = stage.post("/token?grant_type=password", &body).await;
    assert_eq!(session.status, 200, "{}", session.json());
    assert_eq!(session["user"]["id"], "5a0b8f5c-0000-4000-8000-000000000001");
    assert_eq!(session["user"]["user_metadata"]["name"], "Asha");
    let wrong = json!({"email": ASHA, "password": "another password"});
    let refused = stage.post("/token?grant_type=password", &wrong).await;
    assert_eq!(refused.error(), (400, "invalid_credentials"));
    let by_code = stage.sign_in(RAVI).await;
    assert_eq!(by_code["user"]["id"], "5a0b8f5c-0000-4000-8000-000000000002", "NULL columns and no identity");
}

// rows: R1 F4
#[tokio::test]
async fn sessions_and_factors_of_a_restored_dump_go_on() {
    let stage = Stage::with("[auth.mfa.totp]\nverify_enabled = true\n").await;
    restore(&stage).await;
    let refreshed = stage.refresh("abcdefgh2345").await;
    assert_eq!(refreshed.status, 200, "{}", refreshed.json());
    let token = refreshed.field("access_token");
    assert_eq!(stage.claims(token)["session_id"], "5a0b8f5c-0000-4000-8000-000000000004");
    let factor = "5a0b8f5c-0000-4000-8000-000000000006";
    let raised = factors::verify(&stage, token, factor, &factors::code(&stage, SECRET, 0)).await;
    assert_eq!(raised.status, 200, "{}", raised.json());
    assert_eq!(stage.claims(raised.field("access_token"))["aal"], "aal2");
}

// rows: M3
#[tokio::test]
async fn a_code_that_the_reference_sent_still_counts() {
    let stage = Stage::new().await;
    restore(&stage).await;
    let hash: String =
        Sha224::digest(format!("{ASHA}123456")).iter().map(|byte| format!("{byte:02x}")).collect();
    let rows = format!(
        "update auth.users set recovery_token = '{hash}', recovery_sent_at = '2026-09-21 14:10+00' where email = '{ASHA}';
        insert into auth.one_time_tokens (id, user_id, token_type, token_hash, relates_to)
        values (gen_random_uuid(), '5a0b8f5c-0000-4000-8000-000000000001', 'recovery_token', '{hash}', '{ASHA}')"
    );
    sqlx::raw_sql(sqlx::AssertSqlSafe(rows)).execute(stage.sql()).await.unwrap();
    let session = stage.verify(ASHA, "123456").await;
    assert_eq!(session.status, 200, "{}", session.json());
}

// rows: Z14 Z13
#[tokio::test]
async fn what_the_service_writes_dumps_and_restores_into_the_references_tables() {
    let stage = Stage::with("[auth.mfa.totp]\nenroll_enabled = true\nverify_enabled = true\n").await;
    factors::with_factor(&stage, ASHA).await;
    let own = stage
        .number(
            "select count(*) from pg_class
            where relnamespace = 'auth'::regnamespace and relkind = 'r' and relname not like 'banyan\\_%'",
        )
        .await;
    assert_eq!(own, 23, "the reference's tables, no more and no fewer");
    let odd = stage
        .number("select count(*) from auth.audit_log_entries where payload ->> 'action' is null or ip_address is null")
        .await;
    assert_eq!(odd, 0);
}

/// The reference stores a link's token as anybody can make it from an address and each of a million
/// codes.
// rows: M3 M9
#[tokio::test]
async fn tokens_of_the_references_form_cannot_be_tried_out() {
    for (wrong, by_link, status) in [(19, false, 200), (20, false, 403), (20, true, 403)] {
        let stage = Stage::with("[auth.rate_limit]\ntoken_verifications = 1000\n").await;
        stage.sign_in(ASHA).await;
        stage.wait(2);
        stage.ask(ASHA).await;
        let token = |code: u32| {
            let hash = Sha224::digest(format!("{ASHA}{code:06}"));
            hash.iter().map(|byte| format!("{byte:02x}")).collect::<String>()
        };
        sqlx::query("update auth.one_time_tokens set token_hash = $1")
            .bind(token(123_456))
            .execute(stage.sql())
            .await
            .unwrap();
        let verify = |code, ip: [u8; 4]| {
            let body = json!({"type": "email", "token_hash": token(code)});
            stage.post("/verify", &body).from(ip).into_future()
        };
        let attacker = [198, 51, 100, 7];
        for code in 0..wrong {
            assert_eq!(verify(code, attacker).await.error(), (403, "otp_expired"));
        }
        assert_eq!(verify(123_456, attacker).await.status, status, "after {wrong}");
        if status == 403 && by_link {
            let followed = verify(123_456, [203, 0, 113, 1]).await;
            assert_eq!(followed.status, 200, "nobody switches links off for others: {}", followed.json());
        } else if status == 403 {
            let body = json!({"type": "email", "email": ASHA, "token": "123456"});
            let typed = stage.post("/verify", &body).await;
            assert_eq!(typed.status, 200, "who reads the mail still gets in: {}", typed.json());
        }
    }
}
