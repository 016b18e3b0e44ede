use sqlx::PgPool;
use uuid::Uuid;

use crate::callers::{
    AGAINST_THE_RULES, FORBIDDEN, as_user, refusal, service_runs, sign_up, sign_up_admin, user_runs,
    user_runs_on, visitor_runs,
};
use crate::database::product_database;

async fn is_admin(pool: &PgPool, caller: Uuid, about: Option<Uuid>) -> bool {
    let mut caller = as_user(pool, caller).await;
    sqlx::query_scalar("select public.is_admin_user($1)")
        .bind(about)
        .fetch_one(&mut *caller)
        .await
        .expect("a signed-in user may ask")
}

async fn roles(pool: &PgPool, id: Uuid) -> Vec<String> {
    sqlx::query_scalar("select role from public.user_roles where user_id = $1 order by role")
        .bind(id)
        .fetch_all(pool)
        .await
        .expect("the owner of the database reads")
}

// rows: app/S-349
#[tokio::test]
async fn everyone_is_a_user_from_sign_up_on() {
    let pool = product_database().await;
    let id = sign_up(&pool).await;
    assert_eq!(roles(&pool, id).await, ["user"]);
}

// rows: app/S-381
#[tokio::test]
async fn is_admin_user_answers_about_oneself_and_to_administrators() {
    let pool = product_database().await;
    let (admin, user) = (sign_up_admin(&pool).await, sign_up(&pool).await);
    assert!(is_admin(&pool, admin, Some(admin)).await);
    assert!(!is_admin(&pool, admin, Some(user)).await);
    assert!(!is_admin(&pool, user, Some(user)).await);
    assert!(!is_admin(&pool, user, Some(admin)).await, "nobody learns who the administrators are");
    assert!(!is_admin(&pool, admin, None).await);
    let ask = "select public.is_admin_user('00000000-0000-4000-8000-000000000000')";
    assert_eq!(refusal(visitor_runs(&pool, ask).await), FORBIDDEN);
}

// rows: app/S-350
#[tokio::test]
async fn a_user_sees_the_own_roles_and_changes_none() {
    let pool = product_database().await;
    let (admin, user) = (sign_up_admin(&pool).await, sign_up(&pool).await);
    assert_eq!(user_runs(&pool, user, "select from public.user_roles").await.expect("it runs"), 1);
    for statement in [
        "insert into public.user_roles (user_id, role) values ($1, 'admin')",
        "update public.user_roles set role = 'admin' where user_id = $1",
        "truncate public.user_roles",
    ] {
        assert_eq!(refusal(user_runs(&pool, user, statement).await), FORBIDDEN, "{statement}");
        assert_eq!(refusal(user_runs(&pool, admin, statement).await), FORBIDDEN, "admin: {statement}");
    }
    let take = "delete from public.user_roles where user_id = $1";
    assert_eq!(user_runs_on(&pool, user, admin, take).await.expect("it runs"), 0);
    assert_eq!(user_runs(&pool, user, take).await.expect("it runs"), 0);
    for statement in ["select from public.user_roles", "delete from public.user_roles"] {
        assert_eq!(refusal(visitor_runs(&pool, statement).await), FORBIDDEN);
    }
    assert_eq!(roles(&pool, admin).await, ["admin", "user"]);
}

// rows: app/S-350
#[tokio::test]
async fn an_administrator_sees_all_roles_and_takes_them_away() {
    let pool = product_database().await;
    let (admin, helper) = (sign_up_admin(&pool).await, sign_up(&pool).await);
    service_runs(&pool, helper, "insert into public.user_roles (user_id, role) values ($1, 'moderator')")
        .await
        .expect("the service key assigns");
    assert_eq!(user_runs(&pool, admin, "select from public.user_roles").await.expect("it runs"), 4);
    let take = "delete from public.user_roles where user_id = $1 and role = 'moderator'";
    assert_eq!(user_runs_on(&pool, admin, helper, take).await.expect("it runs"), 1);
    assert_eq!(roles(&pool, helper).await, ["user"]);
}

// rows: app/D13
#[tokio::test]
async fn the_role_user_stays_as_long_as_the_account() {
    let pool = product_database().await;
    let (admin, user) = (sign_up_admin(&pool).await, sign_up(&pool).await);
    let take = "delete from public.user_roles where user_id = $1 and role = 'user'";
    assert_eq!(refusal(user_runs_on(&pool, admin, user, take).await), AGAINST_THE_RULES);
    assert_eq!(refusal(service_runs(&pool, user, take).await), AGAINST_THE_RULES);
    let change = sqlx::query("update public.user_roles set role = 'moderator' where user_id = $1").bind(user);
    assert_eq!(refusal(change.execute(&*pool).await), AGAINST_THE_RULES);
    sqlx::query("delete from auth.users where id = $1")
        .bind(user)
        .execute(&*pool)
        .await
        .expect("an account may go");
    assert!(roles(&pool, user).await.is_empty());
}

// rows: app/D13
#[tokio::test]
async fn the_last_administrator_stays() {
    let pool = product_database().await;
    let (first, second) = (sign_up_admin(&pool).await, sign_up_admin(&pool).await);
    let take = "delete from public.user_roles where user_id = $1 and role = 'admin'";
    let all = "delete from public.user_roles where role = 'admin'";
    assert_eq!(refusal(user_runs(&pool, first, all).await), AGAINST_THE_RULES, "not both at once");
    assert_eq!(user_runs_on(&pool, first, second, take).await.expect("one of two may go"), 1);
    assert_eq!(refusal(user_runs(&pool, first, take).await), AGAINST_THE_RULES);
    assert_eq!(refusal(service_runs(&pool, first, take).await), AGAINST_THE_RULES);
    let account = sqlx::query("delete from auth.users where id = $1").bind(first);
    assert_eq!(refusal(account.execute(&*pool).await), AGAINST_THE_RULES, "not with the account either");
}

// rows: app/D13
#[tokio::test]
async fn who_is_banned_or_deleted_is_no_last_administrator() {
    for put_out in [
        "update auth.users set banned_until = now() + interval '1 day' where id = $1",
        "update auth.users set deleted_at = now() where id = $1",
    ] {
        let pool = product_database().await;
        let (first, second) = (sign_up_admin(&pool).await, sign_up_admin(&pool).await);
        sqlx::query(put_out).bind(second).execute(&*pool).await.expect("the owner of the database writes");
        let take = "delete from public.user_roles where user_id = $1 and role = 'admin'";
        assert_eq!(refusal(user_runs(&pool, first, take).await), AGAINST_THE_RULES, "{put_out}");
        assert_eq!(user_runs_on(&pool, first, second, take).await.expect("who may not act may go"), 1);
    }
}

// rows: app/D13
#[tokio::test]
async fn two_administrators_who_remove_each_other_leave_one() {
    let pool = product_database().await;
    for _ in 0..10 {
        let (first, second) = (sign_up_admin(&pool).await, sign_up_admin(&pool).await);
        let take = "delete from public.user_roles where user_id = $1 and role = 'admin'";
        let (one, other) =
            tokio::join!(user_runs_on(&pool, first, second, take), user_runs_on(&pool, second, first, take),);
        let removed = [one, other].into_iter().filter_map(Result::ok).sum::<u64>();
        assert!(removed <= 1, "at most one of the two was removed");
        let left: i64 = sqlx::query_scalar("select count(*) from public.user_roles where role = 'admin'")
            .fetch_one(&*pool)
            .await
            .expect("the owner of the database reads");
        assert!(left >= 1);
        sqlx::query("alter table public.user_roles disable trigger keep_last_admin")
            .execute(&*pool)
            .await
            .expect("owner");
        sqlx::query("delete from public.user_roles where role = 'admin'")
            .execute(&*pool)
            .await
            .expect("owner");
        sqlx::query("alter table public.user_roles enable trigger keep_last_admin")
            .execute(&*pool)
            .await
            .expect("owner");
    }
}
