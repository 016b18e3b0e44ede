//! Media types, handlers, domains, plans (CONTRACT.md N01 to N26), beside the tests in `answering`.

use banyan_rest::Settings;
use banyan_testkit::Answer;
use http::Method;
use serde_json::{Value, json};

use crate::{
    studio::{studio, studio_with},
    support::{Preferring, School, settings},
};

async fn accepting(school: &School, path: &str, accept: &str) -> Answer {
    school.call(Method::GET, path).header("accept", accept).await
}

fn with_plans() -> Settings {
    Settings { plans: true, ..settings() }
}

// rows: N01 N02 N10 N13 PGRST107
#[tokio::test]
async fn what_is_not_available_is_refused() {
    let school = studio().await;
    for (path, accept) in [
        ("/tags", "application/openapi+json"),
        ("/tags", "text/plain"),
        ("/tags", "text/xml"),
        ("/tags", "application/octet-stream"),
        ("/tags", "image/png"),
        ("/rpc/add?a=1", "text/plain"),
        ("/tags", "application/vnd.pgrst.plan"),
    ] {
        let refused = accepting(&school, path, accept).await;
        assert_eq!(refused.error(), (406, "PGRST107"), "{path} {accept}");
    }
    let several = accepting(&school, "/tags", "image/png;q=0.9, text/unknown;q=0.5, audio/x").await;
    assert_eq!(
        several.json()["message"],
        "None of these media types are available: audio/x, image/png, text/unknown"
    );
    let first = accepting(&school, "/tags?select=id&limit=1", "image/png, TEXT/CSV, application/json").await;
    assert_eq!((first.header("content-type"), first.text()), (Some("text/csv; charset=utf-8"), "id\n1"));
    let browser =
        accepting(&school, "/tags?select=id&limit=1", "text/html,application/xml;q=0.9,*/*;q=0.8").await;
    assert_eq!(browser.header("content-type"), Some("application/json; charset=utf-8"));
    let many = school.call(Method::GET, "/tags").header("accept", "image/png").header("accept", "text/csv");
    assert_eq!(many.await.header("content-type"), Some("text/csv; charset=utf-8"));
}

// rows: N05 N06 N07
#[tokio::test]
async fn nulls_can_be_stripped_at_every_depth() {
    let school = studio().await;
    school
        .sql("update public.lessons set data = '{\"a\": null, \"b\": {\"c\": null, \"d\": 1}}' where id = 4")
        .await;
    let path = "/lessons?select=id,level,data,subjects!subject_id(*)&id=eq.4";
    let array = accepting(&school, path, "application/vnd.pgrst.array+json;nulls=stripped").await;
    assert_eq!(array.json(), json!([{"id": 4, "data": {"b": {"d": 1}}}]));
    assert_eq!(
        array.header("content-type"),
        Some("application/vnd.pgrst.array+json;nulls=stripped; charset=utf-8")
    );
    let plain = accepting(&school, path, "application/vnd.pgrst.array+json").await;
    assert_eq!(plain.header("content-type"), Some("application/json; charset=utf-8"));
    assert_eq!(plain.json()[0]["level"], Value::Null);
    let object = accepting(&school, path, "application/vnd.pgrst.object;nulls=stripped").await;
    assert_eq!(object.json(), json!({"id": 4, "data": {"b": {"d": 1}}}));
    let none = accepting(&school, "/lessons?id=eq.0", "application/vnd.pgrst.object+json").await;
    assert_eq!(none.error(), (406, "PGRST116"));
    assert_eq!(none.json()["message"], "Cannot coerce the result to a single JSON object");
    assert_eq!(none.json()["details"], "The result contains 0 rows");
}

// rows: N08
#[tokio::test]
async fn csv_is_written_for_relations_functions_and_writes() {
    let school = studio().await;
    let rows = accepting(&school, "/lessons?select=id,title,level&order=id&id=gt.2", "text/csv").await;
    assert_eq!(rows.text(), "id,title,level\n3,\"Heat, \"\"warm\"\"\",easy\n4,Alone,");
    let call = accepting(&school, "/rpc/a_table?up_to=2", "text/csv").await;
    assert_eq!(call.text(), "n,square\n1,1\n2,4");
    assert_eq!(accepting(&school, "/tags?id=eq.0", "text/csv").await.text(), "\n", "no row has no keys");
    let written = school.patch("/tags?id=eq.1&select=id,label", json!({"label": "x"})).representation();
    assert_eq!(written.header("accept", "text/csv").await.text(), "id,label\n1,x");
}

// rows: N08 I11
#[tokio::test]
async fn csv_that_was_read_can_be_posted_back_unchanged() {
    let school = studio().await;
    school
        .sql(
            r#"create type public.pair_of as (a text, b int);
            create table public.odd (
                id int primary key, "com,ma" text, "quo""te" text, doc jsonb, list text[], pair public.pair_of,
                code char(4)[], at timestamptz, raw bytea
            );
            create table public.copied (like public.odd);
            create table public.single (word text);
            grant all on public.odd, public.copied, public.single to anon;
            create function public.odd_rows() returns setof public.odd stable language sql
                as 'select * from public.odd order by id';
            insert into public.odd values
                (1, 'C:\new', 'say "so"', '{"a": "b\\c"}', '{"x,y","NULL",null}', ('C:\x', 1), '{ab,abcd}', '2024-02-03Z', '\x00ff'),
                (2, '', ' led ', '"text"', '{}', ('', null), null, null, ''),
                (3, null, 'NULL', 'null', null, null, '{}', null, null),
                (4, E'two\nlines\r\n', ',NULL,"NULL"', '5', '{"\""}', ('"', 2), null, null, null);
            insert into public.single values ('a'), (null), (''), ('NULL'), (null);"#,
        )
        .await;
    assert!(school.state.load().await);
    let table = accepting(&school, "/odd?order=id", "text/csv").await.text().to_owned();
    assert_eq!(
        table.lines().take(2).collect::<Vec<_>>(),
        [
            r#"id,"com,ma","quo""te",doc,list,pair,code,at,raw"#,
            r#"1,"C:\new","say ""so""","{""a"": ""b\\c""}","{""x,y"",""NULL"",NULL}","(""C:\\x"",1)","{""ab  "",abcd}","2024-02-03 00:00:00+00","\x00ff""#,
        ]
    );
    assert_eq!(accepting(&school, "/rpc/odd_rows", "text/csv").await.text(), table);
    let posted = school.call(Method::POST, "/copied").body("text/csv", table).await;
    assert_eq!((posted.status, posted.text()), (201, ""));
    let differ = "select count(*) from (select o::text from odd o except all select c::text from copied c) _";
    assert_eq!(school.number(differ).await, 0);
    assert_eq!(school.number("select count(*) from copied").await, 4);
    let single = accepting(&school, "/single", "text/csv").await.text().to_owned();
    assert_eq!(single, "word\na\nNULL\n\"\"\n\"NULL\"\nNULL");
    school.call(Method::POST, "/single").body("text/csv", single).await;
    let nulls = "select count(*) * 100 + count(word) * 10 + count(nullif(word, '')) from single";
    assert_eq!(school.number(nulls).await, 1064);
}

/// PostGIS where it is installed, or a function of its name that does as little as this needs.
async fn with_geometry(school: &School) -> bool {
    let installable =
        school.number("select count(*) from pg_available_extensions where name = 'postgis'").await > 0;
    let admin = school.database.pool(banyan_db::Login::Admin);
    let script = if installable {
        "create extension if not exists postgis schema extensions; \
         alter table public.places alter place type extensions.geometry(point) using extensions.st_geomfromgeojson(place::text);"
    } else {
        "create function extensions.st_asgeojson(anyelement) returns text language plpgsql as $$
         begin
            if (to_jsonb($1) -> 'place') is null then
                raise sqlstate '22023' using message = 'geometry column is missing';
            end if;
            return jsonb_build_object('type', 'Feature', 'geometry', to_jsonb($1) -> 'place',
                'properties', to_jsonb($1) - 'place');
         end $$;"
    };
    sqlx::raw_sql(script).execute(admin).await.expect("an admin may");
    assert!(school.state.load().await);
    installable
}

// rows: N09
#[tokio::test]
async fn rows_with_a_geometry_become_a_feature_collection() {
    let school = studio().await;
    with_geometry(&school).await;
    let reply = accepting(&school, "/places", "application/geo+json").await;
    assert_eq!(reply.header("content-type"), Some("application/geo+json; charset=utf-8"));
    assert_eq!(
        reply.json(),
        json!({"type": "FeatureCollection", "features": [
            {"type": "Feature", "geometry": {"type": "Point", "coordinates": [1, 2]}, "properties": {"id": 1}}
        ]})
    );
    let none = accepting(&school, "/places?id=eq.0", "application/geo+json").await;
    assert_eq!(none.json(), json!({"type": "FeatureCollection", "features": []}));
    let without = accepting(&school, "/tags", "application/geo+json").await;
    assert_eq!(without.error(), (400, "22023"));
    let written = school.post("/places?select=id,place", json!({"id": 2, "place": null})).representation();
    let written = written.header("accept", "application/geo+json").await;
    assert_eq!((written.status, &written.json()["features"][0]["geometry"]), (201, &Value::Null));
}

// rows: N11
#[tokio::test]
async fn plans_are_shown_as_text_or_json_with_what_was_asked_for() {
    let school = studio_with(with_plans()).await;
    let text = accepting(&school, "/lessons?id=eq.1", "application/vnd.pgrst.plan").await;
    assert_eq!(
        text.header("content-type"),
        Some("application/vnd.pgrst.plan+text; for=\"application/json\"; charset=utf-8")
    );
    assert!(text.text().starts_with("Aggregate  (cost="), "{}", text.text());
    assert!(!text.text().contains("actual time"));
    let json = accepting(
        &school,
        "/lessons?id=eq.1",
        "application/vnd.pgrst.plan+json; for=\"application/vnd.pgrst.object+json\"; options=analyze|verbose|buffers;",
    )
    .await;
    assert_eq!(
        json.header("content-type"),
        Some(
            "application/vnd.pgrst.plan+json; for=\"application/vnd.pgrst.object+json\"; options=analyze|verbose|buffers; charset=utf-8"
        )
    );
    let plan = &json.json()[0];
    assert!(plan["Plan"]["Output"].is_array() && plan["Execution Time"].is_number(), "{plan}");
    let settings_shown =
        accepting(&school, "/lessons", "application/vnd.pgrst.plan+json; options=settings|wal|analyze");
    assert!(settings_shown.await.json()[0]["Settings"]["search_path"].is_string());
    let strange = accepting(&school, "/lessons", "application/vnd.pgrst.plan; for=\"image/png\"").await;
    assert_eq!(strange.error(), (406, "PGRST107"));
    let head = school.call(Method::HEAD, "/lessons").header("accept", "application/vnd.pgrst.plan").await;
    assert_eq!((head.status, head.text()), (200, ""));
}

// rows: N11
#[tokio::test]
async fn plans_of_writes_are_200_and_analyze_really_writes() {
    let school = studio_with(with_plans()).await;
    let plan = "application/vnd.pgrst.plan+json";
    let analyze = "application/vnd.pgrst.plan+json; options=analyze";
    let seen = school.post("/papers", json!({"id": 1})).header("accept", plan).representation().await;
    assert_eq!((seen.status, seen.json()[0]["Plan"]["Node Type"].is_string()), (200, true));
    assert_eq!(school.number("select count(*) from papers").await, 0);
    let done = school.post("/papers", json!({"id": 1})).header("accept", analyze).await;
    assert_eq!(done.status, 200, "{}", done.text());
    assert_eq!(school.number("select count(*) from papers").await, 1);
    let changed = school.patch("/papers?id=eq.1", json!({"code": "z"})).header("accept", analyze).await;
    let gone = school.call(Method::DELETE, "/papers?id=eq.1").header("accept", analyze).await;
    let called = school.post("/rpc/add_exams", json!({"n": 1})).header("accept", plan).await;
    assert_eq!([changed.status, gone.status, called.status], [200, 200, 200]);
    assert_eq!(school.number("select count(*) from papers").await, 0);
}

// rows: N11 V07
#[tokio::test]
async fn plans_are_off_by_default() {
    let school = studio().await;
    let refused = accepting(&school, "/lessons", "application/vnd.pgrst.plan+json").await;
    assert_eq!(refused.error(), (406, "PGRST107"));
    let defaults = Settings::default();
    assert!(!defaults.plans && !defaults.aggregates && !defaults.transaction_end.choice);
}

// rows: N14 N17 N18
#[tokio::test]
async fn functions_answer_in_the_media_type_of_their_domain() {
    let school = studio().await;
    let png = school.get("/rpc/badge?n=7").header("accept", "image/png").await;
    assert_eq!(png.header("content-type"), Some("image/png"), "no charset");
    assert_eq!(png.bytes.as_ref(), b"\x89PNG\x00\x0d\x0a\xff7");
    assert_eq!(png.header("content-length"), Some("9"));
    let json = accepting(&school, "/rpc/badge?n=7", "application/json").await;
    assert_eq!(json.ok(), json!("\\x89504e47000d0aff37"), "other media types still work");
    let none = school.get("/rpc/no_badge").header("accept", "image/png").await;
    assert_eq!((none.status, none.bytes.as_ref()), (200, &b""[..]));
    let text = accepting(&school, "/rpc/welcome.html", "text/plain").await;
    assert_eq!((text.header("content-type"), text.text()), (Some("text/plain; charset=utf-8"), "welcome"));
    let xml = accepting(&school, "/rpc/note_xml", "text/xml").await;
    assert_eq!((xml.header("content-type"), xml.text()), (Some("text/xml; charset=utf-8"), "<a>1</a>"));
    for accept in ["image/webp", "*/*", "application/json", "text/html, */*;q=0.1"] {
        let any = school.get("/rpc/any_file?kind=").header("accept", accept).await;
        assert_eq!(any.header("content-type"), Some("application/octet-stream"), "{accept}");
        assert_eq!(any.bytes.as_ref(), b"\x00\xff\x10");
    }
    let own = school.get("/rpc/any_file?kind=image%2Fwebp").header("accept", "image/webp").await;
    assert_eq!(own.header("content-type"), Some("image/webp"));
    let object = accepting(&school, "/rpc/any_file?kind=", "application/vnd.pgrst.object+json").await;
    assert_eq!(object.ok(), json!("\\x00ff10"), "rest_n16: the service's own media types stay");
}

// rows: N15 N16 N17 N19
#[tokio::test]
async fn aggregates_answer_for_their_relation_or_for_all() {
    let school = studio().await;
    let roll = accepting(&school, "/lessons?id=lt.3&order=id", "text/school").await;
    assert_eq!((roll.header("content-type"), roll.text()), (Some("text/school"), "1 Fractions\n2 Light\n"));
    let upper = accepting(&school, "/lessons?id=eq.2", "TEXT/School").await;
    assert_eq!(upper.text(), "2 Light\n");
    assert_eq!(accepting(&school, "/lessons?id=eq.0", "text/school").await.text(), "");
    let partial = accepting(&school, "/lessons?select=id,title", "text/school").await;
    assert_eq!(partial.error(), (406, "PGRST107"), "only for whole rows");
    assert_eq!(accepting(&school, "/tags", "text/school").await.error().0, 406);
    let called = accepting(&school, "/rpc/lessons_of?subject=2&id=eq.3", "text/school").await;
    assert_eq!(called.text(), "3 Heat, \"warm\"\n");
    let written = school.patch("/lessons?id=eq.2", json!({"title": "Shade"})).representation();
    assert_eq!(written.header("accept", "text/school").await.text(), "2 Shade\n");
    for (path, rows) in
        [("/lessons?select=id", "4 rows"), ("/tags", "2 rows"), ("/rpc/a_table?up_to=3", "3 rows")]
    {
        let tally = accepting(&school, path, "application/vnd.tally").await;
        assert_eq!((tally.header("content-type"), tally.text()), (Some("application/vnd.tally"), rows));
    }
    let own_csv = accepting(&school, "/plans", "text/csv").await;
    assert_eq!(
        (own_csv.header("content-type"), own_csv.text()),
        (Some("text/csv; charset=utf-8"), "own:Cut a cake.;")
    );
    assert_eq!(accepting(&school, "/tags?select=id&id=eq.1", "text/csv").await.text(), "id\n1");
    let asset = school.get("/assets?order=id").header("accept", "application/json").await;
    assert_eq!(
        (asset.header("content-type"), asset.bytes.as_ref()),
        (Some("application/octet-stream"), &b"\x00\x01\xfe"[..])
    );
}

// rows: N20
#[tokio::test]
async fn accept_is_looked_at_for_writes_that_return_nothing_too() {
    let school = studio().await;
    for preference in ["return=minimal", "return=headers-only", "return=representation"] {
        let refused =
            school.post("/papers", json!({"id": 1})).header("accept", "image/png").prefer(preference);
        assert_eq!(refused.await.error(), (406, "PGRST107"), "{preference}");
    }
    assert_eq!(school.number("select count(*) from papers").await, 0);
}

// rows: N22 S19
#[tokio::test]
async fn domains_say_how_they_are_shown() {
    let school = studio().await;
    for (path, expected) in [
        ("/paints?select=shade&id=eq.1", json!([{"shade": "#FF0000"}])),
        ("/paints?select=color:shade&id=eq.3", json!([{"color": null}])),
        ("/paint_list?id=eq.2", json!([{"id": 2, "shade": "#0000FF"}])),
        ("/paints?id=eq.2", json!([{"id": 2, "name": "blue", "shade": "#0000FF", "subject_id": 1}])),
        (
            "/paints?select=*,subjects(name)&id=eq.1",
            json!([{"id": 1, "name": "red", "shade": "#FF0000", "subject_id": 1, "subjects": {"name": "Maths"}}]),
        ),
        (
            "/subjects?select=id,paints(shade)&id=eq.1&paints.order=shade",
            json!([{"id": 1, "paints": [{"shade": "#0000FF"}, {"shade": "#FF0000"}]}]),
        ),
        (
            "/subjects?select=...paints(*)&id=eq.1&paints.id=eq.2",
            json!([{"id": [2], "name": ["blue"], "shade": ["#0000FF"], "subject_id": [1]}]),
        ),
    ] {
        assert_eq!(school.get(path).await.ok(), expected, "{path}");
    }
}

// rows: L01 Z05
#[tokio::test]
async fn handlers_and_representations_are_part_of_the_schema() {
    let school = studio().await;
    let known = school.state.known_schema().expect("a schema");
    assert_eq!(
        known["dbRepresentations"],
        json!([{
            "type": "public.color",
            "toJson": {"schema": "public", "name": "color_to_json"},
            "fromJson": {"schema": "public", "name": "color_from_json"},
            "fromText": {"schema": "public", "name": "color_from_text"},
        }])
    );
    let handlers = known["dbMediaHandlers"].as_array().expect("an array");
    let roll = handlers.iter().find(|it| it["function"]["name"] == "roll").expect("the aggregate");
    assert_eq!((&roll["media"], &roll["target"]["name"]), (&json!("text/school"), &json!("lessons")));
}

// rows: N22
#[tokio::test]
async fn domains_say_how_filters_and_bodies_are_read() {
    let school = studio().await;
    for (path, ids) in [
        ("/paints?select=id&shade=eq.%23ff0000", json!([{"id": 1}])),
        ("/paints?select=id&shade=in.(%23FF0000,%230000FF)&order=id", json!([{"id": 1}, {"id": 2}])),
        ("/paints?select=id&shade=not.in.(%23FF0000)", json!([{"id": 2}])),
        ("/paints?select=id&shade=eq(any).{%23FF0000,%23000000}", json!([{"id": 1}])),
        ("/paints?select=id&or=(shade.lt.%23000100,shade.is.null)&order=id", json!([{"id": 2}, {"id": 3}])),
        ("/paints?select=id&shade=isdistinct.%23FF0000&order=id", json!([{"id": 2}, {"id": 3}])),
        (
            "/subjects?select=id,paints!inner(id)&paints.shade=eq.%230000FF",
            json!([{"id": 1, "paints": [{"id": 2}]}]),
        ),
    ] {
        assert_eq!(school.get(path).await.ok(), ids, "{path}");
    }
    let made =
        school.post("/paints?select=shade", json!([{"id": 4, "shade": "#00FF00"}, {"id": 5, "shade": null}]));
    assert_eq!(made.representation().await.json(), json!([{"shade": "#00FF00"}, {"shade": null}]));
    assert_eq!(school.number("select shade::bigint from paints where id = 4").await, 65280);
    let one = school.post("/paints?select=shade", json!({"id": 6, "shade": "#000001"})).representation();
    assert_eq!(one.await.json(), json!([{"shade": "#000001"}]));
    let changed = school.patch("/paints?shade=eq.%2300FF00&select=id,shade", json!({"shade": "#123456"}));
    assert_eq!(changed.representation().await.ok(), json!([{"id": 4, "shade": "#123456"}]));
    let merged = school.post("/paints?select=shade", json!([{"id": 4, "shade": "#654321"}]));
    let merged = merged.prefer("resolution=merge-duplicates, return=representation").await;
    assert_eq!((merged.status, merged.json()), (200, json!([{"shade": "#654321"}])));
    let put =
        school.call(Method::PUT, "/paints?id=eq.4&select=shade").json(json!({"id": 4, "shade": "#111111"}));
    assert_eq!(put.representation().await.ok(), json!([{"shade": "#111111"}]));
}

// rows: N23
#[tokio::test]
async fn numbers_and_times_are_as_postgresql_prints_them() {
    let school = studio().await;
    school
        .sql("insert into public.kinds (id, price, at, doc) values (1, 10.50, '2024-06-01 12:00:00+00', '12345678901234567890.10')")
        .await;
    let utc = school.call(Method::GET, "/kinds?select=price,at,doc").prefer("timezone=UTC").await;
    assert_eq!(
        utc.text(),
        r#"[{"price":10.50,"at":"2024-06-01T12:00:00+00:00","doc":12345678901234567890.10}]"#
    );
    let there = school.call(Method::GET, "/kinds?select=at").prefer("timezone=Asia/Kolkata").await;
    assert_eq!(there.text(), r#"[{"at":"2024-06-01T17:30:00+05:30"}]"#);
}

// rows: N04 N24 N26
#[tokio::test]
async fn lengths_count_bytes_and_caches_are_told_what_varies() {
    let school = studio().await;
    school.sql("insert into public.tags values (3, 'größe')").await;
    let reply = school.get("/tags?select=label&id=eq.3").await;
    assert_eq!(reply.text(), "[{\"label\":\"größe\"}]");
    assert_eq!(reply.header("content-length"), Some("21"));
    assert_eq!(reply.header("vary"), Some("Accept, Prefer, Range"));
    let head = school.call(Method::HEAD, "/tags").await;
    assert_eq!((head.text(), head.header("content-length")), ("", None));
    assert_eq!(head.header("content-type"), Some("application/json; charset=utf-8"));
    let gone = school.call(Method::DELETE, "/tags?id=eq.3").await;
    assert_eq!((gone.status, gone.header("content-length")), (204, None));
    let own = school.get("/rpc/announce_read").await;
    assert_eq!((own.header("vary"), own.header("cache-control")), (Some("Origin"), Some("public")));
    assert_eq!(school.get("/nope").await.header("vary"), None, "errors do not say");
}

// rows: N25 K05
#[tokio::test]
async fn the_schema_is_named_where_it_was_chosen() {
    let school = studio().await;
    assert_eq!(school.get("/tags").await.header("content-profile"), None);
    let asked = school.call(Method::GET, "/tags").header("accept-profile", "public").await;
    assert_eq!(asked.header("content-profile"), Some("public"));
    let write = school.post("/papers", json!({"id": 1})).header("content-profile", "public");
    assert_eq!(write.representation().await.header("content-profile"), Some("public"));
    let call = school.post("/rpc/add", json!({"a": 1})).header("content-profile", "public").await;
    assert_eq!(call.header("content-profile"), Some("public"));
}
