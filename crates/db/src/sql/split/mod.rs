//! Splits a file into its statements, as PostgreSQL's scanner and grammar see them.

use squawk_lexer::{LiteralKind, Token, TokenKind, tokenize};

use super::kind::{Kind, Words};

/// One statement of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Piece<'s> {
    /// The text, without the white space round it and without its semicolon; comments stay.
    pub text: &'s str,
    /// The same, with the data below it where it is a `copy … from stdin`.
    pub whole: &'s str,
    /// Line of the file that it starts on, from 1.
    pub line: usize,
    /// What it asks of whoever runs it.
    pub kind: Kind<'s>,
}

/// Splits SQL at the semicolons that end statements: not those in strings, quoted identifiers,
/// dollar quotes, comments, parentheses (as in `create rule … do (…; …)`), or `begin atomic … end`
/// bodies.
///
/// Data for `copy … from stdin` stand in the lines below it, up to one that is `\.`, as `pg_dump`
/// writes them. Its lines `\restrict` and `\unrestrict`, which are for psql, are passed over; so is
/// a byte order mark.
///
/// What is left open at the end (a quote, say) belongs to the last statement, and PostgreSQL says
/// what is wrong with it.
#[must_use]
pub fn split(sql: &str) -> Vec<Piece<'_>> {
    let sql = sql.strip_prefix('\u{feff}').unwrap_or(sql);
    let mut splitter =
        Splitter { sql, at: 0, start: 0, counted: 0, line: 1, blocks: fresh(), pieces: Vec::new() };
    let mut tokens = tokenize(sql);
    while let Some(token) = tokens.next() {
        if splitter.take(token) == Next::Jumped {
            tokens = tokenize(&sql[splitter.at..]);
        }
    }
    splitter.end_statement(sql.len(), sql.len());
    splitter.pieces
}

/// The tokens of a statement, without comments and white space.
pub fn tokens(text: &str) -> impl Iterator<Item = &str> {
    let mut end = 0;
    tokenize(text).filter_map(move |token| {
        let from = end;
        end += usize::try_from(token.len).expect("a length in memory");
        let is_space = matches!(
            token.kind,
            TokenKind::Whitespace | TokenKind::LineComment | TokenKind::BlockComment { .. }
        );
        (!is_space).then(|| &text[from..end])
    })
}

/// Whether the scanner goes on behind the token or elsewhere.
#[derive(PartialEq, Eq)]
enum Next {
    Behind,
    Jumped,
}

struct Splitter<'s> {
    sql: &'s str,
    /// Behind the last token.
    at: usize,
    /// Where the statement begins.
    start: usize,
    /// Up to here lines are counted.
    counted: usize,
    line: usize,
    /// The statement and, inside a `begin atomic`, the statement of that body.
    blocks: Vec<Block<'s>>,
    pieces: Vec<Piece<'s>>,
}

/// What was seen of one statement.
#[derive(Default)]
struct Block<'s> {
    words: Words<'s>,
    /// Open parentheses and brackets.
    depth: usize,
    /// Whether the token before was `begin`, outside of parentheses.
    after_begin: bool,
}

fn fresh<'s>() -> Vec<Block<'s>> {
    vec![Block::default()]
}

impl<'s> Splitter<'s> {
    fn take(&mut self, token: Token) -> Next {
        let from = self.at;
        self.at += usize::try_from(token.len).expect("a length in memory");
        let text = &self.sql[from..self.at];
        match token.kind {
            TokenKind::Whitespace | TokenKind::LineComment | TokenKind::BlockComment { .. } => Next::Behind,
            TokenKind::Semi => self.semicolon(from),
            TokenKind::Unknown if text == "\\" && self.is_at_start() => self.psql_command(from),
            TokenKind::Literal { kind: LiteralKind::EscStr { terminated: true } } => {
                self.word(text, false);
                self.continue_string()
            }
            kind => {
                self.word(text, kind == TokenKind::Ident);
                Next::Behind
            }
        }
    }

    /// Whether nothing but comments was seen of a statement outside of any body.
    fn is_at_start(&self) -> bool {
        self.blocks.len() == 1 && self.block().words.is_empty()
    }

    fn block(&self) -> &Block<'s> {
        self.blocks.last().expect("one is always open")
    }

    fn word(&mut self, text: &'s str, is_identifier: bool) {
        let is = |expected: &str| is_identifier && text.eq_ignore_ascii_case(expected);
        // In a body, `end` ends it where a statement could begin, and nowhere else.
        if self.blocks.len() > 1 && is("end") && self.block().words.is_empty() {
            self.blocks.pop();
            return;
        }
        let block = self.blocks.last_mut().expect("one is always open");
        let opens_body = block.after_begin && is("atomic") && block.words.make_a_routine();
        match text {
            "(" | "[" => block.depth += 1,
            ")" | "]" => block.depth = block.depth.saturating_sub(1),
            _ => {}
        }
        block.words.add(text, block.depth);
        block.after_begin = is("begin") && block.depth == 0;
        if opens_body {
            self.blocks.push(Block::default());
        }
    }

    fn semicolon(&mut self, from: usize) -> Next {
        let block = self.blocks.last_mut().expect("one is always open");
        block.after_begin = false;
        if block.depth > 0 {
            return Next::Behind;
        }
        if self.blocks.len() > 1 {
            self.blocks.pop();
            self.blocks.push(Block::default());
            return Next::Behind;
        }
        if self.block().words.kind() == Kind::CopyIn(None)
            && let Some((data, end)) = data_below(self.sql, self.at)
        {
            self.block_kind(from, end, Kind::CopyIn(Some(data)));
            self.at = end;
            self.start = end;
            return Next::Jumped;
        }
        self.end_statement(from, from);
        self.start = self.at;
        Next::Behind
    }

    /// Ends the statement at `text_end`; with what belongs to it, it goes on to `whole_end`.
    fn end_statement(&mut self, text_end: usize, whole_end: usize) {
        let kind = self.blocks.first().map_or(Kind::Ordinary, |block| block.words.kind());
        self.block_kind(text_end, whole_end, kind);
    }

    fn block_kind(&mut self, text_end: usize, whole_end: usize, kind: Kind<'s>) {
        self.blocks = fresh();
        let text = self.sql[self.start..text_end].trim_matches(is_space);
        if text.is_empty() {
            return;
        }
        let begin = self.start + self.sql[self.start..text_end].find(|c| !is_space(c)).unwrap_or_default();
        self.line += newlines(&self.sql[self.counted..begin]);
        self.counted = begin;
        let whole = self.sql[begin..whole_end].trim_matches(is_space);
        self.pieces.push(Piece { text, whole, line: self.line, kind });
    }

    /// Passes over a line that `pg_dump` writes for psql alone.
    fn psql_command(&mut self, from: usize) -> Next {
        let line = self.sql[from..].lines().next().unwrap_or_default();
        let is_known = ["\\restrict ", "\\unrestrict "].iter().any(|command| line.starts_with(command));
        if !is_known {
            self.word("\\", false);
            return Next::Behind;
        }
        self.end_statement(from, from);
        self.at = from + line.len();
        self.start = self.at;
        Next::Jumped
    }

    /// A string goes on in a quote on a line below, and an `E'…'` with its escapes, which a scanner
    /// of tokens cannot know.
    fn continue_string(&mut self) -> Next {
        let mut next = Next::Behind;
        while let Some(quote) = quote_below(&self.sql[self.at..]) {
            self.at += quote + escaped_string(&self.sql[self.at + quote..]);
            next = Next::Jumped;
        }
        next
    }
}

/// PostgreSQL's white space; any other belongs to a name.
fn is_space(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\n' | '\r' | '\u{b}' | '\u{c}')
}

fn newlines(text: &str) -> usize {
    text.bytes().filter(|byte| *byte == b'\n').count()
}

/// Distance to a quote that only white space with a line end, and comments, separate from here.
fn quote_below(text: &str) -> Option<usize> {
    let mut at = 0;
    let mut is_below = false;
    for token in tokenize(text) {
        let end = at + usize::try_from(token.len).ok()?;
        match token.kind {
            TokenKind::Whitespace => is_below |= text[at..end].contains(['\n', '\r']),
            TokenKind::LineComment => {}
            _ => return (is_below && text[at..].starts_with('\'')).then_some(at),
        }
        at = end;
    }
    None
}

/// Length of a `'…'` in which a backslash escapes.
fn escaped_string(text: &str) -> usize {
    let bytes = text.as_bytes();
    let mut at = 1;
    while at < bytes.len() {
        match bytes[at] {
            b'\\' => at += 2,
            b'\'' if bytes.get(at + 1) == Some(&b'\'') => at += 2,
            b'\'' => return at + 1,
            _ => at += 1,
        }
    }
    text.len()
}

/// The lines below a statement that ends at `at`, up to one that is `\.`, and where that one ends.
fn data_below(sql: &str, at: usize) -> Option<(&str, usize)> {
    let (rest, _) = sql[at..].split_once('\n')?;
    let rest = rest.trim_matches(is_space);
    if !rest.is_empty() && !rest.starts_with("--") {
        return None;
    }
    let begin = at + sql[at..].find('\n')? + 1;
    let mut line_begin = begin;
    for line in sql[begin..].split_inclusive('\n') {
        let text = line.strip_suffix('\n').unwrap_or(line);
        if text.strip_suffix('\r').unwrap_or(text) == "\\." {
            return Some((&sql[begin..line_begin], line_begin + line.len()));
        }
        line_begin += line.len();
    }
    None
}

#[cfg(test)]
mod tests;
