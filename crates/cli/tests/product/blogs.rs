use sqlx::PgPool;
use uuid::Uuid;

use crate::callers::{
    AGAINST_THE_RULES, FORBIDDEN, refusal, service_runs, sign_up, sign_up_admin, user_runs, user_runs_on,
    visitor_runs,
};
use crate::database::product_database;

const READ: &str = "select from public.blogs";
/// The insert of S-378, for the author `$1`.
const WRITE: &str = "insert into public.blogs (title, content, excerpt, category, author_id, author_name)
     values ('Chalk', 'It squeaks.', 'It squeaks.', 'General', $1, 'Admin')";

async fn administrator_with_a_post(pool: &PgPool) -> Uuid {
    let admin = sign_up_admin(pool).await;
    user_runs(pool, admin, WRITE).await.expect("an administrator writes");
    admin
}

// rows: app/S-122 app/S-352
#[tokio::test]
async fn a_post_of_an_administrator_is_read_by_everybody_at_once() {
    let pool = product_database().await;
    let admin = administrator_with_a_post(&pool).await;
    let teacher = sign_up(&pool).await;
    let draft = "insert into public.blogs (title, content, excerpt, author_id, author_name, published)
         values ('Draft', 'Later.', 'Later.', $1, 'Admin', false)";
    service_runs(&pool, admin, draft).await.expect("the service writes drafts");

    assert_eq!(user_runs(&pool, teacher, READ).await.expect("it runs"), 1);
    assert_eq!(user_runs(&pool, admin, READ).await.expect("it runs"), 1);
    assert_eq!(visitor_runs(&pool, READ).await.expect("it runs"), 1);
}

// rows: app/D14
#[tokio::test]
async fn only_administrators_write_and_only_in_their_own_name() {
    let pool = product_database().await;
    let admin = sign_up_admin(&pool).await;
    let teacher = sign_up(&pool).await;

    assert_eq!(refusal(user_runs(&pool, teacher, WRITE).await), FORBIDDEN);
    assert_eq!(refusal(user_runs_on(&pool, admin, teacher, WRITE).await), FORBIDDEN);
    let nameless =
        "insert into public.blogs (title, content, excerpt, author_name) values ('a', 'b', 'b', 'Admin')";
    assert_eq!(refusal(visitor_runs(&pool, nameless).await), FORBIDDEN);
    assert_eq!(refusal(user_runs(&pool, teacher, nameless).await), FORBIDDEN);
}

// rows: app/S-116 app/S-118
#[tokio::test]
async fn a_post_has_a_title_a_content_and_one_of_the_categories() {
    let pool = product_database().await;
    let admin = sign_up_admin(&pool).await;
    for broken in [
        "insert into public.blogs (title, content, excerpt, author_id, author_name) values (' ', 'b', 'b', $1, 'Admin')",
        "insert into public.blogs (title, content, excerpt, author_id, author_name) values ('a', E'\\n', 'b', $1, 'Admin')",
        "insert into public.blogs (title, content, excerpt, category, author_id, author_name)
           values ('a', 'b', 'b', 'Weather', $1, 'Admin')",
    ] {
        assert_eq!(refusal(user_runs(&pool, admin, broken).await), AGAINST_THE_RULES, "{broken}");
    }
}

// rows: app/S-352
#[tokio::test]
async fn nobody_changes_or_deletes_a_post_over_the_api() {
    let pool = product_database().await;
    let admin = administrator_with_a_post(&pool).await;
    for change in ["update public.blogs set title = 'x'", "delete from public.blogs"] {
        assert_eq!(refusal(user_runs(&pool, admin, change).await), FORBIDDEN, "{change}");
        assert_eq!(refusal(visitor_runs(&pool, change).await), FORBIDDEN, "{change}");
    }
}

// rows: app/S-381
#[tokio::test]
async fn nobody_reads_who_wrote_a_post_and_it_is_kept_as_long_as_the_account() {
    let pool = product_database().await;
    let admin = administrator_with_a_post(&pool).await;
    let named = "select from public.blogs where author_id is not null";
    assert_eq!(visitor_runs(&pool, named).await.expect("it runs"), 0);
    assert_eq!(user_runs(&pool, sign_up(&pool).await, named).await.expect("it runs"), 0);
    assert_eq!(visitor_runs(&pool, "select * from public.blogs").await.expect("every column is read"), 1);
    // The last administrator cannot go.
    sign_up_admin(&pool).await;
    let kept = async || -> i64 {
        sqlx::query_scalar("select count(*) from private.blog_authors where author_id = $1")
            .bind(admin)
            .fetch_one(&*pool)
            .await
            .expect("the owner of the database reads")
    };
    assert_eq!(kept().await, 1);
    sqlx::query("delete from auth.users where id = $1").bind(admin).execute(&*pool).await.expect("it goes");
    assert_eq!((kept().await, visitor_runs(&pool, READ).await.expect("it runs")), (0, 1), "the post stays");
}

#[tokio::test]
async fn blogs_no_publication_carries_a_post_before_its_author_is_hidden() {
    let pool = product_database().await;
    let carried =
        "select count(*) from pg_publication_tables where (schemaname, tablename) = ('public', 'blogs')";
    let publications: i64 = sqlx::query_scalar(carried).fetch_one(&*pool).await.expect("they can be counted");
    assert_eq!(publications, 0);
    sqlx::raw_sql("create publication followed for table public.blogs")
        .execute(&*pool)
        .await
        .expect("it is made");
    let publications: i64 = sqlx::query_scalar(carried).fetch_one(&*pool).await.expect("they can be counted");
    assert_eq!(publications, 1, "one would be seen");
}
