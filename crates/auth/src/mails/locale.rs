use serde_json::Value;

/// Fields of the user metadata that may name a language.
const FIELDS: [&str; 3] = ["locale", "lang", "language"];
/// Most languages of a header that are looked at.
const MAX_LOCALES: usize = 8;

/// Languages that a reader understands, the best first: what the user says, then what the browser
/// says (CONTRACT.md C10). A language of a region is followed by the language itself.
pub(super) fn locales_of_reader(metadata: Option<&Value>, accept_language: Option<&str>) -> Vec<String> {
    let mut found = Vec::new();
    let own = metadata.and_then(|metadata| FIELDS.iter().find_map(|field| metadata.get(field)?.as_str()));
    let asked = accept_language.map(by_preference).unwrap_or_default();
    for language in own.map(str::to_owned).into_iter().chain(asked) {
        let language = language.trim().replace('_', "-").to_ascii_lowercase();
        let general = language.split('-').next().unwrap_or_default().to_owned();
        for language in [language, general] {
            if !language.is_empty() && !found.contains(&language) {
                found.push(language);
            }
        }
    }
    found
}

fn by_preference(header: &str) -> Vec<String> {
    let mut languages: Vec<(f32, &str)> = header
        .split(',')
        .take(MAX_LOCALES)
        .filter_map(|entry| {
            let (language, quality) = entry.split_once(";q=").unwrap_or((entry, "1"));
            Some((quality.trim().parse().ok().filter(|quality| *quality > 0.0)?, language))
        })
        .collect();
    languages.sort_by(|one, other| other.0.total_cmp(&one.0));
    languages.into_iter().map(|(_, language)| language.to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    // rows: M39 C10
    #[test]
    fn the_user_is_asked_before_the_browser() {
        assert_eq!(
            locales_of_reader(Some(&json!({"lang": "hi_IN"})), Some("en;q=0.5, mr-IN, x;q=0")),
            ["hi-in", "hi", "mr-in", "mr", "en"]
        );
        assert!(locales_of_reader(Some(&json!({"lang": 7})), None).is_empty());
    }
}
