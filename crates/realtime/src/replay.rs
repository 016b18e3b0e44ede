//! Messages of a private topic that were sent before a channel joined it (CONTRACT.md B8, B9).

use banyan_db::{Database, Login, Param, Rows, RunError, Statement};
use base64::{Engine as _, engine::general_purpose::STANDARD};
use bytes::Bytes;
use serde_json::{Value, json};
use uuid::Uuid;

use crate::model::{Broadcast, Content, Payload, Topic};

/// The newest ones of a topic, oldest first. It names the time twice, so that few partitions are
/// looked through: none is of the future.
const NEWEST: &str = "
    select id::text, event, payload::text, translate(encode(binary_payload, 'base64'), E'\\n', '')
    from (
        select id, event, payload, binary_payload, inserted_at
        from realtime.messages
        where topic = $1 and private and extension = 'broadcast' and event is not null
            and (payload is not null or binary_payload is not null)
            and inserted_at >= to_timestamp($2::float8 / 1000) at time zone 'utc'
            and inserted_at < (now() at time zone 'utc') + interval '1 minute'
        order by inserted_at desc
        limit $3::int
    ) as newest
    order by inserted_at";

/// Most messages of a replay, and how many there are unless it says another number.
const MOST: i64 = 25;
/// The ends of the year 9999 and of the year 1, in milliseconds of the epoch.
const TIMES: std::ops::RangeInclusive<i64> = -62_135_596_800_000..=253_402_300_799_999;

/// What a join asks for: `config.broadcast.replay`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Replay {
    /// Milliseconds of the epoch.
    since: i64,
    limit: i64,
}

/// A message that was sent before.
#[derive(Debug, Clone)]
pub(crate) struct Replayed {
    /// The id of its row.
    pub(crate) id: Uuid,
    event: String,
    payload: Payload,
}

/// The parameters of a replay are wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct BadParams;

impl Replay {
    /// Reads the parameters; none where no replay is asked for.
    ///
    /// # Errors
    /// [`BadParams`] where `since` is no time or `limit` no integer.
    pub(crate) fn read(params: &Value) -> Result<Option<Self>, BadParams> {
        let Value::Object(params) = params else { return Ok(None) };
        let since = params.get("since").and_then(Value::as_i64).filter(|since| TIMES.contains(since));
        let limit = match params.get("limit") {
            None | Some(Value::Null) => MOST,
            Some(limit) => limit.as_i64().ok_or(BadParams)?,
        };
        Ok(Some(Self { since: since.ok_or(BadParams)?, limit: limit.clamp(1, MOST) }))
    }

    /// The messages of a private topic, oldest first. Those without an event or a payload are left
    /// out, as they are never delivered (CONTRACT.md D6).
    ///
    /// # Errors
    /// What the database says.
    pub(crate) async fn messages(self, database: &Database, topic: &str) -> Result<Vec<Replayed>, RunError> {
        let params = vec![
            Param::text(topic.as_bytes().to_vec()),
            Param::text(self.since.to_string()),
            Param::text(self.limit.to_string()),
        ];
        let rows = database.own(Login::RealtimeAdmin).read(&Statement::new(NEWEST, params)).await?;
        Ok((0..rows.rows.len()).filter_map(|row| message(&rows, row)).collect())
    }
}

impl Replayed {
    /// The message as members receive it, with its id and the word that it is one of before.
    pub(crate) fn broadcast(&self, topic: &Topic) -> Broadcast {
        let meta = json!({"replayed": true, "id": self.id}).to_string();
        let content = match &self.payload {
            Payload::Json(payload) => {
                let head =
                    format!("{{\"type\":\"broadcast\",\"event\":{},\"payload\":", Value::from(&*self.event));
                let tail = format!(",\"meta\":{meta}}}");
                Content::Object([head.as_bytes(), &payload[..], tail.as_bytes()].concat().into())
            }
            payload @ Payload::Binary(_) => Content::Event {
                event: self.event.clone(),
                payload: payload.clone(),
                meta: Some(meta.into()),
            },
        };
        Broadcast { topic: topic.clone(), id: None, content }
    }
}

fn message(rows: &Rows, row: usize) -> Option<Replayed> {
    let payload = match (rows.get(row, 2), rows.get(row, 3)) {
        (Some(json), _) => Payload::Json(json.clone()),
        (None, Some(base64)) => Payload::Binary(Bytes::from(STANDARD.decode(base64).ok()?)),
        (None, None) => return None,
    };
    Some(Replayed { id: rows.text(row, 0)?.parse().ok()?, event: rows.text(row, 1)?.to_owned(), payload })
}

#[cfg(test)]
mod tests {
    use banyan_testkit::platform_database;

    use super::*;

    // rows: B8 B9 LIM-REPLAY UnableToReplayMessages
    #[test]
    fn a_replay_has_a_time_and_a_limit_of_at_most_25() {
        let read = |params: Value| Replay::read(&params);
        let replay = |since, limit| Ok(Some(Replay { since, limit }));
        assert_eq!(read(json!({"since": 1_700_000_000_123_i64, "limit": 3})), replay(1_700_000_000_123, 3));
        assert_eq!(read(json!({"since": 0})), replay(0, 25));
        assert_eq!(read(json!({"since": -5, "limit": null})), replay(-5, 25));
        assert_eq!(read(json!({"since": 0, "limit": 99})), replay(0, 25));
        assert_eq!(read(json!({"since": 0, "limit": -1})), replay(0, 1));
        for wrong in [
            json!({}),
            json!({"since": "0"}),
            json!({"since": null}),
            json!({"since": 1.5}),
            json!({"since": 9_223_372_036_854_775_807_i64}),
            json!({"since": 0, "limit": "3"}),
            json!({"since": 0, "limit": 2.5}),
        ] {
            assert_eq!(read(wrong.clone()), Err(BadParams), "{wrong}");
        }
        for none in [json!(null), json!(true), json!([])] {
            assert_eq!(read(none), Ok(None));
        }
    }

    /// Messages of today and yesterday: `at` is in seconds from now.
    const SENT: &str = "
        insert into realtime.messages (topic, extension, event, private, payload, binary_payload, inserted_at)
        select topic, extension, event, private, payload::jsonb, bytes, (now() at time zone 'utc') + make_interval(secs => at)
        from (values
            ('room', 'broadcast', 'oldest', true, '{\"n\": 1}', null::bytea, -7200.0),
            ('room', 'broadcast', 'bytes', true, null, '\\x00ff10'::bytea, -3600),
            ('room', 'broadcast', 'long', true, null, decode(repeat('ab', 200), 'hex'), -1800),
            ('room', 'broadcast', 'newest', true, '{\"n\": 4}', null, 30),
            ('room', 'broadcast', 'ahead', true, '{}', null, 90),
            ('room', 'broadcast', 'public', false, '{}', null, -60),
            ('room', 'presence', 'presence', true, '{}', null, -60),
            ('room', 'broadcast', null, true, '{}', null, -60),
            ('room', 'broadcast', 'empty', true, null, null, -60),
            ('another room', 'broadcast', 'elsewhere', true, '{}', null, -60)
        ) as sent (topic, extension, event, private, payload, bytes, at)";

    // rows: B8
    #[tokio::test]
    async fn the_newest_private_broadcasts_of_a_topic_come_oldest_first() {
        let database = Box::pin(platform_database()).await;
        sqlx::raw_sql(SENT).execute(database.pool(Login::Postgres)).await.expect("sent");
        let now: f64 = sqlx::query_scalar("select extract(epoch from now())::float8 * 1000")
            .fetch_one(database.pool(Login::Postgres))
            .await
            .expect("told");
        let events = async |since: i64, limit: i64, topic: &str| {
            let replay = Replay { since, limit };
            let messages = replay.messages(&database, topic).await.expect("read");
            messages.iter().map(|message| message.event.clone()).collect::<Vec<_>>()
        };
        assert_eq!(events(0, 25, "room").await, ["oldest", "bytes", "long", "newest"]);
        assert_eq!(events(0, 3, "room").await, ["bytes", "long", "newest"]);
        let an_hour_and_a_half_ago = now as i64 - 5_400_000;
        assert_eq!(events(an_hour_and_a_half_ago, 25, "room").await, ["bytes", "long", "newest"]);
        assert_eq!(events(now as i64 + 60_000, 25, "room").await, [""; 0]);
        assert_eq!(events(*TIMES.start(), 25, "nowhere").await, [""; 0]);
        assert_eq!(events(*TIMES.end(), 25, "room").await, [""; 0]);
        let all = Replay { since: 0, limit: 25 }.messages(&database, "room").await.expect("read");
        assert!(matches!(&all[0].payload, Payload::Json(json) if json == "{\"n\": 1}"));
        assert!(matches!(&all[1].payload, Payload::Binary(bytes) if **bytes == [0, 255, 16]));
        assert!(matches!(&all[2].payload, Payload::Binary(bytes) if **bytes == [0xab; 200]));
        assert!(all.iter().all(|message| !message.id.is_nil()));
    }
}
