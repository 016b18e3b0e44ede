//! Random policies, rows, roles and updates: nobody is told of a row that a `select` right after
//! the commit would not have given him, and everybody of the last version of each row that it
//! would.
//!
//! A case is one write, compared for every user. `PROPTEST_CASES` says how many there are.

use std::collections::BTreeSet;

use banyan_db::{RunAs, Statement};
use banyan_identity::Caller;
use banyan_testkit::caller;
use proptest::test_runner::Config;
use rand::{Rng as _, SeedableRng as _, rngs::StdRng, seq::IndexedRandom as _};
use serde_json::json;
use uuid::Uuid;

use super::{Channel, Heard, Rig, all_of};

/// Writes under the same policies.
const WRITES: u32 = 16;

const TABLES: &str = "create table public.members (room int, member uuid, primary key (room, member));
    alter table public.members enable row level security;
    create policy own on public.members for select using (member = auth.uid() or auth.jwt() ->> 'team' = 'b');
    insert into public.members values (1, '00000000-0000-0000-0000-000000000001'), (2, '00000000-0000-0000-0000-000000000002');
    create table public.things (
        id int primary key, version int, owner uuid, kind text, room int, flag boolean, \"odd name\" jsonb
    );
    alter table public.things enable row level security;
    alter publication supabase_realtime add table public.things;";

/// What a row holds for a moment, within a transaction.
const HIDDEN: &str = "-1, '00000000-0000-0000-0000-000000000001', 'a', 1, true, null";
/// A row that holds the same, and is committed.
const SHOWN: (i64, i64) = (1000, -1);

const ATOMS: [&str; 17] = [
    "true",
    "false",
    "owner = auth.uid()",
    "(select auth.uid()) = owner",
    "owner is null",
    "owner is distinct from auth.uid()",
    "kind = 'a'",
    "kind in ('a', 'b')",
    "room > 1",
    "flag",
    "flag is not true",
    "auth.role() = 'authenticated'",
    "(auth.jwt() ->> 'team') = kind",
    "\"odd name\" ->> 'k' = kind",
    "\"odd name\" is null",
    "exists (select from public.members as m where m.room = things.room and m.member = auth.uid())",
    "room in (select room from public.members)",
];

/// Random text of SQL.
struct Dice(StdRng);

impl Dice {
    fn pick<'a>(&mut self, from: &[&'a str]) -> &'a str {
        from.choose(&mut self.0).copied().expect("there is one")
    }

    fn condition(&mut self, depth: u32) -> String {
        match self.0.random_range(0..6) {
            0 if depth > 0 => format!("({} and {})", self.condition(depth - 1), self.condition(depth - 1)),
            1 if depth > 0 => format!("({} or {})", self.condition(depth - 1), self.condition(depth - 1)),
            2 if depth > 0 => format!("not ({})", self.condition(depth - 1)),
            _ => self.pick(&ATOMS).to_owned(),
        }
    }

    fn policies(&mut self) -> String {
        let count = self.0.random_range(1..4);
        let policy = |number| {
            let kind = if number == 0 { "permissive" } else { self.pick(&["permissive", "restrictive"]) };
            let command = self.pick(&["select", "select", "all"]);
            let role = self.pick(&["public", "public", "authenticated", "anon, authenticated"]);
            let condition = self.condition(2);
            format!(
                "create policy p{number} on things as {kind} for {command} to {role} using ({condition});\n"
            )
        };
        (0..count).map(policy).collect()
    }

    /// Writes one of a few rows.
    fn write(&mut self, version: u32) -> String {
        let owner = self.pick(&[
            "null",
            "'00000000-0000-0000-0000-000000000001'",
            "'00000000-0000-0000-0000-000000000002'",
        ]);
        let kind = self.pick(&["null", "'a'", "'b'", "'c'"]);
        let room = self.pick(&["null", "1", "2", "3"]);
        let flag = self.pick(&["null", "true", "false"]);
        let odd = self.pick(&["null", "'null'", r#"'{"k": "a"}'"#, r#"'[1.50, "\\u00e9"]'"#]);
        let id = self.0.random_range(1..6);
        let values = format!("{version}, {owner}, {kind}, {room}, {flag}, {odd}");
        let write = format!(
            "insert into things values ({id}, {values}) on conflict (id) do update set
             (version, owner, kind, room, flag, \"odd name\") = ({values});"
        );
        // Before a version that is committed, one that is not.
        let hidden = format!(
            "update things set (version, owner, kind, room, flag, \"odd name\") = ({HIDDEN}) where id = {id};"
        );
        match self.0.random_range(0..4) {
            0 => format!("{hidden} {write}"),
            1 => format!("begin; savepoint s; {write} release savepoint s; commit;"),
            2 => format!("delete from things where id = {id}; {write}"),
            _ => write,
        }
    }
}

fn users() -> Vec<Caller> {
    let of = |id, team, session| {
        caller("authenticated", Some(Uuid::from_u128(id)), json!({"team": team, "session_id": session}))
    };
    vec![
        of(1, "a", "x"),
        of(1, "a", "y"),
        of(2, "b", "z"),
        of(3, "c", "w"),
        Caller::anonymous(),
        Caller::service(),
    ]
}

/// Id and version of the rows that a user may select.
async fn selected(rig: &Rig, user: &Caller) -> BTreeSet<(i64, i64)> {
    let statement = Statement::new("select id, version from public.things", vec![]);
    let rows = rig.database.run_as(&RunAs::new(user, &statement)).await.expect("selected");
    let number = |row, column| rows.text(row, column).and_then(|text| text.parse().ok()).expect("a number");
    (0..rows.rows.len()).map(|row| (number(row, 0), number(row, 1))).collect()
}

/// What a user hears up to this row; null is the version of the row that ends a round.
async fn heard(channel: &mut Channel, last: Option<i64>) -> BTreeSet<(i64, i64)> {
    let mut heard = BTreeSet::new();
    loop {
        let change = match channel.next().await {
            Heard::Change(mut payload) => payload["data"].take(),
            Heard::System(status, message) => panic!("{status}: {message}"),
        };
        let record = &change["record"];
        match (change["type"].as_str(), record["id"].as_i64(), record["version"].as_i64()) {
            (Some("DELETE"), ..) => {}
            (_, Some(id), Some(version)) => drop(heard.insert((id, version))),
            _ => {}
        }
        if change["type"] != "DELETE" && record["version"].as_i64() == last {
            return heard;
        }
    }
}

async fn round(rig: &Rig, dice: &mut Dice, channels: &mut [(Caller, Channel)]) {
    let policies = dice.policies();
    rig.run(&format!("{policies}; create policy the_end on things for select using (id = 0)")).await;
    rig.run(&format!("insert into things values ({}, {HIDDEN})", SHOWN.0)).await;
    let mut allowed: Vec<BTreeSet<(i64, i64)>> = vec![BTreeSet::new(); channels.len()];
    let mut last = vec![];
    // Versions of which one cannot say whether they are overtaken, with a null of JSON.
    let mut undecided = BTreeSet::new();
    for version in 0..WRITES {
        let write = dice.write(version);
        rig.run(&write).await;
        if write.contains("savepoint") && write.contains("'null'") {
            undecided.insert(i64::from(version));
        }
        last.clear();
        for (place, (user, _)) in channels.iter().enumerate() {
            let selected = selected(rig, user).await;
            allowed[place].extend(&selected);
            last.push(selected);
        }
    }
    // Nobody hides anything from the service: what it hears last was decided for all.
    let (_, service) = channels.last_mut().expect("the service");
    let mut by_service = heard(service, Some(i64::from(WRITES) - 1)).await;
    // The restrictive ones would hide the end as well.
    rig.run("do $$ declare name text; begin
        for name in select policyname from pg_policies where tablename = 'things' and policyname <> 'the_end' loop
            execute format('drop policy %I on things', name);
        end loop; end $$; insert into things (id) values (0)")
        .await;
    for (place, (user, channel)) in channels.iter_mut().enumerate() {
        let mut heard = heard(channel, None).await;
        if user.is_service() {
            heard.append(&mut by_service);
        }
        let who = (user.role().to_owned(), user.claims().subject());
        // Whoever may see what a row holds may be told that it held it in between.
        let is_in_between = |row: &&(i64, i64)| row.1 == SHOWN.1 && allowed[place].contains(&SHOWN);
        let told: Vec<_> = heard.difference(&allowed[place]).filter(|row| !is_in_between(row)).collect();
        assert!(told.is_empty(), "{who:?} was told of {told:?} under {policies}");
        let is_missed = |row: &&(i64, i64)| !heard.contains(row) && !undecided.contains(&row.1);
        let missed: Vec<_> = last[place].iter().filter(is_missed).collect();
        assert!(missed.is_empty(), "{who:?} was not told of {missed:?} under {policies}");
    }
    rig.run("drop policy the_end on things; truncate things").await;
}

// rows: G14
#[tokio::test]
async fn nobody_is_told_of_a_row_that_his_policies_refuse() {
    let rig = Rig::new(TABLES).await;
    let mut channels = Vec::new();
    for user in users() {
        let channel = rig.channel(user.clone(), all_of("things")).await;
        channels.push((user, channel));
    }
    for seed in 0..Config::default().cases.div_ceil(WRITES) {
        round(&rig, &mut Dice(StdRng::seed_from_u64(seed.into())), &mut channels).await;
    }
}
