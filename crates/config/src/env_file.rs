//! The grammar of `.env` files: that of the supabase CLI, which reads them with joho/godotenv.
//!
//! | written | read as |
//! |---|---|
//! | `export A=1`, `A = 1`, `A: 1` | `1` |
//! | `A=two words # note` | `two words`; a `#` without white space before it is part of the value |
//! | `A="x" # note` | `x` |
//! | `A="…"` | `\n \r \" \\ \$` are unescaped, other backslashes go; may have several lines |
//! | `A='…'` | as it is but for `\'`; may have several lines |
//! | `$B`, `${B}`, not in single quotes | `B` of a line before, else nothing, which is told |
//!
//! A byte order mark and the carriage returns of line ends are skipped. This grammar differs from
//! godotenv where godotenv cannot be meant: `A= # note` is empty and not `# note`; the first ` #`
//! begins a comment, not the last one; `"a\\"` ends at its second quote; `\'` loses its backslash;
//! `$2a$10$…` is no reference, since no name begins with a digit; an unclosed reference, as in
//! `${B`, stays as written. A line that is no assignment is reported by its number and does not
//! affect other lines.

use std::collections::{BTreeMap, BTreeSet};

use adotenv::{
    BareKeys, ColonSeparator, Diagnostic, DiagnosticCode, Dialect, Document, DoubleEscapes, Entry,
    ExpandOptions, ReferenceRules, Severity, SingleEscapes, UnknownEscapes, parse_with,
};

/// The assignments of a file, and its mistakes.
#[derive(Debug, Default)]
pub(crate) struct Parsed {
    pub(crate) variables: BTreeMap<String, String>,
    /// A line that is no assignment.
    pub(crate) mistakes: Vec<Mistake>,
    /// Lines that are likely not meant as they are read, by number alone.
    pub(crate) doubts: Vec<String>,
}

/// A line that is no assignment, by its number alone: it may hold a secret.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Mistake {
    line: usize,
    why: &'static str,
}

impl Mistake {
    /// The message if the file is not used.
    pub(crate) fn as_error(self) -> String {
        format!("line {}: {}", self.line, self.why)
    }

    /// The message if the other lines are used.
    pub(crate) fn as_doubt(self) -> String {
        format!("line {} is passed over, since {}", self.line, self.why)
    }
}

/// Reads a file's text.
pub(crate) fn parse(text: &str) -> Parsed {
    let (document, diagnostics) = parse_with(text, dialect());
    let mistakes =
        diagnostics.iter().filter(|found| found.severity() == Severity::Error).map(mistake).collect();
    let mut parsed = Parsed { mistakes, ..Parsed::default() };
    // A reference to an unset name is empty if it looks like the name of a variable. Otherwise it
    // stays as written.
    match document.resolve(|name| is_variable(name).then(String::new), &ExpandOptions::portable()) {
        Ok(resolved) => {
            let set = resolved.entries().iter().cloned();
            parsed.variables = set.filter_map(|entry| Some((entry.key, entry.value?))).collect();
        }
        Err(_) => parsed
            .mistakes
            .push(Mistake { line: 1, why: "values refer to each other too deeply, or are too long" }),
    }
    parsed.doubts = unset(&document);
    parsed
}

fn dialect() -> Dialect {
    let escapes =
        [DoubleEscapes::CR, DoubleEscapes::BACKSLASH, DoubleEscapes::DOUBLE_QUOTE, DoubleEscapes::DOLLAR];
    let mut dialect = Dialect::PORTABLE;
    dialect.double_escapes = escapes.into_iter().fold(DoubleEscapes::LF, DoubleEscapes::union);
    dialect.unknown_escapes = UnknownEscapes::DropBackslash;
    dialect.single_escapes = SingleEscapes::Quote;
    dialect.colon = ColonSeparator::Any;
    dialect.bare_keys = BareKeys::Error;
    dialect.quoted_comments = true;
    dialect.normalize_newlines = true;
    dialect
}

fn mistake(found: &Diagnostic) -> Mistake {
    let why = match found.code() {
        DiagnosticCode::UnterminatedQuote => "its quote is never closed",
        DiagnosticCode::TrailingText => "there is more behind its closing quote",
        _ => "it is no NAME=VALUE",
    };
    Mistake { line: found.line(), why }
}

/// Lines that refer to a variable that no line before them sets.
fn unset(document: &Document<'_>) -> Vec<String> {
    let mut set = BTreeSet::new();
    let mut doubts = Vec::new();
    for entry in document.entries() {
        if names(document, entry).any(|name| is_variable(name) && !set.contains(name)) {
            doubts.push(format!(
                "line {} refers to a variable that no line before it sets, which is read as empty; single quotes keep a \
                 dollar sign",
                entry.line()
            ));
        }
        set.insert(entry.key());
    }
    doubts
}

fn names<'d>(document: &'d Document<'_>, entry: Entry<'d>) -> impl Iterator<Item = &'d str> {
    let references = entry.references().into_iter();
    let eligible = references.filter(|reference| reference.is_eligible(ReferenceRules::PORTABLE));
    eligible.filter_map(|reference| document.source().get(reference.name?))
}

/// Returns whether a text looks like the name of a variable to the CLI: capitals, digits, `_`.
fn is_variable(name: &str) -> bool {
    name.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_')
}

#[cfg(test)]
mod tests {
    use super::*;

    // rows: cli/CLI-SECRETS CFG-ENV-GRAMMAR
    #[test]
    fn env_files_are_read_by_the_rules_of_the_supabase_cli() {
        for (line, value) in [
            ("A=1", "1"),
            ("export A=1", "1"),
            ("  A = two words  ", "two words"),
            ("A: 1", "1"),
            ("A=", ""),
            ("A=x # note", "x"),
            ("A= # note", ""),
            ("A=pa#ss", "pa#ss"),
            ("A=http://h/?x=1#frag", "http://h/?x=1#frag"),
            ("A=\"x\" # note", "x"),
            ("A='x'# note", "x"),
            ("A=\"x # y\"", "x # y"),
            (r#"A="a\nb""#, "a\nb"),
            (r#"A="say \"so\"""#, "say \"so\""),
            (r#"A="a\\""#, "a\\"),
            (r#"A="a\\nb""#, "a\\nb"),
            (r#"A="cost \$5""#, "cost $5"),
            (r"A='it\'s'", "it's"),
            (r"A='a\nb'", r"a\nb"),
            (r"A=C:\new", r"C:\new"),
            (
                "A=\"-----BEGIN KEY-----\r\nab==\r\n-----END KEY-----\"\r",
                "-----BEGIN KEY-----\nab==\n-----END KEY-----",
            ),
            ("A='one\ntwo'", "one\ntwo"),
            ("\u{feff}A=1", "1"),
            ("B=1\nA=$B${B} x", "11 x"),
            ("B=1\nA='$B'", "$B"),
            ("A=$a", "$a"),
            ("A=$2a$10$abc", "$2a$10$abc"),
        ] {
            let parsed = parse(line);
            assert_eq!(parsed.variables.get("A").map(String::as_str), Some(value), "{line}");
            assert_eq!((parsed.mistakes, parsed.doubts), (Vec::new(), Vec::new()), "{line}");
        }
    }

    // rows: CFG-ENV-GRAMMAR
    #[test]
    fn a_line_that_is_no_assignment_is_told_by_number_and_spoils_no_other() {
        for (line, expected) in [
            ("s3cret", "line 2 is passed over, since it is no NAME=VALUE"),
            ("A B=s3cret", "line 2 is passed over, since it is no NAME=VALUE"),
            ("A=\"s3cret", "line 2 is passed over, since its quote is never closed"),
            ("A=\"x\" s3cret", "line 2 is passed over, since there is more behind its closing quote"),
        ] {
            let parsed = parse(&format!("B=1\n{line}\nC=2"));
            let doubts: Vec<String> = parsed.mistakes.into_iter().map(Mistake::as_doubt).collect();
            assert_eq!(doubts, [expected]);
            assert_eq!(
                parsed.variables,
                [("B", "1"), ("C", "2")].map(|(n, v)| (n.to_owned(), v.to_owned())).into()
            );
        }
    }

    #[test]
    fn a_reference_to_what_no_line_sets_is_empty_and_told_without_its_name() {
        let parsed = parse("A=pa$WORD\nWORD=1\nB=$WORD");
        assert_eq!((parsed.variables["A"].as_str(), parsed.variables["B"].as_str()), ("pa", "1"));
        assert_eq!(parsed.doubts.len(), 1);
        assert!(
            parsed.doubts[0].starts_with("line 1 ") && !parsed.doubts[0].contains("WORD"),
            "{:?}",
            parsed.doubts
        );
    }
}
