//! Every table and every procedure, tried by a visitor, another teacher, a moderator, the owner, an
//! administrator, a guest (an anonymous sign-in), a banned administrator, one whose account is
//! deleted while a token lives, and the service key.

use std::collections::BTreeSet;

use sqlx::{AssertSqlSafe, PgPool, Postgres, Transaction};
use uuid::Uuid;

use crate::callers::{as_service, as_user, as_visitor, sign_up, sign_up_admin, user_runs, user_runs_on};
use crate::database::{ProductDatabase, product_database};
use crate::wallet_calls::{complete, deduct, start_generation, teacher};

/// Who tries, in the order of the columns below.
const CALLERS: [&str; 9] =
    ["visitor", "another", "moderator", "owner", "administrator", "guest", "banned", "deleted", "service"];

/// What is tried, on which table or by which procedure, and what comes of it for each caller.
type Trial = (&'static str, &'static str, [&'static str; 9]);

/// What is tried on the owner's rows, and what comes of it for each caller: `-` is forbidden, a
/// number counts rows, and everything else is the SQLSTATE of a rule that was broken.
const TABLES: [Trial; 27] = [
    ("blogs", "select from public.blogs where title = 'a'", ["1", "1", "1", "1", "1", "1", "1", "1", "1"]),
    // Who wrote a post is an administrator, and who they are is told to nobody.
    (
        "blogs",
        "select from public.blogs where author_id is not null",
        ["0", "0", "0", "0", "0", "0", "0", "0", "0"],
    ),
    (
        "blogs",
        "insert into public.blogs (title, content, excerpt, category, author_id, author_name)
         values ('a', 'b', 'b', 'General', '{caller}', 'c')",
        ["-", "-", "-", "-", "1", "-", "-", "-", "23503"],
    ),
    (
        "blogs",
        "update public.blogs set title = 'x' where title = 'a'",
        ["-", "-", "-", "-", "-", "-", "-", "-", "1"],
    ),
    ("blogs", "delete from public.blogs where title = 'a'", ["-", "-", "-", "-", "-", "-", "-", "-", "1"]),
    (
        "credit_ledger",
        "select from public.credit_ledger where user_id = '{owner}' limit 1",
        ["-", "0", "0", "1", "1", "0", "0", "0", "1"],
    ),
    (
        "credit_ledger",
        "insert into public.credit_ledger (user_id, delta, balance, reason) values ('{owner}', 20, 20, 'admin')",
        ["-", "-", "-", "-", "-", "-", "-", "-", "-"],
    ),
    (
        "credit_ledger",
        "update public.credit_ledger set delta = 1 where user_id = '{owner}'",
        ["-", "-", "-", "-", "-", "-", "-", "-", "-"],
    ),
    (
        "credit_ledger",
        "delete from public.credit_ledger where user_id = '{owner}'",
        ["-", "-", "-", "-", "-", "-", "-", "-", "-"],
    ),
    (
        "generations",
        "select from public.generations where user_id = '{owner}'",
        ["-", "0", "0", "1", "0", "0", "0", "0", "1"],
    ),
    (
        "generations",
        "insert into public.generations (user_id, tool, request_key, attempt, deadline_at)
         values ('{caller}', 'generate-lesson-plan', 'x', 1, now())",
        ["-", "-", "-", "-", "-", "-", "-", "-", "-"],
    ),
    (
        "generations",
        "update public.generations set result = '{}' where user_id = '{owner}'",
        ["-", "-", "-", "-", "-", "-", "-", "-", "-"],
    ),
    (
        "generations",
        "delete from public.generations where user_id = '{owner}'",
        ["-", "-", "-", "-", "-", "-", "-", "-", "-"],
    ),
    (
        "payment_transactions",
        "select from public.payment_transactions where user_id = '{owner}'",
        ["-", "0", "0", "1", "1", "0", "0", "0", "1"],
    ),
    // Who settled a payment is no column of it.
    (
        "payment_transactions",
        "select rejection_reason, settled_at from public.payment_transactions where transaction_id = 'UPI_1'",
        ["-", "0", "0", "1", "1", "0", "0", "0", "1"],
    ),
    (
        "payment_transactions",
        "insert into public.payment_transactions (transaction_id, user_id, amount, credits)
         values ('UPI_2', '{owner}', 20, 20)",
        ["-", "-", "-", "1", "-", "-", "-", "-", "1"],
    ),
    (
        "payment_transactions",
        "update public.payment_transactions set status = 'APPROVED' where user_id = '{owner}'",
        ["-", "-", "-", "-", "-", "-", "-", "-", "1"],
    ),
    (
        "payment_transactions",
        "delete from public.payment_transactions where user_id = '{owner}'",
        ["-", "-", "-", "-", "-", "-", "-", "-", "-"],
    ),
    (
        "profiles",
        "select from public.profiles where user_id = '{owner}'",
        ["-", "0", "0", "1", "1", "0", "0", "0", "1"],
    ),
    (
        "profiles",
        "insert into public.profiles (user_id, coins) values ('{owner}', 20)",
        ["-", "-", "-", "23505", "-", "-", "-", "-", "23505"],
    ),
    (
        "profiles",
        "insert into public.profiles (user_id, coins) values ('{caller}', 100)",
        ["-", "1", "1", "23505", "1", "-", "1", "23503", "23503"],
    ),
    (
        "profiles",
        "update public.profiles set coins = coins - 1 where user_id = '{owner}'",
        ["-", "0", "0", "1", "0", "0", "0", "0", "1"],
    ),
    (
        "profiles",
        "delete from public.profiles where user_id = '{owner}'",
        ["-", "0", "0", "1", "0", "0", "0", "0", "1"],
    ),
    (
        "user_roles",
        "select from public.user_roles where user_id = '{owner}'",
        ["-", "0", "0", "1", "1", "0", "0", "0", "1"],
    ),
    (
        "user_roles",
        "insert into public.user_roles (user_id, role) values ('{caller}', 'admin')",
        ["-", "-", "-", "-", "-", "-", "-", "-", "23503"],
    ),
    (
        "user_roles",
        "update public.user_roles set role = 'admin' where user_id = '{owner}'",
        ["-", "-", "-", "-", "-", "-", "-", "-", "-"],
    ),
    // The role that everybody has stays, whoever takes it.
    (
        "user_roles",
        "delete from public.user_roles where user_id = '{owner}'",
        ["-", "0", "0", "0", "23514", "0", "0", "0", "23514"],
    ),
];

/// As [`TABLES`], with what a procedure answers where it is allowed.
const PROCEDURES: [Trial; 24] = [
    (
        "admin_delete_user",
        "select public.admin_delete_user('{owner}')::text",
        ["-", "-", "-", "-", "", "-", "-", "-", "-"],
    ),
    (
        "admin_recent_generations",
        "select count(*)::text from public.admin_recent_generations()",
        ["-", "-", "-", "-", "2", "-", "-", "-", "-"],
    ),
    (
        "admin_reject_payment",
        "select public.admin_reject_payment('{owner}', 'UPI_1', 'Nothing came.')::text",
        ["-", "-", "-", "-", "", "-", "-", "-", "-"],
    ),
    (
        "admin_settle_payment",
        "select public.admin_settle_payment('{owner}', 'UPI_1', 20)::text",
        ["-", "-", "-", "-", "80", "-", "-", "-", "-"],
    ),
    (
        "admin_update_user_credits",
        "select public.admin_update_user_credits('{owner}', 10)::text",
        ["-", "-", "-", "-", "70", "-", "-", "-", "-"],
    ),
    (
        "assign_user_role",
        "select public.assign_user_role('{owner}', 'moderator')::text",
        ["-", "-", "-", "-", "", "-", "-", "-", "-"],
    ),
    ("begin_sample_reading", "select public.begin_sample_reading('{owner}')::text", service_alone("true")),
    // Everybody's own: there is nothing of theirs to cancel, and the key of another's is none of
    // theirs.
    (
        "cancel_generation",
        "select public.cancel_generation('running')::text",
        ["-", "false", "false", "true", "false", "false", "false", "false", "-"],
    ),
    (
        "claim_generation",
        "select public.claim_generation('{owner}', 'generate-lesson-plan', 'x')::text",
        service_alone("(insufficient,,,,)"),
    ),
    (
        "claim_mail",
        "select public.claim_mail('{owner}', 'document', 'x', '{owner}@example.com')::text",
        service_alone("(not_own_address,,)"),
    ),
    (
        "complete_generation",
        "select public.complete_generation('{running}', '{}')::text",
        service_alone("true"),
    ),
    (
        "create_user_profile_if_missing",
        "select (public.create_user_profile_if_missing() is not null)::text",
        ["-", "true", "true", "true", "true", "-", "true", "23503", "-"],
    ),
    ("end_sample_reading", "select public.end_sample_reading('{owner}')::text", service_alone("false")),
    (
        "fail_claim",
        "select public.fail_claim('{owner}', gen_random_uuid(), 'x')::text",
        service_alone("false"),
    ),
    ("fail_generation", "select public.fail_generation('{running}', 'x')::text", service_alone("true")),
    (
        "get_all_users",
        "select count(*)::text from public.get_all_users()",
        ["-", "-", "-", "-", "6", "-", "-", "-", "-"],
    ),
    (
        "is_admin_user",
        "select public.is_admin_user('{caller}')::text",
        ["-", "false", "false", "false", "true", "false", "true", "false", "false"],
    ),
    (
        "is_admin_user",
        "select public.is_admin_user('{administrator}')::text",
        ["-", "false", "false", "false", "true", "false", "false", "false", "true"],
    ),
    ("note_model_tokens", "select public.note_model_tokens(5)::text", service_alone("5")),
    (
        "note_refusal",
        "select public.note_refusal('{owner}', 'generate-lesson-plan')::text",
        service_alone("0"),
    ),
    ("prolong_generation", "select public.prolong_generation('{running}')::text", service_alone("true")),
    (
        "refuse_call",
        "select public.refuse_call('{owner}', 'generate-question-paper')::text",
        service_alone("false"),
    ),
    // With the eyes of the caller: a teacher sees no payment of others.
    (
        "reported_by_others",
        "select count(*)::text from public.payment_transactions as payment where public.reported_by_others(payment)",
        ["-", "0", "0", "0", "0", "0", "0", "0", "0"],
    ),
    ("sweep_deductions", "select public.sweep_deductions()::text", service_alone("0")),
];

/// For the procedures of the functions: nobody but the service key calls them.
const fn service_alone(answer: &'static str) -> [&'static str; 9] {
    ["-", "-", "-", "-", "-", "-", "-", "-", answer]
}

const FORBIDDEN: [&str; 9] = ["-"; 9];

/// A school with something in every table.
struct School {
    pool: ProductDatabase,
    /// Another teacher, a moderator, the owner, an administrator, a guest, a banned and a deleted
    /// one.
    people: [Uuid; 7],
    running: Uuid,
}

async fn school() -> School {
    let pool = product_database().await;
    let owner = teacher(&pool).await;
    let people = [
        sign_up(&pool).await,
        sign_up(&pool).await,
        owner,
        sign_up_admin(&pool).await,
        sign_up(&pool).await,
        sign_up_admin(&pool).await,
        sign_up_admin(&pool).await,
    ];
    let made = start_generation(&pool, owner, "made").await;
    assert!(complete(&pool, made).await);
    deduct(&pool, owner).await;
    let coins = "update public.profiles set coins = coins + 20";
    user_runs(&pool, owner, coins).await.expect("an open deduction is taken back");
    let report = "insert into public.payment_transactions (transaction_id, user_id, amount, credits)
        values ('UPI_1', $1, 20, 20)";
    user_runs(&pool, owner, report).await.expect("a payment is reported");
    for (statement, about) in [
        ("insert into public.user_roles (user_id, role) values ($1, 'moderator')", people[1]),
        (
            "insert into public.blogs (title, content, excerpt, category, author_id, author_name, published)
             values ('a', 'b', 'b', 'General', $1, 'c', true)",
            owner,
        ),
        ("update auth.users set is_anonymous = true, email = null where id = $1", people[4]),
        ("update auth.users set banned_until = now() + interval '1 day' where id = $1", people[5]),
        ("delete from auth.users where id = $1", people[6]),
    ] {
        sqlx::query(statement).bind(about).execute(&*pool).await.expect("the owner of the database writes");
    }
    School { pool, people, running: made }
}

impl School {
    fn filled(&self, statement: &str, caller: Uuid) -> String {
        let [_, _, owner, administrator, ..] = self.people;
        [("caller", caller), ("owner", owner), ("administrator", administrator), ("running", self.running)]
            .iter()
            .fold(statement.to_owned(), |text, (name, id)| {
                text.replace(&format!("{{{name}}}"), &id.to_string())
            })
    }

    /// What comes of a trial for each caller; nothing of it stays.
    async fn outcomes(&self, tried: &str, procedure: bool) -> Vec<String> {
        let mut outcomes = Vec::new();
        for (at, name) in CALLERS.iter().enumerate() {
            let id = at.checked_sub(1).and_then(|at| self.people.get(at)).copied();
            let mut caller = match (id, *name) {
                (Some(id), _) => as_user(&self.pool, id).await,
                (None, "service") => as_service(&self.pool).await,
                (None, _) => as_visitor(&self.pool).await,
            };
            let statement = self.filled(tried, id.unwrap_or_default());
            let outcome = if procedure {
                asked(&mut caller, statement).await
            } else {
                touched(&mut caller, statement).await
            };
            outcomes.push(outcome.unwrap_or_else(|error| code(&error)));
            caller.rollback().await.expect("a transaction ends");
        }
        outcomes
    }
}

impl School {
    /// The columns in which the owner reads that id.
    async fn naming(&self, id: Uuid) -> Vec<String> {
        let columns: Vec<(String, String)> = sqlx::query_as(
            "select
               format('%s.%s', attrelid::regclass, attname),
               format('select count(*) from %s where position(''%s'' in %I::text) > 0', attrelid::regclass, $1, attname)
             from pg_attribute
             join pg_class on pg_class.oid = attrelid
             where relkind in ('r', 'p', 'v', 'm', 'f')
               and relnamespace = 'public'::regnamespace
               and attnum > 0
               and not attisdropped
               and has_column_privilege('authenticated', attrelid, attnum, 'select')
             order by 1",
        )
        .bind(id)
        .fetch_all(&*self.pool)
        .await
        .expect("the catalog can be read");
        let [_, _, owner, ..] = self.people;
        let mut caller = as_user(&self.pool, owner).await;
        let mut naming = Vec::new();
        for (column, look) in columns {
            let rows: i64 = sqlx::query_scalar(AssertSqlSafe(look))
                .fetch_one(&mut *caller)
                .await
                .expect("it is readable");
            if rows > 0 {
                naming.push(column);
            }
        }
        naming
    }
}

async fn touched(
    caller: &mut Transaction<'static, Postgres>,
    statement: String,
) -> Result<String, sqlx::Error> {
    Ok(sqlx::query(AssertSqlSafe(statement)).execute(&mut **caller).await?.rows_affected().to_string())
}

async fn asked(
    caller: &mut Transaction<'static, Postgres>,
    statement: String,
) -> Result<String, sqlx::Error> {
    let answer: Option<String> =
        sqlx::query_scalar(AssertSqlSafe(statement)).fetch_one(&mut **caller).await?;
    Ok(answer.unwrap_or_default())
}

fn code(error: &sqlx::Error) -> String {
    let code = error.as_database_error().and_then(|error| error.code().map(String::from));
    match code.as_deref() {
        Some("42501") => "-".to_owned(),
        Some(code) => code.to_owned(),
        None => panic!("the database did not answer: {error}"),
    }
}

async fn names(pool: &PgPool, query: &'static str) -> BTreeSet<String> {
    let names: Vec<String> =
        sqlx::query_scalar(query).fetch_all(pool).await.expect("the catalog can be read");
    names.into_iter().collect()
}

fn of(trials: &[Trial]) -> BTreeSet<String> {
    trials.iter().map(|(name, _, _)| (*name).to_owned()).collect()
}

// rows: app/S-344 app/S-347 app/S-350 app/S-352
#[tokio::test]
async fn every_table_gives_each_caller_what_is_theirs() {
    let school = school().await;
    for (_, tried, expected) in TABLES {
        assert_eq!(school.outcomes(tried, false).await, expected, "{CALLERS:?}: {tried}");
    }
    let tables = "select relname::text from pg_class where relkind in ('r', 'p') and relnamespace = 'public'::regnamespace";
    assert_eq!(names(&school.pool, tables).await, of(&TABLES), "a table without its trials");
}

// rows: app/S-341 app/S-381
#[tokio::test]
async fn every_procedure_answers_those_it_is_for() {
    let school = school().await;
    let running = start_generation(&school.pool, school.people[2], "running").await;
    let school = School { running, ..school };
    for (_, tried, expected) in PROCEDURES {
        assert_eq!(school.outcomes(tried, true).await, expected, "{CALLERS:?}: {tried}");
    }
    let procedures = "select proname::text from pg_proc where pronamespace = 'public'::regnamespace and prorettype <> 'trigger'::regtype";
    assert_eq!(names(&school.pool, procedures).await, of(&PROCEDURES), "a procedure without its trials");
}

#[tokio::test]
async fn access_nobody_reaches_what_is_private() {
    let school = school().await;
    let tables = "select relname::text from pg_class where relkind in ('r', 'p') and relnamespace = 'private'::regnamespace";
    let tables = names(&school.pool, tables).await;
    assert!(tables.contains("deductions"), "{tables:?}");
    for table in tables {
        for tried in [format!("select from private.{table}"), format!("delete from private.{table}")] {
            assert_eq!(school.outcomes(&tried, false).await, FORBIDDEN, "{tried}");
        }
    }
}

// rows: app/S-381
#[tokio::test]
async fn no_column_that_a_teacher_reads_names_an_administrator() {
    let school = school().await;
    let [_, _, owner, admin, ..] = school.people;
    for statement in [
        "insert into public.payment_transactions (transaction_id, user_id, amount, credits)
         values ('UPI_2', $1, 20, 20)",
        "update public.profiles set coins = coins - 20",
    ] {
        user_runs(&school.pool, owner, statement).await.expect("a teacher's own");
    }
    for statement in [
        "select public.admin_update_user_credits($1, 10)",
        "select public.assign_user_role($1, 'moderator')",
        "select public.admin_settle_payment($1, 'UPI_1', 20)",
        "select public.admin_reject_payment($1, 'UPI_2', 'Nothing came.')",
    ] {
        user_runs_on(&school.pool, admin, owner, statement).await.expect("an administrator's work");
    }
    let post = "insert into public.blogs (title, content, excerpt, category, author_id, author_name)
         values ('a', 'b', 'b', 'General', $1, 'Admin')";
    user_runs(&school.pool, admin, post).await.expect("a post");
    assert_eq!(school.naming(admin).await, [] as [String; 0]);
    let own = school.naming(owner).await;
    assert!(own.contains(&"credit_ledger.user_id".to_owned()), "the search finds what is there: {own:?}");
    let all = "select * from public.credit_ledger";
    assert!(user_runs(&school.pool, owner, all).await.expect("every column is read") > 2);
}
