//! A small school in, SQL out.

use std::collections::HashMap;

use bytes::Bytes;
use http::{Method, Request};

use super::*;
use crate::{
    request,
    schema::{Cardinality, Catalog, Column, Qualified, Relation, Relationship},
};

fn relation(name: &str, columns: &[(&str, &str)], key: &[&str]) -> Relation {
    let column = |(name, data_type): &(&str, &str)| Column {
        name: (*name).to_owned(),
        data_type: (*data_type).to_owned(),
        base_type: (*data_type).to_owned(),
        composite: false,
        holds_json: *data_type == "json",
        default: (*data_type == "integer").then(|| "7".to_owned()),
        nullable: true,
        max_length: None,
        labels: Vec::new(),
        comment: None,
        to_json: None,
        from_json: None,
        from_text: None,
    };
    Relation {
        schema: "public".to_owned(),
        name: name.to_owned(),
        comment: None,
        is_view: false,
        insertable: true,
        updatable: true,
        deletable: true,
        primary_key: key.iter().map(|name| (*name).to_owned()).collect(),
        columns: columns.iter().map(column).collect(),
        computed_json: Vec::new(),
    }
}

fn catalog() -> Catalog {
    let name = |name: &str| Qualified::new("public", name);
    let relations = [
        relation("lessons", &[("id", "integer"), ("title", "text"), ("data", "jsonb")], &["id"]),
        relation("chapters", &[("lesson_id", "integer"), ("name", "text")], &["lesson_id"]),
    ];
    let pairs = |one: &str, two: &str| vec![(one.to_owned(), two.to_owned())];
    let constraint = || "chapters_fkey".to_owned();
    let down = Relationship {
        source: name("lessons"),
        target: name("chapters"),
        target_is_view: false,
        cardinality: Cardinality::OneToMany { constraint: constraint(), columns: pairs("id", "lesson_id") },
    };
    let up = Relationship {
        source: name("chapters"),
        target: name("lessons"),
        target_is_view: false,
        cardinality: Cardinality::ManyToOne { constraint: constraint(), columns: pairs("lesson_id", "id") },
    };
    Catalog {
        relations: relations.into_iter().map(|it| (name(&it.name), it)).collect(),
        relationships: HashMap::from([(name("lessons"), vec![down]), (name("chapters"), vec![up])]),
        ..Catalog::default()
    }
}

fn settings() -> Settings {
    Settings {
        schemas: vec!["public".to_owned()],
        extra_search_path: Vec::new(),
        max_rows: Some(1000),
        public_url: "http://localhost/rest/v1".to_owned(),
        ..Settings::default()
    }
}

/// The text and the parameters of a request.
fn rendered(method: Method, path: &str, prefer: &str, body: &'static str) -> String {
    let path = path.replace('>', "%3E").replace('"', "%22");
    let request = Request::builder().method(method).uri(path).header("prefer", prefer);
    let (parts, ()) = request.body(()).expect("a request").into_parts();
    let request = request::parse(&parts, Bytes::from_static(body.as_bytes()), &settings()).expect("parsed");
    let plan = crate::plan::resolve(&request.shape, &catalog(), &settings()).expect("planned");
    let main = render(&plan, &settings()).main.expect("a statement");
    let params = main.statement(&request.values, &request.body).params;
    let params: Vec<_> = params
        .iter()
        .map(|it| String::from_utf8_lossy(it.value.as_deref().unwrap_or_default()).into_owned())
        .collect();
    format!("{}\n{params:?}", main.text)
}

// rows: SQ1
#[test]
fn reads() {
    insta::assert_snapshot!("read_one", rendered(Method::GET, "/lessons?select=id,title&id=eq.5", "", ""));
    insta::assert_snapshot!(
        "read_many",
        rendered(
            Method::GET,
            "/lessons?select=id,d:data->a->>0::int,chapters!inner(name)&or=(id.gt.1,not.and(title.like.*x,id.in.(1,2)))&chapters.name=not.is.null&chapters.limit=2&order=title.desc.nullslast&limit=3&offset=6",
            "count=exact",
            ""
        )
    );
    insta::assert_snapshot!(
        "read_to_one",
        rendered(
            Method::GET,
            "/chapters?select=name,lessons(title),...lessons(id)&lessons=is.null&order=lessons(title)",
            "",
            ""
        )
    );
}

// rows: SQ5
#[test]
fn writes() {
    let full = "return=representation";
    insta::assert_snapshot!(
        "insert",
        rendered(Method::POST, "/lessons?select=id", full, r#"[{"id":1,"title":"a"}]"#)
    );
    insta::assert_snapshot!(
        "upsert_with_defaults",
        rendered(
            Method::POST,
            "/lessons",
            "resolution=merge-duplicates, missing=default",
            r#"[{"id":1,"title":"a"}]"#
        )
    );
    insta::assert_snapshot!("put", rendered(Method::PUT, "/lessons?id=eq.1", "", r#"{"id":1,"title":"a"}"#));
    insta::assert_snapshot!(
        "update",
        rendered(
            Method::PATCH,
            "/chapters?lesson_id=eq.1&select=name,lessons(title)",
            full,
            r#"{"name":"b"}"#
        )
    );
    insta::assert_snapshot!(
        "delete_limited",
        rendered(Method::DELETE, "/chapters?name=is.null", "handling=strict, max-affected=2", "")
    );
}

// rows: U15
#[test]
fn names_are_quoted() {
    let text = rendered(Method::GET, "/lessons?select=%22a%5C%22b%22", "", "");
    assert!(text.contains(r#""lessons"."a""b" FROM"#), "{text}");
}
