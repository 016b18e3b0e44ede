use http::Uri;

/// The first value of a query parameter, decoded.
#[must_use]
pub fn query_parameter(uri: &Uri, name: &str) -> Option<String> {
    url::form_urlencoded::parse(uri.query().unwrap_or_default().as_bytes())
        .find(|(found, _)| found == name)
        .map(|(_, value)| value.into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_value_of_a_parameter_is_found_and_decoded() {
        let uri = Uri::from_static("/path?other=1&a%62=x+y%21&ab=2&empty");
        assert_eq!(query_parameter(&uri, "ab").as_deref(), Some("x y!"));
        assert_eq!(query_parameter(&uri, "empty").as_deref(), Some(""));
        assert_eq!(query_parameter(&uri, "none"), None);
        assert_eq!(query_parameter(&Uri::from_static("/path"), "ab"), None);
    }
}
