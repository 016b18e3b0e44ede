//! The SQL that requests come down to, and how PostgreSQL plans it (CONTRACT.md SQ1 to SQ8).

use banyan_rest::{
    Settings, plan,
    request::{self, ApiRequest},
    schema::reload::SchemaCache,
    sql::{self, Template},
};
use bytes::Bytes;
use http::{Method, Request};
use serde_json::json;

use crate::support::{Preferring, School, reading_with, school, settings};

/// The statement of a request, and the request.
async fn statement(
    school: &School,
    method: Method,
    path: &str,
    prefer: &str,
    body: &'static str,
) -> (Template, ApiRequest) {
    let schema = SchemaCache::default();
    assert!(schema.reload(school.database.database(), &settings().into()).await);
    let snapshot = schema.current().expect("a schema");
    let request = Request::builder().method(method).uri(path).header("prefer", prefer);
    let (parts, ()) = request.body(()).expect("a request").into_parts();
    let request =
        request::parse(&parts, Bytes::from_static(body.as_bytes()), &snapshot.settings).expect("parsed");
    let plan = plan::resolve(&request.shape, &snapshot.catalog, &snapshot.settings).expect("planned");
    (sql::render(&plan, &snapshot.settings).main.expect("a statement"), request)
}

async fn text(school: &School, path: &str) -> String {
    statement(school, Method::GET, path, "", "").await.0.text.to_string()
}

/// A school whose plans may be asked for.
async fn planning() -> School {
    reading_with(Settings { plans: true, max_rows: None, ..settings() }).await
}

/// What PostgreSQL would do for a request, as text.
async fn plan_of(school: &School, path: &str) -> String {
    let reply = school.call(Method::GET, path).header("accept", "application/vnd.pgrst.plan+text").await;
    assert_eq!(reply.status, 200, "{path}: {}", reply.text());
    reply.text().to_owned()
}

/// What PostgreSQL expects a request to cost.
async fn cost_of(school: &School, path: &str) -> f64 {
    let reply = school.call(Method::GET, path).header("accept", "application/vnd.pgrst.plan+json").await;
    assert_eq!(reply.status, 200, "{path}: {}", reply.text());
    reply.json()[0]["Plan"]["Total Cost"].as_f64().expect("a cost")
}

/// Many rows, with indexes on members of their JSON.
const MANY: &str = "
create table public.scores (
    id int primary key,
    room_id int references public.rooms (id),
    doc json,
    data jsonb,
    points int
);
insert into public.rooms select n, 'room ' || n from generate_series(10, 2000) n;
insert into public.scores
    select n, 10 + n % 1990, json_build_object('key', n), jsonb_build_object('key', n), n % 100
    from generate_series(1, 20000) n;
create index on public.scores ((doc ->> 'key'));
create index on public.scores ((data ->> 'key'));
create index on public.scores (room_id);
create view public.score_list as select id as score, room_id, data, points from public.scores;
create function public.all_scores() returns setof public.scores stable language sql as $$ select * from public.scores $$;
create function public.scores_of(low int, high int) returns setof public.scores stable language sql
    as $$ select * from public.scores where id between low and high $$;
grant select on public.scores, public.score_list to anon;
analyze public.scores; analyze public.rooms;
";

async fn many() -> School {
    let school = planning().await;
    school.sql(MANY).await;
    assert!(school.state.load().await);
    school
}

// rows: SQ1 SQ2 SQ7
#[tokio::test]
async fn a_read_is_one_statement_of_one_row_whose_body_postgresql_built() {
    let school = school().await;
    let (template, request) =
        statement(&school, Method::GET, "/tags?select=id&order=id&limit=1", "", "").await;
    let statement = template.statement(&request.values, &request.body);
    let caller = banyan_identity::Caller::anonymous();
    let rows = school.database.run_as(&banyan_db::RunAs::new(&caller, &statement)).await.expect("rows");
    assert_eq!(rows.rows.len(), 1);
    let body = rows.rows[0].last().cloned().flatten().expect("a body");
    assert_eq!(body, "[{\"id\":1}]");
    assert_eq!(rows.text(0, sql::column::PAGE), Some("1"));
    assert_eq!(rows.text(0, sql::column::TOTAL), None, "counted only when asked");
    let settings = school.get("/rpc/settings").await.ok();
    assert_eq!((&settings["role"], &settings["method"]), (&json!("anon"), &json!("GET")));
}

// rows: SQ3
#[tokio::test]
async fn embeds_are_lateral_joins() {
    let school = school().await;
    let one = text(&school, "/chapters?select=name,lessons(title)").await;
    assert!(one.contains("LEFT JOIN LATERAL (SELECT \"lessons_1\".\"title\" FROM"), "{one}");
    assert!(one.contains("row_to_json(\"pgrst_embed_1\".*)"), "{one}");
    let many = text(&school, "/lessons?select=id,chapters!inner(name)").await;
    assert!(many.contains("INNER JOIN LATERAL (SELECT json_agg("), "{many}");
    assert!(many.contains("ON \"pgrst_embed_1\".\"pgrst_rows\" IS NOT NULL"), "{many}");
    assert!(many.contains("COALESCE(\"pgrst_embed_1\".\"pgrst_rows\", '[]')"), "{many}");
}

// rows: SQ4
#[tokio::test]
async fn null_filters_look_at_the_join_and_in_the_count_at_exists() {
    let school = school().await;
    let one = text(&school, "/chapters?select=name,lessons()&lessons=is.null").await;
    assert!(one.contains("\"pgrst_embed_1\" IS NOT DISTINCT FROM NULL"), "{one}");
    let path = "/lessons?select=id,chapters()&chapters=is.null";
    let counted = statement(&school, Method::GET, path, "count=exact", "").await.0.text;
    assert!(counted.contains("count(*) FROM (SELECT 1 FROM \"public\".\"lessons\""), "{counted}");
    assert!(counted.contains("NOT EXISTS (SELECT 1 FROM \"public\".\"chapters\""), "{counted}");
}

// rows: SQ5 SQ6
#[tokio::test]
async fn bodies_are_typed_by_the_schema_and_arguments_by_the_function() {
    let school = school().await;
    let (insert, _) = statement(
        &school,
        Method::POST,
        "/tags?select=id",
        "return=representation",
        r#"[{"id":5,"label":"x"}]"#,
    )
    .await;
    assert!(insert.text.contains("json_to_recordset($1::json)"), "{}", insert.text);
    assert!(insert.text.contains("RETURNING \"tags\".\"id\""), "{}", insert.text);
    let (post, _) = statement(&school, Method::POST, "/rpc/add", "", r#"{"a":1}"#).await;
    assert!(post.text.contains("json_to_record($1::json)") && post.text.contains("LIMIT 1"), "{}", post.text);
    let get = text(&school, "/rpc/add?a=1").await;
    assert!(get.contains("\"add\"(\"a\" := $1::integer)"), "{get}");
}

// rows: SQ8
#[tokio::test]
async fn embeds_and_calls_stay_cheap() {
    let school = planning().await;
    school.sql("create table public.clients (id int primary key, name text); create table public.jobs (id int primary key, name text, client_id int references public.clients (id)); create function public.all_jobs() returns setof public.jobs stable language sql as $$ select * from public.jobs $$; grant all on public.clients, public.jobs to anon;").await;
    assert!(school.state.load().await);
    for (path, bound) in [
        ("/clients?select=*,jobs(*)&id=eq.1", 33.3),
        ("/clients?select=*,jobs!inner(*)&id=eq.1", 33.3),
        ("/clients?select=*,jobs(*)&jobs=not.is.null&id=eq.1", 33.3),
        ("/jobs?select=*,clients(*)&id=eq.1", 16.5),
        ("/jobs?select=*,clients!inner(*)&id=eq.1", 16.5),
        ("/rpc/all_jobs", 71.0),
        ("/rpc/add?a=3&b=4", 0.08),
    ] {
        let cost = cost_of(&school, path).await;
        assert!(cost < bound, "{path} costs {cost}, more than {bound}");
    }
}

// rows: SQ8 S09
#[tokio::test]
async fn json_paths_use_their_indexes() {
    let school = many().await;
    for path in [
        "/scores?select=id&data->>key=eq.7",
        "/scores?select=id&doc->>key=eq.7",
        "/score_list?select=score&data->>key=eq.7",
        "/scores?select=id&order=data->>key&limit=5",
    ] {
        let plan = plan_of(&school, path).await;
        assert!(plan.contains("Index"), "{path}: {plan}");
        assert!(!plan.contains("Seq Scan"), "{path}: {plan}");
    }
}

// rows: SQ8 C30
#[tokio::test]
async fn table_functions_become_part_of_the_query() {
    let school = many().await;
    for (path, function) in
        [("/rpc/all_scores?id=eq.7", "all_scores"), ("/rpc/scores_of?low=1&high=5", "scores_of")]
    {
        let plan = plan_of(&school, path).await;
        assert!(!plan.contains(function), "{path}: {plan}");
        assert!(plan.contains("Index Cond"), "{path}: {plan}");
    }
}

// rows: SQ3
#[tokio::test]
async fn filters_reach_the_tables_below_views_and_embeds() {
    let school = many().await;
    let view = plan_of(&school, "/score_list?score=eq.7").await;
    assert!(view.contains("Index Cond: (id = 7)"), "{view}");
    let embedded = plan_of(&school, "/rooms?select=id,scores(id)&id=eq.10").await;
    assert!(
        embedded.contains("Index Cond: (room_id =") || embedded.contains("Recheck Cond: (room_id ="),
        "{embedded}"
    );
    let one = plan_of(&school, "/scores?select=id,rooms(name)&id=eq.7").await;
    assert!(one.contains("rooms_pkey") && !one.contains("Seq Scan"), "{one}");
    let all = plan_of(&school, "/scores?select=id,rooms(name)").await;
    assert!(
        all.contains("Hash") || all.contains("Merge") || all.contains("Memoize"),
        "a join, not a look-up for each row: {all}"
    );
}

// rows: P05 R11
#[tokio::test]
async fn head_builds_no_rows_and_only_what_is_asked_is_counted() {
    let school = many().await;
    let head = school.call(Method::HEAD, "/rooms?select=id,scores(id)").prefer("count=exact").await;
    assert_eq!(head.header("content-range"), Some("0-1992/1993"));
    let (template, request) = statement(&school, Method::HEAD, "/rooms?select=id,scores(id)", "", "").await;
    assert!(!template.text.contains("json_agg(pgrst_row"), "{}", template.text);
    let explain = banyan_db::Statement {
        text: format!("EXPLAIN {}", template.text).into(),
        ..template.statement(&request.values, &request.body)
    };
    let caller = banyan_identity::Caller::anonymous();
    let rows = school.database.run_as(&banyan_db::RunAs::new(&caller, &explain)).await.expect("a plan");
    let plan: String =
        (0..rows.rows.len()).filter_map(|row| rows.text(row, 0)).collect::<Vec<_>>().join("\n");
    assert!(!plan.contains("scores"), "what shows nothing is not read: {plan}");
    let get = plan_of(&school, "/rooms?select=id").await;
    assert_eq!(get.matches("rooms").count(), 1, "counted only when asked: {get}");
}

// rows: G17
#[tokio::test]
async fn equal_shapes_have_equal_statements_whatever_the_values() {
    let school = school().await;
    for (one, two) in [
        ("/lessons?id=eq.1&limit=1", "/lessons?id=eq.2&limit=9"),
        ("/lessons?title=in.(a,b)&offset=1", "/lessons?title=in.(c)&offset=7"),
        ("/lessons?or=(id.eq.1,title.like.a*)", "/lessons?or=(id.eq.3,title.like.*b)"),
        (
            "/lessons?select=id,chapters(name)&chapters.limit=1",
            "/lessons?select=id,chapters(name)&chapters.limit=2",
        ),
    ] {
        let (first, one) = statement(&school, Method::GET, one, "", "").await;
        let (second, two) = statement(&school, Method::GET, two, "", "").await;
        assert_eq!(one.shape, two.shape);
        assert_eq!(first, second);
        assert_ne!(one.values, two.values);
    }
}

// rows: U10 V09
#[tokio::test]
async fn a_long_query_string_is_answered() {
    let school = school().await;
    let list = (0..12_000).map(|number| number.to_string()).collect::<Vec<_>>().join(",");
    assert_eq!(school.ids(&format!("/lessons?select=id&order=id&id=in.({list})")).await, [1, 2, 3, 4]);
    let filters = "&id=gt.0".repeat(7_000);
    let reply = school.get(&format!("/lessons?select=id&order=id{filters}")).await;
    assert!(matches!(reply.status, 200 | 500), "{}", reply.status);
    assert_eq!(school.ids("/lessons?select=id&id=eq.1").await, [1], "nothing broke");
}
