//! Types of casts. What a request writes stands unquoted only where it is one of the names that
//! PostgreSQL's grammar knows; every other type is an identifier (CONTRACT.md S04, U15, V01).

use super::writer::Sql;

/// Types that are words of the grammar: quoted, they would be other types, or none.
const WORDS: [&str; 26] = [
    "bigint",
    "bit",
    "bit varying",
    "boolean",
    "char",
    "char varying",
    "character",
    "character varying",
    "dec",
    "decimal",
    "double precision",
    "float",
    "int",
    "integer",
    "interval",
    "national character",
    "national character varying",
    "nchar",
    "numeric",
    "real",
    "smallint",
    "time with time zone",
    "time without time zone",
    "timestamp with time zone",
    "timestamp without time zone",
    "varchar",
];

impl Sql {
    /// A type as a request names it, in any case; ` array` after it makes it an array.
    pub(super) fn type_name(&mut self, written: &str) -> &mut Self {
        let words: Vec<&str> = written.split_whitespace().collect();
        let name = words.join(" ").to_ascii_lowercase();
        let (element, array) = match name.strip_suffix(" array") {
            Some(element) => (element, " array"),
            None => (name.as_str(), ""),
        };
        match WORDS.binary_search(&element) {
            Ok(known) => self.push(WORDS[known]),
            Err(_) => self.name(element),
        };
        self.push(array)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sql::Template;

    fn rendered(written: &str) -> String {
        let mut sql = Sql::default();
        sql.type_name(written);
        Template::from(sql).text.to_string()
    }

    // rows: S04 U15 V01
    #[test]
    fn types_are_words_of_the_grammar_or_identifiers() {
        assert!(WORDS.is_sorted());
        assert_eq!(rendered("INT"), "int");
        assert_eq!(rendered("Double  Precision"), "double precision");
        assert_eq!(rendered("text"), r#""text""#);
        assert_eq!(rendered("_int4"), r#""_int4""#);
        assert_eq!(rendered("int array"), "int array");
        assert_eq!(rendered("select"), r#""select""#);
        assert_eq!(rendered("1"), r#""1""#);
        assert_eq!(rendered("int not null"), r#""int not null""#);
    }
}
