//! Options that the database says (CONTRACT.md config db-config, L03, L04).

use std::{sync::Arc, time::Duration};

use banyan_config::{Environment, postgrest::Layers};
use banyan_db::{Database, DatabaseSettings, Login};
use banyan_rest::State;
use banyan_testkit::{TestDatabase, bare_database};
use secrecy::ExposeSecret;
use sqlx::AssertSqlSafe;
use tokio_util::sync::CancellationToken;

/// A role of this database's own that logs in, since settings of a role are the whole server's.
async fn execute(database: &TestDatabase, sql: &str) {
    sqlx::raw_sql(AssertSqlSafe(sql.to_owned()))
        .execute(database.pool(Login::Admin))
        .await
        .unwrap_or_else(|error| panic!("{sql}: {error}"));
}

fn layers(variables: &[(&str, &str)]) -> Layers {
    Layers::read(None, &Environment::of(variables.iter().copied())).expect("read")
}

/// A database where authenticator may log in.
async fn database() -> TestDatabase {
    // The roles are the whole server's; the platform makes them.
    drop(banyan_testkit::platform_database().await);
    let database = bare_database().await;
    execute(&database, "grant usage on schema public to anon; create table public.lessons (id int)").await;
    database
}

fn settings(state: &State) -> Arc<banyan_rest::Settings> {
    state.configuration().borrow().clone().expect("read").settings
}

async fn set(database: &TestDatabase, assignment: &str) {
    let name = &database.settings().database;
    execute(database, &format!("alter role authenticator in database {name} set pgrst.{assignment}")).await;
}

// rows: config-db-config
#[tokio::test]
async fn settings_of_the_role_win_and_db_pre_config_comes_below_them() {
    let database = database().await;
    execute(
        &database,
        "create function public.tell() returns void language plpgsql as $$ begin
           perform set_config('pgrst.db_max_rows', '5', true);
           perform set_config('pgrst.db_tx_end', 'rollback', true);
           perform set_config('pgrst.server_port', '1', true);
         end $$",
    )
    .await;
    set(&database, "db_aggregates_enabled = 'true'").await;
    set(&database, "db_tx_end = 'commit-allow-override'").await;
    set(&database, "not_an_option = 'x'").await;
    let current =
        [("PGRST_DB_PRE_CONFIG", "public.tell"), ("PGRST_DB_MAX_ROWS", "9"), ("PGRST_DB_PLAN_ENABLED", "1")];
    let state = State::new(database.database().clone(), layers(&current));
    assert!(state.load().await);
    let settings = settings(&state);
    assert_eq!((settings.aggregates, settings.max_rows, settings.plans), (true, Some(5), true));
    assert!(
        settings.transaction_end.choice && !settings.transaction_end.rollback,
        "the role wins over the function"
    );
    let off = State::new(database.database().clone(), layers(&[("PGRST_DB_CONFIG", "false")]));
    assert!(off.load().await);
    assert!(
        !off.configuration().borrow().clone().expect("read").settings.aggregates,
        "db-config = false asks nobody"
    );
}

// rows: L04 config-db-plan-enabled
#[tokio::test]
async fn changes_by_notify_reload_config_and_a_wrong_word_changes_nothing() {
    let database = database().await;
    let state = Arc::new(State::new(database.database().clone(), layers(&[])));
    assert!(state.load().await);
    let stop = CancellationToken::new();
    let following = tokio::spawn({
        let (state, stop) = (Arc::clone(&state), stop.clone());
        async move { state.follow(stop).await }
    });
    let mut current = state.configuration();
    until(&mut current, |settings| !settings.plans).await;
    set(&database, "db_plan_enabled = 'true'").await;
    execute(&database, "notify pgrst, 'reload config'").await;
    until(&mut current, |settings| settings.plans).await;

    set(&database, "db_tx_end = 'maybe'").await;
    set(&database, "db_max_rows = '3'").await;
    execute(&database, "notify pgrst, 'reload config'").await;
    tokio::time::sleep(Duration::from_millis(400)).await;
    assert_eq!(
        settings(&state).max_rows,
        None,
        "with one wrong word nothing of the new configuration counts"
    );
    set(&database, "db_tx_end = 'rollback'").await;
    state.reload_configuration();
    until(&mut current, |settings| settings.max_rows == Some(3) && settings.transaction_end.rollback).await;
    stop.cancel();
    following.await.expect("ended");
}

async fn until(
    current: &mut tokio::sync::watch::Receiver<Option<banyan_rest::configuration::CurrentConfiguration>>,
    wanted: impl Fn(&banyan_rest::Settings) -> bool,
) {
    let seen = current.wait_for(|current| current.as_ref().is_some_and(|current| wanted(&current.settings)));
    tokio::time::timeout(Duration::from_secs(10), seen)
        .await
        .expect("current in time")
        .expect("the state lives");
}

// rows: G09 L01
#[tokio::test]
async fn the_login_role_may_have_capitals_and_dots() {
    let database = database().await;
    for role in ["App-Login", "app.login"] {
        let password = database.settings().password(Login::Authenticator).clone();
        execute(
            &database,
            &format!(
                "do $$ begin create role \"{role}\"; exception when duplicate_object then null; end $$;
                 alter role \"{role}\" login noinherit password '{}'; grant anon to \"{role}\"",
                password.expose_secret()
            ),
        )
        .await;
        let own = database.settings();
        let settings = DatabaseSettings {
            database: own.database.clone(),
            ..DatabaseSettings::of_one_login(own.address.clone(), role, password)
        };
        let state = State::new(Database::connect(&settings).expect("settings"), layers(&[]));
        assert!(state.load().await, "{role}");
    }
}
