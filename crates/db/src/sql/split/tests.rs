use super::*;

fn texts(sql: &str) -> Vec<&str> {
    split(sql).into_iter().map(|piece| piece.text).collect()
}

#[test]
fn statements_end_at_semicolons_only() {
    assert_eq!(texts("select 1; select 2 ;\n\n;"), ["select 1", "select 2"]);
    assert_eq!(texts("select ';', E'it\\';s', 'it''s;' ; x"), ["select ';', E'it\\';s', 'it''s;'", "x"]);
    assert_eq!(texts("select 'a\\'; b"), ["select 'a\\'", "b"]);
    assert_eq!(texts("select \"a;\"\"b\"; x"), ["select \"a;\"\"b\"", "x"]);
    assert_eq!(texts("a -- no; \n; b /* ; /* ; */ ; */ c; d"), ["a -- no;", "b /* ; /* ; */ ; */ c", "d"]);
}

#[test]
fn function_bodies_stay_whole() {
    let dollars = "create function f() returns int as $body$ begin; $$;$$ end; $body$ language plpgsql";
    assert_eq!(texts(&format!("{dollars}; select $1; x")), [dollars, "select $1", "x"]);
    let atomic = "create function f() returns int begin atomic select 1; select case when true then 1 \
                  else 2 end; end";
    assert_eq!(texts(&format!("{atomic}; select 2;")), [atomic, "select 2"]);
    let rule = "create rule r as on insert to t do also (delete from a; delete from b)";
    assert_eq!(texts(&format!("{rule}; x")), [rule, "x"]);
}

#[test]
fn a_plain_begin_and_end_are_statements_of_their_own() {
    assert_eq!(
        texts("begin; insert into t values (1); end; x"),
        ["begin", "insert into t values (1)", "end", "x"]
    );
}

#[test]
fn dollars_inside_words_open_no_string() {
    assert_eq!(texts("select a$b$ from t; x"), ["select a$b$ from t", "x"]);
}

#[test]
fn what_is_left_open_belongs_to_the_last_statement() {
    assert_eq!(texts("x; select 'a; b"), ["x", "select 'a; b"]);
    assert_eq!(texts("x; select $$a; b"), ["x", "select $$a; b"]);
    assert_eq!(texts("x; /* a; b"), ["x", "/* a; b"]);
    assert_eq!(texts(""), Vec::<&str>::new());
}

#[test]
fn lines_are_counted_from_the_file() {
    let lines: Vec<_> = split("a;\n\n-- note\nb\n;c;").into_iter().map(|piece| piece.line).collect();
    assert_eq!(lines, [1, 3, 5]);
}

#[test]
fn hindi_text_is_no_obstacle() {
    assert_eq!(texts("select 'पाठ; योजना'; select पाठ;"), ["select 'पाठ; योजना'", "select पाठ"]);
}

#[test]
fn a_body_ends_at_an_end_where_a_statement_could_begin() {
    for body in [
        "select 1 as end; select 2;",
        "select s.end from s; select l.case from l;",
        "select case when true then 1 end; select 2 end;",
        "select 1 end; insert into t values (1);",
        "",
        "select ';', $$;$$, \"end\"; -- end;\n select 1;",
        "create rule r as on insert to t do (delete from a; delete from b); select 1;",
        "create function g() returns int begin atomic select 1 as end; end; select 2;",
    ] {
        let text = format!("create or replace function f() returns int\nbegin /* x */ ATOMIC {body} END");
        assert_eq!(texts(&format!("{text}; select 2; x")), [text.as_str(), "select 2", "x"]);
    }
    let procedure = "create procedure p(begin int, atomic int) language sql begin atomic select 1; end";
    assert_eq!(texts(&format!("{procedure}; x")), [procedure, "x"]);
}

#[test]
fn only_a_routine_has_an_atomic_body() {
    assert_eq!(texts("select begin atomic from t; x"), ["select begin atomic from t", "x"]);
    assert_eq!(
        texts("create view v as select begin atomic; x"),
        ["create view v as select begin atomic", "x"]
    );
    let returns = "create function f(x begin) returns begin return atomic";
    assert_eq!(texts(&format!("{returns}; x")), [returns, "x"]);
}

#[test]
fn strings_go_on_in_a_quote_on_the_line_below() {
    let escapes = "select E'a' -- note\n 'b\\'; c'";
    assert_eq!(texts(&format!("{escapes}; x")), [escapes, "x"]);
    assert_eq!(texts("select E'a' 'b\\'; x"), ["select E'a' 'b\\'", "x"]);
    assert_eq!(texts("select 'a'\n'b\\'; x"), ["select 'a'\n'b\\'", "x"]);
}

#[test]
fn comments_end_at_either_line_end_and_other_spaces_belong_to_names() {
    assert_eq!(texts("a -- no;\rb; c"), ["a -- no;\rb", "c"]);
    assert_eq!(texts("select 1 as a\u{a0}; x"), ["select 1 as a\u{a0}", "x"]);
    assert_eq!(texts("a\u{b}\u{c}; x"), ["a", "x"]);
}

#[test]
fn a_byte_order_mark_is_no_part_of_the_first_statement() {
    assert_eq!(texts("\u{feff}select 1; x"), ["select 1", "x"]);
}

#[test]
fn data_of_a_copy_stand_in_the_lines_below_it() {
    let copy = "copy t (a, b) from stdin";
    let file = format!(
        "\\restrict abc\n\nx;\n{copy}; -- note\n1\t;'\n2\t$$\n\\.\ny;\r\n{copy};\r\n\\.\r\n\\unrestrict abc\nz"
    );
    let pieces = split(&file);
    let seen: Vec<_> = pieces.iter().map(|piece| (piece.text, piece.line, piece.kind)).collect();
    assert_eq!(
        seen,
        [
            ("x", 3, Kind::Ordinary),
            (copy, 4, Kind::CopyIn(Some("1\t;'\n2\t$$\n"))),
            ("y", 8, Kind::Ordinary),
            (copy, 9, Kind::CopyIn(Some(""))),
            ("z", 12, Kind::Ordinary),
        ]
    );
    assert_eq!(pieces[1].whole, format!("{copy}; -- note\n1\t;'\n2\t$$\n\\."));
    assert_eq!(pieces[0].whole, "x");
}

#[test]
fn a_copy_without_an_end_of_its_data_has_none() {
    for file in [
        "copy t from stdin",
        "copy t from stdin;",
        "copy t from stdin;\n1\n",
        "copy t from stdin; x;\n1\n\\.\n",
    ] {
        assert_eq!(split(file)[0].kind, Kind::CopyIn(None), "{file}");
    }
}
