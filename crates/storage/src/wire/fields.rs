//! Fields of a body or a query, read with the rules and messages of JSON Schema that clients of the
//! reference see (CONTRACT.md E03).
//!
//! Simple values of a wrong type are converted as there: `"10"` is an integer, and one value is a
//! list of itself.

use http::Uri;
use serde_json::{Map, Value};

use crate::error::StorageError;

/// An object of a request.
#[derive(Debug)]
pub(crate) struct Fields {
    /// Where it is, as messages say: `body`, `body/sortBy`, `querystring`.
    at: String,
    map: Map<String, Value>,
}

impl Fields {
    /// The object that a body is.
    pub(crate) fn of_body(body: Value) -> Result<Self, StorageError> {
        Self::at("body".to_owned(), body)
    }

    /// The parameters of a query. A name that is there twice has its last value.
    pub(crate) fn of_query(uri: &Uri) -> Self {
        let pairs = url::form_urlencoded::parse(uri.query().unwrap_or_default().as_bytes());
        Self::of_texts("querystring", pairs)
    }

    /// Texts by their names.
    pub(crate) fn of_texts(
        at: &str,
        texts: impl IntoIterator<Item = (impl Into<String>, impl Into<String>)>,
    ) -> Self {
        let map = texts.into_iter().map(|(name, text)| (name.into(), Value::String(text.into())));
        Self { at: at.to_owned(), map: map.collect() }
    }

    fn at(at: String, value: Value) -> Result<Self, StorageError> {
        match value {
            Value::Object(map) => Ok(Self { at, map }),
            _ => Err(StorageError::Validation(format!("{at} must be object"))),
        }
    }

    /// Refuses an object without one of these fields.
    pub(crate) fn require(&self, names: &[&str]) -> Result<(), StorageError> {
        match names.iter().find(|name| !self.map.contains_key(**name)) {
            None => Ok(()),
            Some(name) => {
                let message = format!("{} must have required property '{name}'", self.at);
                Err(StorageError::Validation(message))
            }
        }
    }

    /// Refuses an object without any field.
    pub(crate) fn require_some(&self) -> Result<(), StorageError> {
        if self.map.is_empty() {
            let message = format!("{} must NOT have fewer than 1 properties", self.at);
            return Err(StorageError::Validation(message));
        }
        Ok(())
    }

    /// The value of a field as it was sent.
    pub(crate) fn get(&self, name: &str) -> Option<&Value> {
        self.map.get(name)
    }

    /// A text.
    pub(crate) fn text(&self, name: &str) -> Result<Option<String>, StorageError> {
        self.read(name, "must be string", as_text)
    }

    /// A text that must be there. Null counts as the empty text.
    pub(crate) fn required_text(&self, name: &str) -> Result<String, StorageError> {
        self.require(&[name])?;
        Ok(self.text(name)?.unwrap_or_default())
    }

    /// A truth value.
    pub(crate) fn boolean(&self, name: &str) -> Result<Option<bool>, StorageError> {
        self.read(name, "must be boolean", as_boolean)
    }

    /// A whole number of `least` or more.
    pub(crate) fn integer(&self, name: &str, least: i64) -> Result<Option<i64>, StorageError> {
        let number = self.read(name, "must be integer", as_integer)?;
        if number.is_some_and(|number| number < least) {
            return Err(self.fault(name, &format!("must be >= {least}")));
        }
        Ok(number)
    }

    /// A number.
    pub(crate) fn number(&self, name: &str) -> Result<Option<f64>, StorageError> {
        self.read(name, "must be number", as_number)
    }

    /// One of these words.
    pub(crate) fn choice(
        &self,
        name: &str,
        words: &[&'static str],
    ) -> Result<Option<&'static str>, StorageError> {
        let Some(text) = self.text(name)? else { return Ok(None) };
        match words.iter().find(|word| **word == text) {
            Some(word) => Ok(Some(word)),
            None => Err(self.fault(name, "must be equal to one of the allowed values")),
        }
    }

    /// A list of texts. Null is none.
    pub(crate) fn texts(&self, name: &str) -> Result<Option<Vec<String>>, StorageError> {
        let items = match self.map.get(name) {
            None | Some(Value::Null) => return Ok(None),
            Some(Value::Array(items)) => items.as_slice(),
            Some(Value::Object(_)) => return Err(self.fault(name, "must be array")),
            Some(one) => std::slice::from_ref(one),
        };
        let text = |(place, item)| {
            as_text(item).ok_or_else(|| self.fault(&format!("{name}/{place}"), "must be string"))
        };
        items.iter().enumerate().map(text).collect::<Result<_, _>>().map(Some)
    }

    /// A list of 1 to `most` texts that must be there.
    pub(crate) fn required_texts(&self, name: &str, most: usize) -> Result<Vec<String>, StorageError> {
        self.require(&[name])?;
        let texts = self.texts(name)?.ok_or_else(|| self.fault(name, "must be array"))?;
        match texts.len() {
            0 => Err(self.fault(name, "must NOT have fewer than 1 items")),
            count if count > most => Err(self.fault(name, &format!("must NOT have more than {most} items"))),
            _ => Ok(texts),
        }
    }

    /// An object within.
    pub(crate) fn object(&self, name: &str) -> Result<Option<Self>, StorageError> {
        match self.map.get(name) {
            None => Ok(None),
            Some(value) => Self::at(format!("{}/{name}", self.at), value.clone()).map(Some),
        }
    }

    /// What is wrong with a field.
    pub(crate) fn fault(&self, name: &str, what: &str) -> StorageError {
        StorageError::Validation(format!("{}/{name} {what}", self.at))
    }

    fn read<T>(
        &self,
        name: &str,
        what: &str,
        read: impl Fn(&Value) -> Option<T>,
    ) -> Result<Option<T>, StorageError> {
        match self.map.get(name) {
            None => Ok(None),
            Some(value) => read(value).map(Some).ok_or_else(|| self.fault(name, what)),
        }
    }
}

fn as_text(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(_) | Value::Bool(_) => Some(value.to_string()),
        Value::Null => Some(String::new()),
        Value::Array(_) | Value::Object(_) => None,
    }
}

fn as_boolean(value: &Value) -> Option<bool> {
    match value {
        Value::Bool(truth) => Some(*truth),
        Value::Null => Some(false),
        Value::String(text) => text.parse().ok(),
        Value::Number(number) => match number.as_f64()? {
            0.0 => Some(false),
            1.0 => Some(true),
            _ => None,
        },
        Value::Array(_) | Value::Object(_) => None,
    }
}

fn as_integer(value: &Value) -> Option<i64> {
    match value {
        Value::Number(number) => number.as_i64().or_else(|| whole(number.as_f64()?)),
        Value::String(text) => text.trim().parse().ok().or_else(|| whole(text.trim().parse().ok()?)),
        Value::Bool(truth) => Some(i64::from(*truth)),
        Value::Null => Some(0),
        Value::Array(_) | Value::Object(_) => None,
    }
}

fn as_number(value: &Value) -> Option<f64> {
    let number = match value {
        Value::Number(number) => number.as_f64(),
        Value::String(text) => text.trim().parse().ok(),
        Value::Bool(truth) => Some(f64::from(u8::from(*truth))),
        Value::Null => Some(0.0),
        Value::Array(_) | Value::Object(_) => None,
    };
    number.filter(|number| number.is_finite())
}

/// A number without fraction that JSON writers hold exactly.
#[expect(clippy::cast_possible_truncation, reason = "checked to be whole and in range")]
fn whole(number: f64) -> Option<i64> {
    let is_exact = number.fract() == 0.0 && number.abs() <= 9_007_199_254_740_992.0;
    is_exact.then_some(number as i64)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn body(value: Value) -> Fields {
        Fields::of_body(value).expect("an object")
    }

    fn message<T: std::fmt::Debug>(read: Result<T, StorageError>) -> String {
        read.expect_err("refused").to_string()
    }

    // rows: E03
    #[test]
    fn faults_are_told_in_the_words_that_clients_know() {
        let fields = body(json!({"expiresIn": 0, "limit": "x", "paths": [], "sortBy": {"order": "up"}}));
        assert_eq!(message(fields.require(&["name"])), "body must have required property 'name'");
        assert_eq!(message(fields.integer("expiresIn", 1)), "body/expiresIn must be >= 1");
        assert_eq!(message(fields.integer("limit", 1)), "body/limit must be integer");
        assert_eq!(message(fields.required_texts("paths", 2)), "body/paths must NOT have fewer than 1 items");
        let sort = fields.object("sortBy").expect("an object").expect("there");
        assert_eq!(message(sort.require(&["column"])), "body/sortBy must have required property 'column'");
        assert_eq!(
            message(sort.choice("order", &["asc", "desc"])),
            "body/sortBy/order must be equal to one of the allowed values"
        );
        assert_eq!(message(Fields::of_body(json!([]))), "body must be object");
        assert_eq!(message(body(json!({})).require_some()), "body must NOT have fewer than 1 properties");
        let many = body(json!({"paths": ["a", "b", "c"], "one": [{}]}));
        assert_eq!(message(many.required_texts("paths", 2)), "body/paths must NOT have more than 2 items");
        assert_eq!(message(many.texts("one")), "body/one/0 must be string");
        let query = Fields::of_query(&Uri::from_static("/x?width=1.5"));
        assert_eq!(message(query.integer("width", 0)), "querystring/width must be integer");
    }

    // rows: E03
    #[test]
    fn simple_values_are_converted() {
        let fields = body(json!({"a": "10", "b": "true", "c": 7, "d": "one", "e": null, "f": 3.0}));
        assert_eq!(fields.integer("a", 1).unwrap(), Some(10));
        assert_eq!(fields.integer("f", 1).unwrap(), Some(3));
        assert_eq!(fields.boolean("b").unwrap(), Some(true));
        assert_eq!(fields.text("c").unwrap(), Some("7".to_owned()));
        assert_eq!(fields.texts("d").unwrap(), Some(vec!["one".to_owned()]));
        assert_eq!(fields.texts("e").unwrap(), None);
        assert_eq!(fields.text("none").unwrap(), None);
    }
}
