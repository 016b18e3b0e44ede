use uuid::Uuid;

use crate::callers::{
    AGAINST_THE_RULES, FORBIDDEN, MISSING, as_user, refusal, service_runs, sign_up, sign_up_admin, user_runs,
    user_runs_on, visitor_runs,
};
use crate::database::product_database;
use crate::wallet_calls::{
    assert_books_balance, balance, change_coins, deduct, ledger_reasons, start_profile, take_back, teacher,
};

// rows: app/D06
#[tokio::test]
async fn a_first_profile_starts_with_20_or_100() {
    let pool = product_database().await;
    for coins in [20, 100] {
        let id = sign_up(&pool).await;
        assert_eq!(start_profile(&pool, id, coins).await.expect("a starting balance"), coins);
        assert_eq!(ledger_reasons(&pool, id).await, ["opening"]);
    }
    let id = sign_up(&pool).await;
    for coins in [0, 1, 19, 21, 50, 99, 101, i32::MAX, -20] {
        assert_eq!(refusal(start_profile(&pool, id, coins).await), AGAINST_THE_RULES, "{coins}");
    }
    let without = "insert into public.profiles (user_id, coins) values ($1, null)";
    assert_eq!(refusal(user_runs(&pool, id, without).await), AGAINST_THE_RULES);
    assert_books_balance(&pool).await;
}

// rows: app/S-379
#[tokio::test]
async fn the_missing_profile_is_made_once() {
    let pool = product_database().await;
    let id = sign_up(&pool).await;
    let mut made = Vec::new();
    for _ in 0..2 {
        let mut caller = as_user(&pool, id).await;
        let answer: bool = sqlx::query_scalar("select public.create_user_profile_if_missing()")
            .fetch_one(&mut *caller)
            .await
            .expect("the owner may call it");
        caller.commit().await.expect("it commits");
        made.push(answer);
    }
    assert_eq!(made, [true, false]);
    assert_eq!(balance(&pool, id).await, 20);
    let call = "select public.create_user_profile_if_missing()";
    assert_eq!(refusal(visitor_runs(&pool, call).await), FORBIDDEN);
    assert_books_balance(&pool).await;
}

// rows: app/S-344
#[tokio::test]
async fn a_profile_for_somebody_else_is_refused() {
    let pool = product_database().await;
    let (intruder, victim) = (teacher(&pool).await, sign_up(&pool).await);
    let make = "insert into public.profiles (user_id, coins) values ($1, 100)";
    assert_eq!(refusal(user_runs_on(&pool, intruder, victim, make).await), FORBIDDEN);
    assert_eq!(refusal(user_runs_on(&pool, intruder, Uuid::new_v4(), make).await), FORBIDDEN);
    let nobody = "insert into public.profiles (user_id, coins) values (null, 100)";
    assert_eq!(refusal(user_runs(&pool, intruder, nobody).await), FORBIDDEN);
    let visitor = "insert into public.profiles (user_id, coins) values (gen_random_uuid(), 20)";
    assert_eq!(refusal(visitor_runs(&pool, visitor).await), FORBIDDEN);
}

// rows: app/S-344
#[tokio::test]
async fn another_teachers_profile_is_neither_seen_nor_changed() {
    let pool = product_database().await;
    let (intruder, victim) = (teacher(&pool).await, teacher(&pool).await);
    for statement in [
        "select from public.profiles where user_id = $1",
        "update public.profiles set coins = coins - 20 where user_id = $1",
        "update public.profiles set last_payment_amount = 5 where user_id = $1",
        "delete from public.profiles where user_id = $1",
    ] {
        assert_eq!(
            user_runs_on(&pool, intruder, victim, statement).await.expect("it runs"),
            0,
            "{statement}"
        );
    }
    assert_eq!(user_runs(&pool, intruder, "select from public.profiles").await.expect("it runs"), 1);
    assert_eq!(balance(&pool, victim).await, 100);
    for statement in ["select from public.profiles", "delete from public.profiles"] {
        assert_eq!(refusal(visitor_runs(&pool, statement).await), FORBIDDEN);
    }
}

// rows: app/D05
#[tokio::test]
async fn an_update_without_a_filter_reaches_only_the_own_row() {
    let pool = product_database().await;
    let (careless, other) = (teacher(&pool).await, teacher(&pool).await);
    let lowered = user_runs(&pool, careless, "update public.profiles set coins = coins - 20").await;
    assert_eq!(lowered.expect("lowering by the price is allowed"), 1);
    assert_eq!((balance(&pool, careless).await, balance(&pool, other).await), (80, 100));
    let removed = user_runs(&pool, careless, "delete from public.profiles").await;
    assert_eq!(removed.expect("the own row may go"), 1);
    assert_eq!(balance(&pool, other).await, 100);
    assert_books_balance(&pool).await;
}

// rows: app/D12
#[tokio::test]
async fn an_administrator_reads_all_profiles_and_changes_none() {
    let pool = product_database().await;
    let (admin, owner) = (sign_up_admin(&pool).await, teacher(&pool).await);
    assert_eq!(user_runs(&pool, admin, "select from public.profiles").await.expect("it runs"), 1);
    let raise = "update public.profiles set coins = coins + 20 where user_id = $1";
    assert_eq!(user_runs_on(&pool, admin, owner, raise).await.expect("it runs"), 0);
    let remove = "delete from public.profiles where user_id = $1";
    assert_eq!(user_runs_on(&pool, admin, owner, remove).await.expect("it runs"), 0);
}

// rows: app/D05
#[tokio::test]
async fn own_credits_are_not_raised_by_an_update() {
    let pool = product_database().await;
    let id = teacher(&pool).await;
    for to in [101, 119, 120, 140, i32::MAX] {
        assert_eq!(refusal(change_coins(&pool, id, 100, to).await), AGAINST_THE_RULES, "{to}");
    }
    for statement in [
        "update public.profiles set coins = coins + 20",
        "update public.profiles set coins = 100000001",
        "update public.profiles set coins = -1",
        "update public.profiles set coins = coins - 21",
        "update public.profiles set coins = 0",
        "update public.profiles set coins = coins * 2 where user_id = $1",
    ] {
        assert_eq!(refusal(user_runs(&pool, id, statement).await), AGAINST_THE_RULES, "{statement}");
    }
    let nothing = "update public.profiles set coins = null";
    assert_eq!(refusal(user_runs(&pool, id, nothing).await), MISSING);
    assert_eq!(balance(&pool, id).await, 100);
    assert_eq!(ledger_reasons(&pool, id).await, ["opening"]);
}

// rows: app/D05
#[tokio::test]
async fn own_decreases_of_1_to_20_pass() {
    let pool = product_database().await;
    let id = teacher(&pool).await;
    for (from, to) in [(100, 99), (99, 80), (80, 60)] {
        assert!(change_coins(&pool, id, from, to).await.expect("1 to 20 may go"));
    }
    assert_eq!(ledger_reasons(&pool, id).await, ["opening", "decrease", "decrease", "deduction"]);
    assert!(!change_coins(&pool, id, 100, 80).await.expect("a stale write touches no row"));
    assert_books_balance(&pool).await;
}

// rows: app/D05
#[tokio::test]
async fn small_decreases_cannot_be_taken_back() {
    let pool = product_database().await;
    let id = teacher(&pool).await;
    for (from, to) in [(100, 90), (90, 80)] {
        assert!(change_coins(&pool, id, from, to).await.expect("10 may go"));
    }
    assert_eq!(refusal(change_coins(&pool, id, 80, 100).await), AGAINST_THE_RULES);
    assert_eq!(refusal(change_coins(&pool, id, 80, 90).await), AGAINST_THE_RULES);
}

// rows: app/D05
#[tokio::test]
async fn an_upsert_is_refused() {
    let pool = product_database().await;
    let id = teacher(&pool).await;
    for statement in [
        "insert into public.profiles (user_id, coins) values ($1, 100)
            on conflict (user_id) do update set user_id = excluded.user_id, coins = excluded.coins",
        "insert into public.profiles (user_id, coins, updated_at) values ($1, 100, now())
            on conflict (user_id) do update set coins = excluded.coins",
    ] {
        assert_eq!(refusal(user_runs(&pool, id, statement).await), FORBIDDEN, "{statement}");
    }
    let raising = "insert into public.profiles (user_id, coins) values ($1, 100)
        on conflict (user_id) do update set coins = profiles.coins + 20";
    assert_eq!(refusal(user_runs(&pool, id, raising).await), AGAINST_THE_RULES);
    let merging = "merge into public.profiles using (select $1::uuid as id) as source on user_id = source.id
        when matched then update set coins = coins + 20";
    assert_eq!(refusal(user_runs(&pool, id, merging).await), AGAINST_THE_RULES);
    assert_eq!(balance(&pool, id).await, 100);
    assert_books_balance(&pool).await;
}

// rows: app/D05
#[tokio::test]
async fn an_owner_fills_the_ledger_no_further_than_an_hour_allows() {
    let pool = product_database().await;
    let (id, other) = (teacher(&pool).await, teacher(&pool).await);
    sqlx::query("update private.settings set ledger_entries_per_hour = 5")
        .execute(&*pool)
        .await
        .expect("the owner of the database changes settings");
    deduct(&pool, id).await;
    assert!(take_back(&pool, id).await.expect("the third entry"));
    user_runs(&pool, id, "delete from public.profiles").await.expect("the fourth");
    let again = "select public.create_user_profile_if_missing()";
    user_runs(&pool, id, again).await.expect("the fifth");
    for statement in [
        "update public.profiles set coins = coins - 20",
        "update public.profiles set coins = coins - 1",
        "delete from public.profiles",
    ] {
        assert_eq!(refusal(user_runs(&pool, id, statement).await), AGAINST_THE_RULES, "{statement}");
    }
    let payment = "update public.profiles set last_payment_amount = 100";
    user_runs(&pool, id, payment).await.expect("which no ledger tells of");
    service_runs(&pool, id, "update public.profiles set coins = coins + 20 where user_id = $1")
        .await
        .expect("the service key goes on");
    deduct(&pool, other).await;
    for statement in [
        "alter table public.credit_ledger disable trigger refuse_rewriting",
        "update public.credit_ledger set written_at = written_at - interval '61 minutes'",
        "alter table public.credit_ledger enable trigger refuse_rewriting",
    ] {
        sqlx::query(statement).execute(&*pool).await.expect("the owner of the database rewrites the past");
    }
    deduct(&pool, id).await;
    sqlx::query("delete from auth.users where id = $1").bind(id).execute(&*pool).await.expect("it goes");
    assert_books_balance(&pool).await;
}

// rows: app/D07
#[tokio::test]
async fn a_profile_made_again_has_the_balance_it_had() {
    let pool = product_database().await;
    let id = teacher(&pool).await;
    deduct(&pool, id).await;
    assert!(change_coins(&pool, id, 80, 79).await.expect("1 may go"));
    for asked in [100, 20, 5000] {
        user_runs(&pool, id, "delete from public.profiles where user_id = $1").await.expect("it may go");
        assert_eq!(start_profile(&pool, id, asked).await.expect("it may be made again"), 79, "{asked}");
    }
    user_runs(&pool, id, "delete from public.profiles").await.expect("it may go");
    user_runs(&pool, id, "select public.create_user_profile_if_missing()")
        .await
        .expect("it may be made again");
    assert_eq!(balance(&pool, id).await, 79);
    user_runs(&pool, id, "delete from public.profiles").await.expect("it may go");
    service_runs(&pool, id, "insert into public.profiles (user_id, coins) values ($1, 500)")
        .await
        .expect("made");
    assert_eq!(balance(&pool, id).await, 79);
    // The deduction opened before is still open, and comes back exactly once.
    assert!(take_back(&pool, id).await.expect("it is open"));
    assert_eq!(refusal(take_back(&pool, id).await), AGAINST_THE_RULES);
    assert_books_balance(&pool).await;
}

// rows: app/D07
#[tokio::test]
async fn the_ledger_outlives_the_account() {
    let pool = product_database().await;
    let id = teacher(&pool).await;
    deduct(&pool, id).await;
    sqlx::query("delete from auth.users where id = $1")
        .bind(id)
        .execute(&*pool)
        .await
        .expect("an account may go");
    assert_eq!(ledger_reasons(&pool, id).await, ["opening", "deduction", "closing"]);
    assert_books_balance(&pool).await;
}

// rows: app/S-344
#[tokio::test]
async fn a_profile_never_changes_its_owner() {
    let pool = product_database().await;
    let (id, other) = (teacher(&pool).await, sign_up(&pool).await);
    let hand_over = "update public.profiles set user_id = $1";
    assert_eq!(refusal(user_runs_on(&pool, id, other, hand_over).await), FORBIDDEN);
    assert_eq!(refusal(service_runs(&pool, other, hand_over).await), AGAINST_THE_RULES);
}

// rows: app/S-370
#[tokio::test]
async fn the_time_of_change_is_the_servers() {
    let pool = product_database().await;
    let id = teacher(&pool).await;
    user_runs(&pool, id, "update public.profiles set updated_at = '1999-01-01'")
        .await
        .expect("it is accepted");
    let fresh: bool = sqlx::query_scalar(
        "select updated_at > now() - interval '1 minute' from public.profiles where user_id = $1",
    )
    .bind(id)
    .fetch_one(&*pool)
    .await
    .expect("the profile exists");
    assert!(fresh);
    let backdated = "insert into public.profiles (user_id, coins, updated_at) values ($1, 20, '1999-01-01')";
    assert_eq!(refusal(user_runs(&pool, sign_up(&pool).await, backdated).await), FORBIDDEN);
}

// rows: app/S-371
#[tokio::test]
async fn the_last_payment_is_the_owners_claim() {
    let pool = product_database().await;
    let id = teacher(&pool).await;
    let claim = "update public.profiles set last_payment_amount = 100, last_payment_date = '2026-11-21',
        last_payment_time = '10:30' where user_id = $1";
    assert_eq!(user_runs(&pool, id, claim).await.expect("the owner may claim"), 1);
    assert_eq!(balance(&pool, id).await, 100);
    for absurd in [
        "update public.profiles set last_payment_amount = -1",
        "update public.profiles set last_payment_amount = 'NaN'",
        "update public.profiles set last_payment_amount = 10000001",
        "update public.profiles set last_payment_date = 'infinity'",
    ] {
        assert_eq!(refusal(user_runs(&pool, id, absurd).await), AGAINST_THE_RULES, "{absurd}");
    }
}

// rows: app/D05
#[tokio::test]
async fn the_service_key_adjusts_and_the_ledger_says_so() {
    let pool = product_database().await;
    let id = teacher(&pool).await;
    service_runs(&pool, id, "update public.profiles set coins = coins + 150 where user_id = $1")
        .await
        .expect("free");
    assert_eq!(balance(&pool, id).await, 250);
    assert_eq!(ledger_reasons(&pool, id).await, ["opening", "adjustment"]);
    let below = "update public.profiles set coins = coins - 251 where user_id = $1";
    assert_eq!(refusal(service_runs(&pool, id, below).await), AGAINST_THE_RULES);
    assert_eq!(refusal(service_runs(&pool, id, "truncate public.profiles").await), FORBIDDEN);
    assert_books_balance(&pool).await;
}

// rows: app/D07
#[tokio::test]
async fn nobody_rewrites_the_ledger() {
    let pool = product_database().await;
    let id = teacher(&pool).await;
    for statement in [
        "update public.credit_ledger set delta = 1000",
        "update public.credit_ledger set balance = 1000 where false",
        "delete from public.credit_ledger",
        "truncate public.credit_ledger",
        "insert into public.credit_ledger (user_id, entry, delta, balance, reason)
            values ('00000000-0000-4000-8000-000000000000', 1, 9, 9, 'opening')",
    ] {
        assert_eq!(refusal(user_runs(&pool, id, statement).await), FORBIDDEN, "user: {statement}");
        assert_eq!(refusal(service_runs(&pool, id, statement).await), FORBIDDEN, "service: {statement}");
        assert_eq!(refusal(visitor_runs(&pool, statement).await), FORBIDDEN, "visitor: {statement}");
    }
    for statement in [
        "update public.credit_ledger set delta = 1",
        "delete from public.credit_ledger",
        "truncate public.credit_ledger",
    ] {
        assert_eq!(refusal(sqlx::query(statement).execute(&*pool).await), FORBIDDEN, "owner: {statement}");
    }
    assert_eq!(user_runs(&pool, id, "select from public.credit_ledger").await.expect("the own entries"), 1);
    let other = teacher(&pool).await;
    let look = "select from public.credit_ledger where user_id = $1";
    assert_eq!(user_runs_on(&pool, other, id, look).await.expect("it runs"), 0);
}
