//! The table of plans that the app checks its own plan against (SPECIFICATION.md D23): every set of
//! types with every total, number of sections and difficulty, while time, class, board and subject
//! change by turns.

use banyan_functions::model::authoring::Writer;
use generate_question_paper::estimate::estimate;
use generate_question_paper::plan::Plan;
use generate_question_paper::request::{Hardness, MARKS, PaperRequest};
use serde_json::{Map, Value, json};

use crate::fakes::{ALL_TYPES, body_of, read};

const CLASSES: [u8; 4] = [3, 7, 10, 12];
const BOARDS: [&str; 5] = ["CBSE", "ICSE", "IB", "Karnataka Board", "My ISC school"];
const SUBJECTS: [&str; 3] = ["Mathematics", "Science", "History"];

// rows: D23
#[test]
fn the_table_that_the_app_is_checked_against_is_current() {
    let table = json!({ "digests": digests(), "examples": examples() });
    let text = format!("{}\n", serde_json::to_string_pretty(&table).expect("a table is JSON"));
    let path = concat!(env!("CARGO_TARGET_TMPDIR"), "/plans.json");
    std::fs::write(path, &text).expect("the folder for scratch files is there");
    let checked_in = include_str!("../../../../app/src/features/question-papers/plan/plans.json");
    assert!(text == checked_in, "the plans have changed: run scripts/generate");
}

/// The plans of all sets of types, in one number a total, number of sections and difficulty.
fn digests() -> Map<String, Value> {
    let mut request = read(&body_of(8, "Science", "A Chapter", 80, 4, &ALL_TYPES));
    let all = request.types.clone();
    let mut digests = Map::new();
    let mut turn = 0;
    for marks in MARKS {
        for sections in 2..=6 {
            for hardness in Hardness::ALL {
                let mut digest = FNV_START;
                for set in 1..256_usize {
                    request.types = all
                        .iter()
                        .enumerate()
                        .filter(|(at, _)| set & (1 << at) != 0)
                        .map(|(_, kind)| *kind)
                        .collect();
                    (request.marks, request.sections, request.hardness) = (marks, sections, hardness);
                    take_turn(&mut request, turn);
                    turn += 1;
                    digest = fnv(digest, &in_short(&Plan::of(&request)));
                }
                let hardness = json!(hardness);
                let name = format!("{marks} {sections} {}", hardness.as_str().unwrap_or_default());
                digests.insert(name, json!(format!("{digest:08x}")));
            }
        }
    }
    digests
}

fn take_turn(request: &mut PaperRequest, turn: u32) {
    let turn = turn as usize;
    request.class = CLASSES[turn % CLASSES.len()];
    request.half_hours = 2 + u32::try_from(turn % 7).unwrap_or(0);
    BOARDS[turn % BOARDS.len()].clone_into(&mut request.board);
    SUBJECTS[turn % SUBJECTS.len()].clone_into(&mut request.subject);
}

/// `A15:mcq 15*1|B12/3:…|`
fn in_short(plan: &Plan) -> String {
    let mut text = String::new();
    for section in &plan.sections {
        text += &format!("{}{}", section.letter, section.marks());
        if let Some(attempt) = section.attempt {
            text += &format!("/{attempt}");
        }
        for part in &section.parts {
            text += &format!(":{} {}*{}", part.kind.id(), part.count(), part.each);
        }
        text.push('|');
    }
    text
}

const FNV_START: u32 = 0x811c_9dc5;

/// FNV-1a of 32 bits, which is a line in any language.
fn fnv(start: u32, text: &str) -> u32 {
    text.bytes().fold(start, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193))
}

/// Board, class, subject, marks, hours, sections, difficulty, types.
type Example<'a> = (&'a str, u8, &'a str, u32, f64, usize, &'a str, &'a [&'a str]);

/// Plans in full, as the function answers them.
fn examples() -> Vec<Value> {
    let written = ["mcq", "very-short", "short", "long"];
    let cases: [Example<'_>; 6] = [
        ("CBSE", 8, "Science", 100, 3.0, 4, "medium", &ALL_TYPES),
        ("CBSE", 10, "Mathematics", 80, 3.0, 5, "medium", &written),
        ("CBSE", 10, "Mathematics", 80, 2.5, 5, "medium", &written),
        ("ICSE", 10, "Science", 80, 3.0, 4, "hard", &written),
        ("Cambridge", 4, "English", 20, 1.0, 6, "easy", &["long"]),
        ("Our own board", 12, "Physics", 75, 3.5, 2, "mixed", &["true-false"]),
    ];
    let example =
        |(board, class, subject, marks, hours, sections, hardness, types): (_, _, _, _, f64, _, _, _)| {
            let mut asked = body_of(class, subject, "A Chapter", marks, sections, types);
            asked["board"] = json!(board);
            asked["timeHours"] = json!(hours);
            asked["difficultyLevel"] = json!(hardness);
            let plan = estimate(&read(&asked), Writer::Model)["plan"].take();
            json!({ "asked": asked, "plan": plan })
        };
    cases.map(example).to_vec()
}
