use banyan_identity::Caller;
use serde_json::json;

use super::Rig;

const THINGS: &str = "create type public.colour as enum ('red', 'green');
    create table public.things (
        id bigint primary key, name text, price numeric, colour colour, flag boolean, at timestamptz, note varchar
    );
    alter publication supabase_realtime add table public.things;";

const ROWS: &str = "insert into things values
    (1, 'Anna', 1.50, 'red', true, '2025-01-01 10:00+00', 'x'),
    (2, 'Bob', 20, 'green', false, '2025-06-01 10:00+00', null),
    (3, null, null, null, null, null, 'y');
    insert into things values (0);";

/// The rows that a filter finds.
async fn found(rig: &Rig, filter: &str) -> Vec<i64> {
    let entries = [
        json!({"event": "INSERT", "schema": "public", "table": "things", "filter": filter}),
        json!({"event": "INSERT", "schema": "public", "table": "things", "filter": "id=eq.0"}),
    ];
    let mut channel = rig.join(Caller::anonymous(), &entries);
    channel.is_subscribed().await;
    rig.run(ROWS).await;
    let found = channel.ids_until_0().await;
    rig.run("truncate things").await;
    found
}

// rows: G5 G6
#[tokio::test]
async fn every_operator_finds_what_postgresql_finds() {
    let rig = Rig::new(THINGS).await;
    for (filter, expected) in [
        ("id=eq.1", &[1][..]),
        ("id=not.eq.1", &[2, 3]),
        ("name=neq.Anna", &[2]),
        ("id=lt.2", &[1]),
        ("price=lte.1.5", &[1]),
        ("price=eq.1.5", &[1]),
        ("price=gt.9", &[2]),
        ("at=gte.2025-03-01", &[2]),
        ("at=eq.2025-01-01T15:30:00+05:30", &[1]),
        ("name=in.(Anna,Bob)", &[1, 2]),
        ("name=not.in.(Anna)", &[2]),
        ("price=in.(1.5,3)", &[1]),
        ("name=like.A%", &[1]),
        ("name=ilike.b%", &[2]),
        ("note=like.x%", &[1]),
        ("name=match.^A", &[1]),
        ("name=imatch.^b", &[2]),
        ("name=is.null", &[3]),
        ("name=not.is.null", &[1, 2]),
        ("flag=is.true", &[1]),
        ("flag=is.unknown", &[3]),
        ("name=isdistinct.Anna", &[2, 3]),
        ("price=isdistinct.1.5", &[2, 3]),
        ("name=not.isdistinct.Anna", &[1]),
        ("colour=eq.green", &[2]),
        ("colour=gt.red", &[2]),
        ("id=gt.0,name=like.%n%,price=lt.2", &[1]),
        ("id=gt.0,name=eq.Bob,price=lt.2", &[]),
    ] {
        // The row that ends the test has the id 0, and nulls.
        assert_eq!(found(&rig, filter).await, expected, "{filter}");
    }
}

// rows: G4 G6 G8
#[tokio::test]
async fn what_cannot_be_subscribed_is_refused_with_the_reason() {
    let rig = Rig::new(THINGS).await;
    rig.run("create table public.others (id int primary key)").await;
    for (entry, reason) in [
        (
            json!({"table": "others"}),
            "Unable to subscribe to changes with given parameters. Please check Realtime is enabled for the given connect parameters: [event: *, schema: public, table: others, filters: [], select: nil]",
        ),
        (
            json!({"filter": "nope=eq.1"}),
            r#"Unable to subscribe to changes with given parameters. An exception happened so please check your connect parameters: [event: *, schema: public, table: things, filters: [{"nope", "eq", "1", false}], select: nil]. Exception: ERROR P0001 (raise_exception) invalid column for filter nope"#,
        ),
        (
            json!({"filter": "id=eq.x"}),
            r#"Exception: ERROR 22P02 (invalid_text_representation) invalid input syntax for type bigint: "x""#,
        ),
        (json!({"filter": "id=like.1%"}), "operator like requires a text-compatible column type, got bigint"),
        (json!({"filter": "name=match.["}), "invalid regular expression for match filter"),
        (json!({"filter": "name=is.true"}), "is true filter requires a boolean column, got text"),
        (
            json!({"filter": "name=is.nothing"}),
            "invalid value for is filter: must be null, true, false, or unknown",
        ),
        (json!({"select": ["id", "nope"]}), "invalid column for select nope"),
        (json!({"filter": "undefined"}), r#"Error parsing `filter` params: ["undefined"]"#),
    ] {
        let mut whole = json!({"event": "*", "schema": "public", "table": "things"});
        whole.as_object_mut().expect("an object").extend(entry.as_object().expect("an object").clone());
        let refusal = rig.refusal(whole).await;
        assert!(refusal.contains(reason), "{refusal}");
    }
    let many: Vec<_> = (0..101).map(|number| number.to_string()).collect();
    let filter = format!("id=in.({})", many.join(","));
    let refusal = rig.refusal(json!({"schema": "public", "table": "things", "filter": filter})).await;
    assert!(refusal.ends_with("too many values for `in` filter. Maximum 100"), "{refusal}");
}

// rows: G7
#[tokio::test]
async fn a_filter_of_a_delete_sees_what_the_replica_identity_carries() {
    let rig = Rig::new(THINGS).await;
    let entry =
        |filter: &str| json!({"event": "DELETE", "schema": "public", "table": "things", "filter": filter});
    let entries = [entry("name=eq.Anna"), entry("id=eq.0")];
    let mut channel = rig.join(Caller::anonymous(), &entries);
    channel.is_subscribed().await;
    rig.run(ROWS).await;
    rig.run("delete from things where id = 1; delete from things where id = 0").await;
    assert_eq!(channel.ids_until_0().await, [] as [i64; 0], "the name is not in the log");
    rig.run("truncate things; alter table things replica identity full").await;
    rig.run(ROWS).await;
    rig.run("delete from things where id = 1; delete from things where id = 0").await;
    assert_eq!(channel.ids_until_0().await, [1]);
}

// rows: G8
#[tokio::test]
async fn chosen_columns_come_with_the_primary_key() {
    let rig = Rig::new(THINGS).await;
    let entry = json!({"event": "*", "schema": "public", "table": "things", "select": ["name"]});
    let mut channel = rig.channel(Caller::anonymous(), entry).await;
    rig.run("insert into things (id, name, price) values (1, 'a', 2)").await;
    let change = channel.change().await;
    assert_eq!(change["record"], json!({"id": 1, "name": "a"}));
    assert_eq!(change["columns"], json!([{"name": "id", "type": "int8"}, {"name": "name", "type": "text"}]));
}
