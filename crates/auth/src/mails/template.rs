//! The part of Go's template language that mails use (CONTRACT.md M38): variables,
//! `if`/`else if`/`else`, `range`, `with`, `eq`, `ne`, `and`, `or`, `not`, `index`, parentheses,
//! string and number literals, comments, and `-` that trims.

use std::iter::Peekable;

use serde_json::Value;

/// What is done to a value that goes into the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Escape {
    /// For bodies: `<`, `>`, `&` and quotes become entities.
    Html,
    /// For subjects.
    None,
}

/// A template that was read.
pub(crate) struct Parsed {
    nodes: Vec<Node>,
    length: usize,
}

impl Parsed {
    /// Reads a template.
    ///
    /// # Errors
    /// A text that names what is wrong with it.
    pub(crate) fn of(template: &str) -> Result<Self, String> {
        let mut pieces = split(template)?.into_iter().peekable();
        let nodes = block(&mut pieces, 0)?;
        match pieces.next() {
            Some(Piece::Action(action)) => Err(format!("`{action}` without its beginning")),
            _ => Ok(Self { nodes, length: template.len() }),
        }
    }

    /// The variables that it names, each with whether a condition looks first whether it is there.
    /// Those of the elements of a list, and of what `with` chose, are not the mail's.
    pub(crate) fn variables(&self) -> Vec<(&str, bool)> {
        let mut found = Vec::new();
        collect(&self.nodes, Scope { is_mail: true, asked_for: &[] }, &mut found);
        found
    }

    /// Fills it. A variable that does not exist is empty.
    pub(crate) fn render(&self, data: &Value, escape: Escape) -> String {
        let mut output = String::with_capacity(self.length);
        write(&self.nodes, Bindings { root: data, dot: data }, escape, &mut output);
        output
    }
}

/// Deepest nesting of blocks and parentheses.
const DEEPEST: usize = 32;

enum Piece {
    Text(String),
    Action(String),
}

enum Node {
    Text(String),
    Value(Expression),
    If(Expression, Vec<Node>, Vec<Node>),
    With(Expression, Vec<Node>, Vec<Node>),
    Range(Expression, Vec<Node>, Vec<Node>),
}

enum Expression {
    Literal(Value),
    /// `.A.B`, from the element at hand.
    Field(Vec<String>),
    /// `$.A.B`, from the whole data.
    Root(Vec<String>),
    Call(String, Vec<Expression>),
}

fn split(template: &str) -> Result<Vec<Piece>, String> {
    let mut pieces = Vec::new();
    let mut rest = template;
    let mut trim_next = false;
    while let Some(start) = rest.find("{{") {
        let mut text = &rest[..start];
        let after = &rest[start + 2..];
        let end = after.find("}}").ok_or("an action `{{` is never closed")?;
        let mut action = &after[..end];
        if trim_next {
            text = text.trim_start();
        }
        if let Some(trimmed) = action.strip_prefix('-').filter(|rest| rest.starts_with(char::is_whitespace)) {
            action = trimmed;
            text = text.trim_end();
        }
        trim_next = action.ends_with(" -") || action.ends_with("\n-");
        if trim_next {
            action = &action[..action.len() - 1];
        }
        pieces.push(Piece::Text(text.to_owned()));
        let action = action.trim();
        if !(action.starts_with("/*") && action.ends_with("*/")) {
            pieces.push(Piece::Action(action.to_owned()));
        }
        rest = &after[end + 2..];
    }
    pieces.push(Piece::Text(if trim_next { rest.trim_start() } else { rest }.to_owned()));
    Ok(pieces)
}

/// Nodes up to `else` or `end`, which stay unread.
fn block(pieces: &mut Peekable<impl Iterator<Item = Piece>>, depth: usize) -> Result<Vec<Node>, String> {
    if depth > DEEPEST {
        return Err("blocks are nested too deeply".to_owned());
    }
    let mut nodes = Vec::new();
    while let Some(piece) = pieces.peek() {
        if let Piece::Action(action) = piece
            && matches!(word(action), "else" | "end")
        {
            break;
        }
        match pieces.next() {
            Some(Piece::Text(text)) => nodes.push(Node::Text(text)),
            Some(Piece::Action(action)) => nodes.push(node(&action, pieces, depth)?),
            None => break,
        }
    }
    Ok(nodes)
}

fn node(
    action: &str,
    pieces: &mut Peekable<impl Iterator<Item = Piece>>,
    depth: usize,
) -> Result<Node, String> {
    let make = match word(action) {
        "if" => Node::If,
        "with" => Node::With,
        "range" => Node::Range,
        "template" | "define" | "block" | "break" | "continue" => {
            return Err(format!("`{action}` is not supported"));
        }
        _ => return Ok(Node::Value(expression(action)?)),
    };
    let condition = expression(action.split_once(char::is_whitespace).map_or("", |(_, rest)| rest))?;
    let body = block(pieces, depth + 1)?;
    let otherwise = rest_of_block(action, pieces, depth)?;
    Ok(make(condition, body, otherwise))
}

fn rest_of_block(
    opened: &str,
    pieces: &mut Peekable<impl Iterator<Item = Piece>>,
    depth: usize,
) -> Result<Vec<Node>, String> {
    let Some(Piece::Action(action)) = pieces.next() else {
        return Err(format!("`{opened}` is never ended"));
    };
    if word(&action) == "end" {
        return Ok(Vec::new());
    }
    let continued = action.trim_start_matches("else").trim();
    if continued.is_empty() {
        let nodes = block(pieces, depth + 1)?;
        return match pieces.next() {
            Some(Piece::Action(action)) if word(&action) == "end" => Ok(nodes),
            _ => Err(format!("`{opened}` is never ended")),
        };
    }
    // `else if` shares the `end` of its `if`.
    Ok(vec![node(continued, pieces, depth + 1)?])
}

fn word(action: &str) -> &str {
    action.split_whitespace().next().unwrap_or_default()
}

fn expression(text: &str) -> Result<Expression, String> {
    let tokens = tokens(text)?;
    let mut at = 0;
    let expression = call(&tokens, &mut at, 0)?;
    if at < tokens.len() {
        return Err(format!("`{text}` cannot be read"));
    }
    Ok(expression)
}

fn tokens(text: &str) -> Result<Vec<String>, String> {
    let mut tokens = Vec::new();
    let mut chars = text.chars().peekable();
    while let Some(&c) = chars.peek() {
        let mut token = String::new();
        if c.is_whitespace() {
            chars.next();
            continue;
        } else if c == '(' || c == ')' {
            token.push(c);
            chars.next();
        } else if c == '"' || c == '`' {
            chars.next();
            token.push('"');
            loop {
                match chars.next() {
                    None => return Err(format!("a text in `{text}` is never closed")),
                    Some(end) if end == c => break,
                    Some('\\') if c == '"' => token.extend(chars.next()),
                    Some(other) => token.push(other),
                }
            }
        } else {
            while let Some(&c) = chars.peek() {
                if c.is_whitespace() || "()\"`".contains(c) {
                    break;
                }
                token.push(c);
                chars.next();
            }
        }
        tokens.push(token);
    }
    Ok(tokens)
}

/// A function with its arguments, or one operand.
fn call(tokens: &[String], at: &mut usize, depth: usize) -> Result<Expression, String> {
    let first = tokens.get(*at).ok_or("an action is empty")?.clone();
    if first.starts_with(|c: char| c.is_ascii_alphabetic())
        && !matches!(first.as_str(), "true" | "false" | "nil")
    {
        *at += 1;
        let mut arguments = Vec::new();
        while tokens.get(*at).is_some_and(|token| token != ")") {
            arguments.push(operand(tokens, at, depth)?);
        }
        return known(first, arguments);
    }
    operand(tokens, at, depth)
}

fn known(name: String, arguments: Vec<Expression>) -> Result<Expression, String> {
    let fits = match name.as_str() {
        "eq" | "ne" | "index" => arguments.len() >= 2,
        "and" | "or" => !arguments.is_empty(),
        "not" | "len" => arguments.len() == 1,
        _ => return Err(format!("there is no function `{name}`")),
    };
    if fits { Ok(Expression::Call(name, arguments)) } else { Err(format!("`{name}` lacks arguments")) }
}

fn operand(tokens: &[String], at: &mut usize, depth: usize) -> Result<Expression, String> {
    if depth > DEEPEST {
        return Err("parentheses are nested too deeply".to_owned());
    }
    let token = tokens.get(*at).ok_or("an operand is missing")?;
    *at += 1;
    let path = |text: &str| text.split('.').filter(|part| !part.is_empty()).map(str::to_owned).collect();
    match token.as_str() {
        "(" => {
            let inner = call(tokens, at, depth + 1)?;
            if tokens.get(*at).map(String::as_str) != Some(")") {
                return Err("a parenthesis is never closed".to_owned());
            }
            *at += 1;
            Ok(inner)
        }
        "true" => Ok(Expression::Literal(Value::Bool(true))),
        "false" => Ok(Expression::Literal(Value::Bool(false))),
        "nil" => Ok(Expression::Literal(Value::Null)),
        text if text.starts_with('"') => Ok(Expression::Literal(Value::from(&text[1..]))),
        text if text.starts_with('.') => Ok(Expression::Field(path(text))),
        text if text == "$" || text.starts_with("$.") => Ok(Expression::Root(path(&text[1..]))),
        text => match serde_json::from_str::<serde_json::Number>(text) {
            Ok(number) => Ok(Expression::Literal(Value::Number(number))),
            Err(_) => Err(format!("`{text}` cannot be read")),
        },
    }
}

/// Where in a template a node stands.
#[derive(Clone, Copy)]
struct Scope<'a> {
    /// Whether `.` is the mail's data.
    is_mail: bool,
    /// The variables that a condition round it asks for.
    asked_for: &'a [&'a str],
}

fn collect<'a>(nodes: &'a [Node], scope: Scope<'_>, found: &mut Vec<(&'a str, bool)>) {
    for node in nodes {
        match node {
            Node::Text(_) => {}
            Node::Value(value) => {
                let named = named(value, scope.is_mail).into_iter();
                found.extend(named.map(|name| (name, scope.asked_for.contains(&name))));
            }
            Node::If(condition, body, otherwise) => {
                let asked_for = named(condition, scope.is_mail);
                found.extend(asked_for.iter().map(|name| (*name, true)));
                let inside = [scope.asked_for, &asked_for].concat();
                collect(body, Scope { asked_for: &inside, ..scope }, found);
                collect(otherwise, Scope { asked_for: &inside, ..scope }, found);
            }
            Node::With(value, body, otherwise) | Node::Range(value, body, otherwise) => {
                found.extend(named(value, scope.is_mail).into_iter().map(|name| (name, true)));
                collect(body, Scope { is_mail: false, ..scope }, found);
                collect(otherwise, scope, found);
            }
        }
    }
}

/// The variables of the mail in an expression.
fn named(expression: &Expression, is_mail: bool) -> Vec<&str> {
    match expression {
        Expression::Field(path) if is_mail => path.first().map(String::as_str).into_iter().collect(),
        Expression::Root(path) => path.first().map(String::as_str).into_iter().collect(),
        Expression::Literal(_) | Expression::Field(_) => Vec::new(),
        Expression::Call(_, arguments) => {
            arguments.iter().flat_map(|argument| named(argument, is_mail)).collect()
        }
    }
}

/// What the variables of a template stand for.
#[derive(Clone, Copy)]
struct Bindings<'a> {
    /// `$`.
    root: &'a Value,
    /// `.`, which `with` and `range` change.
    dot: &'a Value,
}

fn write(nodes: &[Node], bindings: Bindings<'_>, escape: Escape, output: &mut String) {
    for node in nodes {
        match node {
            Node::Text(text) => output.push_str(text),
            Node::Value(expression) => push(&evaluate(expression, bindings), escape, output),
            Node::If(condition, body, otherwise) => {
                let chosen = if is_true(&evaluate(condition, bindings)) { body } else { otherwise };
                write(chosen, bindings, escape, output);
            }
            Node::With(value, body, otherwise) => {
                let value = evaluate(value, bindings);
                if is_true(&value) {
                    write(body, Bindings { dot: &value, ..bindings }, escape, output);
                } else {
                    write(otherwise, bindings, escape, output);
                }
            }
            Node::Range(list, body, otherwise) => {
                let elements: Vec<Value> = match evaluate(list, bindings) {
                    Value::Array(elements) => elements,
                    Value::Object(map) => map.into_iter().map(|(_, value)| value).collect(),
                    _ => Vec::new(),
                };
                if elements.is_empty() {
                    write(otherwise, bindings, escape, output);
                }
                for element in &elements {
                    write(body, Bindings { dot: element, ..bindings }, escape, output);
                }
            }
        }
    }
}

fn evaluate(expression: &Expression, bindings: Bindings<'_>) -> Value {
    let follow = |start: &Value, path: &[String]| {
        path.iter().try_fold(start, |value, part| value.get(part)).cloned().unwrap_or(Value::Null)
    };
    match expression {
        Expression::Literal(value) => value.clone(),
        Expression::Field(path) => follow(bindings.dot, path),
        Expression::Root(path) => follow(bindings.root, path),
        Expression::Call(name, arguments) => {
            let values = arguments.iter().map(|argument| evaluate(argument, bindings));
            apply(name, &values.collect::<Vec<_>>())
        }
    }
}

fn apply(name: &str, values: &[Value]) -> Value {
    let last = || values.last().cloned().unwrap_or(Value::Null);
    match name {
        "eq" => values[1..].contains(&values[0]).into(),
        "ne" => (values[0] != values[1]).into(),
        "not" => (!is_true(&values[0])).into(),
        "and" => values.iter().find(|value| !is_true(value)).cloned().unwrap_or_else(last),
        "or" => values.iter().find(|value| is_true(value)).cloned().unwrap_or_else(last),
        "len" => match &values[0] {
            Value::Array(list) => list.len().into(),
            Value::Object(map) => map.len().into(),
            Value::String(text) => text.len().into(),
            _ => 0.into(),
        },
        // `index`, the last of the known functions.
        _ => {
            let step = |value: Option<Value>, key: &Value| match key {
                Value::String(key) => value?.get(key).cloned(),
                key => value?.get(usize::try_from(key.as_u64()?).ok()?).cloned(),
            };
            values[1..].iter().fold(Some(values[0].clone()), step).unwrap_or(Value::Null)
        }
    }
}

fn is_true(value: &Value) -> bool {
    match value {
        Value::Null => false,
        Value::Bool(value) => *value,
        Value::Number(number) => number.as_f64() != Some(0.0),
        Value::String(text) => !text.is_empty(),
        Value::Array(list) => !list.is_empty(),
        Value::Object(map) => !map.is_empty(),
    }
}

fn push(value: &Value, escape: Escape, output: &mut String) {
    let text = match value {
        Value::Null => return,
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    if escape == Escape::None {
        output.push_str(&text);
        return;
    }
    for c in text.chars() {
        match c {
            '&' => output.push_str("&amp;"),
            '<' => output.push_str("&lt;"),
            '>' => output.push_str("&gt;"),
            '"' => output.push_str("&#34;"),
            '\'' => output.push_str("&#39;"),
            c => output.push(c),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn html(template: &str) -> String {
        let data = json!({
            "Token": "012345",
            "Email": "a@b.c",
            "Data": {"lang": "hi", "name": "<b>Asha</b>", "tags": ["x", "y"], "school": {"city": "Pune"}, "n": 3},
        });
        Parsed::of(template)
            .map(|parsed| parsed.render(&data, Escape::Html))
            .unwrap_or_else(|problem| format!("error: {problem}"))
    }

    // rows: M38
    #[test]
    fn the_syntax_of_copied_templates_works() {
        let cases = [
            ("Code {{ .Token }} for {{.Email}}", "Code 012345 for a@b.c"),
            ("{{ .Data.school.city }}{{ .Data.none.deeper }}", "Pune"),
            ("{{ if eq .Data.lang \"hi\" }}नमस्ते{{ else }}Hello{{ end }}", "नमस्ते"),
            (
                "{{ if eq .Data.lang \"en\" }}a{{ else if eq .Data.lang \"mr\" \"hi\" }}b{{ else }}c{{ end }}",
                "b",
            ),
            (
                "{{ if and .Data.lang (not .Data.none) }}y{{ end }}{{ if or .Data.none .Data.zip }}n{{ end }}",
                "y",
            ),
            ("{{ if ne .Data.n 3 }}n{{ else }}three{{ end }}", "three"),
            ("{{ range .Data.tags }}<{{ . }}{{ $.Token }}>{{ end }}", "<x012345><y012345>"),
            ("{{ range .Data.none }}x{{ else }}empty{{ end }}", "empty"),
            ("{{ index .Data \"lang\" }}{{ index .Data.tags 1 }}", "hiy"),
            ("{{ with .Data.school }}{{ .city }}{{ end }}", "Pune"),
            ("a {{- /* note */ -}} b", "ab"),
            ("a\n{{- .Token -}}\nb", "a012345b"),
        ];
        for (template, expected) in cases {
            assert_eq!(html(template), expected, "{template}");
        }
    }

    // rows: M38
    #[test]
    fn values_cannot_bring_markup() {
        assert_eq!(html("{{ .Data.name }}"), "&lt;b&gt;Asha&lt;/b&gt;");
    }

    // rows: M37
    #[test]
    fn the_variables_of_the_mail_are_found_wherever_they_stand() {
        for (template, expected) in [
            ("{{ .Token }}{{ .Data.school.city }}{{ . }}", vec![("Token", false), ("Data", false)]),
            ("{{ if eq .A \"x\" }}{{ .A }}{{ .B }}{{ else }}{{ .C }}{{ end }}", {
                vec![("A", true), ("A", true), ("B", false), ("C", false)]
            }),
            ("{{ with .Data }}{{ .lang }}{{ $.Email }}{{ else }}{{ .D }}{{ end }}", {
                vec![("Data", true), ("Email", false), ("D", false)]
            }),
            ("{{ range .Data.tags }}{{ .x }}{{ end }}{{ index .Data \"k\" }}", {
                vec![("Data", true), ("Data", false)]
            }),
        ] {
            assert_eq!(Parsed::of(template).unwrap().variables(), expected, "{template}");
        }
    }

    #[test]
    fn what_is_wrong_is_named() {
        for template in [
            "{{ .Token",
            "{{ if .Token }}",
            "{{ end }}",
            "{{ else }}",
            "{{ call .X }}",
            "{{ eq .X }}",
            "{{ (.X }}",
            "{{ }}",
        ] {
            assert!(html(template).starts_with("error: "), "{template}: {}", html(template));
        }
        assert!(html(&"{{ if .Token }}".repeat(100)).starts_with("error: "));
    }
}
