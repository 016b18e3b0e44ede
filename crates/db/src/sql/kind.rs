//! What a statement asks of whoever runs it, told by its words.

/// What a statement asks of whoever runs it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind<'s> {
    /// Nothing.
    Ordinary,
    /// Nothing, since there are only comments.
    Comment,
    /// It sets something for the rest of the session.
    Sets,
    /// It begins a transaction.
    Begins,
    /// It ends one.
    Ends,
    /// `alter type … add value`, which no statement of the same transaction may use.
    AddsValue,
    /// PostgreSQL refuses it within a transaction.
    OutsideTransaction,
    /// `copy … from stdin`, with its data where they stand in the lines below it.
    CopyIn(Option<&'s str>),
    /// `copy … to stdout`.
    CopyOut,
}

/// The words that a statement begins with.
#[derive(Debug, Default)]
pub(super) struct Words<'s> {
    /// In parentheses or not.
    first: Vec<&'s str>,
    /// Outside of parentheses.
    outside: Vec<&'s str>,
}

/// Enough for `reindex (verbose, concurrently) table`.
const MOST_FIRST: usize = 8;
/// Enough for `alter table if exists only a.b detach partition c.d concurrently`.
const MOST_OUTSIDE: usize = 16;

impl<'s> Words<'s> {
    pub(super) fn add(&mut self, text: &'s str, depth: usize) {
        if self.first.len() < MOST_FIRST {
            self.first.push(text);
        }
        if depth == 0 && text != ")" && text != "]" && self.outside.len() < MOST_OUTSIDE {
            self.outside.push(text);
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.first.is_empty()
    }

    /// Whether the statement is a `create function` or `create procedure`, the only ones with a
    /// `begin atomic`.
    pub(super) fn make_a_routine(&self) -> bool {
        match as_texts(&self.folded()).as_slice() {
            ["create", "or", "replace", what, ..] | ["create", what, ..] => {
                matches!(*what, "function" | "procedure")
            }
            _ => false,
        }
    }

    pub(super) fn kind(&self) -> Kind<'s> {
        match as_texts(&self.folded()).as_slice() {
            [] => Kind::Comment,
            ["copy", rest @ ..] => copy(rest),
            ["begin", ..] | ["start", "transaction", ..] => Kind::Begins,
            [last @ ("commit" | "end" | "rollback" | "abort"), rest @ ..] => ending(last, rest),
            ["prepare", "transaction", ..] => Kind::Ends,
            ["set", "local" | "transaction" | "constraints", ..] => Kind::Ordinary,
            ["set" | "reset", ..] => Kind::Sets,
            ["select", "set_config", ..] | ["select", "pg_catalog", ".", "set_config", ..] => Kind::Sets,
            ["alter", "type", rest @ ..] if follow(rest, &["add", "value"]) => Kind::AddsValue,
            words if self.runs_outside_transaction(words) => Kind::OutsideTransaction,
            _ => Kind::Ordinary,
        }
    }

    /// What `PreventInTransactionBlock` is asked about in PostgreSQL's source, as far as words
    /// tell. Of the rest, such as a partitioned table that is reindexed, the server says so itself.
    fn runs_outside_transaction(&self, words: &[&str]) -> bool {
        match words {
            ["create", "index", "concurrently", ..]
            | ["create", "unique", "index", "concurrently", ..]
            | ["drop", "index", "concurrently", ..]
            | ["create" | "drop", "database" | "tablespace" | "subscription", ..]
            | ["alter", "system", ..]
            | ["vacuum", ..]
            | ["cluster"]
            | ["cluster", "verbose"]
            | ["discard", "all"] => true,
            ["reindex", rest @ ..] => {
                matches!(rest, ["database" | "system" | "schema", ..])
                    || self.first.iter().any(|word| word.eq_ignore_ascii_case("concurrently"))
            }
            ["alter", "database", rest @ ..] => follow(rest, &["set", "tablespace"]),
            ["alter", "subscription", rest @ ..] => {
                follow(rest, &["refresh", "publication"])
                    || ["set", "add", "drop"].iter().any(|verb| follow(rest, &[verb, "publication"]))
            }
            ["alter", "table", rest @ ..] => {
                follow(rest, &["detach", "partition"]) && rest.last() == Some(&"concurrently")
            }
            _ => false,
        }
    }

    /// The words outside of parentheses, as PostgreSQL folds them. A quoted name keeps its quotes,
    /// so it is no keyword.
    fn folded(&self) -> Vec<String> {
        self.outside.iter().map(|word| word.to_ascii_lowercase()).collect()
    }
}

fn as_texts(words: &[String]) -> Vec<&str> {
    words.iter().map(String::as_str).collect()
}

/// Both directions may be written with either name (`copy_file_name` of PostgreSQL's grammar).
fn copy<'s>(words: &[&str]) -> Kind<'s> {
    for pair in words.windows(2) {
        match pair {
            ["from", "stdin" | "stdout"] => return Kind::CopyIn(None),
            ["to", "stdin" | "stdout"] => return Kind::CopyOut,
            _ => {}
        }
    }
    Kind::Ordinary
}

fn ending<'s>(last: &str, rest: &[&str]) -> Kind<'s> {
    let goes_on = rest.contains(&"to") || (rest.contains(&"chain") && !rest.contains(&"no"));
    match rest {
        ["prepared", ..] if last != "end" => Kind::OutsideTransaction,
        _ if goes_on => Kind::Ordinary,
        _ => Kind::Ends,
    }
}

fn follow(words: &[&str], wanted: &[&str]) -> bool {
    words.windows(wanted.len()).any(|window| window == wanted)
}

#[cfg(test)]
mod tests {
    use crate::sql::{Kind, split};

    fn kind(sql: &str) -> Kind<'_> {
        split(sql)[0].kind
    }

    #[test]
    fn what_no_transaction_may_hold_is_known_by_its_words() {
        for sql in [
            "create index concurrently on t (a)",
            "/* note */ CREATE UNIQUE INDEX CONCURRENTLY x on t (a)",
            "drop index concurrently if exists x",
            "reindex table concurrently t",
            "reindex (verbose, concurrently) index x",
            "reindex schema public",
            "vacuum",
            "vacuum (analyze, verbose) t",
            "alter system set work_mem = '8MB'",
            "create database d",
            "drop tablespace s",
            "create subscription s connection 'c' publication p",
            "alter subscription s refresh publication",
            "alter database d set tablespace s",
            "cluster",
            "discard all",
            "alter table if exists only a.b detach partition c.d concurrently",
        ] {
            assert_eq!(kind(sql), Kind::OutsideTransaction, "{sql}");
        }
        for sql in [
            "create index on t (concurrently)",
            "create table vacuum (a int)",
            "select 1 as vacuum",
            "create view v as select 'create index concurrently'",
            "\"vacuum\"",
            "cluster t using x",
            "reindex table t",
            "discard plans",
            "alter subscription s disable",
            "alter table t detach partition p",
            "comment on index x is 'vacuum'",
        ] {
            assert_eq!(kind(sql), Kind::Ordinary, "{sql}");
        }
    }

    #[test]
    fn copies_are_known_by_their_words() {
        for sql in
            ["copy t from stdin", "COPY s.\"t\" (a, b) FROM STDIN WITH (format csv)", "copy t from stdout"]
        {
            assert_eq!(kind(sql), Kind::CopyIn(None), "{sql}");
        }
        for sql in ["copy t to stdout", "copy (select a from stdin) to stdout", "copy t to stdin csv"] {
            assert_eq!(kind(sql), Kind::CopyOut, "{sql}");
        }
        for sql in
            ["copy t from '/a'", "copy t from program 'x'", "copy t from \"stdin\"", "select 1 from stdin"]
        {
            assert_eq!(kind(sql), Kind::Ordinary, "{sql}");
        }
    }

    #[test]
    fn transactions_are_known_by_their_words() {
        for (sql, expected) in [
            ("begin", Kind::Begins),
            ("start transaction read only", Kind::Begins),
            ("commit", Kind::Ends),
            ("end", Kind::Ends),
            ("rollback work", Kind::Ends),
            ("rollback to savepoint a", Kind::Ordinary),
            ("commit and chain", Kind::Ordinary),
            ("commit and no chain", Kind::Ends),
            ("commit prepared 'a'", Kind::OutsideTransaction),
            ("set search_path = a", Kind::Sets),
            ("select pg_catalog.set_config('search_path', '', false)", Kind::Sets),
            ("set local a = b", Kind::Ordinary),
            ("alter type s.mood add value if not exists 'x'", Kind::AddsValue),
            ("alter type mood rename value 'x' to 'y'", Kind::Ordinary),
        ] {
            assert_eq!(kind(sql), expected, "{sql}");
        }
    }
}
