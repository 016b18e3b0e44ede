//! The chapter packs, fact by fact.

use std::collections::{BTreeMap, BTreeSet};

use banyan_bank::packs::{Fact, Overlap, Pack};
use banyan_bank::parts::{Bloom, Term};
use banyan_bank::{arithmetic, catalogue, packs};
use banyan_functions::checks::language::written_in;
use banyan_functions::checks::similarity::Wording;
use banyan_functions::moderation::rules::judge;
use banyan_functions::writing_system::Language;

/// Words that no statement says, since among options they would speak of the others.
const OF_OTHERS: [&str; 4] = ["of them", "of these", "of the above", "इनमें से"];

/// What a statement ends with.
const ENDS: [char; 3] = ['.', '…', '।'];

/// The packs of all languages.
fn every_pack() -> impl Iterator<Item = Pack> {
    Language::ALL.into_iter().flat_map(packs::all)
}

#[test]
fn every_pack_is_of_a_chapter_in_the_catalogue_and_our_own() {
    for pack in every_pack() {
        let entry = catalogue::find(&pack.chapter, pack.class, &pack.subject).expect("in the catalogue");
        assert_eq!((entry.class, entry.title.as_str()), (pack.class, pack.chapter.as_str()));
        assert_eq!(pack.source, "own");
    }
}

#[test]
fn every_pack_has_the_amounts_of_the_design() {
    for pack in every_pack() {
        let name = &pack.chapter;
        assert!((5..=8).contains(&pack.subtopics.len()), "{name}");
        assert!((10..=15).contains(&pack.terms.len()), "{name}");
        assert!((20..=30).contains(&pack.facts.len()), "{name}");
        assert!((4..=6).contains(&pack.misconceptions.len()), "{name}");
        assert!(!pack.game.pupils.is_empty(), "{name}");
        assert!(pack.activities.len() >= 2 && pack.links.len() >= 3, "{name}");
        assert!(
            (1..=pack.outcomes.len()).all(|no| pack.test_items().iter().any(|item| item.outcome == no)),
            "{name}"
        );
    }
}

#[test]
fn every_fact_is_consistent_in_all_its_forms() {
    for pack in every_pack() {
        for fact in &pack.facts {
            let name = format!("{}: {}", pack.chapter, fact.right);
            assert_ne!(fact.right, fact.wrong);
            let speaks = |words: &&str| fact.right.contains(*words) || fact.wrong.contains(*words);
            assert_eq!(OF_OTHERS.iter().find(|words| speaks(words)), None, "{name}: {}", fact.right);
            assert_eq!(whole_words(&fact.right, &fact.blank), 1, "{name}: {}", fact.blank);
            assert!(fact.right.ends_with(ENDS) && fact.wrong.ends_with(ENDS) && !fact.a.is_empty(), "{name}");
            assert!(fact.q.ends_with(ENDS) || fact.q.ends_with('?'), "{}", fact.q);
            for text in [&fact.right, &fact.wrong, &fact.q] {
                assert!((12..=200).contains(&text.chars().count()), "{text}");
            }
            if let Some(check) = &fact.check {
                assert_eq!(arithmetic::check_one(check, &fact.a), None, "{}", fact.q);
                // The number that is right must be the one of the true statement, too.
                assert_eq!(arithmetic::check_one(check, &fact.right), None, "{}", fact.right);
            }
        }
    }
}

// rows: V09
#[test]
fn a_blank_is_a_whole_word_and_the_rest_of_the_sentence_does_not_name_it() {
    let cases = [
        ("The polynomial x² + 4 has no real zero.", "no", None),
        ("Iron rusts in moist air.", "rust", None),
        ("In 3 h it covers 150 km at 50 km/h.", "50", None),
        ("A rise of 1 °C is 1 K.", "1", None),
        ("Acids turn blue litmus red.", "red", Some("Acids turn blue litmus ________.")),
        ("अम्ल नीले लिटमस को लाल करता है।", "लाल", Some("अम्ल नीले लिटमस को ________ करता है।")),
    ];
    let pack = every_pack().next().expect("there are packs");
    for (right, blank, left) in cases {
        let fact = Fact { right: right.to_owned(), blank: blank.to_owned(), ..pack.facts[0].clone() };
        assert_eq!(fact.with_blank().as_deref(), left, "{right}");
    }
}

#[test]
fn nearly_every_fact_has_a_blank() {
    for pack in every_pack() {
        let blanks = pack.facts.iter().filter(|fact| fact.with_blank().is_some()).count();
        assert!(blanks * 10 >= pack.facts.len() * 8, "{}: {blanks} of {}", pack.chapter, pack.facts.len());
    }
}

#[test]
fn every_subtopic_has_facts_and_every_outcome_is_tested() {
    for pack in every_pack() {
        for no in 1..=pack.subtopics.len() {
            let enough = if pack.subtopics[no - 1].lesson.is_some() { 1 } else { 3 };
            assert!(pack.facts_of(no).len() >= enough, "{} {no}", pack.chapter);
        }
        assert!(pack.facts.iter().all(|fact| (1..=pack.subtopics.len()).contains(&fact.subtopic)));
        if pack.assessment.is_empty() {
            assert_eq!(pack.outcomes.len(), pack.subtopics.len(), "{}", pack.chapter);
        }
        assert!(pack.outcomes.iter().any(|outcome| outcome.bloom >= Bloom::Analyse), "{}", pack.chapter);
    }
}

// rows: V10
#[test]
fn no_wording_is_there_twice_in_a_pack_or_in_two() {
    let mut seen: BTreeMap<String, String> = BTreeMap::new();
    for pack in every_pack() {
        let facts = pack.facts.iter().flat_map(|fact| [&fact.right, &fact.wrong, &fact.q]);
        let errors = pack.misconceptions.iter().flat_map(|error| [&error.wrong, &error.right]);
        let activities = pack.activities.iter().chain([&pack.game]).flat_map(|a| [&a.text, &a.title]);
        let links = pack.links.iter().map(|link| &link.text);
        let outcomes = pack.outcomes.iter().map(|outcome| &outcome.text);
        let own = facts.chain(errors).chain(activities).chain(links).chain(outcomes);
        for text in own {
            let before = seen.insert(wording(text), pack.chapter.clone());
            assert_eq!(before, None, "{}: {text}", pack.chapter);
        }
        let terms: BTreeSet<String> = pack.terms.iter().map(|term| wording(&term.term)).collect();
        assert_eq!(terms.len(), pack.terms.len(), "{}", pack.chapter);
        let titles: BTreeSet<String> = pack.subtopics.iter().map(|s| wording(&s.title)).collect();
        assert_eq!(titles.len(), pack.subtopics.len(), "{}", pack.chapter);
    }
}

#[test]
fn every_number_of_a_pack_names_what_is_there() {
    for pack in every_pack() {
        let name = &pack.chapter;
        let within = |numbers: &[usize], count: usize| numbers.iter().all(|no| (1..=count).contains(no));
        for Overlap { facts, terms, errors } in &pack.overlaps {
            assert!(within(facts, pack.facts.len()), "{name}: facts {facts:?}");
            assert!(within(terms, pack.terms.len()), "{name}: terms {terms:?}");
            assert!(within(errors, pack.misconceptions.len()), "{name}: errors {errors:?}");
            assert!(facts.len() + terms.len() + errors.len() >= 2, "{name}: alone");
        }
        for (no, fact) in (1..).zip(&pack.facts) {
            let Some(about) = fact.about else { continue };
            assert!(within(&[about], pack.terms.len()), "{name}: about {about}");
            // What tells a term says no more of it.
            let tells = |overlap: &&Overlap| overlap.facts.contains(&no) && overlap.terms.contains(&about);
            assert!(pack.overlaps.iter().find(tells).is_none(), "{name}: fact {no}");
        }
        for (no, term) in (1..).zip(&pack.terms) {
            assert!(within(&term.kind_of, pack.terms.len()) && !term.kind_of.contains(&no), "{name}: {no}");
        }
    }
}

/// An olfactory indicator is an indicator.
#[test]
fn a_term_that_ends_with_another_is_one_of_its_kind() {
    for pack in every_pack() {
        let name = |term: &Term| {
            let name = term.term.split(" (").next().unwrap_or_default();
            format!(" {}", name.to_lowercase())
        };
        for one in &pack.terms {
            for other in pack.terms.iter().filter(|other| other.term != one.term) {
                let is_named = name(one).ends_with(&name(other));
                let known = !is_named || pack.are_of_a_kind(one, other);
                assert!(known, "{}: {} is no {}", pack.chapter, one.term, other.term);
            }
        }
    }
}

/// A fact whose answer is a term, and nothing else, asks for the term; one that is wrong as a
/// common error is, is mended by it.
#[test]
fn what_plainly_tells_one_another_is_among_the_overlaps() {
    for pack in every_pack() {
        let overlap = |fact: usize, of: &dyn Fn(&Overlap) -> bool| {
            pack.overlaps.iter().any(|overlap| overlap.facts.contains(&fact) && of(overlap))
        };
        for (no, fact) in (1..).zip(&pack.facts) {
            for (term_no, term) in (1..).zip(&pack.terms) {
                let name = term.term.split(" (").next().unwrap_or_default();
                let asks = catalogue::words(&fact.a) == catalogue::words(name);
                let known = !asks || overlap(no, &|overlap| overlap.terms.contains(&term_no));
                assert!(known, "{}: fact {no} asks for {}", pack.chapter, term.term);
            }
            for (error_no, error) in (1..).zip(&pack.misconceptions) {
                let mends = Wording::of(&fact.wrong).resembles(&Wording::of(&error.wrong));
                let known = !mends || overlap(no, &|overlap| overlap.errors.contains(&error_no));
                assert!(known, "{}: fact {no} mends {}", pack.chapter, error.wrong);
            }
        }
    }
}

// rows: V11
#[test]
fn the_facts_of_a_pack_speak_of_its_terms() {
    for pack in every_pack() {
        let all = pack.facts.iter().map(|fact| fact.right.to_lowercase()).collect::<Vec<_>>().join(" ");
        let spoken = pack.terms.iter().filter(|term| {
            let head = term.term.split(" (").next().unwrap_or_default();
            catalogue::words(head).iter().any(|word| all.contains(word.as_str()))
        });
        assert!(spoken.count() * 10 >= pack.terms.len() * 6, "{}", pack.chapter);
    }
}

// rows: V09
#[test]
fn what_asks_for_a_term_never_names_it_and_nearly_every_term_can_be_asked_for() {
    for pack in every_pack() {
        let descriptions = pack.terms.iter().filter_map(|term| Some((term, term.description()?)));
        let mut asked = 0;
        for (term, description) in descriptions {
            assert!(!term.is_named_in(&description), "{}: {description}", term.term);
            assert!(description.chars().count() >= 12, "{}: {description}", term.term);
            asked += 1;
        }
        assert!(asked * 10 >= pack.terms.len() * 8, "{}: {asked}", pack.chapter);
    }
}

// rows: V16 V17 V20
#[test]
fn the_text_of_a_pack_is_plain_and_fit_for_children() {
    for pack in every_pack() {
        let texts: Vec<&str> = pack
            .facts
            .iter()
            .flat_map(|fact| [&fact.right, &fact.wrong, &fact.q, &fact.a])
            .chain(pack.activities.iter().chain([&pack.game]).map(|activity| &activity.text))
            .chain(pack.links.iter().map(|link| &link.text))
            .map(String::as_str)
            .collect();
        for text in &texts {
            assert!(
                !["**", "__", "`", "<", "\\", "http", "@"].iter().any(|mark| text.contains(mark)),
                "{text}"
            );
            assert!(judge(&[text]).allowed().is_ok(), "{text}");
        }
    }
}

/// How often a word or number stands alone in a text.
fn whole_words(text: &str, word: &str) -> usize {
    let apart = |c: Option<char>| c.is_none_or(|c| !c.is_alphanumeric());
    text.match_indices(word)
        .filter(|(at, _)| {
            apart(text[..*at].chars().next_back()) && apart(text[at + word.len()..].chars().next())
        })
        .count()
}

/// A text without case, punctuation and spaces.
fn wording(text: &str) -> String {
    text.to_lowercase().chars().filter(|c| c.is_alphanumeric() || "+−×/=<".contains(*c)).collect()
}

// rows: V14
#[test]
fn every_sum_of_a_pack_is_right() {
    for pack in every_pack() {
        let lessons = || pack.subtopics.iter().filter_map(|subtopic| subtopic.lesson.as_ref());
        let steps = lessons().flat_map(|l| [&l.engage, &l.explore, &l.explain, &l.elaborate]);
        let questions = steps.flat_map(|step| &step.questions).chain(lessons().map(|lesson| &lesson.check));
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
fn a_pack_serves_the_titles_of_former_editions() {
    let chapter =
        |class, chapter| packs::find(Language::English, class, "Science", chapter).map(|pack| pack.chapter);
    assert_eq!(chapter(9, "Force and Laws of Motion").as_deref(), Some("How Forces Affect Motion"));
    assert_eq!(chapter(9, "Sound").as_deref(), Some("Sound Waves: Characteristics and Applications"));
    assert_eq!(
        chapter(7, "Acids, Bases & Salts").as_deref(),
        Some("Exploring Substances: Acidic, Basic, and Neutral")
    );
    assert_eq!(chapter(9, "Gravitation"), None);
}

#[test]
fn every_file_of_the_folder_is_in_the_table() {
    for language in Language::ALL {
        let folder = format!("{}/data/packs/{}", env!("CARGO_MANIFEST_DIR"), language.code());
        let files = std::fs::read_dir(folder).map_or(0, Iterator::count);
        assert_eq!(packs::all(language).len(), files, "{language:?}");
        for pack in packs::all(language) {
            let found = packs::find(language, pack.class, &pack.subject, &pack.chapter);
            assert_eq!(found.map(|found| found.facts[0].right.clone()), Some(pack.facts[0].right.clone()));
        }
    }
}

#[test]
fn a_chapter_typed_in_hindi_has_the_pack_of_its_language() {
    for (class, subject, typed) in
        [(10, "विज्ञान", "अम्ल, क्षारक एवं लवण"), (10, "गणित", "द्विघात समीकरण"), (9, "Science", "ध्वनि")]
    {
        assert!(packs::find(Language::Hindi, class, subject, typed).is_some(), "{typed}");
        assert_eq!(packs::only_in_english(Language::Hindi, class, subject, typed), None);
    }
}

#[test]
fn a_chapter_that_two_classes_have_under_one_name_is_that_of_the_class() {
    let english = |class| packs::only_in_english(Language::Hindi, class, "गणित", "चतुर्भुज");
    assert_eq!(english(8).as_deref(), Some("Quadrilaterals"));
    assert_eq!(english(9), None);
}

// rows: V12
#[test]
fn every_pack_is_written_in_its_language() {
    for language in Language::ALL {
        for pack in packs::all(language) {
            let facts = pack.facts.iter().flat_map(|fact| [&fact.right, &fact.wrong, &fact.q]);
            let errors = pack.misconceptions.iter().flat_map(|error| [&error.wrong, &error.right]);
            let activities = pack.activities.iter().chain([&pack.game]).flat_map(|a| [&a.title, &a.text]);
            let terms = pack.terms.iter().map(|term| &term.meaning);
            let titles = pack.subtopics.iter().map(|subtopic| &subtopic.title);
            let outcomes = pack.outcomes.iter().map(|outcome| &outcome.text);
            let all = facts.chain(errors).chain(activities).chain(terms).chain(titles).chain(outcomes);
            let all: Vec<&str> = all.map(String::as_str).collect();
            assert!(written_in(&all.join(" "), language), "{language:?}: {}", pack.chapter);
        }
    }
}
