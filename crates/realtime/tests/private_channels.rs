//! Private channels: who may join, send and stay, by policies of a project.

use banyan_db::Login;
use serde_json::{Value, json};
use uuid::Uuid;

use crate::support::{Client, Realtime, Sent};

/// A member of room 1, who may write.
const ASHA: Uuid = Uuid::from_u128(0xA);
/// A member of room 1, who may only read.
const RAVI: Uuid = Uuid::from_u128(0xB);
/// A member of no room.
const MEERA: Uuid = Uuid::from_u128(0xC);
/// Who may read the presence of room 1 alone.
const GUARD: Uuid = Uuid::from_u128(0xD);

const POLICIES: &str = "
    create table public.members (room text, user_id uuid, writes bool);
    insert into public.members values
        ('room:1', '00000000-0000-0000-0000-00000000000a', true),
        ('room:1', '00000000-0000-0000-0000-00000000000b', false);
    grant select on public.members to authenticated;
    create policy members_read on realtime.messages for select to authenticated using (
        exists (select from public.members where room = realtime.topic() and user_id = (select auth.uid()))
        or (extension = 'presence' and auth.uid() = '00000000-0000-0000-0000-00000000000d')
    );
    create policy members_write on realtime.messages for insert to authenticated with check (
        exists (select from public.members where room = realtime.topic() and user_id = auth.uid() and writes)
    );";

struct Room(Realtime);

impl Room {
    async fn open() -> Self {
        let realtime = Box::pin(Realtime::start()).await;
        let room = Self(realtime);
        room.run(POLICIES).await;
        room
    }

    async fn run(&self, sql: &str) {
        let sql = sqlx::AssertSqlSafe(sql.to_owned());
        sqlx::raw_sql(sql).execute(self.0.database.pool(Login::Postgres)).await.expect("runs");
    }

    /// Joins room 1 privately, with a config.
    async fn join(&self, user: Uuid, config: Value) -> (Client, Value) {
        let mut client = self.0.client().await;
        let mut config = config;
        config["private"] = json!(true);
        let join = json!({"config": config, "access_token": token(user)});
        let reply = client.ask("realtime:room:1", "phx_join", join).await;
        (client, reply)
    }

    async fn member(&self, user: Uuid) -> Client {
        let (client, reply) = self.join(user, json!({"broadcast": {"ack": true}})).await;
        assert_eq!(reply["status"], "ok", "{reply}");
        client
    }
}

fn token(user: Uuid) -> String {
    banyan_testkit::token("authenticated", Some(user), json!({}))
}

/// The server ends the channel with a message.
async fn ended(client: &mut Client) -> Value {
    let (event, payload) = client.event().await;
    assert_eq!((&*event, &payload["status"]), ("system", &json!("error")));
    assert_eq!(client.event().await.0, "phx_close");
    payload["message"].clone()
}

// rows: A4 Unauthorized
#[tokio::test]
async fn who_may_not_read_is_refused() {
    let room = Room::open().await;
    let reason = "Unauthorized: You do not have permissions to read from this Channel topic: room:1";
    let refused = json!({"status": "error", "response": {"reason": reason}});
    for presence in [false, true] {
        let (_, reply) = room.join(MEERA, json!({"presence": {"enabled": presence}})).await;
        assert_eq!(reply, refused);
    }
    let (_, reply) = room.join(GUARD, json!({})).await;
    assert_eq!(reply, refused, "presence is off");
    let mut nobody = room.0.client().await;
    assert_eq!(nobody.join("room:1", json!({"private": true})).await, refused);
    assert_eq!(nobody.join("room:1", json!({"private": false})).await["status"], "ok", "another topic");
}

// rows: B5 B6 A4 A5 A9
#[tokio::test]
async fn who_may_write_is_heard_by_who_may_read() {
    let room = Room::open().await;
    let (mut asha, mut ravi) = (room.member(ASHA).await, room.member(RAVI).await);
    let (mut guard, reply) = room.join(GUARD, json!({"presence": {"enabled": true}})).await;
    assert_eq!(reply["status"], "ok");
    let mut outsider = room.0.client().await;
    outsider.joined("room:1", json!({})).await;
    guard.so_far().await;

    asha.broadcast("room:1", "from asha", json!({})).await;
    assert_eq!(asha.event().await.1["status"], "ok", "it is acknowledged");
    let (event, payload) = ravi.event().await;
    assert_eq!((&*event, &payload["event"]), ("broadcast", &json!("from asha")));
    ravi.broadcast("room:1", "from ravi", json!({})).await;
    assert_eq!(ravi.so_far().await, [], "not even acknowledged");
    outsider.broadcast("room:1", "from outside", json!({})).await;
    assert_eq!(asha.so_far().await, []);
    assert!(guard.so_far().await.iter().all(|sent| !is_broadcast(sent)));
    assert_eq!(outsider.so_far().await, []);
}

fn is_broadcast(sent: &Sent) -> bool {
    !matches!(sent, Sent::Text([_, _, _, event, _]) if event != "broadcast")
}

// rows: T5 T6 A5
#[tokio::test]
async fn a_new_token_is_asked_anew() {
    let room = Room::open().await;
    let mut ravi = room.member(RAVI).await;
    let mut asha = room.member(ASHA).await;
    ravi.broadcast("room:1", "not yet", json!({})).await;
    assert_eq!(ravi.so_far().await, []);
    room.run("update public.members set writes = true").await;
    let newer = |user| banyan_testkit::token("authenticated", Some(user), json!({"exp": 4_102_444_801_i64}));
    ravi.send("realtime:room:1", "access_token", json!({"access_token": newer(RAVI)})).await;
    ravi.broadcast("room:1", "now", json!({})).await;
    assert_eq!(ravi.event().await.1["status"], "ok");
    assert_eq!(asha.event().await.1["event"], "now");

    room.run("delete from public.members where user_id = '00000000-0000-0000-0000-00000000000a'").await;
    asha.send("realtime:room:1", "access_token", json!({"access_token": newer(ASHA)})).await;
    assert_eq!(ended(&mut asha).await, "You do not have permissions to read from this Channel topic: room:1");
    ravi.broadcast("room:1", "without asha", json!({})).await;
    ravi.event().await;
    assert_eq!(asha.so_far().await, []);
}

// rows: H2 H5 A9
#[tokio::test]
async fn messages_of_http_reach_private_channels_of_their_topic_alone() {
    let room = Room::open().await;
    let mut ravi = room.member(RAVI).await;
    let mut outsider = room.0.client().await;
    outsider.joined("room:1", json!({})).await;
    let service = room.0.service();
    for (user, status) in [(ASHA, 202), (RAVI, 403), (MEERA, 403)] {
        let path = "/api/broadcast/room%3A1/events/e?private=true";
        let answer = service.post(path, json!({"from": user})).bearer(&token(user)).await;
        assert_eq!(answer.status, status);
    }
    let Ok(Sent::Binary(frame)) = ravi.next().await else { panic!("a frame of type 4") };
    assert!(frame.starts_with(b"\x04\x0f\x01\x00\x01realtime:room:1e{"), "{frame:?}");
    assert!(frame.ends_with(format!("\"{ASHA}\"}}").as_bytes()), "{frame:?}");
    assert_eq!(ravi.so_far().await, []);
    assert_eq!(outsider.so_far().await, []);
}

// rows: A11
#[tokio::test]
async fn the_end_of_a_session_ends_its_channels_and_no_others() {
    let room = Room::open().await;
    let (ended_session, other_session) = (Uuid::from_u128(0x51), Uuid::from_u128(0x52));
    room.run(&format!(
        "insert into auth.users (id) values ('{ASHA}'), ('{RAVI}');
         insert into auth.sessions (id, user_id)
         values ('{ended_session}', '{ASHA}'), ('{other_session}', '{ASHA}'), ('{}', '{RAVI}')",
        Uuid::from_u128(0x53),
    ))
    .await;
    let of_session = async |user: Uuid, session: Uuid| {
        let token = banyan_testkit::token("authenticated", Some(user), json!({"session_id": session}));
        let mut client = room.0.client().await;
        let reply = client.ask("realtime:lesson", "phx_join", json!({"access_token": token})).await;
        assert_eq!(reply["status"], "ok");
        client.joined("anonymous", json!({})).await;
        client
    };
    let mut first = of_session(ASHA, ended_session).await;
    let mut second = of_session(ASHA, other_session).await;
    let mut ravi = of_session(RAVI, Uuid::from_u128(0x53)).await;
    room.run(&format!("delete from auth.sessions where id = '{ended_session}'")).await;
    assert_eq!(ended(&mut first).await, "The session has ended");
    assert_eq!(first.so_far().await, [], "a channel without a session stays");
    assert_eq!((second.so_far().await, ravi.so_far().await), (vec![], vec![]));

    // The token is good until it expires, as everywhere in the stack.
    let token = banyan_testkit::token("authenticated", Some(ASHA), json!({"session_id": ended_session}));
    let again = first.ask("realtime:lesson", "phx_join", json!({"access_token": token})).await;
    assert_eq!(again["status"], "ok", "{again}");

    room.run(&format!("update auth.users set banned_until = now() + interval '1 day' where id = '{RAVI}'"))
        .await;
    assert_eq!(ended(&mut ravi).await, "The session has ended");
    room.run(&format!("delete from auth.users where id = '{ASHA}'")).await;
    assert_eq!(ended(&mut second).await, "The session has ended");
}

// rows: A11
#[tokio::test]
async fn sessions_that_ended_while_nobody_heard_are_asked_for() {
    let room = Room::open().await;
    let session = Uuid::from_u128(0x51);
    room.run(&format!(
        "insert into auth.users (id) values ('{ASHA}');
         insert into auth.sessions (id, user_id) values ('{session}', '{ASHA}')"
    ))
    .await;
    let token = banyan_testkit::token("authenticated", Some(ASHA), json!({"session_id": session}));
    let mut client = room.0.client().await;
    client.ask("realtime:lesson", "phx_join", json!({"access_token": token})).await;
    let unheard = format!(
        "alter table auth.sessions disable trigger user;
         delete from auth.sessions where id = '{session}';
         alter table auth.sessions enable trigger user;
         select pg_terminate_backend(pid) from pg_stat_activity
         where query ilike 'listen%banyan_sessions%' and datname = current_database()"
    );
    sqlx::raw_sql(sqlx::AssertSqlSafe(unheard))
        .execute(room.0.database.pool(Login::Admin))
        .await
        .expect("runs");
    assert_eq!(ended(&mut client).await, "The session has ended");
}

// rows: X4 A10
#[tokio::test]
async fn a_storm_of_sockets_costs_a_check_for_each_identity_and_second() {
    const SOCKETS: usize = 200;
    let room = Room::open().await;
    room.run(
        "create sequence public.asked;
         grant usage on public.asked to authenticated;
         create policy counted on realtime.messages for select to authenticated
            using (realtime.topic() = 'class' and nextval('public.asked') > 0)",
    )
    .await;
    let begun = std::time::Instant::now();
    let come_back = async || {
        let mut client = room.0.client().await;
        let join = json!({"config": {"private": true}, "access_token": token(MEERA)});
        assert_eq!(client.ask("realtime:class", "phx_join", join).await["status"], "ok");
        client
    };
    let clients = futures_util::future::join_all((0..SOCKETS).map(|_| come_back())).await;
    let seconds = i64::try_from(begun.elapsed().as_secs()).expect("a short time");
    let asked: i64 = sqlx::query_scalar("select last_value from public.asked")
        .fetch_one(room.0.database.pool(Login::Postgres))
        .await
        .expect("counted");
    assert!(asked <= seconds + 2, "{asked} checks in {seconds} s");
    assert_eq!(clients.len(), SOCKETS);
}

// rows: B8 B9 L6 S4 UnableToReplayMessages
#[tokio::test]
async fn a_join_replays_what_was_sent_before() {
    let room = Room::open().await;
    room.run(
        "select realtime.send('{\"n\": 1, \"id\": 1}', 'first', 'room:1');
         select realtime.send_binary('\\x00ff', 'bytes', 'room:1');
         select realtime.send('{\"n\": 3, \"id\": 3}', 'third', 'room:1');
         select realtime.send('{}', 'elsewhere', 'room:2');
         update realtime.messages set inserted_at = inserted_at - interval '2 seconds' where event = 'first';
         update realtime.messages set inserted_at = inserted_at - interval '1 second' where event = 'bytes'",
    )
    .await;
    let ids: Vec<Uuid> =
        sqlx::query_scalar("select id from realtime.messages where topic = 'room:1' order by inserted_at")
            .fetch_all(room.0.database.pool(Login::Postgres))
            .await
            .expect("asked");
    let replay = |params: Value| json!({"broadcast": {"replay": params}});
    let (mut ravi, reply) = room.join(RAVI, replay(json!({"since": 0}))).await;
    assert_eq!(reply["status"], "ok");
    let message = |event: &str, n: i32, id: Uuid| {
        let meta = json!({"replayed": true, "id": id});
        json!({"type": "broadcast", "event": event, "payload": {"n": n, "id": n}, "meta": meta})
    };
    assert_eq!(ravi.event().await, ("broadcast".to_owned(), message("first", 1, ids[0])));
    let Ok(Sent::Binary(frame)) = ravi.next().await else { panic!("a frame of type 4") };
    let meta = json!({"replayed": true, "id": ids[1]}).to_string();
    let head = [4, 15, 5, u8::try_from(meta.len()).expect("short"), 0];
    let expected = [&head[..], b"realtime:room:1bytes", meta.as_bytes(), b"\x00\xff"].concat();
    assert_eq!(frame, expected);
    assert_eq!(ravi.event().await, ("broadcast".to_owned(), message("third", 3, ids[2])));
    assert_eq!(ravi.so_far().await, []);

    let (mut one, _) = room.join(RAVI, replay(json!({"since": 0, "limit": 1}))).await;
    assert_eq!(one.event().await.1["event"], "third");
    assert_eq!(one.so_far().await, []);

    let refused = |reason: &str| json!({"status": "error", "response": {"reason": reason}});
    let (_, wrong) = room.join(RAVI, replay(json!({"since": "yesterday"}))).await;
    assert_eq!(wrong, refused("UnableToReplayMessages: Replay params are not valid"));
    let mut config = replay(json!({"since": 0}));
    config["presence"] = json!({"enabled": true});
    let (_, denied) = room.join(GUARD, config).await;
    let reason = "Unauthorized: You do not have permissions to read from this Channel topic: room:1";
    assert_eq!(denied, refused(reason));
    let public = room.0.client().await.join("room:1", replay(json!({"since": 0}))).await;
    assert_eq!(public, refused("UnableToReplayMessages: Replay is not allowed for public channels"));
    room.run("alter table realtime.messages rename column event to gone").await;
    let (_, failed) = room.join(RAVI, replay(json!({"since": 0}))).await;
    assert_eq!(failed, refused("UnableToReplayMessages: Realtime was unable to replay messages"));
}

// rows: C6
#[tokio::test]
async fn policies_see_headers_of_the_upgrade() {
    let room = Room::open().await;
    room.run(
        "create policy by_header on realtime.messages for select to anon using (
            current_setting('request.headers')::json ->> 'x-room' = realtime.topic()
            and current_setting('request.headers')::json ->> 'origin' is null
        );",
    )
    .await;
    let path = format!("/websocket?apikey={}&vsn=2.0.0", crate::support::anon());
    for (header, status) in [("room:2", "ok"), ("room:3", "error")] {
        let headers = [("x-room", header), ("origin", "https://example.com")];
        let mut client = Client::open_with(room.0.address, &path, &headers).await.expect("a socket");
        let reply = client.join("room:2", json!({"private": true})).await;
        assert_eq!(reply["status"], status, "{reply}");
    }
}
