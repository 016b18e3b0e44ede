//! Which function, with what, under which circumstances (CONTRACT.md C01 to C35), beside the tests
//! in `calling`.

use http::Method;
use serde_json::{Value, json};

use crate::{
    studio::{studio, studio_with},
    support::{Preferring, settings},
};

// rows: C01 C12 C35
#[tokio::test]
async fn only_functions_with_names_for_their_arguments_are_there() {
    let school = studio().await;
    for path in [
        "/rpc/unnamed_two?1=1",
        "/rpc/proceed",
        "/rpc/stamp",
        "/rpc/Add?a=1",
        "/rpc/add?A=1",
        "/rpc/upper?A=1",
    ] {
        assert_eq!(school.get(path).await.error(), (404, "PGRST202"), "{path}");
    }
    assert_eq!(school.get("/rpc/Upper?A=3").await.ok(), json!(3));
    assert_eq!(school.post("/rpc/add", json!({"a": 1, "b": 2, "c": 3})).await.error().0, 404);
    let page = school.call(Method::GET, "/rpc/welcome.html").header("accept", "text/plain").await;
    assert_eq!((page.status, page.text()), (200, "welcome"));
    let reserved = school.post("/rpc/reserved", json!({"select": 1, "order": "x"})).await;
    assert_eq!(reserved.ok(), json!("1x"));
}

// rows: C02 C04 C07
#[tokio::test]
async fn bodies_name_arguments_and_the_query_string_filters() {
    let school = studio().await;
    let empty = school.call(Method::POST, "/rpc/one_out").await;
    assert_eq!(empty.ok(), json!({"answer": 42}), "an empty body is an object without members");
    let array = school.post("/rpc/a_table", json!([{"up_to": 2}, {"up_to": 9}])).await;
    assert_eq!(array.ok().as_array().map(Vec::len), Some(2), "of an array the first element");
    let columns = school.post("/rpc/add?columns=a,b", json!({"a": 1, "b": 2, "c": "ignored"})).await;
    assert_eq!(columns.ok(), json!(3));
    let filtered = school.post("/rpc/a_table?n=gt.1&select=square&order=n.desc&limit=1", json!({"up_to": 3}));
    assert_eq!(filtered.await.ok(), json!([{"square": 9}]));
    let not_an_argument = school.post("/rpc/a_table?up_to=3", json!({})).await;
    assert_eq!(not_an_argument.error(), (400, "PGRST100"));
}

// rows: C05 C10
#[tokio::test]
async fn forms_and_csv_are_texts_and_variadics_take_them_all() {
    let school = studio().await;
    let form = |path: &str, body: &'static str| {
        school.call(Method::POST, path).body("application/x-www-form-urlencoded", body)
    };
    assert_eq!(form("/rpc/add", "a=1&a=5&b=3").await.ok(), json!(8), "the last one wins");
    assert_eq!(form("/rpc/defaults", "words=a&words=b+c").await.ok(), json!("a+b c"));
    assert_eq!(form("/rpc/defaults", "").await.ok(), json!("none"));
    let csv = school.call(Method::POST, "/rpc/add").body("text/csv", "a,b\n2,3").await;
    assert_eq!(csv.ok(), json!(5));
    assert_eq!(school.get("/rpc/defaults?words=x&words=y").await.ok(), json!("x+y"));
    assert_eq!(school.get("/rpc/defaults").await.ok(), json!("none"));
    assert_eq!(school.post("/rpc/defaults", json!({"words": ["p", "q"]})).await.ok(), json!("p+q"));
    assert_eq!(school.post("/rpc/defaults", json!({})).await.ok(), json!("none"));
}

// rows: C06 C08
#[tokio::test]
async fn values_with_an_operator_filter_and_defaults_may_be_left_out() {
    let school = studio().await;
    assert_eq!(school.get("/rpc/a_table?up_to=3&n=eq.2").await.ok(), json!([{"n": 2, "square": 4}]));
    assert_eq!(school.get("/rpc/add?a=5").await.ok(), json!(15));
    assert_eq!(school.get("/rpc/add?b=5").await.error(), (404, "PGRST202"));
    let head = school.call(Method::HEAD, "/rpc/a_table?up_to=3").await;
    assert_eq!((head.status, head.text(), head.header("content-range")), (200, "", Some("0-2/*")));
}

// rows: C09 C34
#[tokio::test]
async fn arguments_are_cast_to_their_types_and_never_cut() {
    let school = studio().await;
    for (path, body, expected) in [
        ("/rpc/fixed", json!({"code": "abcd", "bits": "10110"}), json!("abcd|10110")),
        ("/rpc/area", json!({"of": {"w": 2, "h": 3}}), json!(6)),
        ("/rpc/echo_list", json!({"list": [1, 2]}), json!([1, 2])),
        ("/rpc/echo_list", json!({"list": "{3,4}"}), json!([3, 4])),
        ("/rpc/echo_json", json!({"doc": [1, {"a": "b"}]}), json!([1, {"a": "b"}])),
        ("/rpc/echo_json", json!({"doc": "text"}), json!("text")),
        (
            "/rpc/framed",
            json!({"f": {"w": 4, "h": 1}, "l": "easy", "marks": [1, 10]}),
            json!({"w": 4, "level": "easy", "marks": [1, 10]}),
        ),
    ] {
        assert_eq!(school.post(path, body).await.ok(), expected, "{path}");
    }
    assert_eq!(school.get("/rpc/echo_list?list={5,6}").await.ok(), json!([5, 6]));
    assert_eq!(school.get("/rpc/echo_json?doc={\"a\":1}").await.ok(), json!({"a": 1}));
    let wrong = school.post("/rpc/framed", json!({"f": {}, "l": "odd", "marks": [1]})).await;
    assert_eq!(wrong.error(), (400, "22P02"));
    let outside = school.post("/rpc/framed", json!({"f": {}, "l": "easy", "marks": [11]})).await;
    assert_eq!(outside.error(), (400, "23514"));
}

// rows: C14 C15
#[tokio::test]
async fn the_one_unnamed_argument_is_the_body_as_sent() {
    let school = studio().await;
    school
        .sql(
            "create function public.same_json(json) returns text immutable language sql as $$ select $1::text $$;
             create function public.same_jsonb(jsonb) returns text immutable language sql as $$ select $1::text $$;
             create function public.no_or_json() returns text immutable language sql as $$ select 'none' $$;
             create function public.no_or_json(json) returns text immutable language sql as $$ select $1::text $$;
             create function public.defaulted(json default '7') returns text stable language sql
                as $$ select $1::text $$;",
        )
        .await;
    assert!(school.state.load().await);
    let post = async |path: &str, media: &str, body: &'static str| {
        school.call(Method::POST, path).body(media, body).await
    };
    for body in
        ["5", "\"hello\"", "null", " [1,2]", "[{\"a\":1},{\"b\":2}]", "{\"b\":1, \"b\":2}", "[]", "true"]
    {
        assert_eq!(post("/rpc/same_json", "application/json", body).await.ok(), json!(body));
    }
    assert_eq!(post("/rpc/same_jsonb", "application/json", "[1,2]").await.ok(), json!("[1, 2]"));
    let named = post("/rpc/raw_text", "application/json", "{\"\":\"x\"}").await.ok();
    assert_eq!(named, json!("text {\"\":\"x\"}"), "JSON may name the argument without a name");
    let form = post("/rpc/raw_text", "application/x-www-form-urlencoded", "=x").await.ok();
    assert_eq!(form, json!("text x"));
    assert_eq!(school.get("/rpc/raw_text?=x").await.error(), (400, "PGRST100"));
    assert_eq!(post("/rpc/raw_text", "text/csv", ",a\nx,y").await.error(), (404, "PGRST202"));
    assert_eq!(post("/rpc/no_or_json", "application/json", "5").await.ok(), json!("5"));
    assert_eq!(post("/rpc/no_or_json", "application/json", "{}").await.ok(), json!("none"));
    assert_eq!(school.get("/rpc/defaulted").await.ok(), json!("7"), "by GET there is no body");
    let uneven = post("/rpc/add", "application/json", "[{\"a\":1},{\"b\":2}]").await;
    assert_eq!(uneven.error(), (400, "PGRST102"), "arguments by name need like objects");
    assert_eq!(post("/rpc/raw", "application/octet-stream", "\u{0}\u{1}\"").await.ok(), json!(3));
    assert_eq!(post("/rpc/raw_text", "text/plain", "").await.ok(), json!("text "));
}

// rows: C09 C34
#[tokio::test]
async fn values_of_limited_length_are_whole_or_refused() {
    let school = studio().await;
    school
        .sql(
            "create domain public.code as char(4); create domain public.codes_of as varchar(3)[];
             create function public.codes(many char(4)[], bits bit(4)[] default '{}', one public.code default null)
                returns table (m char(8)[], b bit varying[], o text) immutable language sql
                as $$ select many, bits::bit varying[], one::text $$;
             create function public.any_codes(variadic many char(4)[]) returns text immutable language sql
                as $$ select array_to_string(many, '+') $$;
             create table public.limited (
                 id int primary key, c char(4)[], v varchar(3)[], b bit(4)[], n numeric(4, 1)[], t time(0)[], d public.codes_of
             );
             grant all on public.limited to anon;",
        )
        .await;
    assert!(school.state.load().await);
    let expected = json!([{"m": ["abcd", "ef"], "b": ["1010"], "o": "wxyz"}]);
    let path = "/rpc/codes?many={abcd,ef}&bits={1010}&one=wxyz";
    assert_eq!(school.get(path).await.ok(), expected);
    let body = json!({"many": ["abcd", "ef"], "bits": ["1010"], "one": "wxyz"});
    assert_eq!(school.post("/rpc/codes", body).await.ok(), expected);
    let csv =
        school.call(Method::POST, "/rpc/codes").body("text/csv", "many,bits,one\n\"{abcd,ef}\",{1010},wxyz");
    assert_eq!(csv.await.ok(), expected);
    assert_eq!(school.get("/rpc/any_codes?many=abcd&many=ef").await.ok(), json!("abcd+ef"));
    let long = school.get("/rpc/codes?many={a}&one=abcde").await;
    assert_eq!(long.error(), (400, "22001"), "a domain's length holds");

    let row = "id,c,v,b,n,t,d\n1,\"{abcd,ef}\",\"{abc}\",{1010},{12.34},{10:00:00.4},{abc}";
    let made = school.call(Method::POST, "/limited").body("text/csv", row).representation().await;
    let stored = json!([{"id": 1, "c": ["abcd", "ef  "], "v": ["abc"], "b": ["1010"], "n": [12.3], "t": ["10:00:00"], "d": ["abc"]}]);
    assert_eq!(made.json(), stored);
    for (column, value) in [("c", "{abcde}"), ("v", "{abcd}"), ("b", "{10101}"), ("d", "{abcd}")] {
        let code = if column == "b" { "22026" } else { "22001" };
        let csv = format!("id,{column}\n2,{value}");
        let csv = school.call(Method::POST, "/limited").body("text/csv", csv).await;
        assert_eq!(csv.error(), (400, code), "{column}");
        let json = school.post("/limited", json!({"id": 2, column: value})).await;
        assert_eq!(json.error(), (400, code), "{column}");
    }
    assert_eq!(school.ids("/limited?c=eq.{abcd,ef}&b=cs.{1010}").await, [1]);
}

// rows: C27 C34
#[tokio::test]
async fn a_domain_over_rows_is_selected_and_filtered_like_rows() {
    let school = studio().await;
    school
        .sql(
            "create domain public.some_subject as public.subjects;
             create function public.some_subjects() returns setof public.some_subject volatile language sql
                as $$ select s::public.some_subject from public.subjects s order by s.id $$;
             create function public.a_subject() returns public.some_subject stable language sql
                as $$ select s::public.some_subject from public.subjects s where s.id = 1 $$;",
        )
        .await;
    assert!(school.state.load().await);
    let all = school.get("/subjects?select=id,name&order=id").await.ok();
    assert_eq!(school.post("/rpc/some_subjects?select=id,name", json!({})).await.ok(), all);
    let one = school.get("/rpc/a_subject?select=name").await.ok();
    assert_eq!(one, json!({"name": all[0]["name"]}));
    let filtered = school.post(
        "/rpc/some_subjects?id=eq.1&select=id,lessons!lessons_subject_id_fkey(id)&lessons.id=eq.0",
        json!({}),
    );
    assert_eq!(filtered.await.ok(), json!([{"id": 1, "lessons": []}]));
    let whole = school.post("/rpc/some_subjects", json!({})).await.ok();
    assert_eq!(whole, school.get("/subjects?order=id").await.ok());
}

// rows: C13 C14 C15
#[tokio::test]
async fn whole_bodies_go_to_the_one_unnamed_argument() {
    let school = studio().await;
    assert_eq!(school.post("/rpc/mixed_json", json!({"b": 1})).await.ok(), json!("whole"));
    assert_eq!(school.post("/rpc/mixed_json", json!({"a": 1})).await.ok(), json!("named"));
    let both = school.post("/rpc/both_json", json!({"b": 1})).await;
    assert_eq!(both.error(), (300, "PGRST203"));
    assert_eq!(
        both.json()["message"],
        "Could not choose the best candidate function between: public.both_json( => json), public.both_json( => jsonb)"
    );
    assert_eq!(
        both.json()["hint"],
        "Try renaming the parameters or the function itself in the database so function overloading can be resolved"
    );
    let raw = |path: &str, media: &str, body: &'static str| school.call(Method::POST, path).body(media, body);
    assert_eq!(raw("/rpc/raw_text", "text/plain", "a, \"b\"").await.ok(), json!("text a, \"b\""));
    assert_eq!(raw("/rpc/raw_xml", "text/xml", "<a/>").await.ok(), json!("xml <a/>"));
    assert_eq!(raw("/rpc/raw_text", "text/xml", "<a/>").await.error().0, 404);
    assert_eq!(school.get("/rpc/raw_text").await.error(), (404, "PGRST202"), "not by GET");
}

// rows: C17 C18 C19 PGRST202
#[tokio::test]
async fn a_missing_function_is_described_by_how_it_was_asked_for() {
    let school = studio().await;
    let raw = school.call(Method::POST, "/rpc/raw_texts").body("text/plain", "x").await.json();
    assert_eq!(raw["message"], "Could not find the function public.raw_texts in the schema cache");
    assert_eq!(
        raw["details"],
        "Searched for the function public.raw_texts with a single unnamed text parameter, but no matches were found in the schema cache."
    );
    assert_eq!(raw["hint"], Value::Null);
    let bytes = school.call(Method::POST, "/rpc/nope").body("application/octet-stream", "x").await.json();
    assert_eq!(
        bytes["details"],
        "Searched for the function public.nope with a single unnamed bytea parameter, but no matches were found in the schema cache."
    );
    let get = school.get("/rpc/a_table?upto=1").await.json();
    assert_eq!(
        get["details"],
        "Searched for the function public.a_table with parameter upto, but no matches were found in the schema cache."
    );
    assert_eq!(get["hint"], "Perhaps you meant to call the function public.a_table(up_to)");
    let none = school.post("/rpc/echo_lst", json!({})).await.json();
    assert_eq!(
        none["message"],
        "Could not find the function public.echo_lst without parameters in the schema cache"
    );
    assert_eq!(
        none["details"],
        "Searched for the function public.echo_lst without parameters or with a single unnamed json/jsonb parameter, but no matches were found in the schema cache."
    );
    assert_eq!(none["hint"], "Perhaps you meant to call the function public.echo_list");
    assert_eq!(school.get("/rpc/nothing_like_it").await.json()["hint"], Value::Null);
}

// rows: C20 C21 C22 C23 C24
#[tokio::test]
async fn results_are_values_objects_and_arrays() {
    let school = studio().await;
    for (path, expected) in [
        ("/rpc/nothing_here", json!(null)),
        ("/rpc/one_out", json!({"answer": 42})),
        ("/rpc/in_and_out?n=4", json!({"n": 4, "twice": 8})),
        ("/rpc/a_table?up_to=1", json!([{"n": 1, "square": 1}])),
        ("/rpc/a_record", json!({"id": 1, "name": "one"})),
        ("/rpc/numbers?up_to=2", json!([1, 2])),
        ("/rpc/numbers?up_to=0", json!([])),
        ("/rpc/pair", json!({"one": 1, "two": "two"})),
    ] {
        assert_eq!(school.get(path).await.ok(), expected, "{path}");
    }
    assert_eq!(school.get("/rpc/records").await.ok().as_array().map(Vec::len), Some(2));
    let object = school.call(Method::GET, "/rpc/pair").header("accept", "application/vnd.pgrst.object+json");
    assert_eq!(object.await.ok(), json!({"one": 1, "two": "two"}));
}

// rows: C27 C28
#[tokio::test]
async fn rows_of_functions_are_read_like_rows_of_relations() {
    let school = studio().await;
    let unselected = school.get("/rpc/lessons_of?subject=2&select=title&id=eq.2").await;
    assert_eq!(unselected.ok(), json!([{"title": "Light"}]));
    let ranged = school.call(Method::GET, "/rpc/a_table?up_to=5&order=n").header("range", "1-2");
    let ranged = ranged.prefer("count=exact").await;
    assert_eq!((ranged.status, ranged.header("content-range")), (206, Some("1-2/5")));
    assert_eq!(ranged.json(), json!([{"n": 2, "square": 4}, {"n": 3, "square": 9}]));
    assert_eq!(school.get("/rpc/one_out").await.header("content-range"), Some("0-0/*"));
    assert_eq!(school.get("/rpc/numbers?up_to=0").await.header("content-range"), Some("*/*"));
    let embedded =
        school.post("/rpc/lessons_of?select=id,subjects!subject_id(name)&id=eq.3", json!({"subject": 2}));
    assert_eq!(embedded.await.ok(), json!([{"id": 3, "subjects": {"name": "Science"}}]));
}

// rows: C29 V02
#[tokio::test]
async fn only_volatile_functions_called_by_post_may_write() {
    let school = studio().await;
    for (method, function, read_only) in [
        (Method::GET, "access_mode_volatile", "on"),
        (Method::POST, "access_mode_volatile", "off"),
        (Method::GET, "access_mode_stable", "on"),
        (Method::POST, "access_mode_stable", "on"),
    ] {
        let seen = school.call(method.clone(), &format!("/rpc/{function}")).await.ok();
        assert_eq!(seen, json!(read_only), "{method} {function}");
    }
    assert_eq!(school.get("/rpc/add_exams?n=1").await.error(), (405, "25006"));
    let head = school.call(Method::HEAD, "/rpc/add_exams?n=1").await;
    assert_eq!((head.status, head.text()), (405, ""));
    let head = school.call(Method::HEAD, "/rpc/add?a=2147483647&b=1").await;
    assert_eq!(head.status, 400, "a stable function is called too, though nobody reads what it returns");
    assert_eq!(school.number("select count(*) from exams").await, 0);
}

// rows: C30
#[tokio::test]
async fn a_table_function_is_inlined_with_the_filter_pushed_down() {
    let mut settings = settings();
    settings.plans = true;
    let school = studio_with(settings).await;
    let plan = school
        .call(Method::GET, "/rpc/lessons_of?subject=2&id=eq.2")
        .header("accept", "application/vnd.pgrst.plan+text")
        .await;
    assert_eq!(plan.status, 200);
    assert!(!plan.text().contains("Function Scan"), "{}", plan.text());
    assert!(plan.text().contains("lessons"), "{}", plan.text());
}

// rows: C31 G16 config-db-hoisted-tx-settings
#[tokio::test]
async fn of_a_function_hold_for_its_transaction() {
    let school = studio().await;
    assert_eq!(school.get("/rpc/level_seen").await.ok(), json!("serializable"));
    assert_eq!(school.get("/rpc/setting?name=transaction_isolation").await.ok(), json!("read committed"));
    let mut none = settings();
    none.hoisted_settings.clear();
    let school = studio_with(none).await;
    assert_eq!(school.get("/rpc/level_seen").await.ok(), json!("read committed"));
}

// rows: C32
#[tokio::test]
async fn functions_are_for_those_who_may_execute_them() {
    let school = studio().await;
    for method in [Method::GET, Method::POST] {
        let anonymous = school.call(method.clone(), "/rpc/private").await;
        assert_eq!(anonymous.error(), (401, "42501"), "{method}");
        assert_eq!(anonymous.header("www-authenticate"), Some("Bearer"));
        let user = banyan_testkit::user(uuid::Uuid::from_u128(1));
        let known = school.call(method.clone(), "/rpc/private").by(user).await;
        assert_eq!(known.error(), (403, "42501"), "{method}");
    }
    let service = school.call(Method::GET, "/rpc/private").by(banyan_identity::Caller::service()).await;
    assert_eq!(service.ok(), json!(1));
}

// rows: C33 PGRST124 PGRST128
#[tokio::test]
async fn calls_may_not_affect_more_than_was_said() {
    let school = studio().await;
    let strict = "handling=strict, max-affected=2";
    let call = |path: &str, body: Value| school.post(path, body).prefer(strict);
    let many = call("/rpc/add_exams", json!({"n": 3})).await;
    assert_eq!(many.error(), (400, "PGRST124"));
    assert_eq!(many.json()["details"], "The query affects 3 rows");
    assert_eq!(school.number("select count(*) from exams").await, 0, "nothing is kept");
    let two = call("/rpc/add_exams", json!({"n": 2})).await;
    assert_eq!(
        (two.status, two.header("preference-applied")),
        (200, Some("handling=strict, max-affected=2"))
    );
    let single = call("/rpc/one_out", json!({})).await;
    assert_eq!(single.error(), (400, "PGRST128"));
    assert_eq!(
        single.json()["message"],
        "Function must return SETOF or TABLE when max-affected preference is used with handling=strict"
    );
}
