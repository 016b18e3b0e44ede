use serde_json::{Value, json};
use sqlx::{PgPool, Postgres, Transaction};
use uuid::Uuid;

use crate::callers::{FORBIDDEN, as_user, as_visitor, refusal, sign_up, sign_up_admin, user_runs_on};
use crate::database::{ProductDatabase, product_database};
use crate::wallet_calls::{complete, deduct, prolong, start_generation, teacher};

const REPORT: &str = "insert into public.payment_transactions (transaction_id, user_id, amount, credits)
    values ('UPI_1763700000000', $1, 100, 150)";
const APPROVE: &str = "select public.admin_settle_payment($1, 'UPI_1763700000000', 150)";

/// Messages on a topic in their order: event and payload, without the id of the message.
async fn messages(pool: &PgPool, topic: &str) -> Vec<(String, Value)> {
    sqlx::query_as(
        "select event, payload - 'id'
         from realtime.messages
         where topic = $1
           and private
         order by tableoid, ctid",
    )
    .bind(topic)
    .fetch_all(pool)
    .await
    .expect("the owner reads all messages")
}

/// How many messages a caller hears on a topic, as the service of realtime asks.
async fn heard(mut caller: Transaction<'static, Postgres>, topic: &str) -> i64 {
    sqlx::query_scalar("select count(*) from realtime.messages where topic = $1")
        .bind(topic)
        .fetch_one(&mut *caller)
        .await
        .expect("policies deny by hiding")
}

/// A teacher whose payment an administrator has approved.
async fn approved() -> (ProductDatabase, Uuid, Uuid) {
    let pool = product_database().await;
    let (payer, admin) = (teacher(&pool).await, sign_up_admin(&pool).await);
    user_runs_on(&pool, payer, payer, REPORT).await.expect("a teacher reports a payment");
    user_runs_on(&pool, admin, payer, APPROVE).await.expect("an administrator approves it");
    (pool, payer, admin)
}

// rows: app/S-432 app/S-433
#[tokio::test]
async fn an_approved_payment_is_told_to_its_payer_and_the_administrators() {
    let (pool, payer, _) = approved().await;
    let told = messages(&pool, &format!("user:{payer}")).await;
    let payments = ("payments".to_owned(), json!({}));
    let credits = ("balance".to_owned(), json!({ "reason": "payment", "credits": 150 }));
    assert_eq!(told[1..], [payments.clone(), payments.clone(), credits], "after the opening balance");
    assert_eq!(messages(&pool, "admin").await, [payments.clone(), payments]);
}

// rows: app/S-432
#[tokio::test]
async fn a_generation_is_told_when_it_begins_and_ends_and_not_in_between() {
    let pool = product_database().await;
    let id = teacher(&pool).await;
    deduct(&pool, id).await;
    let generation = start_generation(&pool, id, "key").await;
    assert!(prolong(&pool, generation).await);
    let begun = ("generations".to_owned(), json!({}));
    assert_eq!(messages(&pool, "admin").await, std::slice::from_ref(&begun));
    assert!(complete(&pool, generation).await);
    assert_eq!(messages(&pool, "admin").await, [begun.clone(), begun.clone()]);
    let told = messages(&pool, &format!("user:{id}")).await;
    assert_eq!(told.iter().filter(|message| **message == begun).count(), 2);
}

// rows: app/S-433
#[tokio::test]
async fn a_topic_is_heard_by_its_user_alone() {
    let (pool, payer, admin) = approved().await;
    let topic = format!("user:{payer}");
    assert_eq!(heard(as_user(&pool, payer).await, &topic).await, 4);
    let other = sign_up(&pool).await;
    assert_eq!(heard(as_user(&pool, other).await, &topic).await, 0, "another user");
    assert_eq!(heard(as_user(&pool, admin).await, &topic).await, 0, "an administrator");
    assert_eq!(heard(as_visitor(&pool).await, &topic).await, 0, "a visitor");
}

// rows: app/S-433
#[tokio::test]
async fn the_topic_of_administrators_is_heard_by_those_who_may_act() {
    let (pool, payer, admin) = approved().await;
    assert_eq!(heard(as_user(&pool, admin).await, "admin").await, 2);
    assert_eq!(heard(as_user(&pool, payer).await, "admin").await, 0, "a teacher");
    assert_eq!(heard(as_visitor(&pool).await, "admin").await, 0, "a visitor");
    let banned = sign_up_admin(&pool).await;
    sqlx::query("update auth.users set banned_until = now() + interval '1 hour' where id = $1")
        .bind(banned)
        .execute(&*pool)
        .await
        .expect("the owner bans accounts");
    assert_eq!(heard(as_user(&pool, banned).await, "admin").await, 0, "an administrator who is banned");
}

// rows: app/S-433
#[tokio::test]
async fn nobody_speaks_on_a_topic() {
    let (pool, payer, admin) = approved().await;
    for caller in [payer, admin] {
        for topic in [format!("user:{payer}"), "admin".to_owned()] {
            let mut transaction = as_user(&pool, caller).await;
            let spoken = sqlx::query(
                "insert into realtime.messages (topic, extension, event, payload, private)
                 values ($1, 'broadcast', 'balance', '{}', true)",
            )
            .bind(&topic)
            .execute(&mut *transaction)
            .await;
            assert_eq!(refusal(spoken), FORBIDDEN, "{topic}");
        }
    }
}

// rows: app/S-432
#[tokio::test]
async fn a_message_that_cannot_be_sent_stops_no_payment() {
    let pool = product_database().await;
    let payer = teacher(&pool).await;
    for statement in [
        "create function public.refuse() returns trigger language plpgsql as 'begin raise exception $$full$$; end'",
        "create trigger refuse before insert on realtime.messages for each row execute function public.refuse()",
    ] {
        sqlx::query(statement).execute(&*pool).await.expect("the owner makes triggers");
    }
    user_runs_on(&pool, payer, payer, REPORT).await.expect("the payment is reported all the same");
    assert_eq!(messages(&pool, "admin").await, []);
}
