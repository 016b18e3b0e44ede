//! `select` and the query string (CONTRACT.md U01 to U15, S01 to S19).

use banyan_rest::Settings;
use http::Method;
use serde_json::{Value, json};

use crate::support::{Preferring, School, reading, reading_with, school, settings};

async fn first(school: &School, path: &str) -> Value {
    let rows = school.get(path).await.ok();
    rows[0].clone()
}

// rows: U01 U09
#[tokio::test]
async fn values_are_decoded_and_read_by_postgresql_as_the_column_s_type() {
    let school = reading().await;
    for (filter, expected) in [
        ("note=eq.a%2Cb", vec![1]),
        ("flag=eq.yes", vec![1]),
        ("seen=lt.now", vec![1]),
        ("level=eq.hard", vec![2]),
        ("span=eq.[5,9)", vec![2]),
        ("spot=eq.(3,4,door)", vec![1]),
        ("numbers=eq.{30}", vec![2]),
        ("id=eq.1;note=eq.a%2Cb", vec![1]),
    ] {
        assert_eq!(school.ids(&format!("/samples?select=id&{filter}")).await, expected, "{filter}");
    }
    assert_eq!(school.ids("/rooms?name=eq.Big+Hall").await, Vec::<i64>::new());
    school.sql("update public.rooms set name = 'Big Hall' where id = 2").await;
    assert_eq!(school.ids("/rooms?name=eq.Big+Hall").await, [2]);
}

// rows: U03
#[tokio::test]
async fn a_key_without_value_stays_in_the_address_alone() {
    let school = school().await;
    let reply = school.get("/tags?id&select=id&order=id&limit=1").await;
    assert_eq!(reply.ok(), json!([{"id": 1}]));
    assert_eq!(reply.header("content-location"), Some("/tags?id=&limit=1&order=id&select=id"));
}

// rows: U14 F28
#[tokio::test]
async fn names_and_literals_that_do_not_exist_are_postgresql_s_to_refuse() {
    let school = school().await;
    for query in ["select=nope", "nope=eq.1", "order=nope"] {
        let reply = school.get(&format!("/lessons?{query}")).await;
        assert_eq!(reply.error(), (400, "42703"), "{query}");
        assert_eq!(reply.json()["message"], "column lessons.nope does not exist");
    }
    assert_eq!(school.get("/lessons?id=eq.x").await.error(), (400, "22P02"));
    assert_eq!(school.get("/lessons?id=like.x").await.error(), (404, "42883"));
}

// rows: S01
#[tokio::test]
async fn all_columns_without_select_or_with_an_empty_one() {
    let school = school().await;
    let all = json!({"id": 1, "label": "new"});
    for query in ["", "&select=", "&select=*"] {
        assert_eq!(first(&school, &format!("/tags?id=eq.1{query}")).await, all, "{query}");
    }
}

// rows: S02 S04 S05
#[tokio::test]
async fn columns_are_renamed_and_cast() {
    let school = school().await;
    for (select, expected) in [
        ("id,name:title", json!({"id": 1, "name": "Fractions"})),
        ("id::text", json!({"id": "1"})),
        ("n:id::text", json!({"n": "1"})),
        ("grade::double precision", json!({"grade": 5})),
        ("n:data->pages->>count::int", json!({"n": 3})),
        ("data->pages->>count::int", json!({"count": 3})),
        ("level, grade", json!({"level": "easy", "grade": 5})),
    ] {
        assert_eq!(first(&school, &format!("/lessons?id=eq.1&select={select}")).await, expected, "{select}");
    }
    assert_eq!(school.get("/lessons?select=id::nope").await.error(), (400, "42704"));
}

// rows: S06 S07 S08
#[tokio::test]
async fn json_paths_lead_to_members_and_elements() {
    let school = reading().await;
    for (select, expected) in [
        ("doc->a->b", json!({"b": [1, 2]})),
        ("doc->a->b->0", json!({"b": 1})),
        ("doc->a->b->-1", json!({"b": 2})),
        ("doc->a->b->>1", json!({"b": "2"})),
        ("doc->key with space", json!({"key with space": 1})),
        ("doc->x-y", json!({"x-y": 5})),
        ("doc->\"0\"", json!({"0": "zero"})),
        ("v:doc->a->b->0", json!({"v": 1})),
        ("data->>n", json!({"n": "1"})),
        ("data->list->1", json!({"list": "q"})),
        ("data->none->deeper", json!({"deeper": null})),
    ] {
        assert_eq!(first(&school, &format!("/samples?id=eq.1&select={select}")).await, expected, "{select}");
    }
    assert_eq!(first(&school, "/samples?id=eq.2&select=doc->1").await, json!({"doc": 2}));
}

// rows: S09
#[tokio::test]
async fn composites_arrays_and_ranges_have_paths_too() {
    let school = reading().await;
    for (select, expected) in [
        ("spot->x", json!({"x": 3})),
        ("spot->>label", json!({"label": "door"})),
        ("numbers->1", json!({"numbers": 20})),
        ("bag->in", json!({"in": 1})),
    ] {
        assert_eq!(first(&school, &format!("/samples?id=eq.1&select={select}")).await, expected, "{select}");
    }
    assert_eq!(school.ids("/samples?select=id&spot->>label=eq.wall").await, [2]);
    assert_eq!(school.ids("/samples?select=id&order=spot->x.desc.nullslast&limit=2").await, [2, 1]);
}

// rows: S10
#[tokio::test]
async fn computed_fields_are_selected_filtered_and_ordered_by_but_not_in_star() {
    let school = reading().await;
    assert_eq!(
        first(&school, "/lessons?id=eq.1&select=id,shout").await,
        json!({"id": 1, "shout": "FRACTIONS"})
    );
    assert_eq!(school.ids("/lessons?shout=eq.LIGHT").await, [2]);
    assert_eq!(school.ids("/lessons?order=shout").await, [4, 1, 3, 2]);
    assert_eq!(first(&school, "/lessons?id=eq.1").await.get("shout"), None);
    assert_eq!(
        first(&school, "/lessons?id=eq.1&select=spot_of->label").await,
        json!({"label": "here"}),
        "a function that returns a composite is a field"
    );
    let elsewhere = Settings { extra_search_path: vec!["hidden".to_owned()], ..settings() };
    let school = reading_with(elsewhere).await;
    school
        .sql("create function hidden.whisper(public.lessons) returns text language sql stable as $$ select lower($1.title) $$; grant usage on schema hidden to anon")
        .await;
    assert_eq!(first(&school, "/lessons?id=eq.2&select=whisper").await, json!({"whisper": "light"}));
}

// rows: S13
#[tokio::test]
async fn empty_embeds_join_and_filter_but_show_nothing() {
    let school = school().await;
    for select in ["id,chapters()", "id,chapters(lessons())", "id,plans(),chapters()"] {
        assert_eq!(
            first(&school, &format!("/lessons?id=eq.1&select={select}")).await,
            json!({"id": 1}),
            "{select}"
        );
    }
    assert_eq!(school.ids("/lessons?select=id,chapters!inner()&order=id").await, [1, 2]);
}

// rows: S14 J05
#[tokio::test]
async fn one_relation_is_embedded_twice_under_two_keys() {
    let school = school().await;
    let path = "/lessons?id=eq.1&select=id,one:chapters(number),rest:chapters(number)&one.number=eq.1&rest.number=gt.1";
    assert_eq!(first(&school, path).await, json!({"id": 1, "one": [{"number": 1}], "rest": [{"number": 2}]}));
    assert_eq!(
        first(&school, "/lessons?id=eq.1&select=subject_id(name)").await,
        json!({"subject_id": {"name": "Maths"}}),
        "without alias the key is the target as written"
    );
}

// rows: S16
#[tokio::test]
async fn count_counts_even_where_aggregates_are_off() {
    let school = school().await;
    assert_eq!(school.get("/lessons?select=count").await.ok(), json!([{"count": 4}]));
    assert_eq!(
        first(&school, "/lessons?id=eq.1&select=id,chapters(count)").await,
        json!({"id": 1, "chapters": [{"count": 2}]})
    );
    assert_eq!(school.get("/lessons?select=id,count(*)").await.error(), (400, "PGRST100"));
}

// rows: S17
#[tokio::test]
async fn only_what_was_granted_can_be_read() {
    let school = reading().await;
    assert_eq!(school.get("/guarded?select=id,open").await.ok(), json!([{"id": 1, "open": "yes"}]));
    for query in ["", "?select=secret", "?select=id&secret=eq.no", "?select=id&order=secret"] {
        assert_eq!(school.get(&format!("/guarded{query}")).await.error(), (401, "42501"), "{query}");
    }
    let patched = school.patch("/guarded?id=eq.1&select=open", json!({"open": "still"}));
    assert_eq!(patched.representation().await.ok(), json!([{"open": "still"}]));
}

// rows: S15 S19
#[tokio::test]
async fn star_stands_beside_other_items() {
    let school = reading_with(Settings { aggregates: true, ..settings() }).await;
    assert_eq!(
        first(&school, "/tags?id=eq.1&select=*,lesson_tags(lesson_id)").await,
        json!({"id": 1, "label": "new", "lesson_tags": [{"lesson_id": 1}]})
    );
    let shouted = first(&school, "/lessons?id=eq.1&select=*,shout").await;
    assert_eq!((&shouted["title"], &shouted["shout"]), (&json!("Fractions"), &json!("FRACTIONS")));
    assert_eq!(
        school.get("/rooms?select=*,count()&order=id").await.ok(),
        json!([{"id": 1, "name": "Lab", "count": 1}, {"id": 2, "name": "Hall", "count": 1}])
    );
}

// rows: U15 V01
#[tokio::test]
async fn values_and_names_cannot_leave_their_place() {
    let school = school().await;
    for path in [
        "/lessons?title=eq.x'%20or%201=1--",
        "/lessons?select=id&%22id%22%22%20or%201=1--%22=eq.1",
        "/lessons?select=%22id%22%22;drop%20table%20tags;--%22",
        "/lessons?title=in.(%22a'%22,%22b%5C%22%22)",
        "/lessons?data-%3E%3E%22a'%22%22b%22=eq.1",
        "/lessons?order=%22id;drop%20table%20tags%22",
        "/lessons?select=id::int);drop%20table%20tags;--",
        "/lessons?title=fts(english');drop%20table%20tags;--).x",
    ] {
        let reply = school.get(path).await;
        assert!(reply.status == 400 || reply.text() == "[]", "{path}: {reply:?}");
    }
    assert_eq!(school.number("select count(*) from public.tags").await, 2);
}

// rows: V02
#[tokio::test]
async fn a_read_cannot_write() {
    let school = school().await;
    for method in [Method::GET, Method::HEAD] {
        let reply = school.call(method, "/rpc/write_log?entry=x").await;
        assert_eq!(reply.status, 405);
    }
    assert_eq!(school.number("select count(*) from public.log").await, 0);
}
