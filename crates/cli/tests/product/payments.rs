use sqlx::PgPool;
use uuid::Uuid;

use crate::callers::{
    AGAINST_THE_RULES, FORBIDDEN, as_user, refusal, service_runs, sign_up, sign_up_admin, user_runs,
    user_runs_on, visitor_runs,
};
use crate::database::{product_database, product_database_for};

struct Payment<'a> {
    id: &'a str,
    amount: &'a str,
    credits: i32,
    phone: Option<&'a str>,
    info: Option<&'a str>,
}

impl Default for Payment<'_> {
    fn default() -> Self {
        Self {
            id: "UPI_1763700000000",
            amount: "100",
            credits: 100,
            phone: Some("9876543210"),
            info: Some(r#"{"mobile": "9876543210"}"#),
        }
    }
}

/// The insert of S-373.
async fn report(pool: &PgPool, payer: Uuid, payment: Payment<'_>) -> Result<(), sqlx::Error> {
    let mut caller = as_user(pool, payer).await;
    sqlx::query(
        "insert into public.payment_transactions
           (transaction_id, user_id, amount, credits, status, phone_number, customer_info)
         values ($1, $2, $3::numeric, $4, 'PENDING', $5, $6::jsonb)",
    )
    .bind(payment.id)
    .bind(payer)
    .bind(payment.amount)
    .bind(payment.credits)
    .bind(payment.phone)
    .bind(payment.info)
    .execute(&mut *caller)
    .await?;
    caller.commit().await
}

// rows: app/D11
#[tokio::test]
async fn the_offered_prices_pass() {
    let pool = product_database().await;
    let payer = sign_up(&pool).await;
    for (id, amount, credits) in [
        ("MANUAL_1_ab", "20", 20),
        ("UPI_2", "100", 150),
        ("UPI_3", "250", 400),
        ("UPI_4", "100000", 100_000),
    ] {
        report(&pool, payer, Payment { id, amount, credits, ..Payment::default() }).await.expect(id);
    }
    let bare = Payment { id: "MANUAL_5", phone: None, info: None, ..Payment::default() };
    report(&pool, payer, bare).await.expect("phone and info are optional");
    assert_eq!(user_runs(&pool, payer, "select from public.payment_transactions").await.expect("it runs"), 5);
}

// rows: app/D11
#[tokio::test]
async fn other_prices_and_forms_are_refused() {
    let pool = product_database().await;
    let payer = sign_up(&pool).await;
    let long = format!(r#"{{"note": "{}"}}"#, "x".repeat(2048));
    let long_id = "x".repeat(65);
    for (what, payment) in [
        ("cheap", Payment { amount: "1", credits: 1000, ..Payment::default() }),
        ("pack for less", Payment { amount: "99", credits: 150, ..Payment::default() }),
        ("zero", Payment { amount: "0", credits: 0, ..Payment::default() }),
        ("negative", Payment { amount: "-20", credits: -20, ..Payment::default() }),
        ("above the ceiling", Payment { amount: "100001", credits: 100_001, ..Payment::default() }),
        ("not a number", Payment { amount: "NaN", credits: 1, ..Payment::default() }),
        ("endless", Payment { amount: "Infinity", credits: 1, ..Payment::default() }),
        ("fraction", Payment { amount: "20.5", credits: 20, ..Payment::default() }),
        ("letters in the phone", Payment { phone: Some("98765abc10"), ..Payment::default() }),
        ("eleven digits", Payment { phone: Some("98765432101"), ..Payment::default() }),
        ("empty phone", Payment { phone: Some(""), ..Payment::default() }),
        ("two lines of phone", Payment { phone: Some("987\n65"), ..Payment::default() }),
        ("list as info", Payment { info: Some("[1]"), ..Payment::default() }),
        ("long info", Payment { info: Some(&long), ..Payment::default() }),
        ("long id", Payment { id: &long_id, ..Payment::default() }),
        ("odd id", Payment { id: "UPI 1; drop", ..Payment::default() }),
    ] {
        assert_eq!(refusal(report(&pool, payer, payment).await), AGAINST_THE_RULES, "{what}");
    }
    report(&pool, payer, Payment::default()).await.expect("the plain one passes");
    assert_eq!(refusal(report(&pool, payer, Payment::default()).await), "23505", "the id is taken");
}

// rows: app/S-346
#[tokio::test]
async fn nobody_takes_an_id_from_somebody_else() {
    let pool = product_database().await;
    let (payer, other, admin) = (sign_up(&pool).await, sign_up(&pool).await, sign_up_admin(&pool).await);
    report(&pool, other, Payment::default()).await.expect("whoever reports first");
    report(&pool, payer, Payment::default()).await.expect("an id is one of its payer");
    let again = report(&pool, payer, Payment::default()).await;
    assert_eq!(refusal(again), "23505", "the own one is there once");
    let marked = "select from public.payment_transactions as p where public.reported_by_others(p)";
    assert_eq!(user_runs(&pool, admin, marked).await.expect("it runs"), 2, "an administrator is told");
    assert_eq!(user_runs(&pool, payer, marked).await.expect("it runs"), 0, "and no teacher");
    assert_eq!(refusal(visitor_runs(&pool, marked).await), FORBIDDEN);
    for statement in [
        "select public.admin_reject_payment($1, 'UPI_1763700000000', 'Twice.')",
        "delete from public.payment_transactions where user_id = $1",
    ] {
        assert_eq!(refusal(user_runs_on(&pool, payer, other, statement).await), FORBIDDEN, "{statement}");
    }
    let reject = "select public.admin_reject_payment($1, 'UPI_1763700000000', 'Twice.')";
    user_runs_on(&pool, admin, other, reject).await.expect("an administrator rejects one of them");
    let pending = "select from public.payment_transactions where status = 'PENDING'";
    assert_eq!(user_runs(&pool, payer, pending).await.expect("it runs"), 1, "the other stays");
}

// rows: app/S-347
#[tokio::test]
async fn only_own_pending_rows_are_inserted() {
    let pool = product_database().await;
    let (payer, other) = (sign_up(&pool).await, sign_up(&pool).await);
    for statement in [
        "insert into public.payment_transactions (transaction_id, user_id, amount, credits) values ('UPI_1', $1, 20, 20)",
        "insert into public.payment_transactions (transaction_id, user_id, amount, credits) values ('UPI_1', null, 20, 20)",
    ] {
        assert_eq!(refusal(user_runs_on(&pool, payer, other, statement).await), FORBIDDEN, "{statement}");
    }
    for statement in [
        "insert into public.payment_transactions (transaction_id, user_id, amount, credits, status)
            values ('UPI_1', $1, 20, 20, 'APPROVED')",
        "insert into public.payment_transactions (transaction_id, user_id, amount, credits, created_at)
            values ('UPI_1', $1, 20, 20, '1999-01-01')",
    ] {
        assert_eq!(refusal(user_runs(&pool, payer, statement).await), FORBIDDEN, "{statement}");
    }
    let anonymous = "insert into public.payment_transactions (transaction_id, user_id, amount, credits)
        values ('UPI_1', gen_random_uuid(), 20, 20)";
    assert_eq!(refusal(visitor_runs(&pool, anonymous).await), FORBIDDEN);
}

// rows: app/S-347
#[tokio::test]
async fn rows_are_read_by_their_owner_and_administrators_and_changed_by_neither() {
    let pool = product_database().await;
    let (payer, other, admin) = (sign_up(&pool).await, sign_up(&pool).await, sign_up_admin(&pool).await);
    report(&pool, payer, Payment::default()).await.expect("it passes");
    let look = "select from public.payment_transactions";
    assert_eq!(user_runs(&pool, payer, look).await.expect("it runs"), 1);
    assert_eq!(user_runs(&pool, admin, look).await.expect("it runs"), 1);
    assert_eq!(user_runs(&pool, other, look).await.expect("it runs"), 0);
    assert_eq!(refusal(visitor_runs(&pool, look).await), FORBIDDEN);
    for statement in [
        "update public.payment_transactions set status = 'APPROVED'",
        "update public.payment_transactions set credits = 1000",
        "delete from public.payment_transactions",
        "truncate public.payment_transactions",
    ] {
        assert_eq!(refusal(user_runs(&pool, payer, statement).await), FORBIDDEN, "{statement}");
        assert_eq!(refusal(user_runs(&pool, admin, statement).await), FORBIDDEN, "admin: {statement}");
    }
    let more = "update public.payment_transactions set credits = 1000 where user_id = $1";
    assert_eq!(refusal(service_runs(&pool, payer, more).await), FORBIDDEN);
    let status = "update public.payment_transactions set status = 'REJECTED' where user_id = $1";
    assert_eq!(service_runs(&pool, payer, status).await.expect("the service key may settle"), 1);
}

// rows: app/D11
#[tokio::test]
async fn a_user_has_at_most_20_pending_also_when_50_come_at_once() {
    let pool = product_database_for(25).await;
    let payer = sign_up(&pool).await;
    let reports = (0..50).map(|number| {
        let pool = pool.clone();
        tokio::spawn(async move {
            let id = format!("UPI_{number}");
            report(&pool, payer, Payment { id: &id, ..Payment::default() }).await.is_ok()
        })
    });
    let mut passed = 0;
    for report in reports.collect::<Vec<_>>() {
        passed += i32::from(report.await.expect("a report ends"));
    }
    assert_eq!(passed, 20);
    let many = "insert into public.payment_transactions (transaction_id, user_id, amount, credits)
        select 'UPI_x' || number, $1, 20, 20 from generate_series(1, 21) as number";
    assert_eq!(
        refusal(user_runs(&pool, sign_up(&pool).await, many).await),
        AGAINST_THE_RULES,
        "nor in one insert"
    );
}
