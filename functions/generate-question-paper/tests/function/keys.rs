//! Papers of chapters that the bank knows: a key for what they ask, and problems of many kinds.

use std::collections::BTreeMap;

use generate_question_paper::bank;
use generate_question_paper::content::{Body, Content, Question, Source};
use generate_question_paper::plan::Plan;
use generate_question_paper::words::Words;

use crate::chapters::every_pack_as_typed;
use crate::fakes::{ALL_TYPES, body_of, read};

/// The types that the form has ticked, and all of them.
const TYPES: [&[&str]; 2] = [&["mcq", "very-short", "short", "long"], &ALL_TYPES];

/// A paper of every pack with those types, with its chapter.
fn papers(marks: u32, types: &[&str]) -> Vec<(String, Content, Words)> {
    let paper = |(pack, chapter): (banyan_bank::packs::Pack, String)| {
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
            // A hundred marks of one chapter ask for more than the bank can tell without telling it twice.
            let percent = if marks > 80 { 10 } else { 1 };
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
        for marks in [50, 80] {
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
