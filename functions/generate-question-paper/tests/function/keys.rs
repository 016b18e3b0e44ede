//! Papers of chapters that the bank knows: a key for what they ask, and problems of many kinds.

use std::collections::BTreeMap;
use std::sync::{Mutex, OnceLock};

use banyan_bank::packs::{Fact, Pack, Part};
use banyan_bank::tasks::Key;
use banyan_functions::writing_system::Language;
use generate_question_paper::bank;
use generate_question_paper::content::{Body, Content, Question, Source};
use generate_question_paper::plan::{Level, Plan, QuestionType};
use generate_question_paper::words::Words;
use serde_json::{Value, json};

use crate::chapters::every_pack_as_typed;
use crate::fakes::{ALL_TYPES, body_of, paper, read};

/// The types that the form has ticked, and all of them.
const TYPES: [&[&str]; 2] = [&["mcq", "very-short", "short", "long"], &ALL_TYPES];

/// A paper with its chapter and the words of its language.
type Paper = (String, Content, Words);

/// A paper of every pack with those types. Each set of papers is made once and read by many tests.
fn papers(marks: u32, types: &'static [&'static str]) -> &'static [Paper] {
    type Sets = BTreeMap<(u32, &'static [&'static str]), &'static OnceLock<Vec<Paper>>>;
    static SETS: Mutex<Sets> = Mutex::new(BTreeMap::new());
    let mut sets = SETS.lock().expect("nothing panics with the lock");
    let set = *sets.entry((marks, types)).or_insert_with(|| Box::leak(Box::default()));
    drop(sets);
    set.get_or_init(|| make_papers(marks, types))
}

fn make_papers(marks: u32, types: &[&str]) -> Vec<Paper> {
    let paper = |(pack, chapter): (Pack, String)| {
        let request = read(&body_of(pack.class, &pack.subject, &chapter, marks, 4, types));
        let words = Words::of(request.language);
        let content = bank::fill(&request, &Plan::of(&request), &words, u64::from(marks));
        (chapter, content, words)
    };
    every_pack_as_typed().into_iter().map(paper).collect()
}

/// Whether the key says what marks are given for, and not what the answer is.
fn is_without_key(body: &Body, words: &Words) -> bool {
    let tasks = &words.tasks;
    let says_nothing =
        |text: &String| *text == words.task_point || *text == tasks.shown || tasks.writing.contains(text);
    body.source == Source::General && body.scheme.iter().any(|point| says_nothing(&point.text))
}

// rows: V21
#[test]
fn what_is_asked_about_a_known_chapter_has_its_answer_in_the_key() {
    for types in TYPES {
        for marks in [20, 50, 80, 100] {
            let (mut without, mut all, mut many) = (0, 0, Vec::new());
            for (chapter, content, words) in papers(marks, types) {
                let mut here = 0;
                for question in &content.questions {
                    let open = question.bodies().filter(|body| is_without_key(body, words)).count();
                    here += u32::try_from(open).expect("two at most") * question.slot.marks;
                }
                (without, all) = (without + here, all + marks);
                many.extend((here > 5).then_some((chapter, here)));
            }
            // Eighty marks of one chapter ask for nearly all that the bank can tell, and a hundred
            // for more.
            let percent = match marks {
                100 => 13,
                80 => 2,
                _ => 0,
            };
            assert!(without * 100 <= all * percent, "{types:?}: {without} of {all} marks are without a key");
            // Most of what the bank states of probability and of fractions is the result of a
            // single sum.
            assert!(marks > 80 || many.len() <= 3, "{types:?}, {marks} marks: {many:?}");
        }
    }
}

/// A problem without its numbers.
fn kind(text: &str) -> String {
    let is_word = |word: &&str| word.chars().count() > 2;
    text.split(|c: char| !c.is_alphabetic()).filter(is_word).collect::<Vec<_>>().join(" ")
}

/// How often the most frequent problem comes with other numbers.
fn most_of_a_kind(content: &Content) -> usize {
    let mut kinds: BTreeMap<String, usize> = BTreeMap::new();
    for body in content.questions.iter().flat_map(Question::bodies).filter(|body| body.is_calculation()) {
        let asked =
            body.parts.iter().map(|part| part.text.as_str()).filter(|text| text.contains(char::is_numeric));
        let whole = body.parts.is_empty().then_some(body.text.as_str());
        asked.chain(whole).for_each(|text| *kinds.entry(kind(text)).or_default() += 1);
    }
    kinds.into_values().max().unwrap_or(0)
}

// rows: V10
#[test]
fn the_same_problem_with_other_numbers_comes_five_times_at_most() {
    for types in TYPES {
        let papers = papers(80, types);
        let many: Vec<(&str, usize)> = papers
            .iter()
            .map(|(chapter, content, _)| (chapter.as_str(), most_of_a_kind(content)))
            .filter(|(_, most)| *most > 5)
            .collect();
        // Where the bank has two rules and few facts, drill stands in for ruled lines.
        assert!(many.len() * 10 <= papers.len(), "{types:?}: {many:?}");
    }
    let asked = [("Electricity", 3), ("Quadratic Equations", 4)];
    for (chapter, content, _) in papers(80, TYPES[0]) {
        let most = asked.iter().find(|(name, _)| *name == chapter).map_or(usize::MAX, |(_, most)| *most);
        assert!(most_of_a_kind(content) <= most, "{chapter}: {}", most_of_a_kind(content));
    }
}

/// The marking schemes of tasks, question by question.
fn schemes_of_tasks(content: &Content, words: &Words) -> Vec<Vec<String>> {
    let is_task =
        |body: &&Body| !is_without_key(body, words) && body.options.is_empty() && body.pairs.is_empty();
    let bodies = content.questions.iter().flat_map(Question::bodies).filter(is_task);
    bodies.map(|body| body.scheme.iter().map(|point| point.text.clone()).collect()).collect()
}

// rows: V10
#[test]
fn no_two_tasks_of_a_paper_have_the_same_key() {
    for types in TYPES {
        for marks in [50, 80, 100] {
            for (chapter, content, words) in papers(marks, types) {
                let mut seen = Vec::new();
                for scheme in schemes_of_tasks(content, words).into_iter().filter(|scheme| scheme.len() > 1) {
                    assert!(!seen.contains(&scheme), "{chapter}, {marks} marks: {scheme:?}");
                    seen.push(scheme);
                }
            }
        }
    }
}

/// A text without the number of its part.
fn bare(text: &str) -> &str {
    let part = text.strip_prefix('(').and_then(|text| text.split_once(") "));
    part.filter(|(number, _)| number.chars().all(|c| "ivx".contains(c))).map_or(text, |(_, bare)| bare)
}

/// The lines of the key of each part of a paper, part by part; a fact without the sub-topic before
/// it.
fn lines_of_keys<'a>(content: &'a Content, pack: &'a Pack) -> Vec<Vec<&'a str>> {
    let mut keys: Vec<Vec<&str>> = Vec::new();
    for body in content.questions.iter().flat_map(Question::bodies) {
        keys.push(Vec::new());
        for point in &body.scheme {
            let line = bare(&point.text);
            if line.len() < point.text.len() {
                keys.push(Vec::new());
            }
            let fact = pack.facts.iter().find(|fact| line.ends_with(&fact.right));
            keys.last_mut().expect("a key").push(fact.map_or(line, |fact| &fact.right));
        }
    }
    keys
}

// rows: V10
#[test]
fn a_line_of_the_pack_stands_in_two_keys_at_most_and_in_four_of_a_long_paper() {
    let packs: Vec<Pack> = every_pack_as_typed().into_iter().map(|(pack, _)| pack).collect();
    for types in TYPES {
        for marks in [20, 50, 80] {
            for (pack, (chapter, content, _)) in packs.iter().zip(papers(marks, types)) {
                let keys = lines_of_keys(content, pack);
                let lines: Vec<&str> = keys.into_iter().flatten().collect();
                let times = |fact: &&Fact| lines.iter().filter(|line| **line == fact.right).count();
                let most = if marks < 80 { 2 } else { 4 };
                let line = pack.facts.iter().find(|fact| times(fact) > most).map(|fact| &fact.right);
                assert_eq!(line, None, "{chapter}, {marks} marks");
            }
        }
    }
}

// rows: V10
#[test]
fn no_key_of_a_task_has_half_of_another_and_no_two_of_a_long_paper_are_the_same() {
    let packs: Vec<Pack> = every_pack_as_typed().into_iter().map(|(pack, _)| pack).collect();
    for types in TYPES {
        for marks in [20, 50, 80] {
            for (pack, (chapter, content, _)) in packs.iter().zip(papers(marks, types)) {
                let mut keys = lines_of_keys(content, pack);
                let is_of_facts = |key: &[&str]| {
                    let is_fact = |line: &str| pack.facts.iter().any(|fact| fact.right == line);
                    key.iter().filter(|line| is_fact(line)).count() > 1
                };
                keys.retain(|key| is_of_facts(key));
                for (at, key) in keys.iter().enumerate() {
                    for other in &keys[..at] {
                        let shared = key.iter().filter(|line| other.contains(line)).count();
                        let is_apart = match marks < 80 {
                            true => shared * 2 < key.len().min(other.len()),
                            false => shared < key.len().max(other.len()),
                        };
                        assert!(is_apart, "{chapter}, {marks} marks: {key:?} {other:?}");
                    }
                }
            }
        }
    }
}

#[test]
fn no_statement_to_be_mended_or_judged_stands_elsewhere_in_the_paper() {
    let packs: Vec<Pack> = every_pack_as_typed().into_iter().map(|(pack, _)| pack).collect();
    let mut asked = 0;
    for marks in [20, 50, 80, 100] {
        for (pack, (chapter, content, words)) in packs.iter().zip(papers(marks, TYPES[0])) {
            let printed: Vec<&str> =
                content.questions.iter().flat_map(Question::bodies).flat_map(Body::texts).collect();
            for fact in &pack.facts {
                let mended = words.fact("findMistake", &[("wrong", &fact.wrong)]);
                let judged = words.fact("pupilSays", &[("statement", &fact.right)]);
                if printed.iter().any(|text| *text == mended || *text == judged) {
                    let says = |text: &&&str| text.contains(&fact.wrong) || text.contains(&fact.right);
                    assert_eq!(printed.iter().filter(says).count(), 1, "{chapter}, {marks}: {}", fact.right);
                    asked += 1;
                }
            }
        }
    }
    assert!(asked > 400, "{asked}");
}

#[test]
fn a_pupil_whose_statement_is_judged_is_right_as_often_as_wrong() {
    let packs: Vec<Pack> = every_pack_as_typed().into_iter().map(|(pack, _)| pack).collect();
    let mut times = [0_usize; 2];
    for marks in [25, 50, 75, 80] {
        for (pack, (chapter, content, words)) in packs.iter().zip(papers(marks, TYPES[0])) {
            let texts: Vec<&str> =
                content.questions.iter().flat_map(Question::bodies).flat_map(Body::texts).collect();
            let says = |statement: &String| {
                texts.contains(&words.fact("pupilSays", &[("statement", statement)]).as_str())
            };
            let right = pack.facts.iter().filter(|fact| says(&fact.right)).count();
            let wrong = pack.misconceptions.iter().filter(|error| says(&error.wrong)).count();
            assert!(right.abs_diff(wrong) < 2, "{chapter}, {marks} marks: {right} right, {wrong} wrong");
            times = [times[0] + right, times[1] + wrong];
        }
    }
    assert!(times.into_iter().all(|times| times > 40), "{times:?}");
}

#[test]
fn a_statement_with_a_mistake_asks_for_what_is_known() {
    let mut asked = 0;
    for (_, content, words) in papers(80, TYPES[0]) {
        let frame = words.fact("findMistake", &[("wrong", "")]);
        let begin = frame.split_once('“').map(|(begin, _)| begin.to_owned()).expect("a statement in quotes");
        for body in content.questions.iter().flat_map(Question::bodies).filter(|body| body.parts.is_empty()) {
            if body.text.starts_with(&begin) {
                assert_eq!(body.level, Level::Recall, "{}", body.text);
                asked += 1;
            }
        }
    }
    assert!(asked > 20, "{asked}");
}

#[test]
fn a_concept_map_links_no_idea_with_itself_and_a_key_is_no_question() {
    let packs: Vec<Pack> = every_pack_as_typed().into_iter().map(|(pack, _)| pack).collect();
    let mut links = 0;
    for marks in [50, 80, 100] {
        for (pack, (chapter, content, _)) in packs.iter().zip(papers(marks, TYPES[0])) {
            for point in content.questions.iter().flat_map(Question::bodies).flat_map(|body| &body.scheme) {
                let Some((one, other)) = bare(&point.text).split_once(" – ") else { continue };
                assert!(!pack.facts.iter().any(|fact| fact.q == one), "{chapter}: {}", point.text);
                let is_term = pack.terms.iter().any(|term| term.term == other);
                if is_term && pack.subtopics.iter().any(|subtopic| subtopic.title == one) {
                    let (one, other) = (one.to_lowercase(), other.to_lowercase());
                    assert!(
                        !one.starts_with(&other) && !other.starts_with(&one),
                        "{chapter}: {}",
                        point.text
                    );
                    links += 1;
                }
            }
        }
    }
    assert!(links > 50, "{links}");
}

#[test]
fn what_a_sub_topic_is_about_is_not_asked_for_one_mark() {
    for marks in [50, 80, 100] {
        for ((pack, _), (chapter, content, words)) in
            every_pack_as_typed().into_iter().zip(papers(marks, TYPES[0]))
        {
            let mut tasks = words.tasks.fitting(pack.class, &pack.subject);
            tasks.retain(|task| task.key == Some(Key::Summary));
            let texts: Vec<&str> =
                content.questions.iter().flat_map(Question::bodies).flat_map(Body::texts).collect();
            for subtopic in &pack.subtopics {
                let asked = tasks
                    .iter()
                    .map(|task| task.asking(&subtopic.title, 1))
                    .find(|text| texts.contains(&text.as_str()));
                assert_eq!(asked, None, "{chapter}, {marks} marks");
            }
        }
    }
}

/// What of a pack a question prints or asks for, as its words show.
fn parts_of(pack: &Pack, body: &Body) -> Vec<Part> {
    let says = |part: &str| body.all_texts().any(|text| text.contains(part));
    let facts = (1..).zip(&pack.facts).filter(|(_, fact)| {
        let blank = fact.with_blank().is_some_and(|blank| says(&blank));
        blank || says(&fact.right) || says(&fact.q)
    });
    let terms = (1..).zip(&pack.terms).filter(|(_, term)| {
        says(&term.meaning) || term.description().is_some_and(|description| says(&description))
    });
    let errors = (1..).zip(&pack.misconceptions).filter(|(_, error)| says(&error.wrong));
    let facts = facts.map(|(no, _)| Part::Fact(no));
    facts.chain(terms.map(|(no, _)| Part::Term(no))).chain(errors.map(|(no, _)| Part::Error(no))).collect()
}

// rows: V10
#[test]
fn no_question_of_a_short_paper_tells_what_another_asks_for() {
    for marks in [20, 25] {
        let mut told = 0;
        for ((pack, _), (chapter, content, _)) in every_pack_as_typed().iter().zip(papers(marks, TYPES[0])) {
            let asked: Vec<Vec<Part>> =
                content.questions.iter().map(|question| parts_of(pack, &question.body)).collect();
            for (at, one) in asked.iter().enumerate() {
                for overlap in &pack.overlaps {
                    let parts: Vec<Part> = overlap.parts().collect();
                    let is_revealed = |other: &Part| parts.contains(other) && !one.contains(other);
                    let tells = one.iter().any(|part| parts.contains(part));
                    let again = asked[at + 1..].iter().flatten().find(|other| tells && is_revealed(other));
                    assert_eq!(again, None, "{chapter}, {marks} marks: {one:?}");
                }
                told += one.len();
            }
        }
        assert!(told > 200, "{told}");
    }
}

// rows: V07
#[test]
fn no_kind_of_a_term_is_among_the_wrong_options() {
    let mut asked = 0;
    for (pack, chapter) in every_pack_as_typed() {
        for seed in 0..6 {
            let request = read(&body_of(pack.class, &pack.subject, &chapter, 25, 2, &["mcq", "match"]));
            let words = Words::of(request.language);
            let content = bank::fill(&request, &Plan::of(&request), &words, seed);
            for body in content.questions.iter().flat_map(Question::bodies) {
                let named = |text: &String| pack.terms.iter().find(|term| term.term == *text);
                let Some(term) = named(&body.answer) else { continue };
                let kind =
                    body.options.iter().filter_map(named).find(|other| pack.are_of_a_kind(term, other));
                assert_eq!(kind.map(|kind| &kind.term), None, "{chapter}: {}", body.text);
                asked += 1;
            }
        }
    }
    assert!(asked > 200, "{asked}");
}

#[test]
fn an_alternative_asks_for_nothing_that_its_question_asks_for() {
    let packs: Vec<Pack> = every_pack_as_typed().into_iter().map(|(pack, _)| pack).collect();
    let mut choices = 0;
    for marks in [20, 50, 80] {
        for (pack, (chapter, content, _)) in packs.iter().zip(papers(marks, TYPES[0])) {
            for question in content.with_choice() {
                let says = |body: &Body, part: &str| body.all_texts().any(|text| text.contains(part));
                let both = |part: &str| question.bodies().all(|body| says(body, part));
                let same = pack.facts.iter().find(|fact| {
                    question
                        .bodies()
                        .all(|body| [&fact.right, &fact.wrong, &fact.q].iter().any(|part| says(body, part)))
                });
                assert_eq!(same.map(|fact| &fact.right), None, "{chapter}, {marks} marks");
                assert!(!pack.terms.iter().any(|term| both(&term.meaning)), "{chapter}, {marks} marks");
                choices += 1;
            }
        }
    }
    assert!(choices > 200, "{choices}");
}

#[test]
fn a_paper_of_a_known_chapter_keeps_its_choices() {
    for marks in [20, 50] {
        let mut fewer = Vec::new();
        for (chapter, content, _) in papers(marks, TYPES[0]) {
            let planned = content.questions.iter().filter(|question| question.slot.choice).count();
            let given = content.with_choice().count();
            fewer.extend((given * 2 < planned).then_some((chapter, given, planned)));
        }
        assert!(fewer.len() < 2, "{marks} marks: {fewer:?}");
    }
}

#[test]
fn no_key_is_a_question_that_is_printed_elsewhere_in_the_paper() {
    let packs: Vec<Pack> = every_pack_as_typed().into_iter().map(|(pack, _)| pack).collect();
    for types in TYPES {
        for marks in [50, 80, 100] {
            for (pack, (chapter, content, _)) in packs.iter().zip(papers(marks, types)) {
                let bodies = || content.questions.iter().flat_map(Question::bodies);
                let asked =
                    |question: &str| bodies().flat_map(Body::texts).any(|text| text.contains(question));
                for point in bodies().flat_map(|body| &body.scheme) {
                    let copied =
                        pack.facts.iter().find(|fact| point.text.contains(&fact.q) && asked(&fact.q));
                    assert!(copied.is_none(), "{chapter}, {marks} marks: {}", point.text);
                }
            }
        }
    }
}

/// The sums that a question asks for, one text each.
fn sums(body: &Body) -> Vec<&str> {
    let is_sum = |text: &&str| text.contains(|c: char| c.is_ascii_digit());
    body.parts.iter().filter(|part| part.marks > 0).map(|part| part.text.as_str()).filter(is_sum).collect()
}

/// A sum with a sign in the place of each number, since two rules may ask in the same words.
fn shape(text: &str) -> String {
    text.split(|c: char| c.is_ascii_digit()).filter(|part| !part.is_empty()).collect::<Vec<_>>().join("#")
}

// rows: V10
#[test]
fn no_question_asks_for_one_kind_of_problem_in_two_of_its_parts() {
    let mut parts = 0;
    for types in TYPES {
        for (chapter, content, _) in papers(80, types) {
            let written =
                content.questions.iter().filter(|question| question.slot.kind != QuestionType::Numerical);
            for body in written.flat_map(Question::bodies).filter(|body| body.source == Source::Chapter) {
                let mut kinds: Vec<String> = sums(body).into_iter().map(shape).collect();
                let all = kinds.len();
                kinds.sort_unstable();
                kinds.dedup();
                assert_eq!(kinds.len(), all, "{chapter}: {:?}", sums(body));
                parts += all;
            }
        }
    }
    assert!(parts > 100, "{parts}");
}

#[test]
fn a_term_is_explained_with_a_fact_that_the_pack_has() {
    let mut explained = 0;
    for (pack, chapter) in every_pack_as_typed() {
        let request = read(&body_of(pack.class, &pack.subject, &chapter, 25, 3, TYPES[0]));
        let words = Words::of(request.language);
        let content = bank::fill(&request, &Plan::of(&request), &words, 25);
        let bodies = || content.questions.iter().flat_map(Question::bodies);
        for (no, term) in (1..).zip(&pack.terms) {
            let text = words.fact("explainTerm", &[("term", &term.term)]);
            let asks = |body: &&Body| body.text == text || body.parts.iter().any(|part| part.text == text);
            let Some(body) = bodies().find(asks) else { continue };
            let points = || body.scheme.iter().map(|point| point.text.as_str());
            let fact = pack
                .facts
                .iter()
                .find(|fact| fact.about == Some(no) && points().any(|point| point == fact.right));
            let fact = fact.unwrap_or_else(|| panic!("{chapter}: {text} {:?}", body.scheme));
            let printed = bodies().flat_map(Body::texts).find(|text| text.contains(&fact.right));
            assert_eq!(printed, None, "{chapter}: {text}");
            explained += 1;
        }
    }
    assert!(explained > 10, "{explained}");
}

#[tokio::test]
async fn the_teacher_is_told_of_every_task_that_would_fit_another_chapter() {
    for (pack, chapter) in every_pack_as_typed() {
        let answer = paper(&body_of(pack.class, &pack.subject, &chapter, 100, 4, TYPES[0])).await;
        let language = if answer["meta"]["language"] == "hi" { Language::Hindi } else { Language::English };
        let words = Words::of(language);
        let titles: Vec<&str> =
            pack.subtopics.iter().map(|subtopic| subtopic.title.as_str()).chain([chapter.as_str()]).collect();
        let tasks = words.tasks.fitting(pack.class, &pack.subject);
        let is_task = |text: &Value| {
            let text = text.as_str().unwrap_or_default();
            titles.iter().any(|title| (1..=5).any(|n| tasks.iter().any(|task| task.asking(title, n) == text)))
        };
        let asks = |question: &Value| {
            let parts = question["parts"].as_array().into_iter().flatten().map(|part| &part["text"]);
            parts.chain([&question["text"]]).any(is_task)
        };
        let sections = answer["data"]["sections"].as_array().expect("sections").iter();
        let parts = sections.flat_map(|section| section["parts"].as_array().expect("parts"));
        let questions: Vec<&Value> =
            parts.flat_map(|part| part["questions"].as_array().expect("questions")).collect();
        let told = questions.iter().filter(|question| asks(question) || asks(&question["choice"])).count();
        let all = questions.len().to_string();
        let notes = answer["data"]["notes"].as_array().expect("notes");
        let note = |n: usize| json!(words.note("general", &[("n", &n.to_string()), ("all", &all)]));
        let counted: Vec<usize> = (0..=questions.len()).filter(|n| notes.contains(&note(*n))).collect();
        let right = if told > 0 { vec![told] } else { Vec::new() };
        assert_eq!(counted, right, "{chapter}: {notes:?}");
    }
}

#[test]
fn the_result_of_a_single_sum_tells_nothing_of_a_chapter() {
    for (pack, chapter) in every_pack_as_typed() {
        let request = read(&body_of(pack.class, &pack.subject, &chapter, 80, 4, TYPES[0]));
        let words = Words::of(request.language);
        let content = bank::fill(&request, &Plan::of(&request), &words, 80);
        let results: Vec<&String> =
            pack.facts.iter().filter(|fact| fact.check.is_some()).map(|fact| &fact.right).collect();
        let written =
            content.questions.iter().flat_map(Question::bodies).filter(|body| body.options.is_empty());
        for point in written.flat_map(|body| &body.scheme) {
            let told = results.iter().find(|result| point.text.ends_with(result.as_str()));
            assert_eq!(told, None, "{chapter}");
        }
    }
}
