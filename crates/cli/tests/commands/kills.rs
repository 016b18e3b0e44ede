//! A server that is killed in the middle of sign-ups, verifications and refreshes, and a reset that
//! is.

use std::{net::TcpListener, process::Stdio, time::Duration};

use rustix::process::Signal;
use serde_json::{Value, json};
use sqlx::{AssertSqlSafe, Connection as _, PgConnection, PgPool, postgres::PgPoolOptions};

use crate::{
    migrations::answer,
    project::{Project, signal},
};

/// People of each round.
const PEOPLE: usize = 12;
/// When the server of each round is killed: once in the middle of each kind of request, then
/// whenever it happens to be.
const KILLS: [Kill; 5] = [
    Kill::Inside(Lost::SignUp),
    Kill::Inside(Lost::Verification),
    Kill::Inside(Lost::Refresh),
    Kill::AfterMillis(400),
    Kill::AfterMillis(800),
];

// rows: auth/M5 auth/M22 auth/C1
#[test]
fn a_killed_server_leaves_no_half_user_no_lost_session_and_no_code_for_a_second_use() {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
    // Mails wait for a server that says nothing, so that their codes can be read from the queue.
    let silent = TcpListener::bind("127.0.0.1:0").expect("a port");
    let project = project(silent.local_addr().expect("an address").port());
    runtime.expect("a runtime").block_on(live_through_kills(&project));
}

async fn live_through_kills(project: &Project) {
    project.succeed(&["start"]);
    let school = School::of(project).await;
    let (mut people, mut done) = (Vec::new(), Done::default());
    for (round, kill) in KILLS.into_iter().enumerate() {
        people.extend((0..PEOPLE).map(|number| Person::new(round, number)));
        let server = Server::of(project);
        let stop = kill.prepare(&school).await;
        let lives: Vec<_> = people
            .drain(..)
            .map(|person| tokio::spawn(live(person, server.clone(), school.clone())))
            .collect();
        kill.wait(&school).await;
        signal(project.pid(), Signal::KILL);
        for life in lives {
            people.push(life.await.expect("nobody was told anything odd"));
        }
        if let Kill::Inside(kind) = kill {
            assert!(
                people.iter().any(|person| person.lost == Some(kind)),
                "nobody met the kill inside: {kind:?}"
            );
        }
        // What PostgreSQL was stopped in goes on, and finds its client gone before or after it
        // commits.
        drop(stop);
        while project.run(&["status"]).code == 0 {}
        project.succeed(&["start"]);
        school.check_rows().await;
        let server = Server::of(project);
        for person in &mut people {
            done.count(person);
            person.recover(&server, &school).await;
        }
        school.check_rows().await;
    }
    assert!(done.signed_up > 0 && done.signed_in > 0 && done.refreshed > 0, "there was a load: {done:?}");
}

/// A moment at which the server is killed.
#[derive(Debug, Clone, Copy)]
enum Kill {
    /// While a request of that kind is stopped in the middle of its transaction.
    Inside(Lost),
    AfterMillis(u64),
}

impl Kill {
    /// Has the next request of the kind stop, until what is returned goes.
    async fn prepare(self, school: &School) -> Option<PgConnection> {
        match self {
            Self::Inside(kind) => Some(school.stop(kind).await),
            Self::AfterMillis(_) => None,
        }
    }

    async fn wait(self, school: &School) {
        match self {
            Self::Inside(kind) => {
                let stopped = tokio::time::timeout(LONGEST, school.is_stopped(kind)).await;
                stopped.unwrap_or_else(|_| panic!("there was no {kind:?}"));
            }
            Self::AfterMillis(pause) => tokio::time::sleep(Duration::from_millis(pause)).await,
        }
    }
}

/// Longest wait for a request to be stopped.
const LONGEST: Duration = Duration::from_secs(60);

/// A project that limits nobody and wants addresses confirmed.
fn project(mail_port: u16) -> Project {
    let project = Project::new();
    let toml = format!(
        "project_id = \"kills\"
        [auth]
        enable_signup = true
        [auth.rate_limit]
        email_sent = 1000000
        token_refresh = 1000000
        sign_in_sign_ups = 1000000
        token_verifications = 1000000
        [auth.email]
        enable_confirmations = true
        max_frequency = \"0s\"
        [auth.email.smtp]
        enabled = true
        host = \"127.0.0.1\"
        port = {mail_port}
        admin_email = \"office@school.example\"
        "
    );
    std::fs::write(project.path().join("supabase/config.toml"), toml).expect("written");
    project
}

/// The request whose answer a kill took away.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Lost {
    SignUp,
    Verification,
    Refresh,
}

impl Lost {
    /// Key of the lock that stops it.
    fn key(self) -> i64 {
        7_000_000 + self as i64
    }

    /// Where it is stopped: a mail is written, a session begins, a session goes on.
    fn trigger(self) -> &'static str {
        match self {
            Self::SignUp => "before insert on mail.messages for each row",
            Self::Verification => "before insert on auth.sessions for each row",
            Self::Refresh => {
                "before update on auth.sessions for each row
                when (old.refresh_token_counter is distinct from new.refresh_token_counter)"
            }
        }
    }
}

/// Refreshes after which somebody signs in once more.
const REFRESHES: usize = 10;

/// Somebody who signs up, signs in, refreshes and signs in again without a pause.
#[derive(Debug)]
struct Person {
    email: String,
    with_password: bool,
    asked: bool,
    /// The code of the newest mail.
    code: Option<String>,
    /// Codes that were accepted.
    used: Vec<String>,
    refresh_token: Option<String>,
    /// Tokens of sessions that are left alone.
    kept: Vec<String>,
    /// Sessions that were opened for them, as far as they can know.
    sessions: i64,
    refreshes: usize,
    lost: Option<Lost>,
}

impl Person {
    fn new(round: usize, number: usize) -> Self {
        Self {
            email: format!("teacher-{round}-{number}@school.example"),
            with_password: number.is_multiple_of(3),
            asked: false,
            code: None,
            used: Vec::new(),
            refresh_token: None,
            kept: Vec::new(),
            sessions: 0,
            refreshes: 0,
            lost: None,
        }
    }

    /// The next request; none when its answer was lost.
    async fn go_on(&mut self, server: &Server, school: &School) -> Option<()> {
        if self.refresh_token.is_some() {
            self.lost = Some(Lost::Refresh);
            self.refresh(server).await?;
            if self.refreshes.is_multiple_of(REFRESHES) {
                self.kept.extend(self.refresh_token.take());
                self.asked = false;
            }
        } else if self.asked {
            let code = school.code(&self.email).await.expect("who was told of a code was mailed one");
            self.code = Some(code.clone());
            self.lost = Some(Lost::Verification);
            let (status, session) = self.verify(server, &code).await?;
            assert_eq!(status, 200, "{session}");
            self.signed_in(code, &session);
        } else {
            self.lost = Some(Lost::SignUp);
            self.sign_up(server).await?;
            self.asked = true;
        }
        self.lost = None;
        Some(())
    }

    async fn sign_up(&self, server: &Server) -> Option<()> {
        let (path, body) = match self.with_password && self.sessions == 0 {
            true => ("/signup", json!({"email": self.email, "password": "correct horse battery"})),
            false => ("/otp", json!({"email": self.email})),
        };
        let (status, answer) = server.post(path, &body).await?;
        assert_eq!(status, 200, "{answer}");
        Some(())
    }

    async fn verify(&self, server: &Server, code: &str) -> Option<(u16, Value)> {
        server.post("/verify", &json!({"type": "email", "email": self.email, "token": code})).await
    }

    async fn refresh(&mut self, server: &Server) -> Option<()> {
        let token = self.refresh_token.clone().expect("they are signed in");
        self.refresh_token = Some(server.refresh(&token).await?);
        self.refreshes += 1;
        Some(())
    }

    fn signed_in(&mut self, code: String, session: &Value) {
        self.refresh_token = session["refresh_token"].as_str().map(str::to_owned);
        self.sessions += 1;
        self.used.push(code);
    }

    /// What they do when the server is back: go on where they were, and see that nothing counts
    /// twice.
    async fn recover(&mut self, server: &Server, school: &School) {
        match self.lost.take() {
            // Somebody who knows of no answer asks again.
            Some(Lost::SignUp) | None => {}
            Some(Lost::Verification) => self.enter_again(server).await,
            Some(Lost::Refresh) => self.refresh(server).await.expect("the server is back"),
        }
        for token in &mut self.kept {
            *token = server.refresh(token).await.expect("the server is back");
        }
        // More would use up the tries of the code that they may be about to enter.
        for code in self.used.iter().rev().take(2) {
            let (status, answer) = self.verify(server, code).await.expect("the server is back");
            assert_eq!(status, 403, "a code counts once: {answer}");
        }
        assert_eq!(school.sessions(&self.email).await, self.sessions, "{self:?}");
    }

    /// The answer to a code was lost: either nothing of it happened, or all of it.
    async fn enter_again(&mut self, server: &Server) {
        let code = self.code.clone().expect("one was entered");
        let (status, session) = self.verify(server, &code).await.expect("the server is back");
        if status == 200 {
            self.signed_in(code, &session);
        } else {
            assert_eq!(status, 403, "{session}");
            // It was used, and its session is there; its tokens are not known to anybody. They sign
            // in anew.
            self.used.push(code);
            self.sessions += 1;
            self.asked = false;
        }
    }
}

async fn live(mut person: Person, server: Server, school: School) -> Person {
    while person.go_on(&server, &school).await.is_some() {}
    person
}

/// What was under way altogether.
#[derive(Debug, Default)]
struct Done {
    signed_up: usize,
    signed_in: usize,
    refreshed: usize,
}

impl Done {
    fn count(&mut self, person: &Person) {
        self.signed_up += usize::from(person.asked);
        self.signed_in += usize::from(person.sessions > 0);
        self.refreshed += person.refreshes;
    }
}

/// The API as a client sees it.
#[derive(Debug, Clone)]
struct Server {
    client: reqwest::Client,
    url: String,
    key: String,
}

impl Server {
    fn of(project: &Project) -> Self {
        let status = project.status();
        let value = |name: &str| status[name].as_str().expect(name).to_owned();
        Self { client: reqwest::Client::new(), url: value("API_URL"), key: value("ANON_KEY") }
    }

    /// The next token of a session, which must be there.
    async fn refresh(&self, token: &str) -> Option<String> {
        let body = json!({"refresh_token": token});
        let (status, session) = self.post("/token?grant_type=refresh_token", &body).await?;
        assert_eq!(status, 200, "no session is lost: {session}");
        session["refresh_token"].as_str().map(str::to_owned)
    }

    /// Status and answer; none when the connection ended before.
    async fn post(&self, path: &str, body: &Value) -> Option<(u16, Value)> {
        let request = self.client.post(format!("{}/auth/v1{path}", self.url)).body(body.to_string());
        let answer = request
            .header("apikey", &self.key)
            .header("content-type", "application/json")
            .send()
            .await
            .ok()?;
        let status = answer.status().as_u16();
        Some((status, serde_json::from_str(&answer.text().await.ok()?).expect("JSON")))
    }
}

/// The database, which outlives the server.
#[derive(Debug, Clone)]
struct School(PgPool);

impl School {
    async fn of(project: &Project) -> Self {
        let url = project.superuser_url();
        let school =
            Self(PgPoolOptions::new().max_connections(8).connect(&url).await.expect("PostgreSQL listens"));
        school.place_stops().await;
        school
    }

    /// Requests of each kind wait inside their transaction while its lock is held.
    async fn place_stops(&self) {
        let mut sql = String::from(
            "create function auth.stop_here() returns trigger language plpgsql as $$
            begin
                perform pg_advisory_xact_lock_shared(tg_argv[0]::bigint);
                return new;
            end $$;",
        );
        for kind in [Lost::SignUp, Lost::Verification, Lost::Refresh] {
            let (trigger, key) = (kind.trigger(), kind.key());
            sql.push_str(&format!(
                "create trigger stop_{key} {trigger} execute function auth.stop_here('{key}');"
            ));
        }
        sqlx::raw_sql(AssertSqlSafe(sql)).execute(&self.0).await.expect("the stops are placed");
    }

    /// Takes the lock of a kind, on a connection of its own.
    async fn stop(&self, kind: Lost) -> PgConnection {
        let mut lock = self.0.acquire().await.expect("a connection").detach();
        sqlx::query("select pg_advisory_lock($1)")
            .bind(kind.key())
            .execute(&mut lock)
            .await
            .expect("the lock");
        lock
    }

    /// Returns once a request of the kind waits.
    async fn is_stopped(&self, kind: Lost) {
        let waiting = "select count(*) from pg_locks where locktype = 'advisory' and not granted and objid::bigint = $1";
        let count = || sqlx::query_scalar::<_, i64>(waiting).bind(kind.key()).fetch_one(&self.0);
        while count().await.expect("a number") == 0 {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }

    async fn number(&self, sql: &'static str) -> i64 {
        sqlx::query_scalar(sql).fetch_one(&self.0).await.expect("a number")
    }

    async fn sessions(&self, email: &str) -> i64 {
        let sql = "select count(*) from auth.sessions as s join auth.users as u on u.id = s.user_id where email = $1";
        sqlx::query_scalar(sql).bind(email).fetch_one(&self.0).await.expect("a number")
    }

    /// The code of the newest mail to an address.
    async fn code(&self, email: &str) -> Option<String> {
        let text: Option<String> = sqlx::query_scalar(
            "select subject || ' ' || text_body from mail.messages where $1 = any(recipients)
            order by created_at desc limit 1",
        )
        .bind(email)
        .fetch_optional(&self.0)
        .await
        .expect("the queue can be read");
        let text = text?;
        let mut words = text.split(|c: char| !c.is_ascii_alphanumeric());
        words.find(|word| word.len() == 6 && word.bytes().all(|b| b.is_ascii_digit())).map(str::to_owned)
    }

    /// No row is there without those that belong to it.
    async fn check_rows(&self) {
        for (what, sql) in [
            (
                "users without an identity",
                "select count(*) from auth.users as u where not exists (select from auth.identities where user_id = u.id)",
            ),
            (
                "users without a role",
                "select count(*) from auth.users where role is distinct from 'authenticated'",
            ),
            (
                "users who were never mailed",
                "select count(*) from auth.users as u where not exists (select from mail.messages where u.email = any(recipients))",
            ),
            (
                "users whose code is gone while they wait for it",
                "select count(*) from auth.users as u where email_confirmed_at is null and not exists (select from auth.one_time_tokens where user_id = u.id)",
            ),
            (
                "users who are half confirmed",
                "select count(*) from auth.users as u join auth.identities as i on i.user_id = u.id where (u.email_confirmed_at is not null) is distinct from (i.identity_data ->> 'email_verified')::boolean",
            ),
            (
                "sessions of who was not confirmed",
                "select count(*) from auth.sessions as s join auth.users as u on u.id = s.user_id where u.email_confirmed_at is null or u.last_sign_in_at is null",
            ),
            (
                "sign-ins without a session",
                "select count(*) from auth.users as u where last_sign_in_at is not null and not exists (select from auth.sessions where user_id = u.id)",
            ),
            (
                "sessions that nobody signed in to",
                "select count(*) from auth.sessions as s where not exists (select from auth.mfa_amr_claims where session_id = s.id)",
            ),
            (
                "refreshes without their notes",
                "select abs((select coalesce(sum(refresh_token_counter), 0)::bigint from auth.sessions) - (select count(*) from auth.audit_log_entries where payload ->> 'action' = 'token_refreshed'))",
            ),
        ] {
            assert_eq!(self.number(sql).await, 0, "{what}");
        }
    }
}

/// Where a reset is stopped, by a lock that another session holds, and killed.
const STOPS: [(&str, &str); 3] = [
    ("before anything is deleted", "lock table pg_catalog.pg_database in share mode"),
    ("without a database", "lock table pg_catalog.pg_authid in share mode"),
    ("without a database and roles", "comment on database template0 is 'held'"),
];

// rows: CLI-DB-RESET-BROKEN
#[test]
fn wherever_a_reset_is_killed_the_next_start_completes_it() {
    let project = Project::new();
    project.migration(
        "20260101000000",
        "create role reader; create table public.one as select 7 as id; grant select on public.one to anon;",
    );
    project.succeed(&["start"]);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    for (round, (point, lock)) in STOPS.into_iter().enumerate() {
        runtime.block_on(kill_reset(&project, lock));
        // A stack that runs is healed, and so is one that was stopped.
        if round != 1 {
            project.succeed(&["stop"]);
        }
        check_completed(&project, point);
    }
    project.migration("20260102000000", "create table public.two (id int); select pg_sleep(600);");
    runtime.block_on(kill_reset(&project, "select 1"));
    project.migration("20260102000000", "create table public.two (id int);");
    check_completed(&project, "in a migration");
    project.query("select from public.two");
}

/// Whether a reset waits for a lock, or sleeps in a migration. Sessions of the stack and
/// PostgreSQL's own workers may wait as well.
const WAITING: &str = "
    select exists (
        select from pg_stat_activity
        where application_name = 'banyan'
            and (wait_event = 'PgSleep' or datname = 'template1' and cardinality(pg_blocking_pids(pid)) > 0)
    )";

/// Runs a reset up to where it waits, and kills it there.
async fn kill_reset(project: &Project, lock: &'static str) {
    let url = project.superuser_url().replace("/postgres?", "/template1?");
    let mut holder = PgConnection::connect(&url).await.expect("PostgreSQL listens");
    sqlx::raw_sql(AssertSqlSafe(format!("begin; {lock}"))).execute(&mut holder).await.expect("the lock");
    let mut reset = project.command(&["db", "reset"]);
    let mut reset = reset.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("the binary runs");
    let mut tries = 0;
    loop {
        // What others do is looked up once in a transaction.
        sqlx::raw_sql("select pg_stat_clear_snapshot()").execute(&mut holder).await.expect("cleared");
        if sqlx::query_scalar(WAITING).fetch_one(&mut holder).await.expect("asked") {
            break;
        }
        assert!(reset.try_wait().expect("asked").is_none() && tries < 3000, "the reset waits: {lock}");
        tries += 1;
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    reset.kill().expect("killed");
    reset.wait().expect("ended");
}

fn check_completed(project: &Project, point: &str) {
    let notes = project.succeed(&["start"]).notes;
    assert!(notes.contains("Completing the `banyan db reset` that was broken off"), "{point}: {notes}");
    assert_eq!(project.query("select id from public.one")[0]["id"], 7, "{point}");
    assert_eq!(answer(project, "/rest/v1/one"), "[{\"id\":7}]", "{point}");
    let again = project.succeed(&["start"]).notes;
    assert!(!again.contains("Completing"), "{point}: {again}");
}
