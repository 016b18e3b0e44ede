//! Embedded relations (rest.md sections 7 to 9).

use serde_json::{Value, json};

use crate::support::{School, school};

async fn rows(school: &School, path: &str) -> Value {
    school.get(path).await.ok()
}

#[tokio::test]
async fn rest_e01_to_e04_relations_are_embedded_by_their_keys() {
    let school = school().await;
    for (path, expected) in [
        (
            "/chapters?select=name,lessons(title)&lesson_id=eq.2",
            json!([{"name": "Rays", "lessons": {"title": "Light"}}]),
        ),
        (
            "/lessons?select=id,chapters(name)&id=in.(1,3)&order=id&chapters.order=number.desc",
            json!([{"id": 1, "chapters": [{"name": "Quarters"}, {"name": "Halves"}]}, {"id": 3, "chapters": []}]),
        ),
        (
            "/lessons?select=id,plans(text)&id=in.(1,2)&order=id",
            json!([{"id": 1, "plans": {"text": "Cut a cake."}}, {"id": 2, "plans": null}]),
        ),
        ("/plans?select=lessons(id)", json!([{"lessons": {"id": 1}}])),
        (
            "/tags?select=label,lessons(id)&lessons.order=id",
            json!([{"label": "new", "lessons": [{"id": 1}]}, {"label": "old", "lessons": [{"id": 1}, {"id": 2}]}]),
        ),
        (
            "/subjects?select=name,up:parent_id(name)&id=eq.3",
            json!([{"name": "Algebra", "up": {"name": "Maths"}}]),
        ),
        (
            "/subjects?select=name,down:subjects(name)&id=eq.1",
            json!([{"name": "Maths", "down": [{"name": "Algebra"}]}]),
        ),
        (
            "/subjects?select=name,lessons!subject_id(title,chapters(number))&id=eq.1",
            json!([{"name": "Maths", "lessons": [{"title": "Fractions", "chapters": [{"number": 1}, {"number": 2}]}]}]),
        ),
        (
            "/lessons?select=a:subjects!subject_id(id),b:subjects!lessons_editor_fkey(id)&id=eq.1",
            json!([{"a": {"id": 1}, "b": {"id": 2}}]),
        ),
        (
            "/lessons?select=id,first_chapter(name)&id=eq.1",
            json!([{"id": 1, "first_chapter": {"name": "Halves"}}]),
        ),
    ] {
        assert_eq!(rows(&school, path).await, expected, "{path}");
    }
}

#[tokio::test]
async fn rest_e07_views_have_the_relationships_of_their_tables() {
    let school = school().await;
    assert_eq!(
        rows(&school, "/lesson_list?select=title,subjects(name),chapters(number)&lesson=eq.2").await,
        json!([{"title": "Light", "subjects": {"name": "Science"}, "chapters": [{"number": 1}]}])
    );
    let put = school
        .ask(http::Method::PUT, "/lesson_list?lesson=eq.2")
        .json(json!({"lesson": 2, "title": "Ray"}))
        .send()
        .await;
    assert_eq!(put.status, 204, "rest_e11: {}", put.text);
}

#[tokio::test]
async fn rest_j13_to_j17_joins_and_null_filters_choose_parents() {
    let school = school().await;
    for (query, expected) in [
        ("select=id,chapters!inner(name)", json!([1, 2])),
        ("select=id,chapters!inner(name)&chapters.number=eq.2", json!([1])),
        ("select=id,chapters(name)&chapters.number=eq.2", json!([1, 2, 3, 4])),
        ("select=id,subjects!subject_id!inner(name)&subjects.name=eq.Science", json!([2, 3])),
        ("select=id,chapters()&chapters=not.is.null", json!([1, 2])),
        ("select=id,chapters()&chapters=is.null", json!([3, 4])),
        ("select=id,plans(text)&plans=is.null", json!([2, 3, 4])),
        ("select=id,chapters(),plans()&or=(plans.not.is.null,chapters.not.is.null)", json!([1, 2])),
        ("select=id,tags!inner(label)&tags.label=eq.new", json!([1])),
    ] {
        let reply = school
            .ask(http::Method::GET, &format!("/lessons?{query}&order=id"))
            .prefer("count=exact")
            .send()
            .await;
        let ids: Vec<Value> =
            reply.ok().as_array().expect("rows").iter().map(|row| row["id"].clone()).collect();
        assert_eq!(json!(ids), expected, "{query}");
        let counted =
            reply.header("content-range").and_then(|range| range.split_once('/')).map(|(_, total)| total);
        assert_eq!(counted, Some(ids.len().to_string().as_str()), "count of {query}");
    }
}

#[tokio::test]
async fn rest_s13_an_empty_embed_shows_nothing() {
    let school = school().await;
    assert_eq!(rows(&school, "/lessons?select=id,chapters()&id=eq.1").await, json!([{"id": 1}]));
}

#[tokio::test]
async fn rest_j29_limits_apply_to_each_parent() {
    let school = school().await;
    let path = "/lessons?select=id,chapters(number)&chapters.order=number&chapters.limit=1&chapters.offset=1&id=in.(1,2)&order=id";
    assert_eq!(
        rows(&school, path).await,
        json!([{"id": 1, "chapters": [{"number": 2}]}, {"id": 2, "chapters": []}])
    );
}

#[tokio::test]
async fn rest_j07_to_j12_missing_and_ambiguous_relationships_are_explained() {
    let school = school().await;
    let none = school.get("/lessons?select=id,log(*)").await;
    assert_eq!(none.refusal(), (400, "PGRST200".to_owned()));
    assert_eq!(
        none.json()["details"],
        "Searched for a foreign key relationship between 'lessons' and 'log' in the schema 'public', but no matches were found."
    );
    let close = school.get("/lessons?select=id,chapter(*)").await.json();
    assert_eq!(close["hint"], "Perhaps you meant 'chapters' instead of 'chapter'.");
    let several = school.get("/lessons?select=id,subjects(*)").await;
    assert_eq!(several.refusal(), (300, "PGRST201".to_owned()));
    let error = several.json();
    assert_eq!(
        error["details"][0],
        json!({
            "cardinality": "many-to-one",
            "embedding": "lessons with subjects",
            "relationship": "lessons_editor_fkey using lessons(editor_subject_id) and subjects(id)"
        })
    );
    assert_eq!(
        error["hint"],
        "Try changing 'subjects' to one of the following: 'subjects!lessons_editor_fkey', \
         'subjects!lessons_subject_id_fkey'. Find the desired relationship in the 'details' key."
    );
    assert_eq!(school.get("/lessons?tags.id=eq.1").await.refusal(), (400, "PGRST108".to_owned()));
}

#[tokio::test]
async fn rest_d01_to_d11_spread_relations_lift_their_columns() {
    let school = school().await;
    for (path, expected) in [
        (
            "/chapters?select=name,...lessons(title,g:grade)&lesson_id=eq.2",
            json!([{"name": "Rays", "title": "Light", "g": 6}]),
        ),
        (
            "/chapters?select=name,...lessons(...subjects!subject_id(subject:name))&lesson_id=eq.2",
            json!([{"name": "Rays", "subject": "Science"}]),
        ),
        (
            "/lessons?select=id,...plans(text)&id=in.(1,2)&order=id",
            json!([{"id": 1, "text": "Cut a cake."}, {"id": 2, "text": null}]),
        ),
        (
            "/lessons?select=id,...chapters(number,name)&chapters.order=number.desc&id=in.(1,3)&order=id",
            json!([{"id": 1, "number": [2, 1], "name": ["Quarters", "Halves"]}, {"id": 3, "number": [], "name": []}]),
        ),
        ("/lessons?select=id,...tags!inner(label)&tags.label=eq.new", json!([{"id": 1, "label": ["new"]}])),
        (
            "/lessons?select=id,...chapters(*)&id=eq.2",
            json!([{"id": 2, "lesson_id": [2], "number": [1], "name": ["Rays"]}]),
        ),
        ("/lessons?select=id,...chapters()&id=eq.1", json!([{"id": 1}])),
    ] {
        assert_eq!(rows(&school, path).await, expected, "{path}");
    }
}
