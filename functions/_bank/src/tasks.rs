//! Tasks that are true for any chapter (K1), by language: `{chapter}` is its title, `{n}` how many points are asked for.

use std::collections::BTreeMap;

use banyan_functions::script::Language;

/// The tasks of a language, the same ones in the same order in every language.
pub fn of(language: Language) -> Vec<String> {
    let mut all: BTreeMap<String, Vec<String>> =
        serde_json::from_str(include_str!("../data/tasks.json")).expect("the tasks are read in a test");
    all.remove(language.code()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use banyan_functions::words::places;

    use super::*;

    #[test]
    fn every_language_has_the_same_tasks() {
        let english = of(Language::English);
        assert_eq!(english.len(), 12);
        for language in Language::ALL {
            let tasks = of(language);
            assert_eq!(tasks.len(), english.len(), "{language:?}");
            for task in &tasks {
                let mut places = places(task);
                places.sort_unstable();
                assert_eq!(places, ["chapter", "n"], "{language:?}: {task}");
            }
        }
    }
}
