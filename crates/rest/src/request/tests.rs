//! Text in, what was understood out.

use http::{HeaderMap, Method, Request};

use super::*;
use crate::error::Wire;

fn settings() -> Settings {
    Settings {
        schemas: vec!["public".to_owned()],
        extra_search_path: Vec::new(),
        max_rows: None,
        public_url: "http://localhost/rest/v1".to_owned(),
        ..Settings::default()
    }
}

fn parsed(method: Method, path: &str, body: &'static str) -> Result<ApiRequest, Error> {
    let path = path.replace('>', "%3E");
    let (parts, ()) = Request::builder().method(method).uri(path).body(()).expect("a request").into_parts();
    parse(&parts, Bytes::from_static(body.as_bytes()), &settings())
}

fn refused(path: &str) -> Wire {
    parsed(Method::GET, path, "").expect_err("refused").wire()
}

// rows: U10 U12
#[test]
fn refusals_say_where_and_what_was_possible() {
    let table = [
        ("/t?a=0", "filter (0)", 1, "unexpected \"0\" expecting \"not\" or operator (eq, gt, ...)"),
        ("/t?a=noop.0", "filter (noop.0)", 1, "unexpected \"o\" expecting \"not\" or operator (eq, gt, ...)"),
        ("/t?a=eq().x", "filter (eq().x)", 4, "unexpected \")\" expecting operator (eq, gt, ...)"),
        (
            "/t?order=id.up",
            "order (id.up)",
            4,
            "unexpected \"u\" expecting \"asc\", \"desc\", \"nullsfirst\" or \"nullslast\"",
        ),
        (
            "/t?order=id.asc.nullslasttt",
            "order (id.asc.nullslasttt)",
            17,
            "unexpected 't' expecting \",\" or end of input",
        ),
        (
            "/t?or=()",
            "logic tree (())",
            4,
            "unexpected \")\" expecting field name (* or [a..z0..9_$]), negation operator (not) or logic operator (and, or)",
        ),
        (
            "/t?columns=",
            "columns parameter ()",
            1,
            "unexpected end of input expecting field name (* or [a..z0..9_$])",
        ),
    ];
    for (path, what, column, details) in table {
        let wire = refused(path);
        assert_eq!((wire.code.as_str(), wire.status.as_u16()), ("PGRST100", 400), "{path}");
        assert_eq!(wire.message, format!("\"failed to parse {what}\" (line 1, column {column})"), "{path}");
        assert_eq!(wire.details, details, "{path}");
    }
}

// rows: G17
#[test]
fn equal_shapes_differ_in_their_values_alone() {
    let one =
        parsed(Method::GET, "/t?id=eq.1&or=(a.in.(1,2),b.like.x*)&c->>d=not.is.null", "").expect("parsed");
    let two =
        parsed(Method::GET, "/t?id=eq.2&or=(a.in.(3),b.like.*y)&c->>d=not.is.null", "").expect("parsed");
    assert_eq!(one.shape, two.shape);
    assert_eq!(one.values, ["1", "{\"1\",\"2\"}", "x%"]);
    assert_eq!(two.values, ["2", "{\"3\"}", "%y"]);
    let three = parsed(Method::GET, "/t?id=gt.1", "").expect("parsed");
    assert_ne!(one.shape, three.shape);
}

// rows: U01 U05 U06
#[test]
fn names_and_values_are_decoded_and_unquoted() {
    let request =
        parsed(Method::GET, "/t?%22a.b%22=eq.x+y%20z&select=%22(q)%22:a-b,c%20d", "").expect("parsed");
    assert_eq!(request.values, ["x y z"]);
    assert_eq!(request.shape.query.filters[0].1.field.name, "a.b");
    let names: Vec<_> = request
        .shape
        .query
        .select
        .iter()
        .map(|item| match item {
            select::SelectItem::Column(column) => (column.alias.as_deref(), column.field.name.as_str()),
            select::SelectItem::Embed(embed) => (None, embed.target.as_str()),
        })
        .collect();
    assert_eq!(names, [(Some("(q)"), "a-b"), (None, "c d")]);
}

// rows: F08 F09 F10
#[test]
fn lists_keep_quoted_elements_whole() {
    for (list, literal) in [
        ("(a,b)", r#"{"a","b"}"#),
        (r#"("a,b",c)"#, r#"{"a,b","c"}"#),
        (r#"("q\"\\")"#, r#"{"q\"\\"}"#),
        (r#"(a"b,"c"d)"#, r#"{"a\"b","\"c\"d"}"#),
        ("()", "{}"),
        (r#"("")"#, "{}"),
        ("(,)", r#"{"",""}"#),
    ] {
        let mut values = Vec::new();
        let pairs = vec![("a".to_owned(), Some(format!("in.{list}")))];
        query::parse(&pairs, false, &mut values).expect("parsed");
        assert_eq!(values, [literal], "{list}");
    }
}

/// Each parameter's kind, and where and why it cannot be read.
// rows: U11 O10 F07
#[test]
fn refusals_name_the_kind_of_parameter() {
    let names = "field name (* or [a..z0..9_$])";
    for (path, what, column, details) in [
        (
            "/t?select=a::",
            "select parameter (a::)",
            4,
            "unexpected end of input expecting letter or digit".to_owned(),
        ),
        ("/t?select=a->>--1", "select parameter (a->>--1)", 6, "unexpected \"-\" expecting digit".to_owned()),
        ("/t?.a=eq.1", "tree path (.a)", 1, format!("unexpected \".\" expecting {names}")),
        ("/t?.or=(a.eq.1)", "logic path (.or)", 1, format!("unexpected \".\" expecting {names}")),
        (
            "/t?on_conflict=",
            "on_conflict parameter ()",
            1,
            format!("unexpected end of input expecting {names}"),
        ),
        (
            "/t?order=id.decs",
            "order (id.decs)",
            4,
            "unexpected \"d\" expecting \"asc\", \"desc\", \"nullsfirst\" or \"nullslast\"".to_owned(),
        ),
        (
            "/t?a=is.five",
            "filter (is.five)",
            4,
            "unexpected \"f\" expecting isVal: (null, not_null, true, false, unknown)".to_owned(),
        ),
        (
            "/t?a=like().x",
            "filter (like().x)",
            6,
            "unexpected \")\" expecting operator (eq, gt, ...)".to_owned(),
        ),
        (
            "/t?a=like(some).x",
            "filter (like(some).x)",
            6,
            "unexpected \"s\" expecting operator (eq, gt, ...)".to_owned(),
        ),
    ] {
        let wire = refused(path);
        assert_eq!(wire.code, "PGRST100", "{path}");
        assert_eq!(wire.message, format!("\"failed to parse {what}\" (line 1, column {column})"), "{path}");
        assert_eq!(wire.details, details, "{path}");
    }
}

/// How deep a tree is.
fn depth(logic: &filter::Logic) -> usize {
    match logic {
        filter::Logic::Filter(_) => 0,
        filter::Logic::Tree { members, .. } => 1 + members.iter().map(depth).max().unwrap_or_default(),
    }
}

// rows: F20
#[test]
fn two_hundred_levels_are_read() {
    let path = format!("/t?and=({}a.eq.1{}", "or(".repeat(199), ")".repeat(200));
    let request = parsed(Method::GET, &path, "").expect("parsed");
    assert_eq!(depth(&request.shape.query.logic[0].1), 200);
}

// rows: G17
#[test]
fn pages_of_a_relation_are_one_shape() {
    let one = parsed(Method::GET, "/t?limit=5&offset=0&c.limit=1", "").expect("parsed");
    let two = parsed(Method::GET, "/t?limit=7&offset=14&c.limit=2", "").expect("parsed");
    assert_eq!(one.shape, two.shape);
    assert_eq!((two.range.offset, two.range.limit), (14, Some(7)));
    assert_ne!(one.values, two.values);
}

// rows: U02
#[test]
fn reserved_words_count_as_whole_keys_or_as_the_last_word() {
    let request =
        parsed(Method::GET, "/t?a.select=eq.1&a.order=id&a.limit=1&a.and=(b.eq.1)&a.columns=eq.2", "")
            .expect("parsed");
    let query = &request.shape.query;
    let filtered: Vec<_> = query.filters.iter().map(|(_, filter)| filter.field.name.as_str()).collect();
    assert_eq!(filtered, ["select", "columns"]);
    assert_eq!((query.order.len(), query.ranges.len(), query.logic.len()), (1, 1, 1));
}

// rows: U03
#[test]
fn the_first_of_a_repeated_key_counts_and_filters_add_up() {
    let request =
        parsed(Method::GET, "/t?select=a&select=b&id=gt.1&id=lt.9&flag&order=x&order=y", "").expect("parsed");
    let query = &request.shape.query;
    assert_eq!(query.select.len(), 1);
    assert!(matches!(&query.select[0], select::SelectItem::Column(column) if column.field.name == "a"));
    assert_eq!(query.filters.len(), 2);
    assert_eq!(request.canonical_query, "flag=&id=gt.1,lt.9&order=x,y&select=a,b");
}

// rows: U05 U06 U08
#[test]
fn names_are_bare_or_quoted_and_blanks_are_free() {
    for (text, name) in [
        ("plain", "plain"),
        ("%20 outer ", "outer"),
        ("two words", "two words"),
        ("a-b-c", "a-b-c"),
        ("$cost_1", "$cost_1"),
        ("पाठ", "पाठ"),
        (r#""a.b""#, "a.b"),
        (r#""(x)""#, "(x)"),
        (r#""q\"\\""#, r#"q"\"#),
    ] {
        let text = text.replace('"', "%22").replace(' ', "+").replace('\\', "%5C");
        let request = parsed(Method::GET, &format!("/t?select={text},+z"), "").expect("parsed");
        let names: Vec<&str> = request
            .shape
            .query
            .select
            .iter()
            .map(|item| match item {
                select::SelectItem::Column(column) => column.field.name.as_str(),
                select::SelectItem::Embed(embed) => embed.target.as_str(),
            })
            .collect();
        assert_eq!(names, [name, "z"], "{text}");
    }
}

// rows: S11 S12 S16
#[test]
fn hint_and_join_stand_in_any_order() {
    let embed = |text: &str| match &select::parse(text).expect("parsed")[..] {
        [select::SelectItem::Embed(embed)] => embed.clone(),
        other => panic!("{text}: {other:?}"),
    };
    let one = embed("a:t!h!inner(x)");
    assert_eq!(one, embed("a:t!inner!h(x)"));
    assert_eq!((one.alias.as_deref(), one.hint.as_deref()), (Some("a"), Some("h")));
    assert_eq!((one.join, embed("t!left(x)").join), (select::Join::Inner, select::Join::Left));
    let spread = embed("...t!h!inner(x)");
    assert!(spread.spread && spread.alias.is_none() && spread.join == select::Join::Inner);
    assert!(select::parse("count(x)").is_err(), "count cannot be embedded");
}

// rows: V09
#[test]
fn deep_nesting_is_refused_rather_than_followed() {
    for path in [
        format!("/t?or={}a.eq.1{}", "(and".repeat(5_000), ")".repeat(5_000)),
        format!("/t?select={}x{}", "a(".repeat(5_000), ")".repeat(5_000)),
        format!("/t?select=x{}", ",a()".repeat(65)),
    ] {
        assert_eq!(refused(&path).code, "PGRST100");
    }
    let most = format!("/t?select=x{}", ",a(b)".repeat(64));
    assert_eq!(parsed(Method::GET, &most, "").expect("parsed").shape.query.select.len(), 65);
}

// rows: C06
#[test]
fn arguments_of_get_have_no_operator() {
    let request = parsed(Method::GET, "/rpc/f?a=1&b=eq.2&c=x.y", "").expect("parsed");
    let names: Vec<_> = request
        .shape
        .query
        .arguments
        .iter()
        .map(|(name, slot)| (&**name, &*request.values[slot.0]))
        .collect();
    assert_eq!(names, [("a", "1"), ("c", "x.y")]);
    assert_eq!(request.shape.query.filters.len(), 1);
}

// rows: R01
#[test]
fn a_refused_limit_or_offset_says_what_is_expected() {
    for (query, message) in [
        ("limit=Infinity", "limit must be a whole number, not 'Infinity'"),
        ("offset=1.5", "offset must be a whole number, not '1.5'"),
        ("c.limit=-", "c.limit must be a whole number, not '-'"),
        ("limit=99999999999999999999", "limit is out of range: '99999999999999999999'"),
        ("offset=-9223372036854775809", "offset is out of range: '-9223372036854775809'"),
    ] {
        let wire = refused(&format!("/t?select=*,c(*)&{query}"));
        assert_eq!((wire.status.as_u16(), wire.message.as_str()), (400, message));
        assert_eq!(wire.details, "Write a whole number in digits, at most 9223372036854775807.");
    }
    let nines = "9".repeat(60_000);
    for query in [format!("limit={nines}"), format!("c{nines}.offset=x"), format!("a=eq{nines}.1")] {
        let message = refused(&format!("/t?select=*,c(*)&{query}")).message;
        assert!(message.len() < 500 && message.contains("99…"), "{}", message.len());
    }
    let read = |text: &str| parsed(Method::GET, &format!("/t?limit={text}"), "").expect("read").range.limit;
    assert_eq!(read("9223372036854775807"), Some(i64::MAX));
    assert_eq!(read("+007+"), Some(7));
}

// rows: R03
#[test]
fn header_and_limit_meet() {
    for (query, header, expected) in [
        ("", "2-5", (2, Some(4))),
        ("?limit=10&offset=4", "2-5", (4, Some(2))),
        ("?offset=1", "0-", (1, None)),
        ("?limit=0", "", (0, Some(0))),
        ("?limit=2&offset=9223372036854775807", "", (i64::MAX, Some(1))),
        ("?limit=2&offset=9223372036854775806", "", (i64::MAX - 1, Some(2))),
    ] {
        let builder = Request::builder().uri(format!("/t{query}")).header("range", header);
        let (parts, ()) = builder.body(()).expect("a request").into_parts();
        let range = parse(&parts, Bytes::new(), &settings()).expect("parsed").range;
        assert_eq!((range.offset, range.limit), expected, "{query} {header}");
    }
}

// rows: H01 H02
#[test]
fn the_first_value_of_a_preference_counts() {
    let mut headers = HeaderMap::new();
    headers.append("prefer", "return=minimal , count=exact,return=representation".parse().expect("a value"));
    headers.append("prefer", "max-affected=5, timezone=UTC, max-affected=x, odd".parse().expect("a value"));
    let (preferences, others) = preferences::parse(&headers, true);
    assert_eq!(preferences.representation, Some(preferences::Representation::Minimal));
    assert_eq!((preferences.max_affected, others.timezone.as_deref()), (Some(5), Some("UTC")));
    assert_eq!((preferences.unknown, others.unknown), (false, vec!["odd".to_owned()]));
}

// rows: N01
#[test]
fn media_types_come_by_quality() {
    let mut headers = HeaderMap::new();
    headers.append("accept", "text/csv;q=0.5, APPLICATION/json ; q=0.9, image/png".parse().expect("a value"));
    assert_eq!(
        media::accepted(&headers),
        [MediaType::Other("image/png".to_owned()), MediaType::Json, MediaType::Csv]
    );
    let single = MediaType::parse("application/vnd.pgrst.object+json; nulls=stripped");
    assert_eq!(single, MediaType::Object { strip_nulls: true });
}
