use banyan_db::{Database, Login, listen::Notice};
use uuid::Uuid;

use super::{ASHA, RAVI, database, run, texts};

const SESSION: Uuid = Uuid::from_u128(0x51);

/// Two users, the first with two sessions.
async fn seed(database: &Database) {
    let sql = format!(
        "insert into auth.users (id, email) values ('{ASHA}', 'asha@example.com'), ('{RAVI}', 'ravi@example.com');
         insert into auth.sessions (id, user_id) values ('{SESSION}', '{ASHA}'), ('{}', '{ASHA}')",
        Uuid::from_u128(0x52),
    );
    run(database, Login::AuthAdmin, &sql).await.expect("seeded");
}

// rows: A11
#[tokio::test]
async fn the_database_tells_of_ended_sessions_and_users() {
    let database = database().await;
    seed(&database).await;
    let mut notices = database.listen("banyan_sessions");
    assert_eq!(notices.next().await, Notice::Connected);
    let silent = "
        update auth.users set last_sign_in_at = now(), banned_until = null;
        update auth.users set banned_until = now() - interval '1 hour';
        update auth.sessions set refreshed_at = now()";
    run(&database, Login::AuthAdmin, silent).await.expect("nothing ends");
    for (sql, told) in [
        (format!("delete from auth.sessions where id = '{SESSION}'"), vec![format!("session {SESSION}")]),
        (
            format!("update auth.users set banned_until = now() + interval '1 day' where id = '{RAVI}'"),
            vec![format!("user {RAVI}")],
        ),
        (
            format!("update auth.users set deleted_at = now() where id = '{RAVI}'"),
            vec![format!("user {RAVI}")],
        ),
        (
            format!("delete from auth.users where id = '{ASHA}'"),
            vec![format!("session {}", Uuid::from_u128(0x52)), format!("user {ASHA}")],
        ),
        ("truncate auth.sessions cascade".to_owned(), vec!["all".to_owned()]),
    ] {
        run(&database, Login::AuthAdmin, &sql).await.expect(&sql);
        let mut heard = Vec::new();
        while heard.len() < told.len() {
            match notices.next().await {
                Notice::Payload(payload) => heard.push(payload),
                other => panic!("{other:?}"),
            }
        }
        heard.sort();
        assert_eq!(heard, told, "{sql}");
    }
}

// rows: A11
#[tokio::test]
async fn who_missed_it_asks_which_sessions_are_gone() {
    let database = database().await;
    seed(&database).await;
    let ban = format!("update auth.users set banned_until = now() + interval '1 day' where id = '{RAVI}'");
    run(&database, Login::AuthAdmin, &ban).await.expect("banned");
    let gone = Uuid::from_u128(0x53);
    let asked = format!(
        "select kind || ' ' || id from _banyan.ended_sessions(array['{SESSION}', '{gone}']::uuid[], array['{ASHA}', '{RAVI}']::uuid[])"
    );
    let ended: Vec<String> = sqlx::query_scalar(sqlx::AssertSqlSafe(asked.clone()))
        .fetch_all(database.pool(Login::RealtimeAdmin))
        .await
        .expect("it may ask");
    assert_eq!(ended, [format!("session {gone}"), format!("user {RAVI}")]);
    for role in ["anon", "authenticated", "service_role"] {
        let denied = super::run_as(&database, role, ASHA, &asked).await;
        assert_eq!(denied, Err("42501".to_owned()), "{role}");
    }
    assert_eq!(texts(&database, "select count(*)::text from auth.sessions").await, ["2"]);
}
