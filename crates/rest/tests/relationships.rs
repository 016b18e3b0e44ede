//! Which relationships exist (CONTRACT.md E01 to E17).

use banyan_rest::Settings;
use http::Method;
use serde_json::json;

use crate::support::{Preferring, School, reading, reading_with, school, settings};

/// Each path gives these rows.
async fn give(school: &School, table: Vec<(&str, serde_json::Value)>) {
    for (path, expected) in table {
        assert_eq!(school.get(path).await.ok(), expected, "{path}");
    }
}

/// No relationship is found for any of the paths.
async fn refuse(school: &School, paths: &[&str]) {
    for path in paths {
        assert_eq!(school.get(path).await.error(), (400, "PGRST200"), "{path}");
    }
}

// rows: E01 E02
#[tokio::test]
async fn foreign_keys_lead_both_ways() {
    let school = reading().await;
    give(&school, vec![
        (
            "/chapters?select=name,lessons(title)&lesson_id=eq.2",
            json!([{"name": "Rays", "lessons": {"title": "Light"}}]),
        ),
        (
            "/lessons?select=id,chapters(name)&id=in.(1,3)&order=id&chapters.order=number.desc",
            json!([{"id": 1, "chapters": [{"name": "Quarters"}, {"name": "Halves"}]}, {"id": 3, "chapters": []}]),
        ),
        ("/exercises?select=id,chapters(name)&id=eq.4", json!([{"id": 4, "chapters": null}])),
    ])
    .await;
}

// rows: E03
#[tokio::test]
async fn keys_that_are_unique_lead_to_one() {
    let school = reading().await;
    give(
        &school,
        vec![
            (
                "/lessons?select=id,plans(text)&id=in.(1,2)&order=id",
                json!([{"id": 1, "plans": {"text": "Cut a cake."}}, {"id": 2, "plans": null}]),
            ),
            ("/plans?select=lessons(id)", json!([{"lessons": {"id": 1}}])),
            ("/lessons?select=badges(label)&id=eq.1", json!([{"badges": {"label": "gold"}}])),
            (
                "/badges?select=label,lessons(id)&order=id",
                json!([
                    {"label": "gold", "lessons": {"id": 1}}, {"label": "spare", "lessons": null}
                ]),
            ),
        ],
    )
    .await;
}

// rows: E04
#[tokio::test]
async fn two_keys_within_the_primary_key_join_two_others() {
    let school = reading().await;
    give(&school, vec![
        (
            "/tags?select=label,lessons(id)&lessons.order=id&order=id",
            json!([{"label": "new", "lessons": [{"id": 1}]}, {"label": "old", "lessons": [{"id": 1}, {"id": 2}]}]),
        ),
        ("/lessons?select=id,tags(id)&id=eq.3", json!([{"id": 3, "tags": []}])),
    ])
    .await;
    refuse(&school, &["/subjects?select=rooms(id)", "/rooms?select=lessons(id)"]).await;
}

// rows: E05
#[tokio::test]
async fn composite_keys_join_by_all_their_columns() {
    let school = reading().await;
    give(&school, vec![
        (
            "/exercises?select=id,chapters(name)&id=lt.4&order=id",
            json!([
                {"id": 1, "chapters": {"name": "Halves"}},
                {"id": 2, "chapters": {"name": "Quarters"}},
                {"id": 3, "chapters": {"name": "Rays"}}
            ]),
        ),
        (
            "/chapters?select=name,exercises(id)&lesson_id=eq.1&order=number",
            json!([{"name": "Halves", "exercises": [{"id": 1}]}, {"name": "Quarters", "exercises": [{"id": 2}]}]),
        ),
    ])
    .await;
}

// rows: E06 K06
#[tokio::test]
async fn targets_are_in_the_requested_schema_and_hidden_junctions_are_not_used() {
    let both = vec!["public".to_owned(), "library".to_owned()];
    let school = reading_with(Settings { schemas: both, ..settings() }).await;
    let library = |path: &'static str| school.call(Method::GET, path).header("accept-profile", "library");
    assert_eq!(library("/books?select=lessons(id)").await.error(), (400, "PGRST200"));
    assert_eq!(
        library("/books?select=title,titles(title)&id=eq.1").await.ok(),
        json!([{"title": "Cakes", "titles": {"title": "Fractions"}}]),
        "a view of a table of another schema"
    );
    refuse(&school, &["/lessons?select=books(id)", "/subjects?select=rooms(id)"]).await;
    assert_eq!(
        school.get("/tags?select=id,rooms(id)&id=eq.1&rooms.order=id").await.ok(),
        json!([{"id": 1, "rooms": [{"id": 1}, {"id": 2}]}]),
        "a view of a hidden junction"
    );
    assert_eq!(school.get("/shown?select=word").await.ok(), json!([{"word": "hush"}]));
}

// rows: E07
#[tokio::test]
async fn views_have_the_relationships_of_the_columns_they_show() {
    let school = reading().await;
    give(
        &school,
        vec![
            (
                "/lesson_list?select=title,subjects(name),chapters(number)&lesson=eq.2",
                json!([{"title": "Light", "subjects": {"name": "Science"}, "chapters": [{"number": 1}]}]),
            ),
            (
                "/chapter_list?select=name,lessons(id),lesson_list(lesson)&lesson=eq.2",
                json!([{"name": "Rays", "lessons": {"id": 2}, "lesson_list": {"lesson": 2}}]),
            ),
            (
                "/chapters?select=name,lesson_list(title)&lesson_id=eq.2",
                json!([{"name": "Rays", "lesson_list": {"title": "Light"}}]),
            ),
        ],
    )
    .await;
    refuse(
        &school,
        &[
            "/lesson_half?select=subjects(name)",
            "/exercise_half?select=chapters(name)",
            "/lesson_counts?select=chapters(name)",
        ],
    )
    .await;
}

// rows: E08
#[tokio::test]
async fn views_of_views_where_those_between_are_searched() {
    let school = reading().await;
    give(
        &school,
        vec![(
            "/lesson_deep?select=title,subjects(name),chapters(number)&lesson=eq.2",
            json!([{"title": "Light", "subjects": {"name": "Science"}, "chapters": [{"number": 1}]}]),
        )],
    )
    .await;
    refuse(&school, &["/lesson_through?select=subjects(name)"]).await;
    let path = vec!["public".to_owned(), "unseen".to_owned()];
    let school = reading_with(Settings { extra_search_path: path, ..settings() }).await;
    give(
        &school,
        vec![(
            "/lesson_through?select=id,subjects(name)&id=eq.2",
            json!([{"id": 2, "subjects": {"name": "Science"}}]),
        )],
    )
    .await;
}

// rows: E09 E11
#[tokio::test]
async fn a_column_shown_twice_gives_two_relationships_and_one_key() {
    let school = reading().await;
    let several = school.get("/lesson_twice?select=subjects(name)").await;
    assert_eq!(several.error(), (300, "PGRST201"));
    assert_eq!(several.json()["details"].as_array().map(Vec::len), Some(2));
    give(
        &school,
        vec![(
            "/lesson_twice?select=id,one:subjects!subject(id),two:subjects!topic(id)&id=eq.2",
            json!([{"id": 2, "one": {"id": 2}, "two": {"id": 2}}]),
        )],
    )
    .await;
    let put = |path: &'static str, body| school.call(Method::PUT, path).json(body);
    assert_eq!(put("/lesson_twice?number=eq.2", json!({"number": 2})).await.status, 405);
    assert_eq!(put("/lesson_list?lesson=eq.2", json!({"lesson": 2, "title": "Ray"})).await.status, 204);
    let two = school.call(Method::PUT, "/booked?room=eq.1").json(json!({"room": 1})).await;
    assert_eq!(two.error(), (405, "PGRST105"), "it shows the keys of two tables");
}

// rows: E10
#[tokio::test]
async fn materialized_views_have_relationships_and_unions_have_none() {
    let school = reading().await;
    give(
        &school,
        vec![(
            "/lesson_cards?select=id,subjects(name),chapters(number)&id=eq.2",
            json!([{"id": 2, "subjects": {"name": "Science"}, "chapters": [{"number": 1}]}]),
        )],
    )
    .await;
    refuse(&school, &["/everybody?select=payments(id)"]).await;
}

// rows: E12
#[tokio::test]
async fn partitioned_tables_have_the_keys_of_the_parent_alone() {
    let school = reading().await;
    give(&school, vec![
        (
            "/bookings?select=seats,rooms(name)&room_id=eq.2",
            json!([{"seats": 30, "rooms": {"name": "Hall"}}]),
        ),
        (
            "/rooms?select=name,bookings(seats)&bookings.order=seats&order=id",
            json!([{"name": "Lab", "bookings": [{"seats": 10}, {"seats": 12}]}, {"name": "Hall", "bookings": [{"seats": 30}]}]),
        ),
    ])
    .await;
    refuse(&school, &["/rooms?select=bookings_2024(seats)"]).await;
}

// rows: E13
#[tokio::test]
async fn functions_of_a_row_are_relationships() {
    let school = reading().await;
    give(&school, vec![
        (
            "/lessons?select=id,first_chapter(name),all_chapters(number),main_subject(name)&id=eq.1&all_chapters.order=number",
            json!([{
                "id": 1,
                "first_chapter": {"name": "Halves"},
                "all_chapters": [{"number": 1}, {"number": 2}],
                "main_subject": {"name": "Maths"}
            }]),
        ),
        (
            "/lessons?select=id,all_chapters!inner(number)&all_chapters.number=eq.2",
            json!([{"id": 1, "all_chapters": [{"number": 2}]}]),
        ),
    ])
    .await;
    refuse(&school, &["/lessons?select=secret_of(word)", "/lessons?select=spot_of(x)"]).await;
}

// rows: E14
#[tokio::test]
async fn a_function_named_like_the_target_wins() {
    let school = school().await;
    let before = school.get("/lessons?select=chapters(number)&id=eq.1").await.ok();
    assert_eq!(before, json!([{"chapters": [{"number": 1}, {"number": 2}]}]));
    school
        .sql("create function public.chapters(public.lessons) returns setof public.chapters rows 1 stable language sql as $$ select * from public.chapters where number = 2 and lesson_id = $1.id $$")
        .await;
    assert!(school.state.load().await);
    let after = school.get("/lessons?select=chapters(number)&id=eq.1").await.ok();
    assert_eq!(after, json!([{"chapters": {"number": 2}}]));
}

// rows: E15 E16
#[tokio::test]
async fn functions_lead_on_from_views_results_and_writes() {
    let school = reading().await;
    give(
        &school,
        vec![
            (
                "/lesson_list?select=lesson,list_tags(label)&lesson=eq.1&list_tags.order=id",
                json!([{"lesson": 1, "list_tags": [{"label": "new"}, {"label": "old"}]}]),
            ),
            (
                "/rpc/lessons_of?subject=1&select=id,first_chapter(name)",
                json!([{"id": 1, "first_chapter": {"name": "Halves"}}]),
            ),
            (
                "/rpc/lessons_of?subject=1&select=title,chapters(number)&chapters.order=number",
                json!([{"title": "Fractions", "chapters": [{"number": 1}, {"number": 2}]}]),
            ),
        ],
    )
    .await;
    let written = school.patch("/lessons?id=eq.1&select=id,first_chapter(name)", json!({"grade": 4}));
    assert_eq!(written.representation().await.ok(), json!([{"id": 1, "first_chapter": {"name": "Halves"}}]));
}

// rows: E17
#[tokio::test]
async fn relations_refer_to_themselves() {
    let school = reading().await;
    give(
        &school,
        vec![
            (
                "/teams?select=name,up:boss_id(name,up:boss_id(name))&id=eq.3",
                json!([{"name": "Far north", "up": {"name": "North", "up": {"name": "All"}}}]),
            ),
            (
                "/teams?select=name,down:teams(name,down:teams(name))&id=eq.1",
                json!([{"name": "All", "down": [{"name": "North", "down": [{"name": "Far north"}]}]}]),
            ),
            (
                "/staff?select=name,led:staff!boss_id(name)&id=eq.1&led.order=id",
                json!([{"name": "Asha", "led": [{"name": "Bina"}, {"name": "Chand"}]}]),
            ),
            (
                "/staff?select=name,taught:staff!mentor_id(name),boss:boss_id(name)&id=eq.2",
                json!([{"name": "Bina", "taught": [{"name": "Chand"}], "boss": {"name": "Asha"}}]),
            ),
            (
                "/staff?select=name,juniors(name,juniors(name))&id=eq.1",
                json!([{"name": "Asha", "juniors": [{"name": "Bina", "juniors": [{"name": "Chand"}]}]}]),
            ),
        ],
    )
    .await;
    assert_eq!(school.get("/staff?select=staff(name)").await.error(), (300, "PGRST201"));
}

// rows: J06 V09
#[tokio::test]
async fn relations_nest_deep_and_no_deeper() {
    let school = reading().await;
    let nested = |levels: usize| format!("{}name{}", "boss_id(".repeat(levels), ")".repeat(levels));
    let deep = school.get(&format!("/teams?id=eq.3&select={}", nested(50))).await;
    assert_eq!(deep.ok()[0]["boss_id"]["boss_id"]["boss_id"], json!(null));
    let too_deep = school.get(&format!("/teams?select={}", nested(5_000))).await;
    assert_eq!(too_deep.error(), (400, "PGRST100"));
    let many =
        school.get(&format!("/teams?id=eq.1&select={}name{}", "teams(".repeat(20), ")".repeat(20))).await;
    assert_eq!(many.ok()[0]["teams"][0]["teams"][0]["teams"], json!([]));
}
