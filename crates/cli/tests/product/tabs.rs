//! Ten tabs of one teacher, an administrator, the sweep, crashes and cut connections in any order:
//! the books balance at every moment, and at the end every credit is accounted for. In some runs
//! the account is deleted in between.

use std::time::Duration;

use rand::rngs::StdRng;
use rand::{Rng as _, SeedableRng as _};
use sqlx::postgres::PgPoolOptions;
use sqlx::{AssertSqlSafe, PgPool};
use uuid::Uuid;

use crate::callers::sign_up_admin;
use crate::database::{ProductDatabase, product_database_for};
use crate::wallet_calls::{assert_books_balance, balance, start_profile, sweep, teacher};

const TABS: usize = 10;

/// What each tab does in a run.
const EVENTS: usize = 18;

/// Keys of requests: few, so that tabs meet.
const KEYS: u32 = 4;

/// In one run of so many the account is deleted, by its first tab.
const ERASED_RUN: u64 = 10;

/// Longer than every lifetime of [`hurry`].
const ALL_OVER: Duration = Duration::from_millis(350);

// rows: app/D01
#[tokio::test(flavor = "multi_thread")]
async fn fifty_runs_of_ten_tabs_lose_and_win_no_credit() {
    runs(0..50).await;
}

// rows: app/D01
#[tokio::test(flavor = "multi_thread")]
#[ignore = "takes minutes; scripts/soak-wallet runs it"]
async fn a_thousand_runs_of_ten_tabs_lose_and_win_no_credit() {
    runs(1_000..2_000).await;
}

async fn runs(seeds: std::ops::Range<u64>) {
    let pool = product_database_for(u32::try_from(TABS + 4).expect("a few")).await;
    hurry(&pool).await;
    let admin = sign_up_admin(&pool).await;
    let runs = i64::try_from(seeds.clone().count()).expect("a few");
    let (mut documents, mut took_effect) = (0, Tally::default());
    for seed in seeds {
        documents += run(&pool, admin, seed, &mut took_effect).await;
    }
    assert!(documents >= runs, "tabs that never get anywhere prove nothing: {documents} documents");
    took_effect.assert_each(runs);
    let settled = "select count(distinct status) from public.payment_transactions where status <> 'PENDING'";
    let settled: i64 = sqlx::query_scalar(settled).fetch_one(&*pool).await.expect("it can be counted");
    assert_eq!(settled, 2, "payments were approved and rejected");
}

/// Makes minutes milliseconds, so that lifetimes end while the tabs are busy, and takes the rate
/// limit away.
async fn hurry(pool: &PgPool) {
    sqlx::query(
        "update private.settings set open_deduction_lifetime = '120 ms', generation_deadline = '300 ms',
            silence_limit = '180 ms', replay_window = '60 ms', stand_in_window = '60 ms', generations_per_minute = 1000000",
    )
    .execute(pool)
    .await
    .expect("the owner changes settings");
}

/// Answers how many documents were made, and adds to the tally what the tabs have brought about.
async fn run(pool: &ProductDatabase, admin: Uuid, seed: u64, took_effect: &mut Tally) -> i64 {
    let books = auditor(pool).await;
    let id = teacher(&books).await;
    let tabs: Vec<_> = (0..TABS)
        .map(|tab| {
            let dice = StdRng::seed_from_u64(seed * 100 + tab as u64);
            let erases = tab == 0 && seed.is_multiple_of(ERASED_RUN);
            let tab = Tab {
                pool: (**pool).clone(),
                id,
                admin,
                dice,
                erases,
                making: Vec::new(),
                asked: None,
                took_effect: Tally::default(),
            };
            tokio::spawn(tab.live())
        })
        .collect();
    while tabs.iter().any(|tab| !tab.is_finished()) {
        assert_books_balance(&books).await;
    }
    for tab in tabs {
        took_effect.add(&tab.await.expect("a tab ends"));
    }
    settle(&books, id).await;
    assert_books_balance(&books).await;
    let documents = if seed.is_multiple_of(ERASED_RUN) {
        assert_erased(&books, id, seed).await
    } else {
        assert_accounted(&books, id, seed).await
    };
    books.close().await;
    documents
}

/// A connection that no tab cuts.
async fn auditor(pool: &PgPool) -> PgPool {
    let options = (*pool.connect_options()).clone().application_name("auditor");
    PgPoolOptions::new().max_connections(1).connect_with(options).await.expect("a connection")
}

/// Lets everything come to its end: the profile is there again, and what nobody ended is swept.
async fn settle(pool: &PgPool, id: Uuid) {
    // Refused where the profile is there.
    let _ = start_profile(pool, id, 100).await;
    tokio::time::sleep(ALL_OVER).await;
    sweep(pool).await;
}

/// One deduction paid each document, everything else went back, and the balance is what follows
/// from that.
async fn assert_accounted(pool: &PgPool, id: Uuid, seed: u64) -> i64 {
    let count = async |what: &'static str| -> i64 {
        sqlx::query_scalar(what).bind(id).fetch_one(pool).await.expect("it can be counted")
    };
    let documents =
        count("select count(*) from public.generations where user_id = $1 and status = 'finished'").await;
    let spent = count("select count(*) from private.deductions where user_id = $1 and state = 'spent'").await;
    let left = count(
        "select count(*) from private.deductions where user_id = $1 and state not in ('spent', 'returned')",
    )
    .await;
    let unpaid = count(
        "select count(*) from public.generations
         left join private.deductions on generation_id = generations.id
         where generations.user_id = $1 and (status = 'running' or generation_id is null)",
    )
    .await;
    // Own decreases below the price, gifts, what was paid, and what the service key did.
    let given = count(
        "select coalesce(sum(delta), 0) from public.credit_ledger
         where user_id = $1 and reason in ('decrease', 'admin', 'payment', 'adjustment')",
    )
    .await;
    let paid = count(
        "select coalesce(sum(delta), 0) from public.credit_ledger where user_id = $1 and reason = 'payment'",
    )
    .await;
    let approved = count(
        "select coalesce(sum(granted_credits), 0) from public.payment_transactions
         where user_id = $1 and status = 'APPROVED'",
    )
    .await;
    assert_eq!(paid, approved, "run {seed}: credits of payments");
    assert_eq!(
        (documents, left, unpaid),
        (spent, 0, 0),
        "run {seed}: documents, open, never ended or unpaid"
    );
    let coins = balance(pool, id).await;
    assert!(coins >= 0, "run {seed}");
    assert_eq!(i64::from(coins), 100 + given - 20 * spent, "run {seed}");
    documents
}

/// The account is gone: its credits and documents are, one deduction paid each document, and
/// nothing is made any more.
async fn assert_erased(pool: &PgPool, id: Uuid, seed: u64) -> i64 {
    let left: (i64, i64, i64, i64) = sqlx::query_as(
        "select
           (select count(*) from auth.users where id = $1)
             + (select count(*) from public.profiles where user_id = $1)
             + (select count(*) from public.payment_transactions where user_id = $1),
           (select sum(delta) from public.credit_ledger where user_id = $1),
           (select count(*) from public.generations where user_id = $1 and (status = 'running' or result is not null)),
           (select count(*) from public.generations where user_id = $1 and status = 'finished')
             - (select count(*) from private.deductions where user_id = $1 and state = 'spent')",
    )
    .bind(id)
    .fetch_one(pool)
    .await
    .expect("it can be counted");
    assert_eq!(left, (0, 0, 0, 0), "run {seed}: rows, credits, documents, unpaid");
    sqlx::query_scalar("select count(*) from public.generations where user_id = $1 and status = 'finished'")
        .bind(id)
        .fetch_one(pool)
        .await
        .expect("it can be counted")
}

/// How often calls that most of the time come too late, or for nothing, did what they are for.
#[derive(Default)]
struct Tally {
    refused: i64,
    given_up: i64,
    prolonged: i64,
    told_again: i64,
}

impl Tally {
    fn add(&mut self, other: &Self) {
        self.refused += other.refused;
        self.given_up += other.given_up;
        self.prolonged += other.prolonged;
        self.told_again += other.told_again;
    }

    /// In one run of five at least.
    fn assert_each(&self, runs: i64) {
        let Self { refused, given_up, prolonged, told_again } = *self;
        assert!(
            [refused, given_up, prolonged, told_again].iter().all(|times| times * 5 >= runs),
            "{refused} refused, {given_up} given up, {prolonged} prolonged, {told_again} told again in {runs} runs"
        );
    }
}

/// A claim that a tab has asked for, and what it was told.
#[derive(Clone)]
struct Asked {
    tool: &'static str,
    key: u32,
    body: u32,
    number: Uuid,
    claimed: Option<Uuid>,
}

/// One tab and the calls that run for it. Every call may be refused or cut; then the tab just goes
/// on.
struct Tab {
    pool: PgPool,
    id: Uuid,
    admin: Uuid,
    dice: StdRng,
    /// Whether the account is deleted by it, when it is half through.
    erases: bool,
    /// Generations that this tab's function is making.
    making: Vec<Uuid>,
    /// What it asked for last.
    asked: Option<Asked>,
    took_effect: Tally,
}

impl Tab {
    async fn live(mut self) -> Tally {
        for number in 0..EVENTS {
            self.event().await;
            // A connection may be cut under it, and the account is deleted for certain.
            while self.erases && number == EVENTS / 2 && self.erase().await.is_err() {}
            let pause = Duration::from_millis(self.dice.random_range(0..25));
            tokio::time::sleep(pause).await;
        }
        self.took_effect
    }

    async fn erase(&self) -> Result<(), sqlx::Error> {
        let delete = format!("delete from auth.users where id = '{}'", self.id);
        sqlx::query(AssertSqlSafe(delete)).execute(&self.pool).await.map(drop)
    }

    async fn event(&mut self) {
        let key = self.dice.random_range(0..KEYS);
        match self.dice.random_range(0..150) {
            0..25 => {
                self.as_user("update public.profiles set coins = coins - 20 where user_id = auth.uid()").await
            }
            25..45 => self.claim("generate-lesson-plan", key).await,
            45..55 => self.claim("generate-communication", key).await,
            55..70 => self.complete().await,
            70..75 => self.fail().await,
            75..80 => {
                self.as_user("update public.profiles set coins = coins + 20 where user_id = auth.uid()")
                    .await;
            }
            80..84 => self.as_user(&format!("select public.cancel_generation('key {key}')")).await,
            84..88 => self.as_service("select public.sweep_deductions()").await,
            88..91 => self.as_user("delete from public.profiles where user_id = auth.uid()").await,
            91..94 => {
                self.as_user("insert into public.profiles (user_id, coins) values (auth.uid(), 100)").await;
            }
            94..96 => {
                // The same number again would be refused as a press whose answer was lost.
                let credits = self.dice.random_range(1..100);
                let give = format!("select public.admin_update_user_credits('{}', {credits})", self.id);
                self.as_admin(&give).await;
            }
            // The function's instance is gone, and with it what it knew.
            96..98 => self.making.clear(),
            98..100 => self.cut().await,
            100..120 => self.money_event(key).await,
            120..128 => self.ask_again().await,
            128..134 => self.give_up().await,
            134..142 => self.refuse().await,
            _ => self.prolong().await,
        }
    }

    /// What moves credits without a document.
    async fn money_event(&mut self, key: u32) {
        let payment = format!("UPI_{}_{key}", self.id.simple());
        match self.dice.random_range(0..20) {
            0..6 => {
                let report = format!(
                    "insert into public.payment_transactions (transaction_id, user_id, amount, credits)
                     values ('{payment}', auth.uid(), 100, 150)"
                );
                self.as_user(&report).await;
            }
            6..10 => {
                let settle = format!("select public.admin_settle_payment('{}', '{payment}', 40)", self.id);
                self.as_admin(&settle).await;
            }
            10..13 => {
                let reject = format!("select public.admin_reject_payment('{}', '{payment}', 'No.')", self.id);
                self.as_admin(&reject).await;
            }
            13..17 => {
                self.as_user("update public.profiles set coins = coins - 3 where user_id = auth.uid()").await;
            }
            _ => {
                let adjust =
                    format!("update public.profiles set coins = coins + 7 where user_id = '{}'", self.id);
                self.as_service(&adjust).await;
            }
        }
    }

    async fn claim(&mut self, tool: &'static str, key: u32) {
        // A key has two bodies now and then, and a body two keys.
        let body = self.dice.random_range(0..KEYS);
        let number = Uuid::from_u128(self.dice.random());
        let asked = Asked { tool, key, body, number, claimed: None };
        let mut told = self.ask(&asked).await;
        // Cut on its way, it may have been heard: the function asks again under the same number.
        if told.is_err() {
            told = self.ask(&asked).await;
        }
        let claimed = told.ok().flatten();
        self.making.extend(claimed);
        self.asked = Some(Asked { claimed, ..asked });
    }

    /// The generation that was claimed, where it was.
    async fn ask(&self, asked: &Asked) -> Result<Option<Uuid>, sqlx::Error> {
        let Asked { tool, key, body, number, .. } = asked;
        let claim = format!(
            "select generation_id from public.claim_generation(
               '{}', '{tool}', 'key {key}', body_hash => repeat('{body}', 64), claim_id => '{number}'
             ) where outcome = 'claimed'",
            self.id
        );
        self.answer("service_role", &claim).await
    }

    /// Asks under the same number for what was asked for last, however that went.
    async fn ask_again(&mut self) {
        let Some(mut asked) = self.asked.clone() else { return };
        let Ok(Some(generation)) = self.ask(&asked).await else { return };
        match asked.claimed {
            Some(before) => {
                assert_eq!(before, generation, "one number claims one generation");
                self.took_effect.told_again += 1;
            }
            None => self.making.push(generation),
        }
        asked.claimed = Some(generation);
        self.asked = Some(asked);
    }

    /// Gives up what was asked for last, as a call whose answer never came.
    async fn give_up(&mut self) {
        let Some(Asked { number, .. }) = self.asked else { return };
        let give_up = format!("select public.fail_claim('{}', '{number}', 'claim_not_answered')", self.id);
        self.took_effect.given_up += self.is_told_yes(&give_up).await;
    }

    /// A call is refused before it claims.
    async fn refuse(&mut self) {
        let refuse = format!("select public.refuse_call('{}', 'generate-lesson-plan')", self.id);
        self.took_effect.refused += self.is_told_yes(&refuse).await;
    }

    /// The function says that it goes on with what it makes.
    async fn prolong(&mut self) {
        if let Some(generation) = self.making.last() {
            let prolong = format!("select public.prolong_generation('{generation}')");
            self.took_effect.prolonged += self.is_told_yes(&prolong).await;
        }
    }

    async fn complete(&mut self) {
        if let Some(generation) = self.making.pop() {
            self.as_service(&format!("select public.complete_generation('{generation}', '{{\"n\": 1}}')"))
                .await;
        }
    }

    async fn fail(&mut self) {
        if let Some(generation) = self.making.pop() {
            self.as_service(&format!("select public.fail_generation('{generation}', 'broken')")).await;
        }
    }

    /// Cuts somebody's connection, whatever it is doing.
    async fn cut(&self) {
        let cut = "select pg_terminate_backend(pid) from pg_stat_activity
            where datname = current_database() and pid <> pg_backend_pid() and usename = current_user
                and application_name <> 'auditor'
            order by random() limit 1";
        // It may be cut itself.
        let _ = sqlx::query(cut).execute(&self.pool).await;
    }

    async fn as_user(&self, statement: &str) {
        self.call(self.id, "authenticated", statement).await;
    }

    async fn as_admin(&self, statement: &str) {
        self.call(self.admin, "authenticated", statement).await;
    }

    async fn as_service(&self, statement: &str) {
        self.call(self.id, "service_role", statement).await;
    }

    async fn call(&self, caller: Uuid, role: &str, statement: &str) {
        // What is refused is as good as what passes: the books tell.
        let _ = self.attempt(caller, role, statement).await;
    }

    async fn attempt(&self, caller: Uuid, role: &str, statement: &str) -> Result<(), sqlx::Error> {
        let mut transaction = self.pool.begin().await?;
        sqlx::query(AssertSqlSafe(begin_as(caller, role))).execute(&mut *transaction).await?;
        sqlx::query(AssertSqlSafe(statement.to_owned())).execute(&mut *transaction).await?;
        transaction.commit().await
    }

    /// 1 where the answer is yes, 0 where it is no or none.
    async fn is_told_yes(&self, statement: &str) -> i64 {
        i64::from(self.answer::<bool>("service_role", statement).await.ok().flatten() == Some(true))
    }

    async fn answer<T>(&self, role: &str, statement: &str) -> Result<Option<T>, sqlx::Error>
    where
        T: Send + Unpin + for<'r> sqlx::Decode<'r, sqlx::Postgres> + sqlx::Type<sqlx::Postgres>,
    {
        let mut transaction = self.pool.begin().await?;
        sqlx::query(AssertSqlSafe(begin_as(self.id, role))).execute(&mut *transaction).await?;
        let answer =
            sqlx::query_scalar(AssertSqlSafe(statement.to_owned())).fetch_optional(&mut *transaction).await?;
        transaction.commit().await?;
        Ok(answer)
    }
}

/// Role and claims as the REST service sets them.
fn begin_as(caller: Uuid, role: &str) -> String {
    format!(
        "select set_config('role', '{role}', true),
            set_config('request.jwt.claims', '{{\"sub\": \"{caller}\", \"role\": \"{role}\"}}', true)"
    )
}
