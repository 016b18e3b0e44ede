//! The header `x-robots-tag` (CONTRACT.md U14).

use crate::error::StorageError;

/// Rules without a value.
const SIMPLE: [&str; 8] =
    ["all", "noindex", "nofollow", "none", "nosnippet", "indexifembedded", "notranslate", "noimageindex"];

/// Rules with a value.
const WITH_VALUE: [&str; 4] = ["max-snippet", "max-image-preview", "max-video-preview", "unavailable_after"];

/// Checks the header of an upload.
///
/// # Errors
/// `InvalidXRobotsTag` with what is wrong.
pub(crate) fn check_x_robots_tag(value: &str) -> Result<(), StorageError> {
    let fault = if value.trim().is_empty() { Some("it is empty".to_owned()) } else { fault(value) };
    fault.map_or(Ok(()), |fault| Err(StorageError::InvalidXRobotsTag(fault)))
}

/// What is wrong with a list of rules.
fn fault(list: &str) -> Option<String> {
    rules(list).iter().find_map(|rule| rule_fault(rule))
}

/// The rules of a list. A date may hold a comma, so `unavailable_after` takes all up to the next
/// rule.
fn rules(list: &str) -> Vec<String> {
    let mut rules: Vec<String> = Vec::new();
    for part in list.split(',').map(str::trim) {
        match rules.last_mut() {
            Some(last) if last.contains("unavailable_after:") && !begins_a_rule(part) => {
                last.push_str(", ");
                last.push_str(part);
            }
            _ => rules.push(part.to_owned()),
        }
    }
    rules
}

/// Whether it is a rule without a value, or begins with a word and a colon.
fn begins_a_rule(part: &str) -> bool {
    let is_word = |word: &str| word.bytes().all(|b| b.is_ascii_alphanumeric() || b"_-".contains(&b));
    SIMPLE.contains(&part) || part.split_once(':').is_some_and(|(word, _)| is_word(word))
}

/// What is wrong with one rule, which may name an agent first.
fn rule_fault(rule: &str) -> Option<String> {
    if SIMPLE.contains(&rule) {
        return None;
    }
    match rule.split_once(':') {
        Some((name, value)) if WITH_VALUE.contains(&name.trim()) => value_fault(name.trim(), value.trim()),
        Some((agent, rest)) if !agent.trim().is_empty() && !rest.trim().is_empty() => rule_fault(rest.trim()),
        _ => Some(format!("rule \"{rule}\" is not known")),
    }
}

fn value_fault(name: &str, value: &str) -> Option<String> {
    let is_right = match name {
        "max-image-preview" => ["none", "standard", "large"].contains(&value),
        "max-snippet" | "max-video-preview" => value.parse::<i64>().is_ok_and(|number| number >= -1),
        _ => value.chars().any(|c| c.is_ascii_digit()),
    };
    (!is_right).then(|| format!("the value of \"{name}\" is wrong"))
}

#[cfg(test)]
mod tests {
    use super::*;

    // rows: U14
    #[test]
    fn known_rules_are_taken_and_others_refused() {
        for (value, is_right) in [
            ("noindex", true),
            ("all, nofollow", true),
            ("googlebot: noindex, nofollow", true),
            ("max-snippet: 20", true),
            ("max-snippet:-1", true),
            ("max-snippet:-2", false),
            ("max-image-preview:large", true),
            ("max-image-preview:huge", false),
            ("max-video-preview:x", false),
            ("unavailable_after: Wed, 03 Dec 2026 13:09:53 GMT, noindex", true),
            ("unavailable_after: 2027-01-01", true),
            ("unavailable_after: soon", false),
            ("", false),
            ("   ", false),
            ("index-me", false),
            ("noindex,,nofollow", false),
            ("googlebot:", false),
            ("bot: index-me", false),
        ] {
            assert_eq!(check_x_robots_tag(value).is_ok(), is_right, "{value}");
        }
    }
}
