//! Splits a file into its statements, as PostgreSQL's own scanner sees them.

/// One statement of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Piece<'s> {
    /// The text, without the white space round it and without its semicolon; comments stay.
    pub text: &'s str,
    /// Line of the file that it starts on, from 1.
    pub line: usize,
}

/// Splits SQL at the semicolons that end statements: not those in strings, quoted identifiers, dollar quotes, comments,
/// parentheses (as in `create rule … do (…; …)`), or `begin atomic … end` bodies.
///
/// What is left open at the end (a quote, say) belongs to the last statement, and PostgreSQL says what is wrong with it.
#[must_use]
pub fn split(sql: &str) -> Vec<Piece<'_>> {
    let mut scanner = Scanner { sql, at: 0, depth: 0, atomic: 0, previous: "" };
    let mut pieces = Vec::new();
    let (mut start, mut line) = (0, 1);
    while scanner.at < sql.len() {
        if scanner.step() {
            let end = scanner.at;
            push(&mut pieces, &sql[start..end - 1], &mut line);
            line += sql[end - 1..end].matches('\n').count();
            start = end;
        }
    }
    push(&mut pieces, &sql[start..], &mut line);
    pieces
}

/// Adds a statement, unless it is empty, and moves `line` past it.
fn push<'s>(pieces: &mut Vec<Piece<'s>>, text: &'s str, line: &mut usize) {
    let lead = text.len() - text.trim_start().len();
    let starts_on = *line + text[..lead].matches('\n').count();
    *line += text.matches('\n').count();
    let text = text.trim();
    if !text.is_empty() {
        pieces.push(Piece { text, line: starts_on });
    }
}

struct Scanner<'s> {
    sql: &'s str,
    at: usize,
    /// Open parentheses and brackets.
    depth: usize,
    /// Open `begin atomic` and `case` blocks inside such a body.
    atomic: usize,
    /// The word before, for `begin atomic`.
    previous: &'s str,
}

impl<'s> Scanner<'s> {
    /// Passes one token; true when it was the semicolon that ends a statement.
    fn step(&mut self) -> bool {
        let rest = &self.sql[self.at..];
        let first = rest.chars().next().expect("not at the end");
        match first {
            '\'' => self.at += string(rest, self.is_escape_string()),
            '"' => self.at += quoted(rest),
            '-' if rest.starts_with("--") => self.at += rest.find('\n').unwrap_or(rest.len()),
            '/' if rest.starts_with("/*") => self.at += block_comment(rest),
            '$' => self.at += dollar_quoted(rest).unwrap_or(1),
            '(' | '[' => self.nest(1),
            ')' | ']' => {
                self.depth = self.depth.saturating_sub(1);
                self.at += 1;
            }
            ';' => return self.semicolon(),
            _ if is_word_start(first) => self.word(rest),
            _ => {
                self.at += first.len_utf8();
                if !first.is_whitespace() {
                    self.previous = "";
                }
            }
        }
        false
    }

    fn nest(&mut self, by: usize) {
        self.depth += by;
        self.at += 1;
    }

    fn semicolon(&mut self) -> bool {
        self.at += 1;
        self.previous = "";
        let ends = self.depth == 0 && self.atomic == 0;
        if ends {
            self.depth = 0;
        }
        ends
    }

    fn word(&mut self, rest: &'s str) {
        let length = rest.find(|c| !is_word(c)).unwrap_or(rest.len());
        let word = &rest[..length];
        self.at += length;
        let is = |expected: &str| word.eq_ignore_ascii_case(expected);
        let opens_body = is("atomic") && self.previous.eq_ignore_ascii_case("begin");
        if opens_body || (self.atomic > 0 && is("case")) {
            self.atomic += 1;
        } else if self.atomic > 0 && is("end") {
            self.atomic -= 1;
        }
        self.previous = word;
    }

    /// Whether the string that starts here is an `E'…'`, in which a backslash hides a quote.
    fn is_escape_string(&self) -> bool {
        let before = &self.sql.as_bytes()[..self.at];
        let is_e = before.last().is_some_and(|byte| byte.eq_ignore_ascii_case(&b'e'));
        is_e && self.previous.eq_ignore_ascii_case("e")
    }
}

fn is_word_start(c: char) -> bool {
    c.is_alphabetic() || c == '_' || !c.is_ascii()
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '$' || !c.is_ascii()
}

/// Length of a `'…'` string. A doubled quote looks like two strings side by side, which splits the same.
fn string(text: &str, escapes: bool) -> usize {
    let bytes = text.as_bytes();
    let mut at = 1;
    while at < bytes.len() {
        match bytes[at] {
            b'\\' if escapes => at += 2,
            b'\'' if bytes.get(at + 1) == Some(&b'\'') => at += 2,
            b'\'' => return at + 1,
            _ => at += 1,
        }
    }
    text.len()
}

/// Length of a `"…"` identifier.
fn quoted(text: &str) -> usize {
    text[1..].find('"').map_or(text.len(), |end| end + 2)
}

/// Length of a comment; comments nest.
fn block_comment(text: &str) -> usize {
    let bytes = text.as_bytes();
    let (mut at, mut depth) = (0, 0);
    while at < bytes.len() {
        if bytes[at..].starts_with(b"/*") {
            depth += 1;
            at += 2;
        } else if bytes[at..].starts_with(b"*/") {
            depth -= 1;
            at += 2;
            if depth == 0 {
                return at;
            }
        } else {
            at += 1;
        }
    }
    text.len()
}

/// Length of a `$tag$…$tag$` string; none when the dollar begins something else, such as `$1`.
fn dollar_quoted(text: &str) -> Option<usize> {
    let tag_end = text[1..].find('$')? + 1;
    let tag = &text[1..tag_end];
    let valid =
        tag.is_empty() || (tag.starts_with(is_word_start) && tag.chars().all(|c| is_word(c) && c != '$'));
    if !valid {
        return None;
    }
    let delimiter = &text[..=tag_end];
    let body = &text[delimiter.len()..];
    Some(body.find(delimiter).map_or(text.len(), |end| delimiter.len() * 2 + end))
}

#[cfg(test)]
mod tests {
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
        assert_eq!(
            texts("a -- no; \n; b /* ; /* ; */ ; */ c; d"),
            ["a -- no;", "b /* ; /* ; */ ; */ c", "d"]
        );
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
}
