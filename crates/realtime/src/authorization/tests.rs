use banyan_db::{DatabaseSettings, Login};
use banyan_testkit::{TestDatabase, caller, platform_database, user};
use serde_json::{Value, json};
use uuid::Uuid;

use super::*;

/// A member of room 1.
const ASHA: Uuid = Uuid::from_u128(0xA);
/// A member of no room.
const RAVI: Uuid = Uuid::from_u128(0xB);

/// Members read all of their room, and write broadcasts alone. Teachers write presence.
const ROOMS: &str = "
    create table public.members (room text, user_id uuid, primary key (room, user_id));
    insert into public.members values ('room:1', '00000000-0000-0000-0000-00000000000a');
    grant select on public.members to authenticated;
    alter table public.members enable row level security;
    create policy own on public.members for select to authenticated using (user_id = auth.uid());
    create policy members_read on realtime.messages for select to authenticated using (
        exists (select from public.members where room = realtime.topic() and user_id = (select auth.uid()))
    );
    create policy members_write on realtime.messages for insert to authenticated with check (
        extension = 'broadcast'
        and exists (select from members where room = realtime.topic() and user_id = auth.uid())
    );
    create policy teachers_track on realtime.messages for insert to authenticated with check (
        extension = 'presence' and auth.jwt() -> 'app_metadata' ->> 'job' = 'teacher'
    );";

async fn with_policies(sql: &str) -> (TestDatabase, Authorization) {
    let database = Box::pin(platform_database()).await;
    run(&database, sql).await;
    let authorization = Authorization::new(&database);
    (database, authorization)
}

async fn run(database: &Database, sql: &str) {
    let sql = sqlx::AssertSqlSafe(sql.to_owned());
    sqlx::raw_sql(sql).execute(database.pool(Login::Postgres)).await.expect("runs");
}

fn private(name: &str) -> Topic {
    Topic { name: name.into(), is_private: true }
}

impl Authorization {
    async fn reads(&self, caller: &Caller, topic: &str) -> Result<[bool; 2], AuthorizationError> {
        let asking = Asking { caller, topic: &private(topic), headers: "{}" };
        let rights = self.read(asking, true).await?;
        Ok([rights.broadcast, rights.presence.expect("it was asked")])
    }

    async fn writes(&self, caller: &Caller, topic: &str) -> [bool; 2] {
        let topic = private(topic);
        let asking = Asking { caller, topic: &topic, headers: "{}" };
        let (broadcast, presence) =
            tokio::join!(self.write(asking, Extension::Broadcast), self.write(asking, Extension::Presence));
        [broadcast, presence].map(|right| right.expect("policies are asked"))
    }
}

// rows: A2 A3 A4 A5 A6 A8
#[tokio::test]
async fn members_of_a_room_read_and_write_it_and_nobody_else_does() {
    let (_database, authorization) = with_policies(ROOMS).await;
    let asha = user(ASHA);
    assert_eq!(authorization.reads(&asha, "room:1").await, Ok([true, true]));
    assert_eq!(authorization.writes(&asha, "room:1").await, [true, false]);
    for (stranger, topic) in [
        (user(RAVI), "room:1"),
        (Caller::anonymous(), "room:1"),
        (asha.clone(), "room:2"),
        (asha.clone(), "room:1 "),
        (asha.clone(), ""),
        (asha.clone(), "room:1\0"),
        (caller("authenticated", None, json!({"sub": "no uuid"})), "room:1"),
        (caller("nobody_of_this_name", Some(ASHA), Value::Null), "room:1"),
        (caller("pg_monitor", Some(ASHA), Value::Null), "room:1"),
        (caller("none", Some(ASHA), Value::Null), "room:1"),
    ] {
        let who = format!("{} at {topic:?}", stranger.role());
        assert_eq!(authorization.reads(&stranger, topic).await, Ok([false, false]), "{who}");
        assert_eq!(authorization.writes(&stranger, topic).await, [false, false], "{who}");
    }
    let teacher = caller("authenticated", Some(RAVI), json!({"app_metadata": {"job": "teacher"}}));
    assert_eq!(authorization.writes(&teacher, "room:2").await, [false, true]);
    assert_eq!(authorization.reads(&Caller::service(), "room:2").await, Ok([true, true]));
    assert_eq!(authorization.writes(&Caller::service(), "room:2").await, [true, true]);
}

// rows: A2
#[tokio::test]
async fn without_a_policy_nobody_may_anything() {
    let (_database, authorization) = with_policies("").await;
    for caller in [user(ASHA), Caller::anonymous()] {
        assert_eq!(authorization.reads(&caller, "room:1").await, Ok([false, false]));
        assert_eq!(authorization.writes(&caller, "room:1").await, [false, false]);
    }
}

// rows: A3 A6
#[tokio::test]
async fn presence_is_asked_where_it_is_on_and_policies_see_extension_and_headers() {
    let policies = "
        create policy by_extension on realtime.messages for select to anon
            using (extension = 'presence' and topic = realtime.topic());
        create policy by_header on realtime.messages for select to anon using (
            extension = 'broadcast' and current_setting('request.headers')::json ->> 'x-class' = '4b'
            and current_setting('request.jwt.claim.role') = 'anon' and current_setting('request.jwt.claim.sub') = ''
        );";
    let (_database, authorization) = with_policies(policies).await;
    let (topic, caller) = (private("a"), Caller::anonymous());
    for (headers, with_presence, broadcast, presence) in [
        ("{}", true, false, Some(true)),
        ("{}", false, false, None),
        (r#"{"x-class": "4b"}"#, true, true, Some(true)),
        (r#"{"x-class": "4b"}"#, false, true, None),
    ] {
        let asking = Asking { caller: &caller, topic: &topic, headers };
        let rights = authorization.read(asking, with_presence).await;
        assert_eq!(rights, Ok(ReadRights { broadcast, presence }), "{headers}");
    }
}

// rows: A3 A5
#[tokio::test]
async fn a_check_leaves_nothing_behind() {
    let (database, authorization) = with_policies(ROOMS).await;
    authorization.reads(&user(ASHA), "room:1").await.expect("asked");
    authorization.writes(&user(ASHA), "room:1").await;
    let rows: i64 = sqlx::query_scalar("select count(*) from realtime.messages")
        .fetch_one(database.pool(Login::Admin))
        .await
        .expect("counted");
    assert_eq!(rows, 0);
}

// rows: A7
#[tokio::test]
async fn a_policy_that_raises_an_error_denies() {
    let policies = "
        create policy by_number on realtime.messages for select to anon using (realtime.topic()::int > 0);
        create policy by_number_too on realtime.messages for insert to anon with check (1 / realtime.topic()::int > 0);";
    let (_database, authorization) = with_policies(policies).await;
    let caller = Caller::anonymous();
    assert_eq!(authorization.reads(&caller, "1").await, Ok([true, true]));
    assert_eq!(authorization.writes(&caller, "1").await, [true, true]);
    assert_eq!(authorization.reads(&caller, "no number").await, Ok([false, false]));
    assert_eq!(authorization.writes(&caller, "0").await, [false, false]);
}

// rows: A7 QueryCanceled
#[tokio::test]
async fn a_policy_that_takes_too_long_gives_no_answer() {
    let policies = "
        create function public.cancelled() returns bool language plpgsql as $$
        begin
            raise query_canceled using message = 'canceling statement due to statement timeout';
        end $$;
        create policy slow_to_read on realtime.messages for select to anon using (public.cancelled());
        create policy slow_to_write on realtime.messages for insert to anon with check (public.cancelled());";
    let (_database, authorization) = with_policies(policies).await;
    let canceled = AuthorizationError::Canceled("canceling statement due to statement timeout".to_owned());
    let caller = Caller::anonymous();
    assert_eq!(authorization.reads(&caller, "1").await, Err(canceled.clone()));
    let asking = Asking { caller: &caller, topic: &private("1"), headers: "{}" };
    assert_eq!(authorization.write(asking, Extension::Broadcast).await, Err(canceled));
}

// rows: A7 MissingPartition
#[tokio::test]
async fn without_a_partition_for_today_there_is_no_answer() {
    let drop_all = "
        do $$
        declare
            held regclass;
        begin
            for held in select inhrelid::regclass from pg_inherits where inhparent = 'realtime.messages'::regclass loop
                execute format('drop table %s', held);
            end loop;
        end
        $$;
        create policy all_write on realtime.messages for insert to anon with check (true)";
    let (_database, authorization) = with_policies(drop_all).await;
    let caller = Caller::anonymous();
    let missing = Err(AuthorizationError::MissingPartition);
    assert_eq!(authorization.reads(&caller, "1").await, missing);
    let asking = Asking { caller: &caller, topic: &private("1"), headers: "{}" };
    let written = authorization.write(asking, Extension::Broadcast).await;
    assert_eq!(written, Err(AuthorizationError::MissingPartition));
}

// rows: A7 UnableToConnectToProject
#[tokio::test]
async fn a_database_that_is_away_gives_no_answer() {
    let database = Box::pin(platform_database()).await;
    let away = DatabaseSettings { database: "nowhere".to_owned(), ..database.settings().clone() };
    let authorization = Authorization::new(&Database::connect(&away).expect("valid settings"));
    let caller = Caller::anonymous();
    assert_eq!(authorization.reads(&caller, "1").await, Err(AuthorizationError::Unavailable));
}

// rows: A7 IncreaseConnectionPool
#[tokio::test]
async fn a_check_that_gets_no_connection_gives_no_answer() {
    let waiting = "create policy waiting on realtime.messages for select to anon
        using (pg_advisory_xact_lock_shared(7)::text is not null)";
    let (database, _) = with_policies(waiting).await;
    let few = DatabaseSettings {
        pool_size: 1,
        acquire_timeout: std::time::Duration::from_millis(50),
        ..database.settings().clone()
    };
    let authorization = Authorization::new(&Database::connect(&few).expect("valid settings"));
    let mut holder = database.pool(Login::Admin).begin().await.expect("begun");
    sqlx::raw_sql("select pg_advisory_xact_lock(7)").execute(&mut *holder).await.expect("held");
    let caller = Caller::anonymous();
    let second = async {
        let refused = authorization.reads(&caller, "2").await;
        holder.rollback().await.expect("let go");
        refused
    };
    let (first, second) = tokio::join!(authorization.reads(&caller, "1"), second);
    assert_eq!((first, second), (Ok([true, true]), Err(AuthorizationError::NoConnection)));
}

// rows: A10
#[tokio::test]
async fn equal_questions_are_one_and_a_new_token_is_asked_for_itself() {
    let counting = "
        create sequence public.asked;
        grant usage on public.asked to anon, authenticated;
        create policy counted on realtime.messages for select to anon, authenticated
            using (extension = 'broadcast' and nextval('public.asked') > 0);";
    let (database, authorization) = with_policies(counting).await;
    let asked = async || -> i64 {
        let sql = "select case when is_called then last_value else 0 end from public.asked";
        sqlx::query_scalar(sql).fetch_one(database.pool(Login::Admin)).await.expect("counted")
    };
    let (topic, pupil) = (private("class"), Caller::anonymous());
    let class =
        (0..40).map(|_| authorization.read(Asking { caller: &pupil, topic: &topic, headers: "{}" }, false));
    for rights in futures_util::future::join_all(class).await {
        assert_eq!(rights, Ok(ReadRights { broadcast: true, presence: None }));
    }
    assert_eq!(asked().await, 1);
    let (old, new) = (user(ASHA), caller("authenticated", Some(ASHA), json!({"exp": 4_102_444_801_i64})));
    for (caller, times) in [(&old, 2), (&old, 2), (&new, 3)] {
        let asking = Asking { caller, topic: &topic, headers: "{}" };
        authorization.read(asking, false).await.expect("asked");
        assert_eq!(asked().await, times);
    }
}
