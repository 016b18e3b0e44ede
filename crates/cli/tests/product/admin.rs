use sqlx::PgPool;
use uuid::Uuid;

use crate::callers::{
    AGAINST_THE_RULES, FORBIDDEN, as_user, refusal, sign_up, sign_up_admin, user_runs, user_runs_on,
    visitor_runs,
};
use crate::database::product_database;
use crate::wallet_calls::{
    assert_books_balance, balance, complete, ledger_reasons, start_generation, teacher,
};

/// The SQLSTATE of what does not exist, which the REST service answers with 404.
const NOT_FOUND: &str = "PT404";

/// Every procedure of administrators, about the user `$1`.
const PROCEDURES: [&str; 7] = [
    "select * from public.get_all_users() where user_id = $1",
    "select public.assign_user_role($1, 'moderator')",
    "select public.admin_update_user_credits($1, 20)",
    "select public.admin_delete_user($1)",
    "select public.admin_settle_payment($1, 'UPI_' || $1, 20)",
    "select public.admin_reject_payment($1, 'UPI_' || $1, 'Nothing came.')",
    "select * from public.admin_recent_generations() where user_id = $1",
];

/// A payment by its payer and its id.
type Key = (Uuid, String);

/// Reports a payment of 100 rupees for 150 credits, named after the payer.
async fn pay(pool: &PgPool, payer: Uuid) -> Key {
    let statement =
        "insert into public.payment_transactions (transaction_id, user_id, amount, credits, phone_number)
        values ('UPI_' || $1, $1, 100, 150, '9876543210')";
    user_runs(pool, payer, statement).await.expect("a payment can be reported");
    (payer, format!("UPI_{payer}"))
}

async fn settle(
    pool: &PgPool,
    admin: Uuid,
    (payer, payment): &Key,
    credits: Option<i32>,
) -> Result<Option<i32>, sqlx::Error> {
    let mut caller = as_user(pool, admin).await;
    let balance = sqlx::query_scalar("select public.admin_settle_payment($1, $2, $3)")
        .bind(payer)
        .bind(payment)
        .bind(credits)
        .fetch_one(&mut *caller)
        .await?;
    caller.commit().await?;
    Ok(balance)
}

async fn reject(
    pool: &PgPool,
    admin: Uuid,
    (payer, payment): &Key,
    reason: Option<&str>,
) -> Result<(), sqlx::Error> {
    let mut caller = as_user(pool, admin).await;
    sqlx::query("select public.admin_reject_payment($1, $2, $3)")
        .bind(payer)
        .bind(payment)
        .bind(reason)
        .execute(&mut *caller)
        .await?;
    caller.commit().await
}

async fn status(pool: &PgPool, (payer, payment): &Key) -> (String, Option<i32>, Option<Uuid>) {
    sqlx::query_as(
        "select status, granted_credits, settled_by
         from public.payment_transactions
         left join private.payment_settlements
           on payer_id = user_id and payment_settlements.transaction_id = payment_transactions.transaction_id
         where user_id = $1 and payment_transactions.transaction_id = $2",
    )
    .bind(payer)
    .bind(payment)
    .fetch_one(pool)
    .await
    .expect("the payment exists")
}

// rows: app/S-341
#[tokio::test]
async fn the_procedures_are_for_administrators_alone() {
    let pool = product_database().await;
    let (user, other) = (teacher(&pool).await, teacher(&pool).await);
    pay(&pool, other).await;
    let moderator = sign_up(&pool).await;
    let admin = sign_up_admin(&pool).await;
    user_runs_on(&pool, admin, moderator, "select public.assign_user_role($1, 'moderator')")
        .await
        .expect("it runs");
    for statement in PROCEDURES {
        assert_eq!(refusal(user_runs_on(&pool, user, other, statement).await), FORBIDDEN, "{statement}");
        assert_eq!(
            refusal(user_runs_on(&pool, user, user, statement).await),
            FORBIDDEN,
            "oneself: {statement}"
        );
        assert_eq!(
            refusal(user_runs_on(&pool, moderator, other, statement).await),
            FORBIDDEN,
            "moderator: {statement}"
        );
    }
    for statement in ["select public.get_all_users()", "select public.admin_recent_generations()"] {
        assert_eq!(refusal(visitor_runs(&pool, statement).await), FORBIDDEN, "visitor: {statement}");
    }
    assert_eq!(balance(&pool, other).await, 100);
}

// rows: app/S-382 app/D12
#[tokio::test]
async fn all_users_come_with_phone_and_coins() {
    let pool = product_database().await;
    let (admin, payer, new) = (sign_up_admin(&pool).await, teacher(&pool).await, sign_up(&pool).await);
    pay(&pool, payer).await;
    let mut caller = as_user(&pool, admin).await;
    let mut rows: Vec<(Uuid, Option<String>, Option<String>, i32)> =
        sqlx::query_as("select user_id, email, phone_number, coins from public.get_all_users()")
            .fetch_all(&mut *caller)
            .await
            .expect("an administrator may ask");
    rows.sort_unstable();
    let mail = |id: Uuid| Some(format!("{id}@example.com"));
    let mut expected = vec![
        (admin, mail(admin), None, 0),
        (payer, mail(payer), Some("9876543210".to_owned()), 100),
        (new, mail(new), None, 0),
    ];
    expected.sort_unstable();
    assert_eq!(rows, expected);
}

// rows: app/S-383
#[tokio::test]
async fn roles_are_given_once_and_only_the_three() {
    let pool = product_database().await;
    let (admin, user) = (sign_up_admin(&pool).await, sign_up(&pool).await);
    for _ in 0..2 {
        let assign = "select public.assign_user_role($1, 'admin')";
        user_runs_on(&pool, admin, user, assign).await.expect("giving it again changes nothing");
    }
    assert_eq!(
        user_runs(&pool, user, "select public.get_all_users()").await.expect("an administrator now"),
        2
    );
    let unknown = "select public.assign_user_role($1, 'owner')";
    assert_eq!(refusal(user_runs_on(&pool, admin, user, unknown).await), AGAINST_THE_RULES);
    let nobody =
        user_runs_on(&pool, admin, Uuid::new_v4(), "select public.assign_user_role($1, 'user')").await;
    assert_eq!(refusal(nobody), NOT_FOUND);
}

// rows: app/S-384 app/D13
#[tokio::test]
async fn credits_are_added_within_bounds_and_written_to_the_ledger() {
    let pool = product_database().await;
    let (admin, user) = (sign_up_admin(&pool).await, teacher(&pool).await);
    let add = "select public.admin_update_user_credits($1, 150)";
    user_runs_on(&pool, admin, user, add).await.expect("credits can be added");
    assert_eq!(balance(&pool, user).await, 250);
    assert_eq!(ledger_reasons(&pool, user).await, ["opening", "admin"]);
    let actor: Option<Uuid> = sqlx::query_scalar(
        "select ledger_actors.actor_id
         from public.credit_ledger
         join private.ledger_actors on entry_id = credit_ledger.id
         where user_id = $1 and reason = 'admin'",
    )
    .bind(user)
    .fetch_one(&*pool)
    .await
    .expect("the entry exists");
    assert_eq!(actor, Some(admin));
    for statement in [
        "select public.admin_update_user_credits($1, 0)",
        "select public.admin_update_user_credits($1, -20)",
        "select public.admin_update_user_credits($1, 100001)",
        "select public.admin_update_user_credits($1, null)",
    ] {
        assert_eq!(
            refusal(user_runs_on(&pool, admin, user, statement).await),
            AGAINST_THE_RULES,
            "{statement}"
        );
    }
    let bare = sign_up(&pool).await;
    assert_eq!(refusal(user_runs_on(&pool, admin, bare, add).await), NOT_FOUND, "no profile");
    assert_books_balance(&pool).await;
}

// rows: app/S-332 app/S-333
#[tokio::test]
async fn deleting_a_user_takes_account_profile_and_payments() {
    let pool = product_database().await;
    let (admin, user) = (sign_up_admin(&pool).await, teacher(&pool).await);
    pay(&pool, user).await;
    let generation = start_generation(&pool, user, "kept").await;
    assert!(complete(&pool, generation).await);
    let delete = "select public.admin_delete_user($1)";
    assert_eq!(refusal(user_runs_on(&pool, admin, admin, delete).await), AGAINST_THE_RULES, "oneself");
    user_runs_on(&pool, admin, user, delete).await.expect("a user can be deleted");
    let left: i64 = sqlx::query_scalar(
        "select (select count(*) from auth.users where id = $1)
           + (select count(*) from public.profiles where user_id = $1)
           + (select count(*) from public.user_roles where user_id = $1)
           + (select count(*) from public.payment_transactions where user_id = $1)",
    )
    .bind(user)
    .fetch_one(&*pool)
    .await
    .expect("rows can be counted");
    assert_eq!(left, 0);
    assert_eq!(ledger_reasons(&pool, user).await.last().map(String::as_str), Some("closing"));
    assert_eq!(refusal(user_runs_on(&pool, admin, user, delete).await), NOT_FOUND);
    assert_books_balance(&pool).await;
}

// rows: app/D11
#[tokio::test]
async fn a_payment_is_approved_once_with_at_most_its_credits() {
    let pool = product_database().await;
    let (admin, payer) = (sign_up_admin(&pool).await, teacher(&pool).await);
    let payment = pay(&pool, payer).await;
    for credits in [Some(0), Some(-1), Some(151), None] {
        assert_eq!(refusal(settle(&pool, admin, &payment, credits).await), AGAINST_THE_RULES, "{credits:?}");
    }
    assert_eq!(
        status(&pool, &payment).await,
        ("PENDING".to_owned(), None, None),
        "a lost number settles nothing"
    );
    assert_eq!(settle(&pool, admin, &payment, Some(140)).await.expect("it is pending"), Some(240));
    assert_eq!(status(&pool, &payment).await, ("APPROVED".to_owned(), Some(140), Some(admin)));
    assert_eq!(
        refusal(settle(&pool, admin, &payment, Some(140)).await),
        AGAINST_THE_RULES,
        "settled already"
    );
    assert_eq!(refusal(reject(&pool, admin, &payment, Some("Late.")).await), AGAINST_THE_RULES);
    assert_eq!(balance(&pool, payer).await, 240);
    assert_eq!(refusal(settle(&pool, admin, &(payer, "UPI_unknown".to_owned()), Some(20)).await), NOT_FOUND);
    assert_books_balance(&pool).await;
}

// rows: app/D11
#[tokio::test]
async fn a_payment_is_rejected_once_with_a_reason_that_its_payer_reads() {
    let pool = product_database().await;
    let (admin, payer) = (sign_up_admin(&pool).await, teacher(&pool).await);
    let payment = pay(&pool, payer).await;
    let long = "x".repeat(301);
    for reason in [None, Some(""), Some(" \n\t"), Some(long.as_str())] {
        assert_eq!(refusal(reject(&pool, admin, &payment, reason).await), AGAINST_THE_RULES, "{reason:?}");
    }
    assert_eq!(status(&pool, &payment).await, ("PENDING".to_owned(), None, None));
    reject(&pool, admin, &payment, Some(" No such payment came in. ")).await.expect("it is pending");
    assert_eq!(status(&pool, &payment).await, ("REJECTED".to_owned(), None, Some(admin)));
    let mut caller = as_user(&pool, payer).await;
    let told: (String, Option<String>, bool) = sqlx::query_as(
        "select status, rejection_reason, settled_at is not null from public.payment_transactions",
    )
    .fetch_one(&mut *caller)
    .await
    .expect("the payer reads the own row");
    drop(caller);
    assert_eq!(told, ("REJECTED".to_owned(), Some("No such payment came in.".to_owned()), true));
    assert_eq!(refusal(reject(&pool, admin, &payment, Some("Again.")).await), AGAINST_THE_RULES);
    assert_eq!(refusal(settle(&pool, admin, &payment, Some(150)).await), AGAINST_THE_RULES);
    assert_eq!(
        refusal(reject(&pool, admin, &(payer, "UPI_unknown".to_owned()), Some("Unknown.")).await),
        NOT_FOUND
    );
    assert_eq!(
        (balance(&pool, payer).await, ledger_reasons(&pool, payer).await),
        (100, vec!["opening".to_owned()])
    );
}

// rows: app/D11
#[tokio::test]
async fn the_ledger_names_the_payment_also_when_the_account_is_gone() {
    let pool = product_database().await;
    let (admin, payer) = (sign_up_admin(&pool).await, teacher(&pool).await);
    let payment = pay(&pool, payer).await;
    settle(&pool, admin, &payment, Some(150)).await.expect("it is pending");
    let give = "select public.admin_update_user_credits($1, 10)";
    user_runs_on(&pool, admin, payer, give).await.expect("a gift");
    let delete = "select public.admin_delete_user($1)";
    user_runs_on(&pool, admin, payer, delete).await.expect("a user can be deleted");
    let entries: Vec<(String, i32, Option<String>, Option<Uuid>)> = sqlx::query_as(
        "select reason, delta, payment_id, ledger_actors.actor_id
         from public.credit_ledger
         left join private.ledger_actors on entry_id = credit_ledger.id
         where user_id = $1 and entry > 1
         order by entry",
    )
    .bind(payer)
    .fetch_all(&*pool)
    .await
    .expect("the ledger can be read");
    let entry = |reason: &str, delta, payment| (reason.to_owned(), delta, payment, Some(admin));
    assert_eq!(
        entries,
        [entry("payment", 150, Some(payment.1)), entry("admin", 10, None), entry("closing", -260, None)]
    );
    assert_books_balance(&pool).await;
}

// rows: app/D11
#[tokio::test]
async fn a_payment_that_is_approved_and_rejected_at_once_ends_in_one_way() {
    let pool = product_database().await;
    let (one, other) = (sign_up_admin(&pool).await, sign_up_admin(&pool).await);
    for _ in 0..8 {
        let payer = teacher(&pool).await;
        let payment = pay(&pool, payer).await;
        let (approved, rejected) = tokio::join!(
            settle(&pool, one, &payment, Some(150)),
            reject(&pool, other, &payment, Some("Nothing came."))
        );
        assert!(approved.is_ok() != rejected.is_ok(), "{approved:?}, {rejected:?}");
        assert_eq!(balance(&pool, payer).await, if approved.is_ok() { 250 } else { 100 });
    }
    assert_books_balance(&pool).await;
}

// rows: app/D11
#[tokio::test]
async fn a_payment_that_two_administrators_approve_at_once_counts_once() {
    let pool = product_database().await;
    let (one, other) = (sign_up_admin(&pool).await, sign_up_admin(&pool).await);
    let payer = teacher(&pool).await;
    let payment = pay(&pool, payer).await;
    let (first, second) =
        tokio::join!(settle(&pool, one, &payment, Some(150)), settle(&pool, other, &payment, Some(150)));
    assert!(first.is_ok() != second.is_ok(), "{first:?}, {second:?}");
    assert_eq!(balance(&pool, payer).await, 250);
    assert_books_balance(&pool).await;
}

#[tokio::test]
async fn admin_generations_are_listed_without_what_they_say() {
    let pool = product_database().await;
    let (admin, user) = (sign_up_admin(&pool).await, teacher(&pool).await);
    let generation = start_generation(&pool, user, "listed").await;
    assert!(complete(&pool, generation).await);
    let mut caller = as_user(&pool, admin).await;
    let rows: Vec<(Uuid, Uuid, String, String)> =
        sqlx::query_as("select id, user_id, tool, status from public.admin_recent_generations()")
            .fetch_all(&mut *caller)
            .await
            .expect("an administrator may ask");
    assert_eq!(rows, [(generation, user, "generate-lesson-plan".to_owned(), "finished".to_owned())]);
    let own = "select from public.generations where result is not null";
    assert_eq!(user_runs(&pool, admin, own).await.expect("it runs"), 0, "the documents stay their owner's");
}

// rows: app/S-384 app/D13
#[tokio::test]
async fn the_same_number_pressed_again_at_once_is_added_once() {
    let pool = product_database().await;
    let (admin, second, user) =
        (sign_up_admin(&pool).await, sign_up_admin(&pool).await, teacher(&pool).await);
    let give = "select public.admin_update_user_credits($1, 50)";
    user_runs_on(&pool, admin, user, give).await.expect("a gift");
    assert_eq!(refusal(user_runs_on(&pool, admin, user, give).await), AGAINST_THE_RULES);
    assert_eq!(balance(&pool, user).await, 150, "the press whose answer was lost gave them");
    let other_number = "select public.admin_update_user_credits($1, 51)";
    user_runs_on(&pool, admin, user, other_number).await.expect("another number is another gift");
    user_runs_on(&pool, second, user, give).await.expect("so is that of another administrator");
    user_runs_on(&pool, admin, teacher(&pool).await, give).await.expect("and one to another user");
    gave_earlier(&pool, "100 seconds").await;
    assert_eq!(
        refusal(user_runs_on(&pool, admin, user, give).await),
        AGAINST_THE_RULES,
        "the app has waited out its time limit twice, and the administrator has looked at it"
    );
    gave_earlier(&pool, "21 seconds").await;
    user_runs_on(&pool, admin, user, give).await.expect("later it is a new gift");
    assert_eq!(balance(&pool, user).await, 301);
    assert_books_balance(&pool).await;
}

/// Moves the whole ledger that much further into the past.
async fn gave_earlier(pool: &PgPool, interval: &str) {
    for statement in [
        "alter table public.credit_ledger disable trigger refuse_rewriting",
        "update public.credit_ledger set written_at = written_at - $1::interval",
        "alter table public.credit_ledger enable trigger refuse_rewriting",
    ] {
        let query = sqlx::query(statement);
        let query = if statement.contains("$1") { query.bind(interval) } else { query };
        query.execute(pool).await.expect("the owner of the database rewrites the past");
    }
}

// rows: app/D07
#[tokio::test]
async fn who_deletes_an_account_waits_for_a_claim_and_does_not_meet_it_half_way() {
    let pool = product_database().await;
    let (admin, id) = (sign_up_admin(&pool).await, teacher(&pool).await);
    // A claim holds the profile and then refers to the account.
    let mut claim = pool.begin().await.expect("a transaction");
    sqlx::query("select private.lock_profile($1)").bind(id).execute(&mut *claim).await.expect("the profile");
    let deletion = tokio::spawn({
        let pool = (*pool).clone();
        async move { user_runs_on(&pool, admin, id, "select public.admin_delete_user($1)").await }
    });
    let waits = "select exists (select from pg_stat_activity where wait_event_type = 'Lock' and query like '%admin_delete_user%' and pid <> pg_backend_pid())";
    while !sqlx::query_scalar::<_, bool>(waits).fetch_one(&*pool).await.expect("it is answered") {
        tokio::time::sleep(std::time::Duration::from_millis(5)).await;
    }
    let refers = "select from auth.users where id = $1 for key share nowait";
    sqlx::query(refers).bind(id).execute(&mut *claim).await.expect("the account is free");
    claim.commit().await.expect("the claim ends");
    deletion.await.expect("it ends").expect("the account is deleted");
}
