//! Embedded relations: names, joins, shapes (CONTRACT.md J01 to J29, D01 to D11).

use banyan_rest::Settings;
use banyan_testkit::Answer;
use http::Method;
use serde_json::{Value, json};

use crate::support::{Preferring, School, reading, reading_with, school, settings};

/// Each path gives these rows.
async fn give(school: &School, table: Vec<(&str, Value)>) {
    for (path, expected) in table {
        assert_eq!(school.get(path).await.ok(), expected, "{path}");
    }
}

// rows: J01 J02 J03 J05
#[tokio::test]
async fn targets_are_relations_keys_or_columns() {
    let school = school().await;
    give(
        &school,
        vec![
            ("/chapters?select=lessons(id)&lesson_id=eq.2", json!([{"lessons": {"id": 2}}])),
            (
                "/chapters?select=chapters_lesson_id_fkey(id)&lesson_id=eq.2",
                json!([{"chapters_lesson_id_fkey": {"id": 2}}]),
            ),
            ("/chapters?select=lesson_id(id)&lesson_id=eq.2", json!([{"lesson_id": {"id": 2}}])),
            ("/chapters?select=of:lesson_id(id)&lesson_id=eq.2", json!([{"of": {"id": 2}}])),
            (
                "/chapters?select=lesson_list(title)&lesson_id=eq.2",
                json!([{"lesson_list": {"title": "Light"}}]),
            ),
        ],
    )
    .await;
    let view = school.get("/lesson_list?select=chapters_lesson_id_fkey(number)&lesson=eq.2").await;
    assert_eq!(view.ok(), json!([{"chapters_lesson_id_fkey": [{"number": 1}]}]), "the target is a table");
}

// rows: J04
#[tokio::test]
async fn hints_are_keys_columns_of_either_side_or_junctions() {
    let school = school().await;
    for hint in ["lessons_editor_fkey", "editor_subject_id"] {
        let path = format!("/lessons?select=subjects!{hint}(id)&id=eq.1");
        assert_eq!(school.get(&path).await.ok(), json!([{"subjects": {"id": 2}}]), "{hint}");
    }
    give(
        &school,
        vec![
            ("/subjects?select=lessons!editor_subject_id(id)&id=eq.2", json!([{"lessons": [{"id": 1}]}])),
            ("/lessons?select=tags!lesson_tags(id)&id=eq.2", json!([{"tags": [{"id": 2}]}])),
            ("/lessons?select=tags!lesson_tags!inner(id)&tags.id=eq.1", json!([{"tags": [{"id": 1}]}])),
        ],
    )
    .await;
}

// rows: J06
#[tokio::test]
async fn every_level_has_its_own_select_filters_order_and_limit() {
    let school = school().await;
    let path = "/subjects?select=name,lessons!subject_id(title,chapters(number))&id=in.(1,2)&order=id\
                &lessons.order=id.desc&lessons.limit=1&lessons.chapters.number=gt.0&lessons.chapters.order=number.desc";
    assert_eq!(
        school.get(path).await.ok(),
        json!([
            {"name": "Maths", "lessons": [{"title": "Fractions", "chapters": [{"number": 2}, {"number": 1}]}]},
            {"name": "Science", "lessons": [{"title": "Heat, \"warm\"", "chapters": []}]}
        ])
    );
}

// rows: J07 J08 PGRST200
#[tokio::test]
async fn missing_relationships_are_explained() {
    let school = school().await;
    let none = school.get("/lessons?select=id,log(*)").await;
    assert_eq!(none.error(), (400, "PGRST200"));
    let error = none.json();
    assert_eq!(
        error["message"],
        "Could not find a relationship between 'lessons' and 'log' in the schema cache"
    );
    assert_eq!(
        error["details"],
        "Searched for a foreign key relationship between 'lessons' and 'log' in the schema 'public', but no matches were found."
    );
    assert_eq!(error["hint"], Value::Null, "nothing is close");
    let close = school.get("/lessons?select=id,chapter(*)").await.json();
    assert_eq!(close["hint"], "Perhaps you meant 'chapters' instead of 'chapter'.");
    let hinted = school.get("/lessons?select=id,chapters!nope(*)").await.json();
    assert_eq!(
        hinted["details"],
        "Searched for a foreign key relationship between 'lessons' and 'chapters' using the hint 'nope' in the schema \
         'public', but no matches were found."
    );
    assert_eq!(hinted["hint"], Value::Null, "both exist");
}

// rows: J09 J10 J11 J12 PGRST201
#[tokio::test]
async fn ambiguous_relationships_are_listed() {
    let school = reading().await;
    let several = school.get("/lessons?select=id,subjects(*)").await;
    assert_eq!(several.error(), (300, "PGRST201"));
    let error = several.json();
    assert_eq!(
        error["message"],
        "Could not embed because more than one relationship was found for 'lessons' and 'subjects'"
    );
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
    let back = school.get("/subjects?select=id,lessons(*)").await.json();
    assert_eq!(back["details"][1]["cardinality"], "one-to-many");
    assert_eq!(
        back["details"][1]["relationship"],
        "lessons_subject_id_fkey using subjects(id) and lessons(subject_id)"
    );
    school
        .sql(
            "create table public.lesson_labels (lesson_id int references public.lessons (id), \
             tag_id int references public.tags (id), primary key (lesson_id, tag_id)); \
             alter table public.badges add column plan_id int unique references public.lessons (id);",
        )
        .await;
    assert!(school.state.load().await);
    let through = school.get("/lessons?select=id,tags(*)").await.json();
    assert_eq!(
        through["details"],
        json!([
            {
                "cardinality": "many-to-many",
                "embedding": "lessons with tags",
                "relationship": "lesson_labels using lesson_labels_lesson_id_fkey(lesson_id) and lesson_labels_tag_id_fkey(tag_id)"
            },
            {
                "cardinality": "many-to-many",
                "embedding": "lessons with tags",
                "relationship": "lesson_tags using lesson_tags_lesson_id_fkey(lesson_id) and lesson_tags_tag_id_fkey(tag_id)"
            }
        ])
    );
    assert_eq!(
        through["hint"],
        "Try changing 'tags' to one of the following: 'tags!lesson_labels', 'tags!lesson_tags'. Find the desired \
         relationship in the 'details' key."
    );
    let one = school.get("/badges?select=lessons(*)").await.json();
    assert_eq!(one["details"][0]["cardinality"], "one-to-one");
}

// rows: J13 J16 J17
#[tokio::test]
async fn joins_and_null_filters_choose_parents() {
    let school = school().await;
    for (query, expected) in [
        ("select=id,chapters!inner(name)", vec![1, 2]),
        ("select=id,chapters!left(name)", vec![1, 2, 3, 4]),
        ("select=id,chapters!inner(name)&chapters.number=eq.2", vec![1]),
        ("select=id,chapters(name)&chapters.number=eq.2", vec![1, 2, 3, 4]),
        ("select=id,subjects!subject_id!inner(name)&subjects.name=eq.Science", vec![2, 3]),
        (
            "select=id,subjects!subject_id!inner(id,l:lessons!subject_id!inner(id))&subjects.l.title=eq.Light",
            vec![2, 3],
        ),
        ("select=id,chapters()&chapters=not.is.null", vec![1, 2]),
        ("select=id,chapters()&chapters=is.null", vec![3, 4]),
        ("select=id,chapters()&chapters.number=eq.2&chapters=is.null", vec![2, 3, 4]),
        ("select=id,c:chapters(name)&c=not.is.null", vec![1, 2]),
        ("select=id,plans(text)&plans=is.null", vec![2, 3, 4]),
        ("select=id,chapters(),plans()&or=(plans.not.is.null,chapters.not.is.null)", vec![1, 2]),
        (
            "select=id,chapters(),tags()&chapters.number=eq.2&tags.label=eq.old&or=(chapters.not.is.null,tags.not.is.null)",
            vec![1, 2],
        ),
        ("select=id,tags!inner(label)&tags.label=eq.new", vec![1]),
    ] {
        let path = format!("/lessons?{query}&order=id");
        let reply = school.call(Method::GET, &path).prefer("count=exact").await;
        let ids: Vec<i64> =
            reply.ok().as_array().expect("rows").iter().filter_map(|row| row["id"].as_i64()).collect();
        assert_eq!(ids, expected, "{query}");
        let counted =
            reply.header("content-range").and_then(|range| range.split_once('/')).map(|(_, total)| total);
        assert_eq!(counted, Some(ids.len().to_string().as_str()), "count of {query}");
    }
}

// rows: J21
#[tokio::test]
async fn other_operators_on_an_embed_are_about_a_column() {
    let school = school().await;
    for filter in ["chapters=eq.1", "chapters=is.not_null", "chapters=is.true", "chapters=in.(1)"] {
        let reply = school.get(&format!("/lessons?select=id,chapters(name)&{filter}")).await;
        assert_eq!(reply.error(), (400, "42703"), "{filter}");
    }
}

// rows: J22 PGRST108
#[tokio::test]
async fn paths_lead_to_what_is_embedded() {
    let school = school().await;
    for query in [
        "tags.id=eq.1",
        "tags.order=id",
        "tags.limit=1",
        "tags.or=(id.eq.1)",
        "select=chapters(name)&chapters.tags.id=eq.1",
    ] {
        let reply = school.get(&format!("/lessons?{query}")).await;
        assert_eq!(reply.error(), (400, "PGRST108"), "{query}");
        let error = reply.json();
        assert_eq!(error["message"], "'tags' is not an embedded resource in this request");
        assert_eq!(error["hint"], "Verify that 'tags' is included in the 'select' query parameter.");
    }
}

fn warning(reply: &Answer) -> Option<&str> {
    reply.header("warning").and_then(|text| text.split_once('"')).map(|(_, text)| text)
}

// rows: J23 J24
#[tokio::test]
async fn the_target_of_an_aliased_embed_is_an_old_name_for_it() {
    let school = school().await;
    let path = "/lessons?select=id,c:chapters(number)&id=eq.1&chapters.number=eq.2&chapters.order=number";
    let old = school.get(path).await;
    assert_eq!(old.ok(), json!([{"id": 1, "c": [{"number": 2}]}]));
    assert!(old.header("warning").is_some_and(|text| text.starts_with("299 PostgRESTv")), "{old:?}");
    assert_eq!(
        warning(&old),
        Some(
            "Embedded resource was referenced by relation name even though it has an alias. This is deprecated and \
             will stop working in a future release. Update `chapters` to `c` in query string filters, orders or limits.\""
        )
    );
    let two =
        school.get("/lessons?select=id,c:chapters(number),t:tags(id)&tags.id=eq.1&chapters.limit=1").await;
    assert!(
        warning(&two).is_some_and(|text| text.contains("Update `chapters` to `c`, `tags` to `t` in")),
        "{two:?}"
    );
    let new = school.get("/lessons?select=id,c:chapters(number)&id=eq.1&c.number=eq.2").await;
    assert_eq!((new.ok(), warning(&new)), (json!([{"id": 1, "c": [{"number": 2}]}]), None));

    let strict = crate::support::school_with(Settings { legacy_target_names: false, ..settings() }).await;
    let refused = strict.get(path).await;
    assert_eq!(refused.error(), (400, "PGRST108"));
    let error = refused.json();
    assert_eq!(error["message"], "'chapters' is not an embedded resource in this request");
    assert_eq!(error["details"], "Target names are not allowed in filters if they have an alias");
    assert_eq!(error["hint"], "Change 'chapters' to 'c' in filters, orders or limits.");
}

// rows: J25
#[tokio::test]
async fn one_relation_plain_and_under_an_alias_is_filtered_apart() {
    for legacy_target_names in [false, true] {
        let school = crate::support::school_with(Settings { legacy_target_names, ..settings() }).await;
        for select in ["a:chapters(number),chapters(number)", "chapters(number),a:chapters(number)"] {
            let path = format!("/lessons?id=eq.1&select={select}&chapters.number=eq.1&a.number=eq.2");
            let reply = school.get(&path).await;
            assert_eq!(reply.ok(), json!([{"a": [{"number": 2}], "chapters": [{"number": 1}]}]), "{select}");
            assert_eq!(warning(&reply), None);
        }
    }
}

// rows: J26
#[tokio::test]
async fn writes_return_embedded_relations_without_showing_the_join_columns() {
    let school = school().await;
    let made = school
        .post("/chapters?select=name,lessons(title)", json!({"lesson_id": 3, "number": 1, "name": "Fire"}));
    assert_eq!(
        made.representation().await.json(),
        json!([{"name": "Fire", "lessons": {"title": "Heat, \"warm\""}}])
    );
    let changed = school.patch(
        "/lessons?id=eq.1&select=title,tags(label),chapters(number)&tags.order=id&chapters.order=number",
        json!({"grade": 7}),
    );
    assert_eq!(
        changed.representation().await.ok(),
        json!([{"title": "Fractions", "tags": [{"label": "new"}, {"label": "old"}], "chapters": [{"number": 1}, {"number": 2}]}])
    );
    let gone = school.call(Method::DELETE, "/chapters?lesson_id=eq.2&select=...lessons(title)");
    assert_eq!(gone.representation().await.ok(), json!([{"title": "Light"}]));
}

// rows: J27 E16
#[tokio::test]
async fn results_of_functions_embed_by_the_keys_of_their_table() {
    let school = school().await;
    let expected = json!([
        {"id": 2, "subject": {"name": "Science"}, "tags": [{"id": 2}]},
        {"id": 3, "subject": {"name": "Science"}, "tags": []}
    ]);
    let select = "select=id,subject:subjects!subject_id(name),tags(id)&order=id";
    assert_eq!(school.get(&format!("/rpc/lessons_of?subject=2&{select}")).await.ok(), expected);
    let posted = school.post(&format!("/rpc/lessons_of?{select}"), json!({"subject": 2})).await;
    assert_eq!(posted.ok(), expected);
}

// rows: J29
#[tokio::test]
async fn limits_apply_to_each_parent() {
    let school = school().await;
    let path = "/lessons?select=id,chapters(number)&chapters.order=number.desc&chapters.limit=1&id=in.(1,2)&order=id";
    assert_eq!(
        school.get(path).await.ok(),
        json!([{"id": 1, "chapters": [{"number": 2}]}, {"id": 2, "chapters": [{"number": 1}]}])
    );
}

// rows: D01 D03
#[tokio::test]
async fn columns_of_to_one_relations_are_lifted() {
    let school = reading().await;
    give(&school, vec![
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
            "/lessons?select=id,lesson_tags(...tags(label))&id=eq.1&lesson_tags.order=tag_id",
            json!([{"id": 1, "lesson_tags": [{"label": "new"}, {"label": "old"}]}]),
        ),
        (
            "/chapters?select=name,...lessons(*)&lesson_id=eq.2&name=eq.Rays&lessons.id=eq.9",
            json!([{
                "name": "Rays", "id": null, "title": null, "grade": null, "level": null, "subject_id": null,
                "editor_subject_id": null, "data": null, "words": null, "tags": null, "odd name": null
            }]),
        ),
        (
            "/chapters?select=name,...lessons(subjects!subject_id(name))&lesson_id=eq.2",
            json!([{"name": "Rays", "subjects": {"name": "Science"}}]),
        ),
    ])
    .await;
    let twice = school.get("/chapters?select=name,...lessons(name:title)&lesson_id=eq.2").await;
    assert_eq!(twice.text().matches("\"name\":").count(), 2, "{}", twice.text());
}

// rows: D04 D05
#[tokio::test]
async fn columns_of_to_many_relations_become_arrays_in_their_order() {
    let school = school().await;
    give(&school, vec![
        (
            "/lessons?select=id,...chapters(number,name)&chapters.order=number.desc&id=in.(1,3)&order=id",
            json!([{"id": 1, "number": [2, 1], "name": ["Quarters", "Halves"]}, {"id": 3, "number": [], "name": []}]),
        ),
        (
            "/subjects?select=id,...lessons!subject_id(title,level)&lessons.order=grade.desc,id.desc&id=eq.2",
            json!([{"id": 2, "title": ["Heat, \"warm\"", "Light"], "level": ["easy", "hard"]}]),
        ),
    ])
    .await;
    school.sql("update public.chapters set name = null where lesson_id = 1 and number = 1").await;
    give(&school, vec![
        (
            "/lessons?select=...chapters(name)&chapters.order=number&id=eq.1",
            json!([{"name": [null, "Quarters"]}]),
        ),
        (
            "/tags?select=id,...lesson_tags(lessons(title))&lesson_tags.order=lessons(title).desc&id=eq.2",
            json!([{"id": 2, "lessons": [{"title": "Light"}, {"title": "Fractions"}]}]),
        ),
    ])
    .await;
    assert_eq!(school.get("/lessons?select=...x:chapters(name)").await.error(), (400, "PGRST100"));
}

// rows: D06
#[tokio::test]
async fn to_many_relations_within_each_other_nest_their_arrays() {
    let school = school().await;
    give(&school, vec![
        (
            "/lessons?select=id,...chapters(*)&id=eq.2",
            json!([{"id": 2, "lesson_id": [2], "number": [1], "name": ["Rays"]}]),
        ),
        (
            "/subjects?select=id,...lessons!subject_id(chapters(number))&id=eq.1&lessons.chapters.order=number",
            json!([{"id": 1, "chapters": [[{"number": 1}, {"number": 2}]]}]),
        ),
        (
            "/subjects?select=id,...lessons!subject_id(title,...chapters(number))&id=in.(1,2)&order=id&lessons.order=id&lessons.chapters.order=number",
            json!([
                {"id": 1, "title": ["Fractions"], "number": [[1, 2]]},
                {"id": 2, "title": ["Light", "Heat, \"warm\""], "number": [[1], []]}
            ]),
        ),
    ])
    .await;
    let star = school.get("/tags?select=n:id,...lesson_tags(...tags(*))&id=eq.1").await.ok();
    assert_eq!(star, json!([{"n": 1, "id": [1], "label": ["new"]}]));
}

// rows: D08
#[tokio::test]
async fn lifted_relations_join_and_filter_as_embedded_ones() {
    let school = reading().await;
    give(
        &school,
        vec![
            (
                "/lessons?select=id,...tags!inner(label)&tags.label=eq.new",
                json!([{"id": 1, "label": ["new"]}]),
            ),
            (
                "/lessons?select=id,...chapters(number)&chapters=is.null&order=id",
                json!([
                    {"id": 3, "number": []}, {"id": 4, "number": []}
                ]),
            ),
            (
                "/lessons?select=id,...chapters(number)&chapters.limit=1&chapters.order=number.desc&id=eq.1",
                json!([
                    {"id": 1, "number": [2]}
                ]),
            ),
            ("/lessons?select=id,...plans!inner(text)", json!([{"id": 1, "text": "Cut a cake."}])),
            (
                "/lessons?select=id,...all_chapters(number)&all_chapters.order=number&id=eq.1",
                json!([
                    {"id": 1, "number": [1, 2]}
                ]),
            ),
            ("/lessons?select=id,...first_chapter(number)&id=eq.1", json!([{"id": 1, "number": 1}])),
            ("/teams?select=name,...teams(n:name)&id=eq.1", json!([{"name": "All", "n": ["North"]}])),
            ("/teams?select=name,...boss_id(n:name)&id=eq.2", json!([{"name": "North", "n": "All"}])),
            (
                "/lesson_list?select=lesson,...subjects(name)&lesson=eq.2",
                json!([{"lesson": 2, "name": "Science"}]),
            ),
        ],
    )
    .await;
}

// rows: D10 D11 PGRST127
#[tokio::test]
async fn aggregates_are_not_lifted_out_of_many_and_nothing_out_of_nothing() {
    let school = reading_with(Settings { aggregates: true, ..settings() }).await;
    for select in ["id,...chapters(number.sum())", "id,...chapters(...lessons(id.max()))"] {
        let reply = school.get(&format!("/lessons?select={select}")).await;
        assert_eq!(reply.error(), (400, "PGRST127"), "{select}");
        assert_eq!(reply.json()["message"], "Feature not implemented");
        assert_eq!(
            reply.json()["details"],
            "Aggregates are not implemented for one-to-many or many-to-many spreads."
        );
    }
    give(
        &school,
        vec![
            ("/lessons?select=id,...chapters()&id=eq.1", json!([{"id": 1}])),
            ("/chapters?select=name,...lessons()&lesson_id=eq.2", json!([{"name": "Rays"}])),
        ],
    )
    .await;
}
