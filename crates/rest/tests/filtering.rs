//! Filters, logic trees and order (CONTRACT.md F01 to F28, O01 to O10).

use http::Method;
use serde_json::json;

use crate::support::{Preferring, School, reading, school};

/// Each filter on lessons chooses these of them.
async fn choose(school: &School, table: &[(&str, &[i64])]) {
    for (filter, expected) in table {
        let ids = school.ids(&format!("/lessons?select=id&order=id&{filter}")).await;
        assert_eq!(ids, *expected, "{filter}");
    }
}

/// Each filter on samples chooses these of them.
async fn sample(school: &School, table: &[(&str, &[i64])]) {
    for (filter, expected) in table {
        let ids = school.ids(&format!("/samples?select=id&order=id&{filter}")).await;
        assert_eq!(ids, *expected, "{filter}");
    }
}

// rows: F01 F02 F17 F18
#[tokio::test]
async fn values_are_compared() {
    let school = school().await;
    choose(
        &school,
        &[
            ("id=eq.2", &[2]),
            ("id=not.eq.2", &[1, 3, 4]),
            ("id=neq.2", &[1, 3, 4]),
            ("id=not.neq.2", &[2]),
            ("id=gt.2", &[3, 4]),
            ("id=gte.2&id=lte.3", &[2, 3]),
            ("id=lt.2", &[1]),
            ("id=not.lt.2", &[2, 3, 4]),
            ("title=eq.", &[]),
            ("title=neq.", &[1, 2, 3, 4]),
        ],
    )
    .await;
    assert_eq!(school.get("/lessons?id=neq(any).{1}").await.error(), (400, "PGRST100"));
}

// rows: F04 F05
#[tokio::test]
async fn texts_match_patterns() {
    let school = school().await;
    choose(
        &school,
        &[
            ("title=like.*igh*", &[2]),
            ("title=like.%25igh%25", &[2]),
            ("title=ilike.LIGHT", &[2]),
            ("title=not.ilike.*i*", &[3, 4]),
            ("title=match.^L", &[2]),
            ("title=imatch.^l", &[2]),
            ("title=not.match.[igA]", &[3]),
        ],
    )
    .await;
}

// rows: F06 F07
#[tokio::test]
async fn operators_hold_for_any_or_all_of_an_array() {
    let school = school().await;
    choose(
        &school,
        &[
            ("grade=eq(any).{5,6}", &[1, 2, 3]),
            ("id=gt(all).{1,2}", &[3, 4]),
            ("id=gte(any).{3,4}", &[3, 4]),
            ("id=lt(all).{2,3}", &[1]),
            ("id=lte(any).{1,2}", &[1, 2]),
            ("title=like(any).{F*,L*}", &[1, 2]),
            ("title=ilike(all).{*i*,*G*}", &[2]),
            ("title=match(any).{^F,^L}", &[1, 2]),
            ("title=imatch(all).{^l,t$}", &[2]),
            ("id=not.eq(any).{1,2}", &[3, 4]),
        ],
    )
    .await;
    for filter in ["id=eq().1", "id=eq(some).{1}"] {
        assert_eq!(school.get(&format!("/lessons?{filter}")).await.error(), (400, "PGRST100"));
    }
}

// rows: F08 F09 F10 F17
#[tokio::test]
async fn in_takes_a_list() {
    let school = school().await;
    choose(
        &school,
        &[
            ("id=in.(1,3)", &[1, 3]),
            ("id=not.in.(1,3)", &[2, 4]),
            ("id=in.()", &[]),
            ("title=in.()", &[]),
            ("title=in.(\"\")", &[]),
            ("title=in.(\"Heat, \\\"warm\\\"\",Light)", &[2, 3]),
        ],
    )
    .await;
    let school = reading().await;
    school.sql("update public.samples set note = 'a\"b' where id = 3").await;
    sample(&school, &[("note=in.(\"a,b\",\"(c)\")", &[1, 2]), ("note=in.(a\"b)", &[3])]).await;
}

// rows: F11 F12
#[tokio::test]
async fn null_and_truth_are_asked_for_by_is() {
    let school = reading().await;
    sample(
        &school,
        &[
            ("note=is.null", &[3]),
            ("note=is.NOT_NULL", &[1, 2]),
            ("note=not.is.Null", &[1, 2]),
            ("flag=is.true", &[1]),
            ("flag=is.False", &[2]),
            ("flag=is.unknown", &[3]),
            ("flag=not.is.true", &[2, 3]),
            ("note=isdistinct.a%2Cb", &[2, 3]),
            ("note=not.isdistinct.a%2Cb", &[1]),
        ],
    )
    .await;
    let other = school.get("/samples?flag=is.maybe").await;
    assert_eq!(other.error(), (400, "PGRST100"));
    assert_eq!(
        other.json()["details"],
        "unexpected \"m\" expecting isVal: (null, not_null, true, false, unknown)"
    );
}

// rows: F13 F14 F17
#[tokio::test]
async fn texts_are_searched() {
    let school = reading().await;
    choose(
        &school,
        &[
            ("words=fts.cake", &[1]),
            ("words=fts(english).cakes", &[1]),
            ("words=plfts(english).ray", &[2]),
            ("words=phfts(english).cutting cakes", &[1]),
            ("words=wfts(english).ray or cake", &[1, 2]),
            ("words=not.fts(english).cake", &[2]),
            ("title=wfts(english).fraction", &[1]),
            ("title=fts(simple).light", &[2]),
            ("data->>kind=fts(simple).core", &[1]),
        ],
    )
    .await;
    sample(&school, &[("words=fts.'cat'", &[1]), ("data=fts.q", &[1]), ("doc=plfts.zero", &[1])]).await;
}

// rows: F15 F16
#[tokio::test]
async fn arrays_ranges_and_json_contain_and_overlap() {
    let school = reading().await;
    sample(
        &school,
        &[
            ("numbers=cs.{10}", &[1]),
            ("numbers=cd.{30,40}", &[2]),
            ("numbers=ov.{20,30}", &[1, 2]),
            ("data=cs.{\"n\": 2}", &[2]),
            ("span=cs.[2,3)", &[1]),
            ("span=cd.[0,6)", &[1]),
            ("span=ov.[4,6)", &[1, 2]),
            ("span=sl.[5,6)", &[1]),
            ("span=sr.[3,5)", &[2]),
            ("span=nxr.[1,6)", &[1]),
            ("span=nxl.[5,6)", &[2]),
            ("span=adj.[9,10)", &[2]),
            ("numbers=not.ov.{20}", &[2]),
        ],
    )
    .await;
}

// rows: F19 F20 F21 F25
#[tokio::test]
async fn conditions_join_into_trees() {
    let school = school().await;
    choose(
        &school,
        &[
            ("or=(id.eq.1,id.eq.3)", &[1, 3]),
            ("and=(id.gt.1,id.lt.4)", &[2, 3]),
            ("or=(id.eq.1,and(grade.eq.6,not.or(id.eq.2)))", &[1, 3]),
            ("not.or=(id.eq.1,id.eq.2)", &[3, 4]),
            ("not.and=(id.gt.1,id.lt.4)", &[1, 4]),
            ("or=(id.eq.1)", &[1]),
            ("or=(not.and(id.gt.1,id.lt.4),id.eq.2)", &[1, 2, 4]),
            ("or=(id.eq.1,id.eq.2)&and=(id.gt.1,id.lt.9)&id=neq.9", &[2]),
            ("or=(id.not.gt.2, id.eq.4)", &[1, 2, 4]),
        ],
    )
    .await;
    let empty = school.get("/lessons?or=()").await;
    assert_eq!(empty.error(), (400, "PGRST100"));
    assert_eq!(empty.json()["message"], "\"failed to parse logic tree (())\" (line 1, column 4)");
}

// rows: F20 V09
#[tokio::test]
async fn a_tree_of_two_hundred_levels_is_answered() {
    let school = school().await;
    let path = |levels: usize| {
        format!("/lessons?select=id&and=({}id.eq.2{}", "or(".repeat(levels - 1), ")".repeat(levels))
    };
    assert_eq!(school.ids(&path(200)).await, [2]);
    assert_eq!(school.get(&path(5_000)).await.error(), (400, "PGRST100"));
    assert_eq!(school.ids("/lessons?id=eq.3").await, [3], "nothing broke");
}

// rows: F23
#[tokio::test]
async fn values_in_trees_end_at_a_comma_or_parenthesis() {
    let school = reading().await;
    choose(
        &school,
        &[
            ("or=(title.eq.\"Heat, \\\"warm\\\"\",id.in.(1,4))", &[1, 3, 4]),
            ("or=(tags.cs.{a,b},id.eq.4)", &[1, 4]),
            ("or=(title.like.*igh*,title.eq.Alone)", &[2, 4]),
        ],
    )
    .await;
    sample(
        &school,
        &[("or=(note.eq.\"(c)\",note.eq.\"a,b\")", &[1, 2]), ("and=(span.ov.\"[4,6)\")", &[1, 2])],
    )
    .await;
}

// rows: F24 U07
#[tokio::test]
async fn trees_and_filters_reach_embedded_relations() {
    let school = school().await;
    let path = "/lessons?select=id,chapters(number)&id=eq.1&chapters.or=(number.eq.2,name.eq.none)";
    assert_eq!(school.get(path).await.ok(), json!([{"id": 1, "chapters": [{"number": 2}]}]));
    let path = "/lessons?select=id,chapters(number)&id=eq.1&chapters.not.and=(number.eq.2)";
    assert_eq!(school.get(path).await.ok(), json!([{"id": 1, "chapters": [{"number": 1}]}]));
    let path = "/subjects?select=id,l:lessons!subject_id(id,c:chapters(number))&id=eq.1&l.c.or=(number.eq.2)&l.c.order=number";
    assert_eq!(school.get(path).await.ok(), json!([{"id": 1, "l": [{"id": 1, "c": [{"number": 2}]}]}]));
}

// rows: F26
#[tokio::test]
async fn json_paths_are_filtered_by_also_in_trees() {
    let school = school().await;
    choose(
        &school,
        &[
            ("data->pages->count=gt.3", &[2]),
            ("data->>kind=eq.core", &[1]),
            ("data->list->0=eq.10", &[1]),
            ("or=(data->>kind.eq.core,data->pages->>count.eq.7)", &[1, 2]),
            ("data->kind=is.not_null", &[1]),
        ],
    )
    .await;
}

// rows: F27
#[tokio::test]
async fn filters_know_neither_casts_nor_aliases() {
    let school = school().await;
    assert_eq!(school.get("/lessons?select=n:id&n=eq.1").await.error(), (400, "42703"));
    let cast = school.get("/lessons?select=id&id::text=eq.1").await;
    assert_eq!(cast.error(), (400, "42703"), "a key is the column of that whole name");
}

// rows: O01 O02 O03
#[tokio::test]
async fn rows_come_in_order() {
    let school = reading().await;
    for (order, expected) in [
        ("id.desc", vec![4, 3, 2, 1]),
        ("id", vec![1, 2, 3, 4]),
        ("grade.desc.nullslast,id.asc", vec![2, 3, 1, 4]),
        ("grade.nullsfirst,id.desc", vec![4, 1, 3, 2]),
        ("grade.asc.nullslast, id.desc", vec![1, 3, 2, 4]),
        ("data->pages->>count.desc.nullslast,id", vec![2, 1, 3, 4]),
        ("shout", vec![4, 1, 3, 2]),
    ] {
        assert_eq!(school.ids(&format!("/lessons?select=id&order={order}")).await, expected, "{order}");
    }
    let by_computed = "/lessons?select=id,main_subject(name)&order=main_subject(name).desc.nullslast,id.desc";
    assert_eq!(school.ids(by_computed).await, [3, 2, 1, 4]);
    assert_eq!(
        school.ids("/lessons?select=id&order=id.desc&order=id.asc").await,
        [4, 3, 2, 1],
        "the first counts"
    );
}

// rows: O04 O05
#[tokio::test]
async fn embedded_rows_and_their_columns_order() {
    let school = school().await;
    let path = "/subjects?select=id,l:lessons!subject_id(id,chapters(number))&id=in.(1,2)&order=id&l.order=id.desc&l.chapters.order=number.desc";
    assert_eq!(
        school.get(path).await.ok(),
        json!([
            {"id": 1, "l": [{"id": 1, "chapters": [{"number": 2}, {"number": 1}]}]},
            {"id": 2, "l": [{"id": 3, "chapters": []}, {"id": 2, "chapters": [{"number": 1}]}]}
        ])
    );
    for (order, expected) in [
        ("subject(name).desc.nullslast,id", vec![2, 3, 1, 4]),
        ("subject(name).asc.nullsfirst,id.desc", vec![4, 1, 3, 2]),
    ] {
        let path = format!("/lessons?select=id,subject:subjects!subject_id(name)&order={order}");
        assert_eq!(school.ids(&path).await, expected, "{order}");
    }
    let path = "/chapters?select=number,lessons(id,data)&order=lessons(data->pages->>count).desc,number.desc";
    let rows = school.get(path).await.ok();
    let found: Vec<_> =
        rows.as_array().expect("rows").iter().map(|row| row["lessons"]["id"].clone()).collect();
    assert_eq!(found, [2, 1, 1]);
}

// rows: O06 O07 PGRST118 PGRST108
#[tokio::test]
async fn only_embedded_to_one_relations_order_their_parent() {
    let school = school().await;
    let to_many = school.get("/lessons?select=id,chapters(name)&order=chapters(name)").await;
    assert_eq!(to_many.error(), (400, "PGRST118"));
    assert_eq!(to_many.json()["message"], "A related order on 'chapters' is not possible");
    assert_eq!(
        to_many.json()["details"],
        "'lessons' and 'chapters' do not form a many-to-one or one-to-one relationship"
    );
    let absent = school.get("/lessons?order=plans(text)").await;
    assert_eq!(absent.error(), (400, "PGRST108"));
    assert_eq!(absent.json()["message"], "'plans' is not an embedded resource in this request");
}

// rows: O08
#[tokio::test]
async fn what_a_write_returns_comes_in_order() {
    let school = school().await;
    let body = json!([{"id": 5, "label": "b"}, {"id": 6, "label": "a"}]);
    let made = school.post("/tags?select=id&order=label", body).representation().await;
    assert_eq!(made.json(), json!([{"id": 6}, {"id": 5}]));
    let changed = school.patch("/lessons?id=gt.2&select=id&order=id.desc", json!({"grade": 1}));
    assert_eq!(changed.representation().await.ok(), json!([{"id": 4}, {"id": 3}]));
    let put =
        school.call(Method::PUT, "/tags?id=eq.6&select=id&order=id").json(json!({"id": 6, "label": "z"}));
    assert_eq!(put.representation().await.ok(), json!([{"id": 6}]));
    let gone = school.call(Method::DELETE, "/tags?id=gt.4&select=id&order=id.desc");
    assert_eq!(gone.representation().await.ok(), json!([{"id": 6}, {"id": 5}]));
}
