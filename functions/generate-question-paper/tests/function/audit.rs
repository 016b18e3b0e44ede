//! A paper as it is handed out, read again: sums, numbers and keys of the printed text, and rules
//! V04 to V22 on its data, by nothing that the generator has computed.

use std::collections::BTreeSet;

use banyan_bank::arithmetic;
use banyan_bank::parts::Check;
use banyan_bank::units;
use banyan_functions::checks::readability::readability;
use banyan_functions::checks::{self, similarity};
use banyan_functions::writing_system::Language;
use generate_question_paper::words::Words;
use generate_question_paper::{QuestionPaper, bank, checks as own, plan::Plan};
use serde_json::{Value, json};

use crate::fakes::{read, text};
use crate::set::{printed, requests};

// rows: V04 V22
#[tokio::test]
async fn the_checks_hold_for_what_is_printed_of_every_request_of_the_set() {
    let requests = requests(include_str!("../requests.json"));
    assert!(requests.len() >= 60, "{}", requests.len());
    let mut found = Vec::new();
    for request in &requests {
        let (answer, _) = printed::<QuestionPaper>(request, ("wordContent", "questionPaper")).await;
        found.extend(
            faults(request, &answer).into_iter().map(|fault| format!("{}: {fault}", request["chapter"])),
        );
        let asked = bank::answerable(&read(request));
        let (plan, words) = (Plan::of(&asked), Words::of(asked.language));
        let content = bank::fill(&asked, &plan, &words, number(&answer["meta"]["seed"]));
        let findings = own::paper(&asked, &plan, &content).into_iter();
        found.extend(findings.map(|finding| format!("{}: {finding:?}", request["chapter"])));
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}

/// Whether a text says an answer; one that is marked as that of a part, `(ii) in series`, as a
/// whole sentence, since a part's question may begin with the same words.
fn is_read(text: &str, answer: &str) -> bool {
    let is_end = |c: char| ".।?!;|[(\n".contains(c);
    let is_whole = |rest: &str| rest.trim_start_matches(' ').chars().next().is_none_or(is_end);
    let is_part = answer.starts_with('(') && !answer.ends_with(is_end);
    text.match_indices(answer).any(|(at, _)| !is_part || is_whole(&text[at + answer.len()..]))
}

/// Problems of a paper.
pub(crate) fn faults(request: &Value, answer: &Value) -> Vec<String> {
    let asked = bank::answerable(&read(request));
    let asked = if answer["meta"]["generator"] == "model" { read(request) } else { asked };
    let words = Words::of(asked.language);
    let text = text(answer).replace('\u{A0}', " ");
    let mut audit = Audit { language: asked.language, faults: Vec::new() };
    let Some((pupils, key)) = text.split_once(words.heading("key")) else {
        return vec!["V21: there is no key".to_owned()];
    };
    audit.sums(&answer["data"], pupils, u64::from(asked.marks));
    let data = &answer["data"];
    audit.expect(list(&data["sections"]).len() == asked.sections, "V05", || "sections".to_owned());
    let kinds: BTreeSet<&str> = parts(data).map(|part| said(&part["type"])).collect();
    let ticked: BTreeSet<&str> = asked.types.iter().map(|kind| kind.id()).collect();
    audit.expect(kinds == ticked, "V05", || format!("{kinds:?}"));
    let numbered = parts(data).flat_map(|part| list(&part["questions"]).iter());
    for (no, question) in (1_u64..).zip(numbered) {
        audit.numbered(question, no, pupils, key);
    }
    let (mut texts, mut single): (Vec<String>, Vec<String>) = Default::default();
    for part in parts(data) {
        for question in list(&part["questions"]).iter().flat_map(with_choice) {
            audit.question(said(&part["type"]), question, pupils, key);
            let whole = printed_of(question);
            if !whole.join(" ").contains('✎') {
                single.extend(whole.iter().map(|text| (*text).to_owned()));
                texts.push(whole.join(" "));
            }
        }
    }
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let twice = similarity::repeated(&texts);
    audit.expect(twice.is_empty(), "V10", || format!("{} is there twice", texts[twice[0].0]));
    oracle(
        &texts,
        parts(data).flat_map(|part| list(&part["questions"])).flat_map(with_choice),
        &asked.typed(),
    )
    .into_iter()
    .for_each(|fault| audit.faults.push(fault));
    let single: Vec<&str> = single.iter().map(String::as_str).collect();
    let common = checks::common(&single, &asked.typed(), asked.language);
    let hard = readability(&texts, asked.language, asked.class);
    for finding in common.into_iter().chain(hard) {
        audit.faults.push(format!("{}: {}", finding.id, finding.problem));
    }
    if answer["meta"]["generator"] == "model" {
        let checked = parts(data).flat_map(|part| list(&part["questions"])).flat_map(with_choice);
        checked.for_each(|question| audit.sum(question));
    }
    audit.faults
}

struct Audit {
    language: Language,
    faults: Vec<String>,
}

impl Audit {
    fn expect(&mut self, holds: bool, id: &str, what: impl FnOnce() -> String) {
        if !holds {
            self.faults.push(format!("{id}: {}", what()));
        }
    }

    /// V04 and V22: sections and parts add up in the data, and each sum that is printed is true.
    fn sums(&mut self, data: &Value, pupils: &str, marks: u64) {
        let mut total = 0;
        for section in list(&data["sections"]) {
            let mut sum = 0;
            self.expect(!list(&section["parts"]).is_empty(), "V22", || "an empty section".to_owned());
            for part in list(&section["parts"]) {
                let (count, each) = (number(&part["count"]), number(&part["marksEach"]));
                self.expect(count > 0 && list(&part["questions"]).len() as u64 == count, "V22", || {
                    part.to_string()
                });
                sum += section["attempt"].as_u64().unwrap_or(count) * each;
            }
            self.expect(sum == number(&section["marks"]), "V04", || format!("{sum} in {}", section["line"]));
            total += sum;
            let letter = said(&section["letter"]);
            let line = said(&section["line"]);
            let of_section = |printed: &&str| *printed == line.replace('\u{A0}', " ");
            self.expect(pupils.lines().filter(of_section).count() == 1, "V04", || {
                format!("no line of {letter}")
            });
            let printed = true_sum(line);
            self.expect(printed == Some(sum), "V04", || format!("{line} is not {sum}"));
        }
        self.expect(total == marks && number(&data["totalMarks"]) == marks, "V04", || {
            format!("{total} of {marks}")
        });
        let count: usize = parts(data).map(|part| list(&part["questions"]).len()).sum();
        let opening = said(&data["instructions"][0]);
        self.expect(opening.contains(&count.to_string()), "V04", || format!("{count} questions: {opening}"));
    }

    /// V04 and V21: numbers in order, with the marks at the end of the line, and each numbered in
    /// the key.
    fn numbered(&mut self, question: &Value, no: u64, pupils: &str, key: &str) {
        let (start, end) = (format!("{no}. "), format!("[{}]", question["marks"]));
        self.expect(number(&question["no"]) == no, "V04", || format!("{no} is {}", question["no"]));
        let asked = pupils.lines().any(|line| line.starts_with(&start) && line.trim_end().ends_with(&end));
        self.expect(asked, "V04", || format!("{no} is not printed with its marks"));
        self.expect(key.lines().any(|line| line.starts_with(&start)), "V21", || {
            format!("{no} has no answer")
        });
    }

    fn question(&mut self, kind: &str, question: &Value, pupils: &str, key: &str) {
        let name = said(&question["id"]);
        let marks = number(&question["marks"]);
        let points = list(&question["scheme"]);
        let sum: f64 = points.iter().filter_map(|point| point["marks"].as_f64()).sum();
        self.expect((sum - marks as f64).abs() < 1e-9, "V06", || format!("{name}: {sum} of {marks}"));
        let of_parts: u64 = list(&question["parts"]).iter().map(|part| number(&part["marks"])).sum();
        self.expect(of_parts == 0 || of_parts == marks, "V06", || format!("{name}: {of_parts} of {marks}"));
        let (asked, answer) = (said(&question["text"]), said(&question["answer"]));
        self.expect(!answer.is_empty(), "V21", || format!("{name} has no answer"));
        let most = 600 + 60 * usize::try_from(marks).unwrap_or(0);
        let long = printed_of(question).into_iter().chain([answer]).any(|text| text.chars().count() > most);
        self.expect(!long, "V22", || format!("{name} is longer than {most} letters"));
        if asked.contains('✎')
            || list(&question["pairs"]).iter().any(|pair| said(&pair["left"]).contains('✎'))
        {
            return;
        }
        match kind {
            "mcq" => self.options(name, question, answer),
            "match" => {
                let column = |side: &str| -> BTreeSet<&str> {
                    list(&question["pairs"]).iter().map(|pair| said(&pair[side])).collect()
                };
                let distinct =
                    [column("left"), column("right")].iter().all(|side| side.len() as u64 == marks);
                self.expect(distinct, "V08", || question["pairs"].to_string());
            }
            "fill" => {
                let blanks = asked.split(|c| c != '_').filter(|run| run.len() >= 4).count() as u64;
                self.expect(blanks == marks, "V09", || asked.to_owned());
            }
            "numerical" if of_parts == 0 => {
                let fault = units::fault(asked, answer, self.language);
                self.expect(fault.is_none(), "V15", || format!("{asked} {answer}: {fault:?}"));
            }
            _ => {}
        }
        if ["very-short", "short", "numerical", "long", "true-false"].contains(&kind) {
            for point in points.iter().map(|point| said(&point["point"]).replace('\u{A0}', " ")) {
                self.expect(key.contains(&point), "V21", || format!("{name}: “{point}” is not in the key"));
                // A formula of one question may be data of another.
                let long = point.chars().count() >= 12 && !point.contains(" = ");
                let shown = long && is_read(pupils, &point);
                self.expect(!shown, "V21", || format!("{name}: pupils read “{point}”"));
            }
        }
    }

    fn options(&mut self, name: &str, question: &Value, answer: &str) {
        let options: Vec<&str> = list(&question["options"]).iter().map(said).collect();
        let distinct: BTreeSet<&&str> = options.iter().collect();
        self.expect(options.len() == 4 && distinct.len() == 4, "V07", || format!("{name}: {options:?}"));
        let letter = said(&question["key"]).bytes().next().map_or(9, |letter| usize::from(letter - b'a'));
        self.expect(options.get(letter) == Some(&answer), "V07", || {
            format!("{name}: {answer} of {options:?}")
        });
        let lengths: Vec<usize> = options.iter().map(|option| option.chars().count()).collect();
        let (least, most) = (lengths.iter().min().unwrap_or(&0), lengths.iter().max().unwrap_or(&0));
        self.expect(*most <= least * 3 || most - least <= 24, "V07", || format!("{name}: {options:?}"));
    }

    /// V14: the value of a sum stands in the key.
    fn sum(&mut self, question: &Value) {
        let (Some(expression), Some(value)) =
            (question["check"]["expression"].as_str(), question["check"]["value"].as_f64())
        else {
            return;
        };
        let points: Vec<&str> = list(&question["scheme"]).iter().map(|point| said(&point["point"])).collect();
        let key = format!("{} {}", said(&question["answer"]), points.join(" "));
        let fault = arithmetic::check_one(&Check { expression: expression.to_owned(), value }, &key);
        self.expect(fault.is_none(), "V14", || format!("{fault:?}"));
    }
}

/// What `… (15 × 1 + 1 × 5 = 20)` says, if it is true.
fn true_sum(line: &str) -> Option<u64> {
    let line = line.replace('\u{A0}', " ");
    let (sums, total) = line.rsplit_once('(')?.1.strip_suffix(')')?.rsplit_once(" = ")?;
    let product = |sum: &str| -> Option<u64> {
        let (count, each) = sum.split_once(" × ")?;
        Some(count.trim().parse::<u64>().ok()? * each.trim().parse::<u64>().ok()?)
    };
    let sum: u64 = sums.split(" + ").map(product).sum::<Option<u64>>()?;
    (total.parse() == Ok(sum)).then_some(sum)
}

fn with_choice(question: &Value) -> impl Iterator<Item = &Value> {
    std::iter::once(question).chain(question.get("choice"))
}

fn printed_of(question: &Value) -> Vec<&str> {
    let options = list(&question["options"]).iter().map(said);
    let parts = list(&question["parts"]).iter().map(|part| said(&part["text"]));
    let pairs = list(&question["pairs"]).iter().flat_map(|pair| [said(&pair["left"]), said(&pair["right"])]);
    std::iter::once(said(&question["text"])).chain(options).chain(parts).chain(pairs).collect()
}

fn parts(data: &Value) -> impl Iterator<Item = &Value> {
    list(&data["sections"]).iter().flat_map(|section| list(&section["parts"]))
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

fn said(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

fn number(value: &Value) -> u64 {
    value.as_u64().unwrap_or(0)
}

/// What a reader would see at once, judged by nothing of the product: lines that are equal, markup,
/// addresses, page and telephone numbers, options that are one.
fn oracle<'v>(texts: &[&str], questions: impl Iterator<Item = &'v Value>, typed: &[&str]) -> Vec<String> {
    let mut faults = Vec::new();
    let mut seen = BTreeSet::new();
    for text in texts {
        if !seen.insert(folded(text)) {
            faults.push(format!("V10: {text} is there twice"));
        }
        let mut own = text.to_lowercase();
        typed
            .iter()
            .filter(|typed| !typed.is_empty())
            .for_each(|typed| own = own.replace(&typed.to_lowercase(), " "));
        let tag = own.char_indices().any(|(at, c)| {
            c == '<'
                && own[at + 1..].starts_with(|next: char| next.is_ascii_alphabetic() || "/!".contains(next))
        });
        if tag || own.contains(['\\', '`']) || own.contains("**") {
            faults.push(format!("V17: {text}"));
        }
        let page = own.split("page ").skip(1).any(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
        let digits = own.split(|c: char| !c.is_ascii_digit()).any(|run| run.len() == 10);
        if page || digits || ["http", "www.", ".com", ".in/"].iter().any(|sign| own.contains(sign)) {
            faults.push(format!("V16: {text}"));
        }
    }
    for question in questions {
        let options: Vec<String> =
            list(&question["options"]).iter().map(|option| folded(said(option))).collect();
        let distinct: BTreeSet<&String> = options.iter().collect();
        if !said(&question["text"]).contains('✎') && distinct.len() != options.len() {
            faults.push(format!("V07: {options:?}"));
        }
    }
    faults
}

/// A text without case, spaces and the punctuation about its words; signs of sums and points of
/// decimals stay.
fn folded(text: &str) -> String {
    let marks = |c: char| ".,;:?!।'’‘“”\"".contains(c);
    text.to_lowercase().split_whitespace().map(|word| word.trim_matches(marks)).collect()
}

#[test]
fn the_oracle_finds_what_a_reader_would() {
    let one = json!({ "text": "Q", "options": ["A weak push", "a weak push.", "b", "c"] });
    let found = |texts: &[&str]| oracle(texts, std::iter::empty(), &["Chapter 9876543210"]);
    assert!(oracle(&[], [&one].into_iter(), &[])[0].starts_with("V07"));
    assert!(found(&["Define mass.", "define mass"])[0].starts_with("V10"));
    for text in ["<img src=x>", "x</b>", "\\theta", "`x`"] {
        assert!(found(&[text])[0].starts_with("V17"), "{text}");
    }
    for text in ["See page 42.", "Visit example.com", "Call 9876543210", "http://x"] {
        assert!(found(&[text])[0].starts_with("V16"), "{text}");
    }
    assert!(
        found(&["Is 2 < 3 in Chapter 9876543210?", "Find 2 + 3.", "Find 2 − 3.", "7.3 g", "73 g"]).is_empty()
    );
}
