use sqlx::PgPool;
use uuid::Uuid;

use crate::callers::{
    FORBIDDEN, as_service, refusal, service_runs, sign_up, sign_up_admin, user_runs_on, visitor_runs,
};
use crate::database::{product_database, product_database_for};

/// What `claim_mail` answers.
#[derive(Debug, PartialEq, sqlx::FromRow)]
struct Claim {
    outcome: String,
    mail_id: Option<Uuid>,
    retry_after: Option<i32>,
}

/// An account that has confirmed its address, and the address.
async fn confirmed(pool: &PgPool) -> (Uuid, String) {
    let id = sign_up(pool).await;
    confirm(pool, id).await;
    (id, address_of(id))
}

async fn confirm(pool: &PgPool, id: Uuid) {
    sqlx::query("update auth.users set email_confirmed_at = now() where id = $1")
        .bind(id)
        .execute(pool)
        .await
        .expect("the address is confirmed");
}

fn address_of(id: Uuid) -> String {
    format!("{id}@example.com")
}

async fn claim(pool: &PgPool, sender: Uuid, kind: &str, key: &str, recipient: &str) -> Claim {
    let mut caller = as_service(pool).await;
    let claim = sqlx::query_as("select * from public.claim_mail($1, $2, $3, $4)")
        .bind(sender)
        .bind(kind)
        .bind(key)
        .bind(recipient)
        .fetch_one(&mut *caller)
        .await
        .expect("a claim is answered");
    caller.commit().await.expect("a claim commits");
    claim
}

async fn let_pass(pool: &PgPool, interval: &str) {
    sqlx::query("update private.mails set claimed_at = claimed_at - $1::interval")
        .bind(interval)
        .execute(pool)
        .await
        .expect("the owner can rewrite the past");
}

// rows: app/S-391
#[tokio::test]
async fn a_document_goes_to_the_own_confirmed_address_only() {
    let pool = product_database().await;
    let (id, address) = confirmed(&pool).await;
    let (_, anothers) = confirmed(&pool).await;
    let mine = claim(&pool, id, "document", "one", &address).await;
    assert_eq!((mine.outcome.as_str(), mine.mail_id.is_some()), ("claimed", true));
    assert_eq!(claim(&pool, id, "document", "two", &address.to_uppercase()).await.outcome, "claimed");
    for recipient in [anothers.as_str(), "nobody@example.com", ""] {
        let refused = claim(&pool, id, "document", "three", recipient).await;
        assert_eq!((refused.outcome.as_str(), refused.mail_id), ("not_own_address", None), "{recipient}");
    }
    let unconfirmed = sign_up(&pool).await;
    let refused = claim(&pool, unconfirmed, "document", "one", &address_of(unconfirmed)).await;
    assert_eq!(refused.outcome, "not_own_address");
}

// rows: app/S-393
#[tokio::test]
async fn news_of_credits_come_from_administrators_and_go_to_accounts() {
    let pool = product_database().await;
    let (admin, (teacher, address)) = (sign_up_admin(&pool).await, confirmed(&pool).await);
    let moderator = sign_up(&pool).await;
    service_runs(&pool, moderator, "insert into public.user_roles (user_id, role) values ($1, 'moderator')")
        .await
        .expect("a role is given");
    assert_eq!(claim(&pool, admin, "credits", "one", &address).await.outcome, "claimed");
    for sender in [teacher, moderator, Uuid::new_v4()] {
        assert_eq!(claim(&pool, sender, "credits", "one", &address).await.outcome, "forbidden");
    }
    let unknown = claim(&pool, admin, "credits", "two", "nobody@example.com").await;
    assert_eq!(unknown.outcome, "unknown_recipient");
}

// rows: app/S-391
#[tokio::test]
async fn the_same_request_is_the_same_mail_until_the_window_is_over() {
    let pool = product_database().await;
    let (id, address) = confirmed(&pool).await;
    let first = claim(&pool, id, "document", "same", &address).await;
    let_pass(&pool, "9 minutes").await;
    assert_eq!(claim(&pool, id, "document", "same", &address).await, first);
    assert_ne!(claim(&pool, id, "document", "other", &address).await.mail_id, first.mail_id);
    let (other, others) = confirmed(&pool).await;
    assert_ne!(
        claim(&pool, other, "document", "same", &others).await.mail_id,
        first.mail_id,
        "of another user"
    );
    let_pass(&pool, "2 minutes").await;
    assert_ne!(claim(&pool, id, "document", "same", &address).await.mail_id, first.mail_id);
}

// rows: app/S-391
#[tokio::test]
async fn a_document_and_news_of_credits_with_one_key_are_two_mails() {
    let pool = product_database().await;
    let admin = sign_up_admin(&pool).await;
    confirm(&pool, admin).await;
    let own = address_of(admin);
    let document = claim(&pool, admin, "document", "same", &own).await;
    let news = claim(&pool, admin, "credits", "same", &own).await;
    assert_eq!((document.outcome.as_str(), news.outcome.as_str()), ("claimed", "claimed"));
    assert_ne!(document.mail_id, news.mail_id);
}

// rows: app/S-391
#[tokio::test]
async fn what_was_mailed_is_forgotten_after_a_day() {
    let pool = product_database().await;
    let (id, address) = confirmed(&pool).await;
    claim(&pool, id, "document", "old", &address).await;
    let_pass(&pool, "25 hours").await;
    claim(&pool, id, "document", "new", &address).await;
    let kept: Vec<String> = sqlx::query_scalar("select request_key from private.mails")
        .fetch_all(&*pool)
        .await
        .expect("the owner of the database reads");
    assert_eq!(kept, ["new"]);
}

// rows: app/S-391 app/S-393
#[tokio::test]
async fn an_account_that_is_marked_as_deleted_neither_sends_nor_receives() {
    let pool = product_database().await;
    let (admin, (id, address)) = (sign_up_admin(&pool).await, confirmed(&pool).await);
    let deleted = "update auth.users set deleted_at = now() where id = $1";
    sqlx::query(deleted).bind(id).execute(&*pool).await.expect("an account can be marked");
    assert_eq!(claim(&pool, id, "document", "one", &address).await.outcome, "not_own_address");
    assert_eq!(claim(&pool, admin, "credits", "one", &address).await.outcome, "unknown_recipient");
}

// rows: app/S-391
#[tokio::test]
async fn a_sender_has_a_minutes_and_a_days_number_of_mails() {
    let pool = product_database().await;
    let (id, address) = confirmed(&pool).await;
    let (other, others) = confirmed(&pool).await;
    let send = async |number: usize| claim(&pool, id, "document", &format!("no {number}"), &address).await;
    for number in 0..6 {
        assert_eq!(send(number).await.outcome, "claimed");
    }
    let limited = send(6).await;
    assert_eq!(limited.outcome, "rate_limited");
    assert!((1..=60).contains(&limited.retry_after.expect("a waiting time")));
    assert_eq!(send(0).await.outcome, "claimed", "the same mail counts once");
    assert_eq!(claim(&pool, other, "document", "mine", &others).await.outcome, "claimed");
    for minute in 1..10 {
        let_pass(&pool, "61 seconds").await;
        for number in 0..6 {
            assert_eq!(send(minute * 10 + number).await.outcome, "claimed", "{minute} {number}");
        }
    }
    let_pass(&pool, "61 seconds").await;
    let full = send(1000).await;
    assert!(full.outcome == "rate_limited" && full.retry_after > Some(80_000), "{full:?}");
}

// rows: app/S-393
#[tokio::test]
async fn news_of_credits_have_a_limit_of_their_own() {
    let pool = product_database().await;
    let admin = sign_up_admin(&pool).await;
    confirm(&pool, admin).await;
    let (own, (_, payer)) = (address_of(admin), confirmed(&pool).await);
    let tell = async |number: usize| claim(&pool, admin, "credits", &format!("no {number}"), &payer).await;
    for number in 0..60 {
        assert_eq!(tell(number).await.outcome, "claimed", "{number}");
    }
    assert_eq!(tell(60).await.outcome, "rate_limited");
    assert_eq!(claim(&pool, admin, "document", "own", &own).await.outcome, "claimed", "which is not theirs");
}

// rows: app/S-393
#[tokio::test]
async fn a_banned_administrator_tells_nobody_of_credits() {
    let pool = product_database().await;
    let (admin, (_, payer)) = (sign_up_admin(&pool).await, confirmed(&pool).await);
    sqlx::query("update auth.users set banned_until = now() + interval '1 day' where id = $1")
        .bind(admin)
        .execute(&*pool)
        .await
        .expect("an account can be banned");
    assert_eq!(claim(&pool, admin, "credits", "one", &payer).await.outcome, "forbidden");
}

// rows: app/S-391
#[tokio::test(flavor = "multi_thread")]
async fn twins_of_a_request_that_come_at_once_are_one_mail() {
    let pool = product_database_for(20).await;
    let (id, address) = confirmed(&pool).await;
    let calls = (0..20).map(|_| {
        let (pool, address) = (pool.clone(), address.clone());
        tokio::spawn(async move { claim(&pool, id, "document", "same", &address).await.mail_id })
    });
    let mut ids = Vec::new();
    for call in calls.collect::<Vec<_>>() {
        ids.push(call.await.expect("a call ends").expect("a mail"));
    }
    ids.dedup();
    assert_eq!(ids.len(), 1);
}

#[tokio::test]
async fn mails_are_claimed_by_the_service_key_only_and_end_with_the_account() {
    const CLAIM: &str = "select public.claim_mail($1, 'document', 'x', 'a@example.com')";
    let pool = product_database().await;
    let (id, address) = confirmed(&pool).await;
    let (intruder, admin) = (sign_up(&pool).await, sign_up_admin(&pool).await);
    for caller in [intruder, id, admin] {
        assert_eq!(refusal(user_runs_on(&pool, caller, id, CLAIM).await), FORBIDDEN);
        let look = "select from private.mails where user_id = $1";
        assert_eq!(refusal(user_runs_on(&pool, caller, id, look).await), FORBIDDEN);
    }
    let anonymous = "select public.claim_mail(gen_random_uuid(), 'document', 'x', 'a@example.com')";
    assert_eq!(refusal(visitor_runs(&pool, anonymous).await), FORBIDDEN);
    claim(&pool, id, "document", "kept", &address).await;
    sqlx::query("delete from auth.users where id = $1").bind(id).execute(&*pool).await.expect("it goes");
    let left: i64 =
        sqlx::query_scalar("select count(*) from private.mails").fetch_one(&*pool).await.expect("a count");
    assert_eq!(left, 0);
}
