//! Aggregates (CONTRACT.md A01 to A12).

use banyan_rest::Settings;
use serde_json::{Value, json};

use crate::support::{Preferring, School, reading, reading_with, settings};

async fn counting() -> School {
    reading_with(Settings { aggregates: true, ..settings() }).await
}

/// Each select of payments gives these rows.
async fn give(school: &School, table: Vec<(&str, Value)>) {
    for (query, expected) in table {
        assert_eq!(school.get(&format!("/payments?{query}")).await.ok(), expected, "{query}");
    }
}

// rows: A01 PGRST123
#[tokio::test]
async fn aggregates_have_to_be_switched_on() {
    let school = reading().await;
    for path in [
        "/payments?select=amount.sum()",
        "/payments?select=count()",
        "/subjects?select=id,payments(amount.sum())",
        "/payments?select=kind,...subjects(id.max())",
    ] {
        let reply = school.get(path).await;
        assert_eq!(reply.error(), (400, "PGRST123"), "{path}");
        assert_eq!(reply.json()["message"], "Use of aggregate functions is not allowed");
    }
}

// rows: A02 A03 A07
#[tokio::test]
async fn values_are_added_up_under_their_name_or_alias() {
    let school = counting().await;
    give(
        &school,
        vec![
            ("select=amount.sum()", json!([{"sum": 35.5}])),
            ("select=amount.avg()::float8", json!([{"avg": 11.833333333333334}])),
            ("select=amount.max(),amount.min()", json!([{"max": 20, "min": 5}])),
            ("select=amount.count(),rows:count()", json!([{"count": 3, "rows": 4}])),
            ("select=total:amount.sum(),n:count()", json!([{"total": 35.5, "n": 4}])),
            ("select=count()&kind=eq.fee", json!([{"count": 2}])),
            ("select=count()&kind=eq.none", json!([{"count": 0}])),
        ],
    )
    .await;
}

// rows: A04 A05
#[tokio::test]
async fn values_and_results_are_cast_and_json_is_opened() {
    let school = counting().await;
    give(
        &school,
        vec![
            ("select=amount::int.sum()", json!([{"sum": 36}])),
            ("select=amount.sum()::int", json!([{"sum": 36}])),
            ("select=n:amount::int.sum()::text", json!([{"n": "36"}])),
            ("select=data->tax::numeric.sum()", json!([{"sum": 6}])),
            ("select=tax:data->>tax::int.max()", json!([{"tax": 3}])),
        ],
    )
    .await;
}

// rows: A06
#[tokio::test]
async fn rows_are_grouped_by_what_is_no_aggregate() {
    let school = counting().await;
    give(
        &school,
        vec![
            (
                "select=kind,amount.sum()&order=kind",
                json!([{"kind": "fee", "sum": 30.5}, {"kind": "gift", "sum": 5}]),
            ),
            (
                "select=k:kind,room_id,count()&order=kind,room_id.nullslast",
                json!([
                    {"k": "fee", "room_id": 1, "count": 1},
                    {"k": "fee", "room_id": 2, "count": 1},
                    {"k": "gift", "room_id": 1, "count": 1},
                    {"k": "gift", "room_id": null, "count": 1}
                ]),
            ),
        ],
    )
    .await;
    for (query, mut expected) in [
        (
            "select=data->>from,amount.sum()&subject_id=not.is.null",
            vec![json!({"from": "a", "sum": 15.5}), json!({"from": "b", "sum": 20})],
        ),
        (
            "select=amount.sum(),rooms(name)&room_id=not.is.null",
            vec![
                json!({"sum": 15.5, "rooms": {"name": "Lab"}}),
                json!({"sum": 20, "rooms": {"name": "Hall"}}),
            ],
        ),
        ("select=kind:id::text,count()&id=eq.1", vec![json!({"kind": "1", "count": 1})]),
    ] {
        let rows = school.get(&format!("/payments?{query}")).await.ok();
        let mut rows = rows.as_array().expect("rows").clone();
        rows.sort_by_key(Value::to_string);
        expected.sort_by_key(Value::to_string);
        assert_eq!(rows, expected, "{query}");
    }
    let many = school.get("/subjects?select=lessons!subject_id(id),count()&id=gt.0").await.ok();
    assert_eq!(many.as_array().map(Vec::len), Some(3));
}

// rows: A08
#[tokio::test]
async fn aggregates_within_an_embed_are_of_each_parent() {
    let school = counting().await;
    let path = "/subjects?select=id,payments(kind,amount.sum())&id=lt.3&order=id";
    assert_eq!(
        school.get(path).await.ok(),
        json!([
            {"id": 1, "payments": [{"kind": "fee", "sum": 30.5}]},
            {"id": 2, "payments": [{"kind": "gift", "sum": 5}]}
        ])
    );
    let path = "/subjects?select=id,payments(count())&order=id";
    assert_eq!(
        school.get(path).await.ok(),
        json!([
            {"id": 1, "payments": [{"count": 2}]},
            {"id": 2, "payments": [{"count": 1}]},
            {"id": 3, "payments": [{"count": 0}]}
        ])
    );
}

// rows: A09
#[tokio::test]
async fn aggregates_of_lifted_relations_are_of_the_parent_s_groups() {
    let school = counting().await;
    give(
        &school,
        vec![
            (
                "select=kind,...subjects(id.max(),n:id.count())&order=kind",
                json!([{"kind": "fee", "max": 1, "n": 2}, {"kind": "gift", "max": 2, "n": 1}]),
            ),
            ("select=...rooms(name,id.sum())&room_id=eq.1", json!([{"name": "Lab", "sum": 2}])),
            ("select=amount.sum(),...rooms(name)&room_id=eq.1", json!([{"sum": 15.5, "name": "Lab"}])),
            ("select=...subjects(total:id::numeric.sum()::text)&kind=eq.fee", json!([{"total": "2"}])),
        ],
    )
    .await;
    let deep = "/chapters?select=...lessons(...subjects!subject_id(name,id.count()))&lesson_id=eq.1";
    assert_eq!(school.get(deep).await.ok(), json!([{"name": "Maths", "count": 2}]));
    let inside = "/lessons?select=id,chapters(...lessons(id.sum()))&id=eq.1";
    assert_eq!(school.get(inside).await.ok(), json!([{"id": 1, "chapters": [{"sum": 2}]}]));
}

// rows: A10 S19
#[tokio::test]
async fn count_in_a_lifted_relation_counts_its_rows_and_star_is_written_out() {
    let school = counting().await;
    give(&school, vec![
        ("select=...subjects(count())", json!([{"count": 3}])),
        ("select=kind,...subjects(count())&order=kind", json!([
            {"kind": "fee", "count": 2}, {"kind": "gift", "count": 1}
        ])),
        ("select=*,count()&id=eq.3", json!([{
            "id": 3, "subject_id": 2, "room_id": 1, "kind": "gift", "amount": 5, "data": {"tax": 3, "from": "a"}, "count": 1
        }])),
        ("select=...rooms(*),count()&room_id=eq.1", json!([{"id": 1, "name": "Lab", "count": 2}])),
    ])
    .await;
}

// rows: A12
#[tokio::test]
async fn groups_are_not_ordered_by_aggregates() {
    let school = counting().await;
    for query in ["select=kind,amount.sum()&order=sum", "select=kind,amount.sum()&order=amount.sum()"] {
        let reply = school.get(&format!("/payments?{query}")).await;
        assert_eq!(reply.status, 400, "{query}");
    }
    let filtered = school.get("/payments?select=kind,amount.sum()&sum=gt.1").await;
    assert_eq!(filtered.error(), (400, "42703"), "there is no HAVING");
}

// rows: A02
#[tokio::test]
async fn results_of_functions_and_writes_are_added_up() {
    let school = counting().await;
    assert_eq!(
        school.get("/rpc/all_lessons?select=grade.max(),count()").await.ok(),
        json!([{"max": 6, "count": 4}])
    );
    let written = school.patch("/payments?kind=eq.fee&select=kind,amount.sum()", json!({"amount": 2}));
    assert_eq!(written.representation().await.ok(), json!([{"kind": "fee", "sum": 4}]));
}

// rows: A06 A09
#[tokio::test]
async fn json_beside_an_aggregate_is_grouped_by_what_it_holds() {
    let school = counting().await;
    school
        .sql(
            "create table public.clients (id int primary key, name text, doc json);
             create table public.projects (id int primary key, client_id int references public.clients);
             create table public.stages (id int primary key, project_id int references public.projects);
             create table public.orders (
                 id int primary key, project_id int references public.projects, amount int, note json
             );
             grant all on public.clients, public.projects, public.stages, public.orders to anon;
             insert into public.clients values (1, 'Asha', '{\"a\": 1}'), (2, 'Ravi', '{\"a\": 2}');
             insert into public.projects values (1, 1), (2, 2), (3, 1);
             insert into public.stages values (1, 1), (2, 2);
             insert into public.orders values
                (1, 1, 10, '{\"x\": 1}'), (2, 1, 5, '{\"x\":1}'), (3, 2, 7, '{\"x\": 2}'), (4, 3, 1, null);",
        )
        .await;
    assert!(school.state.load().await);
    school
        .sql(
            "create type public.pair as (n int, doc json);
             create domain public.document as json;
             alter table public.clients add docs json[], add pair public.pair, add shown public.document;
             update public.clients set docs = array[doc], pair = row(id, doc), shown = doc;
             create function public.label(public.orders) returns json language sql stable
                as $$ select json_build_object('big', $1.amount > 3) $$;
             create function public.words(public.orders) returns text language sql stable
                as $$ select 'order'::text $$;
             create function public.client_label(public.projects) returns json[] language sql stable
                as $$ select array[doc] from public.clients where id = $1.client_id $$;
             create function public.parts() returns table (n int, part json) language sql stable
                as $$ values (1, '{\"p\": 1}'::json), (2, '{\"p\":1}') $$;",
        )
        .await;
    assert!(school.state.load().await);
    let parts = school.get("/rpc/parts?select=n.sum(),part").await.ok();
    assert_eq!(parts, json!([{"sum": 3, "part": {"p": 1}}]));
    let ordered = school.get("/orders?select=amount.sum(),words&order=words").await.ok();
    assert_eq!(ordered, json!([{"sum": 23, "words": "order"}]), "what can be compared stays as it is");
    for (query, expected) in [
        (
            "select=amount.sum(),...projects(clients(name))",
            json!([{"sum": 16, "clients": {"name": "Asha"}}, {"sum": 7, "clients": {"name": "Ravi"}}]),
        ),
        (
            "select=amount.sum(),...projects(...clients(doc))",
            json!([{"sum": 16, "doc": {"a": 1}}, {"sum": 7, "doc": {"a": 2}}]),
        ),
        (
            "select=amount.sum(),...projects(id,...stages(stage:id))",
            json!([{"sum": 15, "id": 1, "stage": [1]}, {"sum": 7, "id": 2, "stage": [2]}, {"sum": 1, "id": 3, "stage": []}]),
        ),
        (
            "select=amount.sum(),note",
            json!([{"sum": 15, "note": {"x": 1}}, {"sum": 7, "note": {"x": 2}}, {"sum": 1, "note": null}]),
        ),
        ("select=amount.sum(),n:note->x&id=lt.4", json!([{"sum": 15, "n": 1}, {"sum": 7, "n": 2}])),
        (
            "select=amount.sum(),note::JSON&id=lt.4",
            json!([{"sum": 15, "note": {"x": 1}}, {"sum": 7, "note": {"x": 2}}]),
        ),
        (
            "select=amount.sum(),label",
            json!([{"sum": 22, "label": {"big": true}}, {"sum": 1, "label": {"big": false}}]),
        ),
        (
            "select=amount.sum(),...projects(client_label)",
            json!([{"sum": 16, "client_label": [{"a": 1}]}, {"sum": 7, "client_label": [{"a": 2}]}]),
        ),
        (
            "select=amount.sum(),...projects(...clients(docs,pair,shown))",
            json!([
                {"sum": 16, "docs": [{"a": 1}], "pair": {"n": 1, "doc": {"a": 1}}, "shown": {"a": 1}},
                {"sum": 7, "docs": [{"a": 2}], "pair": {"n": 2, "doc": {"a": 2}}, "shown": {"a": 2}}
            ]),
        ),
        ("select=amount.sum(),words", json!([{"sum": 23, "words": "order"}])),
    ] {
        let mut rows: Vec<Value> =
            school.get(&format!("/orders?{query}")).await.ok().as_array().expect("rows").clone();
        rows.sort_by_key(|row| std::cmp::Reverse(row["sum"].as_i64()));
        assert_eq!(Value::Array(rows), expected, "{query}");
    }
}
