//! Papers of chapters that the bank knows: a key for what they ask, and problems of many kinds.

use std::collections::BTreeMap;

use banyan_bank::packs::Pack;
use banyan_functions::script::Language;
use generate_question_paper::bank;
use generate_question_paper::content::{Body, Content, Question, Source};
use generate_question_paper::plan::{Plan, QuestionType};
use generate_question_paper::words::Words;
use serde_json::{Value, json};

use crate::chapters::every_pack_as_typed;
use crate::fakes::{ALL_TYPES, body_of, paper, read};

/// The types that the form has ticked, and all of them.
const TYPES: [&[&str]; 2] = [&["mcq", "very-short", "short", "long"], &ALL_TYPES];

/// A paper of every pack with those types, with its chapter.
fn papers(marks: u32, types: &[&str]) -> Vec<(String, Content, Words)> {
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

#[test]
fn v21_what_is_asked_about_a_known_chapter_has_its_answer_in_the_key() {
    for types in TYPES {
        for marks in [20, 50, 80, 100] {
            let (mut without, mut all, mut many) = (0, 0, Vec::new());
            for (chapter, content, words) in papers(marks, types) {
                let mut here = 0;
                for question in &content.questions {
                    let open = question.bodies().filter(|body| is_without_key(body, &words)).count();
                    here += u32::try_from(open).expect("two at most") * question.slot.marks;
                }
                (without, all) = (without + here, all + marks);
                many.extend((here * 20 > marks).then_some((chapter, here)));
            }
            // A hundred marks of one chapter ask for nearly all that the bank can tell.
            let percent = if marks > 80 { 3 } else { 1 };
            assert!(without * 100 <= all * percent, "{types:?}: {without} of {all} marks are without a key");
            // Most of what the bank states of probability is the result of a single sum.
            assert!(marks > 80 || many.len() <= 2, "{types:?}, {marks} marks: {many:?}");
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

#[test]
fn v10_the_same_problem_with_other_numbers_comes_five_times_at_most() {
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
        assert!(most_of_a_kind(&content) <= most, "{chapter}: {}", most_of_a_kind(&content));
    }
}

/// The marking schemes of tasks, question by question.
fn schemes_of_tasks(content: &Content, words: &Words) -> Vec<Vec<String>> {
    let is_task =
        |body: &&Body| !is_without_key(body, words) && body.options.is_empty() && body.pairs.is_empty();
    let bodies = content.questions.iter().flat_map(Question::bodies).filter(is_task);
    bodies.map(|body| body.scheme.iter().map(|point| point.text.clone()).collect()).collect()
}

#[test]
fn v10_no_two_tasks_of_a_paper_have_the_same_key() {
    for types in TYPES {
        for marks in [50, 80, 100] {
            for (chapter, content, words) in papers(marks, types) {
                let mut seen = Vec::new();
                for scheme in schemes_of_tasks(&content, &words).into_iter().filter(|scheme| scheme.len() > 1)
                {
                    assert!(!seen.contains(&scheme), "{chapter}, {marks} marks: {scheme:?}");
                    seen.push(scheme);
                }
            }
        }
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

#[test]
fn v10_no_question_asks_for_one_kind_of_problem_in_two_of_its_parts() {
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
        for term in &pack.terms {
            let text = words.fact("explainTerm", &[("term", &term.term)]);
            let asks = |body: &&Body| body.text == text || body.parts.iter().any(|part| part.text == text);
            let Some(body) = bodies().find(asks) else { continue };
            let points = || body.scheme.iter().map(|point| point.text.as_str());
            let fact = pack
                .facts
                .iter()
                .find(|fact| term.is_named_in(&fact.right) && points().any(|point| point == fact.right));
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
        let (n, all) = (told.to_string(), questions.len().to_string());
        let note = words.note("general", &[("n", &n), ("all", &all)]);
        let notes = answer["data"]["notes"].as_array().expect("notes");
        assert_eq!(notes.contains(&json!(note)), told > 0, "{chapter}: {note} in {notes:?}");
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
