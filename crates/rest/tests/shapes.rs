//! SQL depends on the shape of a request alone: the same request with other values gives the same
//! bytes, and no value is among them (CONTRACT.md U15, V01, G17).

use std::{cell::Cell, sync::Arc};

use banyan_rest::{plan, request, schema::Snapshot, sql};
use bytes::Bytes;
use http::{Method, Request};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use proptest::{
    prelude::*,
    sample::{select, subsequence},
    test_runner::TestRunner,
};
use serde_json::{Map, Value};

use crate::support::school;

/// A request whose values are places, `{}`, to be filled.
#[derive(Debug, Clone)]
struct Form {
    method: Method,
    path: &'static str,
    prefer: Vec<&'static str>,
    /// Key and form of the value; a place is followed by how it is written.
    parameters: Vec<(&'static str, &'static str)>,
    /// Members that each object of the body has.
    members: Vec<&'static str>,
    /// Whether the body is an array; it then has as many objects as there are values for.
    array: bool,
}

/// What stands in a place, and how often lists and bodies repeat.
#[derive(Debug, Clone)]
struct Values {
    texts: Vec<String>,
    repeat: usize,
}

const SELECTS: [(&str, &str); 7] = [
    ("select", "*"),
    ("select", "id,title"),
    ("select", "id,pages:data->pages->>count,cut:title::varchar"),
    ("select", "title,chapters(number,name)"),
    ("select", "title,subjects!lessons_subject_id_fkey!inner(name)"),
    ("select", "title,shout,first_chapter(name)"),
    ("select", "title,...plans(text)"),
];

const FILTERS: [(&str, &str); 16] = [
    ("title", "eq.{}"),
    ("title", "not.neq.{}"),
    ("title", "like.*{}*"),
    ("title", "imatch.{}"),
    ("title", "isdistinct.{}"),
    ("title", "eq(any).{list}"),
    ("title", "ilike(all).{list}"),
    ("title", "in.(list)"),
    ("tags", "cs.{list}"),
    ("words", "wfts.{}"),
    ("title", "not.plfts(english).{}"),
    ("data->>kind", "eq.{}"),
    ("odd name", "gte.{}"),
    ("or", "(title.eq.{quoted},not.and(id.gt.1,title.in.(list)))"),
    ("not.and", "(title.like.{quoted},title.eq.{quoted})"),
    ("level", "is.null"),
];

const ORDERS: [(&str, &str); 4] =
    [("order", "title.desc.nullslast,id"), ("order", "data->pages->count"), ("limit", "3"), ("offset", "1")];

const PREFERENCES: [&str; 6] = [
    "count=exact",
    "count=planned",
    "return=representation",
    "missing=default",
    "resolution=merge-duplicates",
    "handling=strict",
];

/// Any request on the school's lessons.
fn forms() -> impl Strategy<Value = Form> {
    let methods = select(vec![Method::GET, Method::HEAD, Method::POST, Method::PATCH, Method::DELETE]);
    let members = subsequence(vec!["id", "title", "grade", "data", "odd name"], 1..=5);
    let parameters =
        (select(SELECTS.to_vec()), subsequence(FILTERS.to_vec(), 0..=5), subsequence(ORDERS.to_vec(), 0..=4));
    let prefer = subsequence(PREFERENCES.to_vec(), 0..=3);
    let on_relation = (methods, parameters, prefer, members, any::<bool>()).prop_map(
        |(method, (select, filters, orders), prefer, members, array)| {
            let parameters = [select].into_iter().chain(filters).chain(orders).collect();
            let array = array && method == Method::POST;
            Form { method, path: "/lessons", prefer, parameters, members, array }
        },
    );
    prop_oneof![4 => on_relation, 1 => calls()]
}

fn calls() -> impl Strategy<Value = Form> {
    let get = |path: &'static str, parameters: Vec<(&'static str, &'static str)>| Form {
        method: Method::GET,
        path,
        prefer: Vec::new(),
        parameters,
        members: Vec::new(),
        array: false,
    };
    select(vec![
        get(
            "/rpc/lessons_of",
            vec![("subject", "{}"), ("title", "eq.{}"), ("select", "title,chapters(name)")],
        ),
        get("/rpc/sum_of", vec![("numbers", "{}"), ("numbers", "{}")]),
        Form { method: Method::POST, members: vec!["a", "b"], ..get("/rpc/add", Vec::new()) },
        Form { method: Method::POST, members: vec!["x"], array: true, ..get("/rpc/whole", Vec::new()) },
    ])
}

/// Values that no SQL holds by chance, with everything in them that SQL or the grammar could trip
/// over.
fn values() -> impl Strategy<Value = Values> {
    let letters = r#"abcXYZ0189"'`\,.()[]{}*%_$;:-/#@!?&=|<> é語🙂"#.chars().collect::<Vec<_>>();
    let text = proptest::collection::vec(select(letters), 0..12);
    let texts = proptest::collection::vec(text.prop_map(|it| format!("Zq{}qZ", String::from_iter(it))), 16);
    (texts, 1..4_usize).prop_map(|(texts, repeat)| Values { texts, repeat })
}

impl Form {
    fn filled(&self, values: &Values) -> (http::request::Parts, Bytes) {
        let mut texts = values.texts.iter().cycle();
        let parameters: Vec<_> = self
            .parameters
            .iter()
            .map(|(key, form)| format!("{}={}", encode(key), encode(&fill(form, values, &mut texts))))
            .collect();
        let uri = format!("{}?{}", self.path, parameters.join("&"));
        let mut request = Request::builder().method(self.method.clone()).uri(uri);
        for preference in &self.prefer {
            request = request.header("prefer", *preference);
        }
        let mut object = || {
            let members = self.members.iter().zip(&mut texts);
            let members = members.map(|(key, text)| ((*key).to_owned(), text.as_str().into()));
            Value::Object(members.collect::<Map<_, _>>())
        };
        let body = match self.array {
            true => Value::Array((0..values.repeat).map(|_| object()).collect()),
            false => object(),
        };
        let (parts, ()) = request.body(()).expect("a request").into_parts();
        (parts, body.to_string().into())
    }
}

/// The form of a value with its places filled, each as its grammar quotes.
fn fill<'a>(form: &str, values: &Values, texts: &mut impl Iterator<Item = &'a String>) -> String {
    let mut filled = form.to_owned();
    let mut next = || texts.next().expect("texts never end").clone();
    let quoted = |text: String| format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""));
    while let Some((before, after)) = filled.split_once("{quoted}") {
        filled = format!("{before}{}{after}", quoted(next()));
    }
    for (place, open, close) in [("{list}", "{", "}"), ("(list)", "(", ")")] {
        if let Some((before, after)) = filled.split_once(place) {
            let elements: Vec<_> = (0..values.repeat).map(|_| quoted(next())).collect();
            filled = format!("{before}{open}{}{close}{after}", elements.join(","));
        }
    }
    match form.split_once("{}") {
        Some((before, after)) => format!("{before}{}{after}", next()),
        None => filled,
    }
}

fn encode(text: &str) -> String {
    utf8_percent_encode(text, NON_ALPHANUMERIC).to_string()
}

/// The texts of a request's statements, or its refusal.
fn rendered(form: &Form, values: &Values, snapshot: &Snapshot) -> Result<Vec<Arc<str>>, String> {
    let (parts, body) = form.filled(values);
    let refusal = |error: banyan_rest::error::Error| format!("{error:?}");
    let request = request::parse(&parts, body, &snapshot.settings).map_err(refusal)?;
    let plan = plan::resolve(&request.shape, &snapshot.catalog, &snapshot.settings).map_err(refusal)?;
    let rendered = sql::render(&plan, &snapshot.settings);
    Ok([rendered.main, rendered.estimate].into_iter().flatten().map(|it| it.text).collect())
}

// rows: U15 V01 G17
#[tokio::test]
async fn sql_depends_on_the_shape_alone() {
    let school = school().await;
    let snapshot = school.state.snapshot().expect("the schema was read");
    let (texts, refusals) = (Cell::new(0), Cell::new(0));
    let outcome = TestRunner::deterministic().run(&(forms(), values(), values()), |(form, one, two)| {
        match (rendered(&form, &one, &snapshot), rendered(&form, &two, &snapshot)) {
            (Ok(first), Ok(second)) => {
                texts.set(texts.get() + 1);
                prop_assert!(
                    !first.iter().any(|text| text.contains("Zq") || text.contains("qZ")),
                    "{:?}",
                    first
                );
                prop_assert_eq!(first, second);
            }
            // What is refused is refused for its shape, too.
            (first, second) => {
                refusals.set(refusals.get() + 1);
                prop_assert_eq!(first.is_err(), second.is_err(), "{:?} {:?}", first, second);
            }
        }
        Ok(())
    });
    if let Err(fault) = outcome {
        panic!("{fault}");
    }
    let (texts, refusals) = (texts.get(), refusals.get());
    assert!(
        texts > 20 * refusals,
        "{texts} requests were rendered, {refusals} refused: the forms are no good"
    );
}

/// Inputs that once became SQL which PostgreSQL could not parse: they are refused, or have a text
/// now.
// rows: U15 S04 S08
#[tokio::test]
async fn names_and_types_always_parse() {
    let school = school().await;
    for path in [
        "/lessons?select=\"\"",
        "/lessons?select=id:: ",
        "/lessons?select=\"%00a\":id",
        "/lessons?order=\"\"",
    ] {
        assert_eq!(school.get(path).await.error(), (400, "PGRST100"), "{path}");
    }
    for path in ["/lessons?select=id::1", "/lessons?select=id::select", "/lessons?select=id::int not null"] {
        assert_eq!(school.get(path).await.error(), (400, "42704"), "{path}");
    }
    let keyless = school.get("/lessons?select=data->\"\"&id=eq.1").await.ok();
    assert_eq!(keyless, serde_json::json!([{"data": null}]));
    let cast =
        school.get("/lessons?select=a:id::INT,b:grade::Double Precision,c:tags::_varchar&id=lt.0").await.ok();
    assert_eq!(cast, serde_json::json!([]));
}

// rows: S14
#[tokio::test]
async fn one_key_for_two_embedded_relations_is_refused() {
    let school = school().await;
    let one = "subjects!lessons_subject_id_fkey(name)";
    let other = "subjects!lessons_editor_fkey(name)";
    let reply = school.get(&format!("/lessons?select={one},{other}")).await;
    assert_eq!(reply.error(), (400, "42712"));
    assert_eq!(reply.json()["message"], "table name \"lessons_subjects_1\" specified more than once");
    assert_eq!(school.get(&format!("/lessons?select={one},editor:{other}")).await.status, 200);
    let deeper = format!("/chapters?select=lessons({one},{other})");
    assert_eq!(
        school.get(&deeper).await.json()["message"],
        "table name \"lessons_subjects_2\" specified more than once"
    );
}

// rows: C13
#[tokio::test]
async fn overloads_that_fit_are_named_in_order() {
    let school = school().await;
    let reply = school.post("/rpc/overloaded", serde_json::json!({"a": 1})).await;
    assert_eq!(reply.error(), (300, "PGRST203"));
    let between = "public.overloaded(a => integer), public.overloaded(a => text)";
    let message = format!("Could not choose the best candidate function between: {between}");
    assert_eq!(reply.json()["message"], message.as_str());
}
