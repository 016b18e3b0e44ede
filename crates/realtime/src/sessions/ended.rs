use std::{sync::Arc, time::Duration};

use banyan_db::{
    Database, Login, Param, Rows, RunError, Statement,
    listen::{Notice, Notifications},
};
use uuid::Uuid;

use super::{Holder, Sessions};

/// The channel on which triggers of auth's tables tell of ended sessions and users.
const CHANNEL: &str = "banyan_sessions";
/// Which sessions are gone, and which users banned or deleted.
const GONE: &str = "
    select kind, id::text
    from _banyan.ended_sessions(
        array(select jsonb_array_elements_text($1::jsonb))::uuid[],
        array(select jsonb_array_elements_text($2::jsonb))::uuid[]
    )";
/// Pause before the database is asked again.
const PAUSE: Duration = Duration::from_secs(1);

/// Ends the channels of sessions that end, for as long as it is polled. Whenever notices may have
/// been missed, the database is asked for the sessions of all channels.
pub(crate) async fn follow(database: Database, sessions: Arc<Sessions>) {
    let mut notices: Notifications = database.listen(CHANNEL);
    loop {
        match notices.next().await {
            Notice::Payload(payload) => match read(&payload) {
                Some(ended) => sessions.end(ended),
                // All sessions are gone, or something that this version does not know.
                None => look(&database, &sessions).await,
            },
            Notice::Connected => look(&database, &sessions).await,
            Notice::Lost => tracing::warn!("realtime: ended sessions are not heard of, connecting again"),
        }
    }
}

/// `session <id>` or `user <id>`.
fn read(payload: &str) -> Option<Holder> {
    let (kind, id) = payload.split_once(' ')?;
    holder(kind, id)
}

fn holder(kind: &str, id: &str) -> Option<Holder> {
    let id = id.parse().ok()?;
    match kind {
        "session" => Some(Holder::Session(id)),
        "user" => Some(Holder::User(id)),
        _ => None,
    }
}

/// Ends what the database says has ended, once it answers.
async fn look(database: &Database, sessions: &Sessions) {
    loop {
        match gone(database, &sessions.holders()).await {
            Ok(gone) => return gone.into_iter().for_each(|ended| sessions.end(ended)),
            Err(error) => {
                tracing::warn!(%error, "realtime: it is not known which sessions have ended, asking again");
                tokio::time::sleep(PAUSE).await;
            }
        }
    }
}

/// Those of these that have ended, by one query.
async fn gone(database: &Database, holders: &[Holder]) -> Result<Vec<Holder>, RunError> {
    if holders.is_empty() {
        return Ok(Vec::new());
    }
    let (mut sessions, mut users) = (Vec::<Uuid>::new(), Vec::<Uuid>::new());
    for holder in holders {
        match holder {
            Holder::Session(id) => sessions.push(*id),
            Holder::User(id) => users.push(*id),
        }
    }
    let params = [sessions, users].map(|ids| Param::text(serde_json::json!(ids).to_string()));
    let rows = database.own(Login::RealtimeAdmin).read(&Statement::new(GONE, params.into())).await?;
    Ok((0..rows.rows.len()).filter_map(|row| of_row(&rows, row)).collect())
}

fn of_row(rows: &Rows, row: usize) -> Option<Holder> {
    holder(rows.text(row, 0)?, rows.text(row, 1)?)
}

#[cfg(test)]
mod tests {
    use banyan_testkit::platform_database;

    use super::*;

    const ASHA: Uuid = Uuid::from_u128(0xA);
    const RAVI: Uuid = Uuid::from_u128(0xB);
    const SESSION: Uuid = Uuid::from_u128(0x51);

    // rows: A11
    #[test]
    fn a_notice_names_a_session_or_a_user() {
        assert_eq!(read(&format!("session {SESSION}")), Some(Holder::Session(SESSION)));
        assert_eq!(read(&format!("user {ASHA}")), Some(Holder::User(ASHA)));
        for other in ["all", "", "session", "session x", "role x"] {
            assert_eq!(read(other), None, "{other}");
        }
    }

    // rows: A11
    #[tokio::test]
    async fn the_database_knows_which_of_many_sessions_are_gone() {
        let database = Box::pin(platform_database()).await;
        let sql = format!(
            "insert into auth.users (id, banned_until) values ('{ASHA}', null), ('{RAVI}', now() + interval '1 day');
             insert into auth.sessions (id, user_id) values ('{SESSION}', '{ASHA}')"
        );
        sqlx::raw_sql(sqlx::AssertSqlSafe(sql))
            .execute(database.pool(Login::AuthAdmin))
            .await
            .expect("seeded");
        let ended = Uuid::from_u128(0x52);
        let holders =
            [Holder::Session(SESSION), Holder::User(ASHA), Holder::User(RAVI), Holder::Session(ended)];
        let gone_now = gone(&database, &holders).await.expect("told");
        assert_eq!(gone_now, [Holder::Session(ended), Holder::User(RAVI)]);
        let many: Vec<_> = (0..20_000_u128).map(|id| Holder::Session(Uuid::from_u128(0x51 + id))).collect();
        assert_eq!(gone(&database, &many).await.expect("told").len(), 19_999);
        assert_eq!(gone(&database, &[]).await.expect("told"), []);
    }
}
