use banyan_db::Login;

use super::{ASHA, RAVI, database, run, run_as, texts};

/// What was sent: topic, event, whether it is private, extension, payload without ids.
const SENT: &str = "
    select concat_ws(' ', topic, event, private, extension, payload - 'id', encode(binary_payload, 'hex'))
    from realtime.messages
    order by inserted_at, topic";

const MEMBERS_WRITE: &str = "
    create policy members_write on realtime.messages for insert to authenticated
        with check (realtime.topic() = 'room' and auth.uid() = '00000000-0000-0000-0000-00000000000a')";

// rows: D1 D2 D5 O4
#[tokio::test]
async fn a_payload_is_sent_to_a_topic_with_an_id() {
    let database = database().await;
    run(&database, Login::Postgres, "select realtime.send('{\"a\": 1}', 'made', 'one')").await.expect("sent");
    run(&database, Login::Postgres, "select realtime.send('{\"id\": \"mine\"}', 'made', 'two', false)")
        .await
        .expect("sent");
    run(&database, Login::Postgres, "select realtime.send_binary('\\x00ff', 'made', 'three')")
        .await
        .expect("sent");
    let plain = "insert into realtime.messages (topic, extension, payload, event, private) values ('four', 'broadcast', '{}', 'made', true)";
    run(&database, Login::Postgres, plain).await.expect("inserted");
    assert_eq!(
        texts(&database, SENT).await,
        [
            "one made t broadcast {\"a\": 1}",
            "two made f broadcast {}",
            "three made t broadcast 00ff",
            "four made t broadcast {}",
        ]
    );
    let ids = "select (payload ->> 'id' = id::text)::text || ' ' || (payload ->> 'id' = 'mine')::text
        from realtime.messages where topic in ('one', 'two') order by topic";
    assert_eq!(texts(&database, ids).await, ["true false", "false true"]);
}

// rows: D1 D2 O4
#[tokio::test]
async fn who_may_not_insert_sends_nothing_and_is_not_stopped() {
    let database = database().await;
    run(&database, Login::Postgres, MEMBERS_WRITE).await.expect("made");
    let send =
        "select realtime.send('{}', 'hello', 'room'); select realtime.send_binary('', 'bytes', 'room')";
    assert_eq!(run_as(&database, "authenticated", RAVI, send).await, Ok(()));
    assert_eq!(run_as(&database, "anon", ASHA, send).await, Ok(()));
    assert_eq!(texts(&database, SENT).await, [""; 0]);
    assert_eq!(run_as(&database, "authenticated", ASHA, send).await, Ok(()));
    assert_eq!(texts(&database, SENT).await.len(), 2);
    let elsewhere = "select realtime.send('{}', 'hello', 'another room')";
    assert_eq!(run_as(&database, "authenticated", ASHA, elsewhere).await, Ok(()));
    assert_eq!(texts(&database, SENT).await.len(), 2, "the policy sees the topic that is sent to");
}

// rows: D1
#[tokio::test]
async fn what_cannot_be_sent_is_a_warning() {
    let database = database().await;
    for failing in [
        "select realtime.send('3', 'hello', 'room')",
        "select realtime.send('[]', 'hello', 'room')",
        "select realtime.send('{}', 'hello', null)",
    ] {
        let kept = format!("create table public.kept (id int); {failing}; drop table public.kept");
        run(&database, Login::Postgres, &kept).await.expect(failing);
    }
    assert_eq!(texts(&database, SENT).await, [""; 0]);
}

const TRIGGER: &str = "
    create table public.notes (id int primary key, body text);
    create function public.tell() returns trigger language plpgsql as $$
    begin
        perform realtime.broadcast_changes('notes', tg_op, tg_op, tg_table_name, tg_table_schema, new, old);
        return null;
    end $$;
    create trigger tell after insert or update or delete on public.notes for each row execute function public.tell();
    insert into public.notes values (1, 'a');
    update public.notes set body = 'b';
    delete from public.notes;";

// rows: D3 O4
#[tokio::test]
async fn a_row_trigger_sends_the_record_before_and_after() {
    let database = database().await;
    run(&database, Login::Postgres, TRIGGER).await.expect("triggered");
    let expected = [
        r#"notes DELETE t broadcast {"table": "notes", "record": null, "schema": "public", "operation": "DELETE", "old_record": {"id": 1, "body": "b"}}"#,
        r#"notes INSERT t broadcast {"table": "notes", "record": {"id": 1, "body": "a"}, "schema": "public", "operation": "INSERT", "old_record": null}"#,
        r#"notes UPDATE t broadcast {"table": "notes", "record": {"id": 1, "body": "b"}, "schema": "public", "operation": "UPDATE", "old_record": {"id": 1, "body": "a"}}"#,
    ];
    let mut sent = texts(&database, SENT).await;
    sent.sort();
    assert_eq!(sent, expected);
    for refused in [
        "select realtime.broadcast_changes('t', 'e', 'INSERT', 'a', 'b', row(1), null, 'STATEMENT')",
        "select realtime.broadcast_changes('t', 'e', 'TRUNCATE', 'a', 'b', row(1), null)",
        "select realtime.broadcast_changes('t', 'e', null, 'a', 'b', row(1), null)",
    ] {
        run(&database, Login::Postgres, refused).await.expect_err(refused);
    }
}
