use sqlx::{Executor, PgPool};

use crate::callers::{FORBIDDEN, refusal, sign_up};
use crate::database::product_database;
use crate::wallet_calls::assert_books_balance;

async fn apply(pool: &PgPool) -> Result<(), sqlx::Error> {
    pool.execute(sqlx::raw_sql(include_str!("../../../../supabase/seed.sql"))).await.map(drop)
}

#[tokio::test]
async fn seed_the_demo_is_made_once() {
    let pool = product_database().await;
    for _ in 0..2 {
        apply(&pool).await.expect("the demo applies");
    }
    let counts: (i64, i64, i64, i64) = sqlx::query_as(
        "select
           (select count(*) from auth.users),
           (select count(*) from public.profiles),
           (select count(*) from public.user_roles where role = 'admin'),
           (select count(*) from public.payment_transactions)",
    )
    .fetch_one(&*pool)
    .await
    .expect("the demo can be counted");
    assert_eq!(counts, (4, 4, 1, 3));
    assert_books_balance(&pool).await;
}

#[tokio::test]
async fn seed_the_demo_does_not_mix_with_real_accounts() {
    let pool = product_database().await;
    sign_up(&pool).await;
    assert_eq!(refusal(apply(&pool).await), FORBIDDEN);
}
