//! Entries of `postgres_changes`, as clients write them in a join (CONTRACT.md G2, G5, G8).

use serde_json::{Map, Value};

/// Most conditions of an entry (CONTRACT.md LIM-JOIN).
const MOST_FILTERS: usize = 10;

/// What a channel wants to hear of.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct Entry {
    /// By which the client knows it again (CONTRACT.md L4).
    pub(crate) id: i32,
    pub(crate) event: Event,
    /// `*` stands for all.
    pub(crate) schema: String,
    /// `*` stands for all.
    pub(crate) table: String,
    /// All must hold.
    pub(crate) filters: Vec<Filter>,
    /// The columns wanted beside the primary key; none for all.
    pub(crate) select: Option<Vec<String>>,
}

/// Which changes are wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Event {
    All,
    Insert,
    Update,
    Delete,
}

/// A condition on a column.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct Filter {
    pub(crate) column: String,
    pub(crate) operator: Operator,
    /// For [`Operator::In`] an array in PostgreSQL's text format.
    pub(crate) value: String,
    pub(crate) is_negated: bool,
}

/// How a column is compared (CONTRACT.md G6).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Operator {
    Eq,
    Neq,
    Lt,
    Lte,
    Gt,
    Gte,
    In,
    Like,
    Ilike,
    Is,
    Match,
    Imatch,
    IsDistinct,
}

const OPERATORS: [(&str, Operator); 13] = [
    ("eq", Operator::Eq),
    ("neq", Operator::Neq),
    ("lt", Operator::Lt),
    ("lte", Operator::Lte),
    ("gt", Operator::Gt),
    ("gte", Operator::Gte),
    ("in", Operator::In),
    ("like", Operator::Like),
    ("ilike", Operator::Ilike),
    ("is", Operator::Is),
    ("match", Operator::Match),
    ("imatch", Operator::Imatch),
    ("isdistinct", Operator::IsDistinct),
];

impl Operator {
    /// As clients spell it.
    pub(crate) fn name(self) -> &'static str {
        OPERATORS[self as usize].0
    }

    fn parse(name: &str) -> Option<Self> {
        OPERATORS.iter().find(|(known, _)| *known == name).map(|(_, operator)| *operator)
    }
}

impl Event {
    /// As clients and messages spell it.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::All => "*",
            Self::Insert => "INSERT",
            Self::Update => "UPDATE",
            Self::Delete => "DELETE",
        }
    }

    /// Whether a change of this kind is meant.
    pub(crate) fn includes(self, other: Self) -> bool {
        self == Self::All || self == other
    }

    fn parse(value: Option<&Value>) -> Self {
        let name = value.and_then(Value::as_str).unwrap_or_default().to_uppercase();
        let known = [Self::Insert, Self::Update, Self::Delete];
        known.into_iter().find(|event| event.name() == name).unwrap_or(Self::All)
    }
}

/// The id of an entry: equal for equal entries, never 0, and within 27 bits (CONTRACT.md L4).
pub(crate) fn entry_id(entry: &Map<String, Value>) -> i32 {
    // Keys of a map are sorted, so the text is one for equal entries.
    let text = Value::Object(entry.clone()).to_string();
    let digest = ring::digest::digest(&ring::digest::SHA256, text.as_bytes());
    let bytes = digest.as_ref().first_chunk().copied().unwrap_or_default();
    (i32::from_be_bytes(bytes) & 0x7ff_ffff).max(1)
}

impl Entry {
    /// Parses an entry.
    ///
    /// # Errors
    /// What the client is told (CONTRACT.md G4).
    pub(crate) fn parse(entry: &Map<String, Value>) -> Result<Self, String> {
        let select = parse_select(entry)?;
        let text = |name| entry.get(name).filter(|value| !value.is_null()).map(Value::as_str);
        let (schema, table, filters) = match (text("schema"), text("table"), text("filter")) {
            (Some(Some(schema)), Some(Some(table)), Some(Some(filter))) => {
                let filters = parse_filters(filter)
                    .map_err(|reason| format!("Error parsing `filter` params: {reason}"))?;
                (schema, table, filters)
            }
            (Some(Some(schema)), Some(Some(table)), None) => (schema, table, vec![]),
            (Some(Some(schema)), None, None) => (schema, "*", vec![]),
            (None, Some(Some(table)), None) => ("public", table, vec![]),
            _ => return Err(no_params(entry)),
        };
        if select.is_some() && (schema == "*" || table == "*") {
            return Err("Column selection is not supported for wildcard subscriptions. Provide an \
                        explicit schema and table name."
                .to_owned());
        }
        let event = Event::parse(entry.get("event"));
        let (schema, table) = (schema.to_owned(), table.to_owned());
        Ok(Self { id: entry_id(entry), event, schema, table, filters, select })
    }

    /// As messages describe it to the client.
    pub(crate) fn describe(&self) -> String {
        let filters: Vec<String> = self.filters.iter().map(Filter::describe).collect();
        let select = self.select.as_ref().map_or_else(|| "nil".to_owned(), |select| format!("{select:?}"));
        format!(
            "event: {}, schema: {}, table: {}, filters: [{}], select: {select}",
            self.event.name(),
            self.schema,
            self.table,
            filters.join(", ")
        )
    }
}

impl Filter {
    fn describe(&self) -> String {
        let Self { column, operator, value, is_negated } = self;
        format!("{{{column:?}, {:?}, {value:?}, {is_negated}}}", operator.name())
    }
}

fn parse_select(entry: &Map<String, Value>) -> Result<Option<Vec<String>>, String> {
    match entry.get("select") {
        Some(Value::Array(names)) => {
            let names: Vec<_> = names.iter().filter_map(Value::as_str).map(str::to_owned).collect();
            Ok((!names.is_empty()).then_some(names))
        }
        Some(Value::String(_)) => Err("Error parsing `select` params: expected a list of column name \
                                       strings, e.g. select: [\"col1\", \"col2\"]"
            .to_owned()),
        _ => Ok(None),
    }
}

fn no_params(entry: &Map<String, Value>) -> String {
    let given = if entry.contains_key("user_token") || entry.contains_key("auth_token") {
        "<redacted>".to_owned()
    } else {
        inspect(&Value::Object(entry.clone()))
    };
    format!(
        "No subscription params provided. Please provide at least a `schema` or `table` to subscribe to: {given}"
    )
}

/// A value in the spelling of the reference's messages.
fn inspect(value: &Value) -> String {
    match value {
        Value::Null => "nil".to_owned(),
        Value::Array(values) => {
            let values: Vec<_> = values.iter().map(inspect).collect();
            format!("[{}]", values.join(", "))
        }
        Value::Object(members) => {
            let member = |(name, value)| format!("{name:?} => {}", inspect(value));
            let members: Vec<_> = members.iter().map(member).collect();
            format!("%{{{}}}", members.join(", "))
        }
        Value::Bool(_) | Value::Number(_) | Value::String(_) => value.to_string(),
    }
}

/// Parses conditions that commas separate.
fn parse_filters(filter: &str) -> Result<Vec<Filter>, String> {
    if filter.trim().is_empty() {
        return Ok(vec![]);
    }
    let segments = split(filter.trim());
    if segments.len() > MOST_FILTERS {
        return Err(format!("too many conditions. Maximum {MOST_FILTERS}"));
    }
    segments.into_iter().map(|segment| parse_filter(segment.trim())).collect()
}

/// Splits at commas outside of parentheses and quoted values.
fn split(filter: &str) -> Vec<&str> {
    let (mut segments, mut start, mut depth) = (vec![], 0, 0_u32);
    let (mut is_quoted, mut is_escaped, mut before) = (false, false, b',');
    for (at, byte) in filter.bytes().enumerate() {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' if is_quoted => is_escaped = true,
            b'"' if is_quoted => is_quoted = false,
            _ if is_quoted => {}
            // A quote inside of a word is an ordinary character.
            b'"' if matches!(before, b'.' | b'(' | b',') => is_quoted = true,
            b'(' => depth += 1,
            b')' => depth = depth.saturating_sub(1),
            b',' if depth == 0 => {
                segments.push(&filter[start..at]);
                start = at + 1;
            }
            _ => {}
        }
        before = byte;
    }
    segments.push(&filter[start..]);
    segments
}

fn parse_filter(segment: &str) -> Result<Filter, String> {
    if segment.is_empty() {
        return Err("filter must not contain empty segments (check for extra commas)".to_owned());
    }
    let (column, rest) = segment.split_once('=').ok_or_else(|| format!("[{segment:?}]"))?;
    let (rest, is_negated) = rest.strip_prefix("not.").map_or((rest, false), |rest| (rest, true));
    let (name, value) = rest.split_once('.').ok_or_else(|| format!("[{rest:?}]"))?;
    let operator = Operator::parse(name).ok_or_else(|| format!("[{name:?}, {value:?}]"))?;
    let value = match operator {
        Operator::In => parse_list(value)?,
        _ => unquote(value).unwrap_or_else(|| value.to_owned()),
    };
    Ok(Filter { column: column.to_owned(), operator, value, is_negated })
}

fn parse_list(value: &str) -> Result<String, String> {
    let list = value.strip_prefix('(').and_then(|rest| rest.strip_suffix(')'));
    let list = list.ok_or("`in` filter value must be wrapped by parentheses")?;
    Ok(format!("{{{list}}}"))
}

/// The value inside of quotes; none where the quotes do not enclose all of it.
fn unquote(value: &str) -> Option<String> {
    let mut unquoted = String::new();
    let mut rest = value.strip_prefix('"')?.chars();
    loop {
        match rest.next()? {
            '"' => return rest.as_str().is_empty().then_some(unquoted),
            '\\' => unquoted.push(rest.next()?),
            character => unquoted.push(character),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn parse(entry: Value) -> Result<Entry, String> {
        Entry::parse(entry.as_object().expect("an object"))
    }

    fn filters(filter: &str) -> Result<Vec<Filter>, String> {
        parse(json!({"schema": "public", "table": "t", "filter": filter})).map(|entry| entry.filters)
    }

    fn filter(column: &str, operator: Operator, value: &str, is_negated: bool) -> Filter {
        Filter { column: column.into(), operator, value: value.into(), is_negated }
    }

    // rows: G2
    #[test]
    fn schema_or_table_may_stand_alone_and_events_are_read_in_any_case() {
        let both = parse(json!({"event": "insert", "schema": "s", "table": "t"})).expect("parses");
        assert_eq!((both.event, &*both.schema, &*both.table), (Event::Insert, "s", "t"));
        let schema = parse(json!({"event": "other", "schema": "s"})).expect("parses");
        assert_eq!((schema.event, &*schema.schema, &*schema.table), (Event::All, "s", "*"));
        let table = parse(json!({"table": "t", "schema": null})).expect("parses");
        assert_eq!((&*table.schema, &*table.table), ("public", "t"));
    }

    // rows: G5
    #[test]
    fn conditions_are_split_at_top_level_commas_alone() {
        assert_eq!(
            filters(r#"id=in.(1,2),name=not.eq."a, \"b\"",n=lt.5"#),
            Ok(vec![
                filter("id", Operator::In, "{1,2}", false),
                filter("name", Operator::Eq, "a, \"b\"", true),
                filter("n", Operator::Lt, "5", false),
            ])
        );
        assert_eq!(filters("  "), Ok(vec![]));
        assert_eq!(filters("a=eq.x=y.z"), Ok(vec![filter("a", Operator::Eq, "x=y.z", false)]));
        assert_eq!(filters(r#"a=eq.5"x"#), Ok(vec![filter("a", Operator::Eq, "5\"x", false)]));
    }

    // rows: G4 G5 G6
    #[test]
    fn what_cannot_be_read_is_refused_in_the_words_of_the_reference() {
        for (written, reason) in [
            ("undefined", r#"["undefined"]"#),
            ("subject=foo.hey", r#"["foo", "hey"]"#),
            ("a=eq.1,", "filter must not contain empty segments (check for extra commas)"),
            ("a=in.1", "`in` filter value must be wrapped by parentheses"),
        ] {
            assert_eq!(
                filters(written),
                Err(format!("Error parsing `filter` params: {reason}")),
                "{written}"
            );
        }
        let nothing = parse(json!({"event": "*", "filter": "a=eq.1"})).expect_err("refused");
        assert!(
            nothing.ends_with(r#"to subscribe to: %{"event" => "*", "filter" => "a=eq.1"}"#),
            "{nothing}"
        );
    }

    // rows: LIM-JOIN
    #[test]
    fn an_entry_has_ten_conditions_at_most() {
        let of = |count| filters(&vec!["a=eq.1"; count].join(","));
        assert_eq!(of(10).map(|parsed| parsed.len()), Ok(10));
        let reason = "Error parsing `filter` params: too many conditions. Maximum 10";
        assert_eq!(of(11), Err(reason.to_owned()));
    }

    // rows: G8
    #[test]
    fn a_list_of_columns_needs_one_table() {
        let one = parse(json!({"schema": "s", "table": "t", "select": ["a", 1]})).expect("parses");
        assert_eq!(one.select, Some(vec!["a".to_owned()]));
        let all = parse(json!({"schema": "s", "select": ["a"]})).expect_err("refused");
        assert!(all.starts_with("Column selection is not supported"), "{all}");
        let text = parse(json!({"schema": "s", "table": "t", "select": "a"})).expect_err("refused");
        assert!(text.starts_with("Error parsing `select` params: expected a list"), "{text}");
    }

    // rows: L4
    #[test]
    fn equal_entries_have_equal_ids_that_are_positive_and_small() {
        let id = |entry: Value| entry_id(entry.as_object().expect("an object"));
        let one = id(json!({"event": "*", "schema": "public"}));
        assert_eq!(one, id(json!({"schema": "public", "event": "*"})));
        assert_ne!(one, id(json!({"event": "INSERT", "schema": "public"})));
        assert!(one > 0 && one < 1 << 27);
    }

    #[test]
    fn operators_stand_in_the_order_of_their_declaration() {
        for (place, (_, operator)) in OPERATORS.into_iter().enumerate() {
            assert_eq!(operator as usize, place);
        }
    }
}
