use banyan_db::Login;

use super::{database, run, texts};

/// The days of partitions, counted from today.
const DAYS: &str = "
    select string_agg((to_date(right(relname, 10), 'YYYY_MM_DD') - (now() at time zone 'utc')::date)::text, ' '
        order by relname)
    from pg_inherits join pg_class as child on child.oid = inhrelid
    where inhparent = 'realtime.messages'::regclass";

const KEEP: &str = "select _banyan.realtime_keep_partitions()";

// rows: D8
#[tokio::test]
async fn there_is_a_partition_for_each_day_from_yesterday_to_three_days_ahead() {
    let database = database().await;
    assert_eq!(texts(&database, DAYS).await, ["-1 0 1 2 3"]);
    let drop_some = "
        do $$
        begin
            execute format('drop table realtime.%I', 'messages_' || to_char(now() at time zone 'utc', 'YYYY_MM_DD'));
        end
        $$";
    run(&database, Login::RealtimeAdmin, drop_some).await.expect("its owner may");
    run(&database, Login::RealtimeAdmin, KEEP).await.expect("kept");
    assert_eq!(texts(&database, DAYS).await, ["-1 0 1 2 3"]);
    let secured = "select count(*)::text from pg_class where relname like 'messages_%' and relkind = 'r' and relrowsecurity";
    assert_eq!(texts(&database, secured).await, ["5"]);
}

// rows: D8 LIM-REPLAY
#[tokio::test]
async fn days_that_ended_72_hours_ago_are_dropped() {
    let database = database().await;
    let older = "select _banyan.realtime_add_partition((now() at time zone 'utc')::date - ago) from generate_series(2, 6) as ago";
    run(&database, Login::RealtimeAdmin, older).await.expect("made");
    let others = "create table realtime.messages_of_ours partition of realtime.messages for values from ('2001-01-01') to ('2001-01-02')";
    run(&database, Login::RealtimeAdmin, others).await.expect("made");
    run(&database, Login::RealtimeAdmin, KEEP).await.expect("kept");
    run(&database, Login::RealtimeAdmin, "drop table realtime.messages_of_ours")
        .await
        .expect("was left alone");
    assert_eq!(texts(&database, DAYS).await, ["-3 -2 -1 0 1 2 3"]);
}

// rows: D8
#[tokio::test]
async fn a_writer_does_not_keep_a_new_partition_waiting() {
    let database = database().await;
    let mut writer = database.pool(Login::Postgres).begin().await.expect("begun");
    sqlx::raw_sql("select realtime.send('{}', 'hello', 'room')")
        .execute(&mut *writer)
        .await
        .expect("sent, and not committed");
    let ahead = "select _banyan.realtime_add_partition((now() at time zone 'utc')::date + 4)";
    run(&database, Login::RealtimeAdmin, ahead).await.expect("made beside the writer");
    writer.commit().await.expect("committed");
    assert_eq!(texts(&database, DAYS).await, ["-1 0 1 2 3 4"]);
}
