use sqlx::PgPool;

use crate::database::product_database;

async fn names(pool: &PgPool, query: &'static str) -> Vec<String> {
    sqlx::query_scalar(query).fetch_all(pool).await.expect("the catalog can be read")
}

#[tokio::test]
async fn policies_every_table_has_row_level_security() {
    let pool = product_database().await;
    let bare = names(
        &pool,
        "select oid::regclass::text from pg_class
         where relkind in ('r', 'p') and relnamespace in ('public'::regnamespace, 'private'::regnamespace)
           and not relrowsecurity",
    )
    .await;
    assert!(bare.is_empty(), "{bare:?}");
}

#[tokio::test]
async fn policies_every_policy_explains_itself() {
    let pool = product_database().await;
    let silent = names(
        &pool,
        "select polrelid::regclass || '.' || polname from pg_policy
         join pg_class on pg_class.oid = polrelid
         where relnamespace in ('public'::regnamespace, 'storage'::regnamespace)
           and obj_description(pg_policy.oid, 'pg_policy') is null",
    )
    .await;
    assert!(silent.is_empty(), "{silent:?}");
}

#[tokio::test]
async fn policies_the_api_roles_hold_exactly_these_table_rights() {
    let pool = product_database().await;
    let rights = names(
        &pool,
        "select format('%s %s on %s', grantee::regrole, string_agg(lower(privilege_type), ', ' order by privilege_type), oid::regclass)
         from pg_class, aclexplode(coalesce(relacl, acldefault('r', relowner)))
         where relkind in ('r', 'p', 'v', 'm', 'S')
           and relnamespace in ('public'::regnamespace, 'private'::regnamespace)
           and grantee <> relowner
         group by grantee, oid
         order by oid::regclass::text, grantee::regrole::text",
    )
    .await;
    assert_eq!(
        rights,
        [
            "anon select on blogs",
            "authenticated select on blogs",
            "service_role delete, insert, select, update on blogs",
            "authenticated select on credit_ledger",
            "service_role select on credit_ledger",
            "authenticated select on generations",
            "service_role select on generations",
            "authenticated select on payment_transactions",
            "service_role insert, select on payment_transactions",
            "authenticated delete, select on profiles",
            "service_role delete, insert, select, update on profiles",
            "authenticated delete, select on user_roles",
            "service_role delete, insert, select on user_roles",
        ]
    );
}

#[tokio::test]
async fn policies_the_api_roles_hold_exactly_these_column_rights() {
    let pool = product_database().await;
    let rights = names(
        &pool,
        "select format('%s %s on %s (%s)', grantee::regrole, lower(privilege_type), attrelid::regclass,
           string_agg(attname, ', ' order by attnum))
         from pg_attribute
         join pg_class on pg_class.oid = attrelid, aclexplode(attacl)
         where relnamespace in ('public'::regnamespace, 'private'::regnamespace)
         group by grantee, privilege_type, attrelid
         order by attrelid::regclass::text, grantee::regrole::text, privilege_type",
    )
    .await;
    assert_eq!(
        rights,
        [
            "authenticated insert on blogs (title, content, excerpt, category, author_id, author_name)",
            "authenticated insert on payment_transactions (transaction_id, user_id, amount, credits, status, phone_number, customer_info)",
            "service_role update on payment_transactions (status)",
            "authenticated insert on profiles (user_id, coins)",
            "authenticated update on profiles (coins, updated_at, last_payment_amount, last_payment_date, last_payment_time)",
        ]
    );
}

#[tokio::test]
async fn policies_the_api_roles_may_call_exactly_these_functions() {
    let pool = product_database().await;
    let callable = names(
        &pool,
        "select format('%s %s', rolname, pg_proc.oid::regprocedure)
         from pg_proc
         cross join unnest(array['anon', 'authenticated', 'service_role']) as rolname
         where pronamespace = 'public'::regnamespace
           and has_function_privilege(rolname, pg_proc.oid, 'execute')
         order by rolname, proname",
    )
    .await;
    assert_eq!(
        callable,
        [
            "authenticated admin_delete_user(uuid)",
            "authenticated admin_recent_generations()",
            "authenticated admin_reject_payment(uuid,text,text)",
            "authenticated admin_settle_payment(uuid,text,integer)",
            "authenticated admin_update_user_credits(uuid,integer)",
            "authenticated assign_user_role(uuid,text)",
            "authenticated cancel_generation(text)",
            "authenticated create_user_profile_if_missing()",
            "authenticated get_all_users()",
            "authenticated is_admin_user(uuid)",
            "authenticated reported_by_others(payment_transactions)",
            "service_role begin_sample_reading(uuid)",
            "service_role claim_generation(uuid,text,text,boolean,text,uuid)",
            "service_role claim_mail(uuid,text,text,text)",
            "service_role complete_generation(uuid,jsonb)",
            "service_role end_sample_reading(uuid)",
            "service_role fail_claim(uuid,uuid,text)",
            "service_role fail_generation(uuid,text)",
            "service_role is_admin_user(uuid)",
            "service_role note_model_tokens(bigint)",
            "service_role note_refusal(uuid,text,text)",
            "service_role prolong_generation(uuid)",
            "service_role refuse_call(uuid,text)",
            "service_role reported_by_others(payment_transactions)",
            "service_role sweep_deductions()",
        ]
    );
}

#[tokio::test]
async fn policies_the_private_schema_is_closed() {
    let pool = product_database().await;
    let open = names(
        &pool,
        "select rolname::text from unnest(array['anon', 'authenticated', 'service_role', 'authenticator']) as rolname
         where has_schema_privilege(rolname, 'private', 'usage') or has_schema_privilege(rolname, 'private', 'create')",
    )
    .await;
    assert!(open.is_empty(), "{open:?}");
    let callable = names(
        &pool,
        "select pg_proc.oid::regprocedure::text from pg_proc
         where pronamespace = 'private'::regnamespace
           and (has_function_privilege('anon', pg_proc.oid, 'execute')
             or has_function_privilege('authenticated', pg_proc.oid, 'execute')
             or has_function_privilege('service_role', pg_proc.oid, 'execute'))
         order by 1",
    )
    .await;
    assert_eq!(
        callable,
        ["private.caller_is_admin()", "private.history_window()"],
        "the two that policies ask"
    );
}

#[tokio::test]
async fn policies_every_function_pins_its_search_path_and_has_a_comment() {
    let pool = product_database().await;
    let loose = names(
        &pool,
        "select pg_proc.oid::regprocedure::text from pg_proc
         where pronamespace in ('public'::regnamespace, 'private'::regnamespace)
           and (not coalesce(proconfig, '{}') @> array['search_path=\"\"'] or obj_description(pg_proc.oid, 'pg_proc') is null)",
    )
    .await;
    assert!(loose.is_empty(), "{loose:?}");
}
