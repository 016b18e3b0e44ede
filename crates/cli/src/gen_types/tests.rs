use serde_json::json;

use super::introspect::Catalog;
use super::{functions, relationships, typescript};

use banyan_db::Login;

/// Two tables, one of them with a computed field, and overloaded functions.
fn school() -> Catalog {
    let column = |number: i64, name: &str, type_id: i64, nullable: bool, default: bool| {
        json!({
            "number": number, "name": name, "type_id": type_id, "nullable": nullable, "default": default,
            "identity": false, "read_only": false, "updatable": true
        })
    };
    let scalar = |id: i64, name: &str| {
        json!({
            "id": id, "schema": "pg_catalog", "name": name, "element": null, "base": null,
            "labels": [], "attributes": [], "relation_id": null, "display_name": name
        })
    };
    let function = |name: &str, signature: &str, arguments: serde_json::Value, returns: i64| {
        json!({
            "schema": "public", "name": name, "signature": signature, "arguments": arguments,
            "returns": returns, "returns_set": false, "rows": 0.0
        })
    };
    serde_json::from_value(json!({
        "schemas": ["public"],
        "relations": [
            {
                "id": 1, "schema": "public", "name": "teachers", "is_view": false, "insertable": false,
                "updatable": false,
                "columns": [column(1, "id", 23, false, true), column(2, "full name", 25, true, false)]
            },
            {
                "id": 2, "schema": "public", "name": "lessons", "is_view": false, "insertable": false,
                "updatable": false,
                "columns": [column(1, "teacher_id", 23, false, false), column(2, "mood", 100, true, false)]
            }
        ],
        "types": [
            scalar(23, "int4"), scalar(25, "text"), scalar(600, "point"),
            { "id": 1007, "schema": "pg_catalog", "name": "_int4", "element": 23, "base": null, "labels": [],
              "attributes": [], "relation_id": null, "display_name": "integer[]" },
            { "id": 100, "schema": "public", "name": "mood", "element": null, "base": null,
              "labels": ["glad", "\"so so\""], "attributes": [], "relation_id": null, "display_name": "mood" },
            { "id": 101, "schema": "public", "name": "teachers", "element": null, "base": null, "labels": [],
              "attributes": [], "relation_id": 1, "display_name": "teachers" }
        ],
        "functions": [
            function("initials", "teachers text",
                json!([{ "mode": "i", "name": "", "type_id": 101, "default": false }]), 25),
            function("add", "a integer, b integer integer",
                json!([{ "mode": "i", "name": "b", "type_id": 23, "default": true },
                       { "mode": "i", "name": "a", "type_id": 23, "default": false }]), 23),
            function("pick", "a integer integer",
                json!([{ "mode": "i", "name": "a", "type_id": 23, "default": false }]), 1007),
            function("pick", "a text integer",
                json!([{ "mode": "i", "name": "a", "type_id": 25, "default": false }]), 23),
            function("hidden", "integer integer",
                json!([{ "mode": "i", "name": "", "type_id": 23, "default": false }]), 23),
            function("nowhere", "point", json!([]), 600)
        ],
        "foreign_keys": [
            { "name": "lessons_teacher", "relation_id": 2, "columns": [1], "referenced_id": 1,
              "referenced_columns": [1], "one_to_one": false }
        ],
        "views": [],
        "required_columns": []
    }))
    .expect("a catalog")
}

// rows: CLI-TYPES
#[test]
fn gen_types_writes_a_schema_as_the_client_library_reads_it() {
    let mut catalog = school();
    let relationships = relationships::find(&mut catalog);
    let text = typescript::render(&catalog, &relationships);
    let (database, rest) = text.split_once("type DatabaseWithoutInternals").expect("the helpers follow");
    insta::assert_snapshot!("school", database);
    assert!(rest.ends_with(
        "export const Constants = {\n  public: {\n    Enums: {\n      mood: [\"glad\", \"\\\"so so\\\"\"],\n    },\n  },\n} as const\n"
    ));
}

// rows: CLI-TYPES-ORDER
#[test]
fn gen_types_the_same_catalog_in_another_order_gives_the_same_text() {
    let (mut one, mut other) = (school(), school());
    other.relations.reverse();
    other.functions.reverse();
    other.types.reverse();
    let (first, second) = (relationships::find(&mut one), relationships::find(&mut other));
    assert_eq!(typescript::render(&one, &first), typescript::render(&other, &second));
}

// rows: CLI-TYPES-CALLABLE
#[test]
fn gen_types_leaves_out_what_cannot_be_called() {
    let catalog = school();
    let names: Vec<_> =
        functions::offered(&catalog, "public").iter().map(|same| same[0].name.clone()).collect();
    assert_eq!(names, ["add", "initials", "nowhere", "pick"]);
}

// rows: CLI-TYPES-APP
#[tokio::test]
async fn gen_types_the_apps_types_fit_the_migrations() {
    let database = banyan_testkit::database().await;
    let text =
        super::typescript(database.pool(Login::Postgres), &["public".to_owned()]).await.expect("types");
    assert_eq!(text, include_str!("../../../../app/src/types/database.gen.ts"), "run scripts/generate");
}

// rows: CLI-TYPES-SCHEMAS
#[tokio::test]
async fn gen_types_an_unknown_schema_is_named() {
    let database = banyan_testkit::bare_database().await;
    let refused = super::typescript(database.pool(Login::Admin), &["nowhere".to_owned()]).await;
    assert_eq!(refused.expect_err("there is none").to_string(), "there is no schema named nowhere");
}

// rows: CLI-TYPES-COMPUTED
#[tokio::test]
async fn gen_types_a_computed_relationship_to_many_rows_is_an_array() {
    let database = banyan_testkit::platform_database().await;
    let pool = database.pool(Login::Postgres);
    let school = "create table public.classes (id int primary key);
        create table public.pupils (id int primary key, class_id int not null);
        create view public.names as select id from public.pupils;
        create function public.pupils_of(public.classes) returns setof public.pupils language sql stable as
          $$ select * from public.pupils where class_id = $1.id $$;
        create function public.names_of(public.classes) returns setof public.names language sql stable as
          $$ select * from public.names $$;
        create function public.monitor_of(public.classes) returns setof public.pupils rows 1 language sql stable as
          $$ select * from public.pupils where class_id = $1.id limit 1 $$;
        create function public.label(public.classes) returns text language sql stable as $$ select 'x' $$;";
    sqlx::raw_sql(school).execute(pool).await.expect("the objects are made");
    let text = super::typescript(pool, &["public".to_owned()]).await.expect("types");
    let rows = text.split_once("ComputedFields").expect("the rows of classes come first").0;
    for line in [
        "label: string | null\n",
        "monitor_of: { class_id: number; id: number } | null\n",
        "names_of: { id: number }[]\n",
        "pupils_of: { class_id: number; id: number }[]\n",
    ] {
        assert!(rows.contains(line), "{line} in {rows}");
    }
}

/// Views through views, joins, composites, domains, overloads and names that need quotes.
// rows: CLI-TYPES
#[tokio::test]
async fn gen_types_every_kind_of_object_is_written() {
    let database = banyan_testkit::platform_database().await;
    let pool = database.pool(Login::Postgres);
    sqlx::raw_sql(include_str!("every_kind.sql")).execute(pool).await.expect("the objects are made");
    let text = super::typescript(pool, &["public".to_owned(), "other".to_owned()]).await.expect("types");
    let (described, _) = text.split_once("type DatabaseWithoutInternals").expect("the helpers follow");
    insta::assert_snapshot!("every_kind", described);
}
