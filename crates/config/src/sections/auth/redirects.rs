//! `auth.additional_redirect_urls`: patterns of the addresses that a browser may be sent back to
//! (auth/CONTRACT.md A4).

use crate::env_reference::variable;

/// What is said of patterns that no address can fit. A variable that is not set is told of
/// elsewhere.
pub(super) fn doubts(patterns: &[String]) -> impl Iterator<Item = String> {
    patterns.iter().filter(|pattern| variable(pattern).is_none()).filter_map(|pattern| {
        let why = fault(pattern)?;
        Some(format!("config.toml: `auth.additional_redirect_urls`: `{pattern}` fits no address: {why}"))
    })
}

fn fault(pattern: &str) -> Option<&'static str> {
    let Some((scheme, rest)) = pattern.split_once(':') else {
        return (!pattern.contains('*')).then_some("it begins with no scheme, such as https://");
    };
    if !scheme.chars().all(|c| c.is_ascii_alphanumeric() || "+.-*?{},".contains(c)) {
        return Some("it begins with no scheme, such as https://");
    }
    if matches!(scheme, "http" | "https") && !rest.starts_with("//") {
        return Some("two slashes follow its scheme");
    }
    let is_open = |open, close| pattern.matches(open).count() != pattern.matches(close).count();
    (is_open('[', ']') || is_open('{', '}')).then_some("a bracket of it is not closed")
}

#[cfg(test)]
mod tests {
    use super::*;

    // rows: auth/A4
    #[test]
    fn patterns_that_no_address_fits_are_named() {
        let reported = |pattern: &str| doubts(&[pattern.to_owned()]).next();
        for good in [
            "http://localhost:3000/**",
            "https://*.school.example/{a,b}/[a-c]?",
            "exp://127.0.0.1:8081",
            "com.school.app:/callback",
            "**",
            "http{,s}://school.example",
            "env(APP)",
        ] {
            assert_eq!(reported(good), None);
        }
        for wrong in
            ["school.example", "https:/x", "https://[", "https://{a,b", "[\"http://a.b\"", "localhost"]
        {
            let sentence = reported(wrong).unwrap_or_else(|| panic!("{wrong} is not told of"));
            assert!(sentence.contains(&format!("`{wrong}` fits no address: ")), "{sentence}");
        }
    }
}
