//! The chapter packs, fact by fact.

use std::collections::BTreeSet;

use banyan_bank::packs;
use banyan_bank::{arithmetic, catalogue};
use banyan_functions::script::Language;

#[test]
fn every_pack_is_of_a_chapter_in_the_catalogue_and_our_own() {
    for pack in packs::all(Language::English) {
        let entry = catalogue::find(&pack.chapter, pack.class, &pack.subject).expect("in the catalogue");
        assert_eq!((entry.class, entry.title.as_str()), (pack.class, pack.chapter.as_str()));
        assert_eq!(pack.source, "own");
    }
}

#[test]
fn every_pack_has_the_amounts_of_the_design() {
    for pack in packs::all(Language::English) {
        let name = &pack.chapter;
        assert!((5..=8).contains(&pack.subtopics.len()), "{name}");
        assert!((10..=15).contains(&pack.terms.len()), "{name}");
        assert!((20..=30).contains(&pack.facts.len()), "{name}");
        assert!((4..=6).contains(&pack.misconceptions.len()), "{name}");
        assert!(!pack.game.pupils.is_empty(), "{name}");
        assert!(pack.activities.len() >= 2 && pack.links.len() >= 3, "{name}");
        assert!(
            (1..=pack.outcomes.len()).all(|no| pack.assessment.iter().any(|item| item.outcome == no)),
            "{name}"
        );
    }
}

#[test]
fn every_fact_is_consistent_in_all_its_forms() {
    for pack in packs::all(Language::English) {
        let mut seen = BTreeSet::new();
        for fact in &pack.facts {
            assert_ne!(fact.right, fact.wrong);
            assert!(fact.right.contains(&fact.blank), "{}: {}", fact.right, fact.blank);
            assert!(!fact.q.is_empty() && !fact.a.is_empty());
            assert!(seen.insert(&fact.right), "twice: {}", fact.right);
            if let Some(check) = &fact.check {
                assert_eq!(arithmetic::check_one(check, &fact.a), None, "{}", fact.q);
                // The number that is right must be the one of the true statement, too.
                assert_eq!(arithmetic::check_one(check, &fact.right), None, "{}", fact.right);
            }
        }
    }
}

#[test]
fn v14_every_sum_of_a_pack_is_right() {
    for pack in packs::all(Language::English) {
        let steps = pack.subtopics.iter().flat_map(|s| [&s.engage, &s.explore, &s.explain, &s.elaborate]);
        let questions = steps.flat_map(|step| &step.questions).chain(pack.subtopics.iter().map(|s| &s.check));
        assert_eq!(
            arithmetic::check_all(questions.chain(&pack.diagnostic)),
            Vec::<String>::new(),
            "{}",
            pack.chapter
        );
        for item in &pack.assessment {
            if let Some(check) = &item.check {
                assert_eq!(arithmetic::check_one(check, &item.a), None, "{}", item.q);
            }
        }
    }
}

#[test]
fn a_pack_is_found_as_teachers_type_it_and_only_in_its_class_and_language() {
    let found = |language, class, subject, chapter| packs::find(language, class, subject, chapter).is_some();
    for subject in ["Science", "Physics", "science"] {
        assert!(found(Language::English, 10, subject, "Chapter 11: Electricity"), "{subject}");
    }
    assert!(!found(Language::English, 8, "Science", "Electricity"));
    assert!(!found(Language::Sanskrit, 10, "Science", "विद्युत"));
    assert!(!found(Language::English, 10, "Science", "Our Chapter"));
}

#[test]
fn every_file_of_the_folder_is_in_the_table() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/data/packs/en");
    let files = std::fs::read_dir(folder).expect("the folder is there").count();
    assert_eq!(packs::all(Language::English).len(), files);
    for pack in packs::all(Language::English) {
        let found = packs::find(Language::English, pack.class, &pack.subject, &pack.chapter);
        assert_eq!(found.map(|found| found.chapter), Some(pack.chapter));
    }
}
