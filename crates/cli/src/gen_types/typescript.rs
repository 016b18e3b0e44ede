use super::functions::{computed_fields, offered, signatures};
use super::introspect::{Catalog, Column, Relation, Type};
use super::relationships::{Relationship, Relationships};
use super::type_names::{member, nullable_name, quoted, union_of};

/// Writes the whole file: `Json`, `Database`, the helper types and `Constants`.
pub(super) fn render(catalog: &Catalog, relationships: &Relationships) -> String {
    let mut schemas: Vec<&str> = catalog.schemas.iter().map(String::as_str).collect();
    schemas.sort_unstable();
    let default =
        if schemas.contains(&"public") { "public" } else { schemas.first().copied().unwrap_or("public") };
    let mut page = Page::default();
    page.line(
        "export type Json = string | number | boolean | null | { [key: string]: Json | undefined } | Json[]",
    );
    page.line("");
    page.block("export type Database = {", "}", |page| {
        for schema in &schemas {
            page.block(&format!("{}: {{", member(schema)), "}", |page| {
                render_schema(page, catalog, relationships, schema);
            });
        }
    });
    page.line("");
    page.text.push_str(&include_str!("helpers.ts").replace("\"public\"", &quoted(default)));
    page.line("");
    page.block("export const Constants = {", "} as const", |page| {
        for schema in &schemas {
            page.block(&format!("{}: {{", member(schema)), "},", |page| {
                render_constants(page, catalog, schema)
            });
        }
    });
    page.text
}

fn render_schema(page: &mut Page, catalog: &Catalog, relationships: &Relationships, schema: &str) {
    let mut relations: Vec<&Relation> =
        catalog.relations.iter().filter(|found| found.schema == schema).collect();
    relations.sort_by(|one, other| one.name.cmp(&other.name));
    let (views, tables): (Vec<&Relation>, Vec<&Relation>) =
        relations.into_iter().partition(|found| found.is_view);
    page.members("Tables", tables, |page, table| render_relation(page, catalog, relationships, table));
    page.members("Views", views, |page, view| render_relation(page, catalog, relationships, view));
    page.members("Functions", offered(catalog, schema), |page, overloads| {
        if let Some(first) = overloads.first() {
            page.line(&format!("{}: {}", member(&first.name), signatures(catalog, &overloads)));
        }
    });
    page.members("Enums", enums(catalog, schema), |page, found| {
        page.line(&format!("{}: {}", member(&found.name), union_of(&found.labels)));
    });
    page.members("CompositeTypes", composites(catalog, schema), |page, found| {
        page.block(&format!("{}: {{", member(&found.name)), "}", |page| {
            for attribute in &found.attributes {
                let value = nullable_name(catalog, attribute.type_id, true);
                page.line(&format!("{}: {value}", member(&attribute.name)));
            }
        });
    });
}

fn enums<'a>(catalog: &'a Catalog, schema: &str) -> Vec<&'a Type> {
    types(catalog, |found| found.schema == schema && !found.labels.is_empty())
}

fn composites<'a>(catalog: &'a Catalog, schema: &str) -> Vec<&'a Type> {
    types(catalog, |found| found.schema == schema && !found.attributes.is_empty())
}

fn types(catalog: &Catalog, wanted: impl Fn(&Type) -> bool) -> Vec<&Type> {
    let mut found: Vec<&Type> = catalog.types.iter().filter(|found| wanted(found)).collect();
    found.sort_by(|one, other| one.name.cmp(&other.name));
    found
}

fn render_relation(page: &mut Page, catalog: &Catalog, relationships: &Relationships, relation: &Relation) {
    let mut columns: Vec<&Column> = relation.columns.iter().collect();
    columns.sort_by(|one, other| one.name.cmp(&other.name));
    let computed = computed_fields(catalog, relation);
    page.block(&format!("{}: {{", member(&relation.name)), "}", |page| {
        page.block("Row: {", "}", |page| {
            for column in &columns {
                let value = nullable_name(catalog, column.type_id, column.nullable);
                page.line(&format!("{}: {value}", member(&column.name)));
            }
            for (name, value) in &computed {
                page.line(&format!("{}: {value}", member(name)));
            }
        });
        let names: Vec<String> = computed.iter().map(|(name, _)| name.clone()).collect();
        let names = if names.is_empty() { "never".to_owned() } else { union_of(&names) };
        page.line(&format!("ComputedFields: {names}"));
        if !relation.is_view || relation.insertable {
            page.block("Insert: {", "}", |page| {
                for column in &columns {
                    let required =
                        !relation.is_view && !column.nullable && !column.identity && !column.default;
                    page.line(&written(catalog, relation, column, required));
                }
            });
        }
        if !relation.is_view || relation.updatable {
            page.block("Update: {", "}", |page| {
                for column in &columns {
                    page.line(&written(catalog, relation, column, false));
                }
            });
        }
        render_relationships(page, relationships.get(&relation.id).map_or(&[][..], Vec::as_slice));
    });
}

/// A column as a client may write it.
fn written(catalog: &Catalog, relation: &Relation, column: &Column, required: bool) -> String {
    let name = member(&column.name);
    let refused = if relation.is_view { !column.updatable } else { column.read_only };
    if refused {
        return format!("{name}?: never");
    }
    let optional = if required { "" } else { "?" };
    let nullable = relation.is_view || column.nullable;
    format!("{name}{optional}: {}", nullable_name(catalog, column.type_id, nullable))
}

fn render_relationships(page: &mut Page, relationships: &[Relationship]) {
    if relationships.is_empty() {
        page.line("Relationships: []");
        return;
    }
    page.block("Relationships: [", "]", |page| {
        for relationship in relationships {
            page.block("{", "},", |page| {
                page.line(&format!("foreignKeyName: {}", quoted(&relationship.foreign_key_name)));
                page.line(&format!("columns: {}", list(&relationship.columns)));
                page.line(&format!("isOneToOne: {}", relationship.is_one_to_one));
                page.line(&format!("referencedRelation: {}", quoted(&relationship.referenced_relation)));
                page.line(&format!("referencedColumns: {}", list(&relationship.referenced_columns)));
            });
        }
    });
}

fn render_constants(page: &mut Page, catalog: &Catalog, schema: &str) {
    let enums = enums(catalog, schema);
    if enums.is_empty() {
        page.line("Enums: {},");
        return;
    }
    page.block("Enums: {", "},", |page| {
        for found in enums {
            page.line(&format!("{}: {},", member(&found.name), list(&found.labels)));
        }
    });
}

fn list(items: &[String]) -> String {
    format!("[{}]", items.iter().map(|item| quoted(item)).collect::<Vec<_>>().join(", "))
}

/// Text in lines, two spaces a level.
#[derive(Default)]
struct Page {
    text: String,
    depth: usize,
}

impl Page {
    fn line(&mut self, line: &str) {
        if !line.is_empty() {
            self.text.extend(std::iter::repeat_n("  ", self.depth));
        }
        self.text.push_str(line);
        self.text.push('\n');
    }

    fn block(&mut self, opening: &str, closing: &str, inside: impl FnOnce(&mut Self)) {
        self.line(opening);
        self.depth += 1;
        inside(self);
        self.depth -= 1;
        self.line(closing);
    }

    /// A part of a schema: its members, or the sign that there are none.
    fn members<T>(&mut self, part: &str, members: Vec<T>, mut one: impl FnMut(&mut Self, T)) {
        self.block(&format!("{part}: {{"), "}", |page| {
            if members.is_empty() {
                page.line("[_ in never]: never");
            }
            for member in members {
                one(page, member);
            }
        });
    }
}
