//! The query of a request, decoded once.

use percent_encoding::percent_decode_str;

/// The parameters of a query, in the order in which they were sent.
#[derive(Debug, Default)]
pub(super) struct Query(Vec<(String, String)>);

impl Query {
    /// Decodes a query. A parameter without `=` has an empty value; `+` is a blank.
    pub(super) fn of(query: &str) -> Self {
        let parameters = query.split('&').filter(|parameter| !parameter.is_empty());
        Self(
            parameters
                .map(|parameter| parameter.split_once('=').unwrap_or((parameter, "")))
                .map(decoded)
                .collect(),
        )
    }

    /// The first value of a parameter.
    pub(super) fn get(&self, name: &str) -> Option<&str> {
        self.0.iter().find(|(found, _)| found == name).map(|(_, value)| value.as_str())
    }

    /// The first value of a parameter, unless it is empty.
    pub(super) fn text(&self, name: &str) -> Option<&str> {
        self.get(name).filter(|value| !value.is_empty())
    }

    pub(super) fn has(&self, name: &str) -> bool {
        self.get(name).is_some()
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.iter().map(|(name, value)| (name.as_str(), value.as_str()))
    }
}

fn decoded((name, value): (&str, &str)) -> (String, String) {
    let text = |part: &str| percent_decode_str(&part.replace('+', " ")).decode_utf8_lossy().into_owned();
    (text(name), text(value))
}

#[cfg(test)]
mod tests {
    use super::*;

    // rows: X02
    #[test]
    fn parameters_are_decoded_and_may_lack_a_value() {
        let query = Query::of("uploads&prefix=a%2Fb+c&empty=&x=1&x=2");
        assert!(query.has("uploads"));
        assert_eq!(query.get("prefix"), Some("a/b c"));
        assert_eq!((query.get("empty"), query.text("empty")), (Some(""), None));
        assert_eq!(query.get("x"), Some("1"), "the first one counts");
        assert!(!query.has("none"));
    }
}
