use crate::support::{ASHA, Stage};

/// The columns of a table: name, type, and `!` where null is refused.
async fn columns(stage: &Stage, table: &str) -> Vec<String> {
    sqlx::query_scalar(
        // With and without `auth` in the search path, types are named the same.
        "select a.attname || ' ' || replace(format_type(a.atttypid, a.atttypmod), 'auth.', '') || case when a.attnotnull then '!' else '' end
        from pg_attribute as a
        where a.attrelid = ('auth.' || $1)::regclass and a.attnum > 0 and not a.attisdropped
        order by a.attnum",
    )
    .bind(table)
    .fetch_all(stage.sql())
    .await
    .unwrap()
}

async fn assert_has(stage: &Stage, table: &str, expected: &[&str]) {
    let found = columns(stage, table).await;
    for column in expected {
        assert!(found.iter().any(|one| one == column), "auth.{table}: {column} is not among {found:#?}");
    }
}

async fn definition(stage: &Stage, index: &str) -> String {
    sqlx::query_scalar("select indexdef from pg_indexes where schemaname = 'auth' and indexname = $1")
        .bind(index)
        .fetch_one(stage.sql())
        .await
        .unwrap_or_else(|_| panic!("no index {index}"))
}

const TIME: &str = "timestamp with time zone";

// rows: Z1 Z2
#[tokio::test]
async fn users_have_the_references_columns_and_indexes() {
    let stage = Stage::new().await;
    assert_has(
        &stage,
        "users",
        &[
            "instance_id uuid",
            "id uuid!",
            "aud character varying(255)",
            "role character varying(255)",
            "email character varying(255)",
            "encrypted_password character varying(255)",
            "confirmation_token character varying(255)",
            "recovery_token character varying(255)",
            "email_change_token_new character varying(255)",
            "email_change character varying(255)",
            "email_change_token_current character varying(255)",
            "email_change_confirm_status smallint",
            "raw_app_meta_data jsonb",
            "raw_user_meta_data jsonb",
            "is_super_admin boolean",
            "phone text",
            "phone_change text",
            "phone_change_token character varying(255)",
            "reauthentication_token character varying(255)",
            "is_sso_user boolean!",
            "is_anonymous boolean!",
        ],
    )
    .await;
    let times = [
        "email_confirmed_at",
        "invited_at",
        "confirmation_sent_at",
        "recovery_sent_at",
        "last_sign_in_at",
        "email_change_sent_at",
        "phone_confirmed_at",
        "phone_change_sent_at",
        "confirmed_at",
        "banned_until",
        "reauthentication_sent_at",
        "deleted_at",
        "created_at",
        "updated_at",
    ];
    let times: Vec<String> = times.iter().map(|name| format!("{name} {TIME}")).collect();
    assert_has(&stage, "users", &times.iter().map(String::as_str).collect::<Vec<_>>()).await;
    let email = definition(&stage, "users_email_partial_key").await;
    assert!(email.contains("UNIQUE") && email.contains("is_sso_user = false"), "{email}");
    for index in [
        "confirmation_token_idx",
        "recovery_token_idx",
        "email_change_token_current_idx",
        "email_change_token_new_idx",
        "reauthentication_token_idx",
    ] {
        let text = definition(&stage, index).await;
        assert!(text.contains("UNIQUE") && text.contains("[0-9 ]*$"), "{text}");
    }
    for index in ["users_instance_id_idx", "users_instance_id_email_idx", "users_is_anonymous_idx"] {
        definition(&stage, index).await;
    }
    let confirmed = stage.execute(
        "insert into auth.users (id, email_confirmed_at, phone_confirmed_at)
        values (gen_random_uuid(), '2026-02-02', '2026-01-01')",
    );
    confirmed.await;
    let least =
        stage.number("select count(*) from auth.users where confirmed_at = '2026-01-01'::timestamptz").await;
    assert_eq!(least, 1, "generated");
}

// rows: Z5 Z6 Z7 Z8 Z9
#[tokio::test]
async fn sessions_and_their_like_have_the_references_columns() {
    let stage = Stage::new().await;
    let (created, updated) = (format!("created_at {TIME}"), format!("updated_at {TIME}"));
    let times = [created.as_str(), updated.as_str()];
    for table in ["identities", "sessions", "refresh_tokens", "flow_state"] {
        assert_has(&stage, table, &times).await;
    }
    assert_has(
        &stage,
        "identities",
        &[
            "provider_id text!",
            "user_id uuid!",
            "identity_data jsonb!",
            "provider text!",
            "email text",
            "id uuid!",
        ],
    )
    .await;
    assert_has(
        &stage,
        "sessions",
        &[
            "id uuid!",
            "user_id uuid!",
            "factor_id uuid",
            "aal aal_level",
            "refreshed_at timestamp without time zone",
            "user_agent text",
            "ip inet",
            "tag text",
            "oauth_client_id uuid",
            "refresh_token_hmac_key text",
            "refresh_token_counter bigint",
            "scopes text",
        ],
    )
    .await;
    assert_has(
        &stage,
        "refresh_tokens",
        &[
            "instance_id uuid",
            "id bigint!",
            "token character varying(255)",
            "user_id character varying(255)",
            "revoked boolean",
            "parent character varying(255)",
            "session_id uuid",
        ],
    )
    .await;
    assert_has(
        &stage,
        "one_time_tokens",
        &[
            "id uuid!",
            "user_id uuid!",
            "token_type one_time_token_type!",
            "token_hash text!",
            "relates_to text!",
            "created_at timestamp without time zone!",
            "updated_at timestamp without time zone!",
        ],
    )
    .await;
    assert_has(
        &stage,
        "flow_state",
        &[
            "id uuid!",
            "user_id uuid",
            "auth_code text",
            "code_challenge_method code_challenge_method",
            "code_challenge text",
            "provider_type text!",
            "provider_access_token text",
            "provider_refresh_token text",
            "authentication_method text!",
            "invite_token text",
            "referrer text",
            "oauth_client_state_id uuid",
            "linking_target_id uuid",
            "email_optional boolean!",
        ],
    )
    .await;
    let kinds: Vec<String> =
        sqlx::query_scalar("select unnest(enum_range(null::auth.one_time_token_type))::text")
            .fetch_all(stage.sql())
            .await
            .unwrap();
    assert_eq!(
        kinds,
        [
            "confirmation_token",
            "reauthentication_token",
            "recovery_token",
            "email_change_token_new",
            "email_change_token_current",
            "phone_change_token"
        ]
    );
}

// rows: Z10 Z11 Z12 Z13
#[tokio::test]
async fn factors_credentials_and_the_log_have_the_references_columns() {
    let stage = Stage::new().await;
    assert_has(
        &stage,
        "mfa_factors",
        &[
            "id uuid!",
            "user_id uuid!",
            "friendly_name text",
            "factor_type factor_type!",
            "status factor_status!",
            "secret text",
            "phone text",
            "web_authn_credential jsonb",
            "web_authn_aaguid uuid",
            "last_webauthn_challenge_data jsonb",
        ],
    )
    .await;
    assert_has(
        &stage,
        "mfa_challenges",
        &["id uuid!", "factor_id uuid!", "ip_address inet!", "otp_code text", "web_authn_session_data jsonb"],
    )
    .await;
    assert_has(&stage, "mfa_amr_claims", &["id uuid!", "session_id uuid!", "authentication_method text!"])
        .await;
    assert_has(
        &stage,
        "webauthn_credentials",
        &[
            "credential_id bytea!",
            "public_key bytea!",
            "attestation_type text!",
            "aaguid uuid",
            "sign_count bigint!",
            "transports jsonb!",
            "backup_eligible boolean!",
            "backed_up boolean!",
            "friendly_name text!",
        ],
    )
    .await;
    assert_has(&stage, "webauthn_challenges", &["challenge_type text!", "session_data jsonb!"]).await;
    assert_has(
        &stage,
        "audit_log_entries",
        &["instance_id uuid", "id uuid!", "payload json", "ip_address character varying(64)!"],
    )
    .await;
    assert_has(&stage, "instances", &["id uuid!", "uuid uuid", "raw_base_config text"]).await;
    assert!(definition(&stage, "mfa_factors_user_friendly_name_unique").await.contains("UNIQUE"));
    assert!(definition(&stage, "unique_phone_factor_per_user").await.contains("UNIQUE"));
}

// rows: Z19
#[tokio::test]
async fn a_hard_delete_reaches_the_projects_own_tables() {
    let stage = Stage::new().await;
    stage.sign_in(ASHA).await;
    stage
        .execute(
            "create table public.notes (owner uuid references auth.users (id) on delete cascade, text text);
            alter table public.notes enable row level security;
            insert into public.notes select id, 'mine' from auth.users",
        )
        .await;
    let id: String =
        sqlx::query_scalar("select id::text from auth.users").fetch_one(stage.sql()).await.unwrap();
    let key = stage.service_key();
    let delete = stage.call(http::Method::DELETE, &format!("/admin/users/{id}"));
    assert_eq!(delete.header("apikey", &key).bearer(&key).await.status, 200);
    assert_eq!(stage.number("select count(*) from public.notes").await, 0);
}

// rows: Y1 Y2 Y4 Y5
#[tokio::test]
async fn functions_for_policies_read_the_settings_of_a_request() {
    let stage = Stage::new().await;
    let mut request = stage.sql().begin().await.unwrap();
    let read = "select auth.uid()::text, auth.role(), auth.email(), auth.jwt() ->> 'plan'";
    let none: (Option<String>, Option<String>, Option<String>, Option<String>) =
        sqlx::query_as(read).fetch_one(&mut *request).await.unwrap();
    assert_eq!(none, (None, None, None, None), "Y5: missing settings are tolerated");
    let claims = r#"{"sub": "00000000-0000-0000-0000-000000000007", "role": "authenticated", "email": "a@b.c", "plan": "x"}"#;
    sqlx::query("select set_config('request.jwt.claims', $1, true)")
        .bind(claims)
        .fetch_one(&mut *request)
        .await
        .unwrap();
    sqlx::query("set local role anon").execute(&mut *request).await.unwrap();
    let some: (Option<String>, Option<String>, Option<String>, Option<String>) =
        sqlx::query_as(read).fetch_one(&mut *request).await.unwrap();
    let text = |text: &str| Some(text.to_owned());
    let expected =
        (text("00000000-0000-0000-0000-000000000007"), text("authenticated"), text("a@b.c"), text("x"));
    assert_eq!(some, expected);
    let older = "select set_config('request.jwt.claim.sub', '00000000-0000-0000-0000-000000000008', true)";
    sqlx::query(older).fetch_one(&mut *request).await.unwrap();
    let sub: String = sqlx::query_scalar("select auth.uid()::text").fetch_one(&mut *request).await.unwrap();
    assert!(sub.ends_with('8'), "the single setting wins");
    let stable = stage
        .number(
            "select count(*) from pg_proc join pg_language as l on l.oid = prolang
            where pronamespace = 'auth'::regnamespace and proname in ('uid', 'role', 'email', 'jwt')
                and provolatile = 's' and l.lanname = 'sql'",
        )
        .await;
    assert_eq!(stable, 4);
}
