//! The exact marks plan: the worked examples of SPECIFICATION.md DOM-4.2, and every combination of
//! the form.

use std::collections::BTreeMap;

use generate_question_paper::checks;
use generate_question_paper::plan::{
    Level, MOST_QUESTIONS, Plan, QuestionType, Timing, difficulty_percent, level_percent,
};
use generate_question_paper::request::{Hardness, MARKS, PaperRequest};
use serde_json::json;

use crate::fakes::{ALL_TYPES, body_of, read};

fn request(marks: u32, sections: usize, hardness: &str, types: &[&str]) -> PaperRequest {
    let mut body = body_of(8, "Science", "A Chapter", marks, sections, types);
    body["difficultyLevel"] = json!(hardness);
    read(&body)
}

/// `A: mcq 15×1 + fill 5×1 | B: …`
fn shown(plan: &Plan) -> String {
    let sections = plan.sections.iter().map(|section| {
        let parts: Vec<String> = section
            .parts
            .iter()
            .map(|part| format!("{} {}×{}", part.kind.id(), part.count(), part.each))
            .collect();
        format!("{}: {}", section.letter, parts.join(" + "))
    });
    sections.collect::<Vec<_>>().join(" | ")
}

// rows: V04
#[test]
fn the_worked_examples_of_the_domain_page_come_out() {
    let table: [(u32, usize, &str, &str, &str); 17] = [
        (
            100,
            4,
            "medium",
            "mcq fill true-false match very-short short numerical long",
            "A: mcq 15×1 + fill 5×1 + true-false 5×1 + match 1×5 | B: very-short 6×2 | C: short 7×3 + numerical 4×3 | D: long 5×5",
        ),
        (
            80,
            4,
            "medium",
            "mcq very-short short long",
            "A: mcq 17×1 | B: very-short 7×2 | C: short 8×3 | D: long 5×5",
        ),
        (
            80,
            5,
            "medium",
            "mcq very-short short numerical long",
            "A: mcq 15×1 | B: very-short 6×2 | C: short 7×3 | D: numerical 4×3 | E: long 4×5",
        ),
        (
            80,
            5,
            "medium",
            "mcq very-short short long",
            "A: mcq 15×1 | B: very-short 7×2 | C: short 7×3 | D: long 3×5 | E: long 3×5",
        ),
        (100, 4, "mixed", "mcq short long", "A: mcq 24×1 | B: short 12×3 | C: long 4×5 | D: long 4×5"),
        (50, 3, "hard", "mcq short long", "A: mcq 7×1 | B: short 6×3 | C: long 5×5"),
        (20, 2, "easy", "mcq short", "A: mcq 11×1 | B: short 3×3"),
        (
            25,
            6,
            "easy",
            "mcq fill true-false match very-short short numerical long",
            "A: mcq 4×1 | B: fill 2×1 + true-false 1×1 + match 1×5 | C: very-short 1×2 | D: short 1×3 | E: numerical 1×3 | F: long 1×5",
        ),
        (
            75,
            6,
            "easy",
            "mcq fill true-false match very-short short",
            "A: mcq 20×1 | B: fill 7×1 | C: true-false 6×1 | D: match 2×5 | E: very-short 7×2 | F: short 6×3",
        ),
        (75, 3, "hard", "numerical", "A: numerical 8×3 | B: numerical 8×3 | C: numerical 9×3"),
        (
            20,
            2,
            "medium",
            "mcq fill true-false match very-short short numerical long",
            "A: mcq 1×1 + fill 1×1 + true-false 1×1 + match 1×4 + very-short 1×2 | B: short 1×3 + numerical 1×3 + long 1×5",
        ),
        (
            20,
            6,
            "medium",
            "mcq fill true-false match very-short short numerical long",
            "A: mcq 1×1 | B: fill 1×1 + true-false 1×1 + match 1×4 | C: very-short 1×2 | D: short 1×3 | E: numerical 1×3 | F: long 1×5",
        ),
        (
            20,
            6,
            "medium",
            "long",
            "A: long 1×3 | B: long 1×3 | C: long 1×3 | D: long 1×3 | E: long 1×4 | F: long 1×4",
        ),
        (20, 5, "medium", "long", "A: long 1×4 | B: long 1×4 | C: long 1×4 | D: long 1×4 | E: long 1×4"),
        (25, 3, "medium", "match", "A: match 1×5 | B: match 2×5 | C: match 2×5"),
        (
            100,
            6,
            "medium",
            "mcq",
            "A: mcq 10×1 | B: mcq 10×1 | C: mcq 10×2 | D: mcq 10×2 | E: mcq 10×2 | F: mcq 10×2",
        ),
        (75, 2, "medium", "true-false", "A: true-false 37×1 | B: true-false 19×2"),
    ];
    for (marks, sections, hardness, types, plan) in table {
        let types: Vec<&str> = types.split(' ').collect();
        assert_eq!(shown(&Plan::of(&request(marks, sections, hardness, &types))), plan, "{marks} {sections}");
    }
}

// rows: V04
#[test]
fn parts_of_unlike_marks_are_those_of_the_domain_page() {
    let parts = |marks, sections, types: &[&str]| {
        let plan = Plan::of(&request(marks, sections, "medium", types));
        let mut parts: Vec<(QuestionType, u32, u32)> =
            plan.sections.iter().map(|s| (s.parts[0].kind, s.parts[0].each, s.parts[0].count())).collect();
        parts.sort_unstable();
        parts
    };
    let (short, long) = (QuestionType::Short, QuestionType::Long);
    assert_eq!(
        parts(25, 5, &["short"]),
        [(short, 2, 2), (short, 3, 1), (short, 3, 2), (short, 3, 2), (short, 3, 2)]
    );
    assert_eq!(
        parts(20, 6, &["short", "long"]),
        [(short, 2, 1), (short, 3, 1), (short, 3, 1), (long, 4, 1), (long, 4, 1), (long, 4, 1)]
    );
}

/// Every non-empty set of types.
fn subsets() -> impl Iterator<Item = Vec<&'static str>> {
    (1..256_usize).map(|set| {
        ALL_TYPES.into_iter().enumerate().filter(|(at, _)| set & (1 << at) != 0).map(|(_, id)| id).collect()
    })
}

fn is_exact(request: &PaperRequest) {
    let plan = Plan::of(request);
    assert_eq!(checks::numbers(request, &plan), [], "{request:?}");
    assert!(plan.questions() <= MOST_QUESTIONS, "{request:?}");
    for part in plan.sections.iter().flat_map(|section| &section.parts) {
        assert!(part.kind.marks().contains(&part.each), "{request:?}");
    }
    // The order of the types is the order of the paper.
    assert!(plan.slots().map(|slot| slot.kind).is_sorted(), "{request:?}");
}

// rows: V04 V05
#[test]
fn every_combination_of_marks_sections_and_types_has_an_exact_plan() {
    let mut plans = 0;
    for types in subsets() {
        for marks in MARKS {
            for sections in 2..=6 {
                is_exact(&request(marks, sections, "medium", &types));
                plans += 1;
            }
        }
    }
    assert_eq!(plans, 7_650);
}

// rows: V04 V05
#[test]
fn the_other_difficulties_and_age_bands_have_exact_plans_too() {
    for (at, types) in subsets().enumerate() {
        let hardness = ["easy", "hard", "mixed"][at % 3];
        let (marks, sections) = (MARKS[at % 6], 2 + at % 5);
        let mut asked = request(marks, sections, hardness, &types);
        for class in [1, 4, 10, 12] {
            asked.class = class;
            is_exact(&asked);
        }
    }
}

#[test]
fn levels_and_difficulties_keep_to_the_table_within_its_tolerance() {
    for types in subsets().step_by(7) {
        for (marks, hardness) in MARKS.into_iter().zip(Hardness::ALL.into_iter().cycle()) {
            let mut asked = request(marks, 3, "medium", &types);
            asked.hardness = hardness;
            let plan = Plan::of(&asked);
            let largest = plan.slots().map(|slot| slot.marks).max().unwrap_or(0);
            let allowed = (marks * 10).max(largest * 100);
            let near = |sum: u32, percent: u32| (sum * 100).abs_diff(marks * percent) <= allowed;
            for (level, percent) in Level::ALL.into_iter().zip(level_percent(hardness)) {
                let sum: u32 = plan.slots().filter(|slot| slot.level == level).map(|slot| slot.marks).sum();
                assert!(near(sum, percent), "{asked:?} {level:?} {sum}");
            }
            let mut sums: BTreeMap<String, u32> = BTreeMap::new();
            for slot in plan.slots() {
                *sums.entry(format!("{:?}", slot.difficulty)).or_default() += slot.marks;
            }
            for (name, percent) in
                ["Easy", "Average", "Difficult"].into_iter().zip(difficulty_percent(hardness))
            {
                let sum = sums.get(name).copied().unwrap_or(0);
                assert!(near(sum, percent), "{asked:?} {name} {sum}");
            }
        }
    }
}

#[test]
fn the_time_is_judged_as_the_domain_page_does() {
    let timing = |marks, half_hours, types: &[&str]| {
        let mut asked = request(marks, 4, "mixed", types);
        asked.half_hours = half_hours;
        Plan::of(&asked).timing()
    };
    let usual = ["mcq", "short", "long"];
    assert_eq!(timing(100, 6, &usual), Timing::Tight);
    assert_eq!(timing(100, 8, &usual), Timing::Fits);
    assert_eq!(timing(100, 2, &usual), Timing::Short);
    assert_eq!(timing(20, 8, &usual), Timing::Ample);
}

#[test]
fn a_request_that_matches_a_published_pattern_follows_it() {
    let mut body =
        body_of(10, "Mathematics", "Quadratic Equations", 80, 5, &["mcq", "very-short", "short", "long"]);
    let plan = Plan::of(&read(&body));
    assert_eq!(shown(&plan), "A: mcq 20×1 | B: very-short 5×2 | C: short 6×3 | D: long 4×5 | E: long 3×4");
    assert_eq!(plan.sections[4].parts[0].situation, [1, 1, 2]);
    let choices: Vec<usize> =
        plan.sections.iter().map(|section| section.slots().filter(|slot| slot.choice).count()).collect();
    assert_eq!(choices, [0, 2, 2, 2, 0]);
    body["timeHours"] = json!(2.5);
    assert_eq!(Plan::of(&read(&body)).sections[4].parts[0].each, 5);
}

#[test]
fn choice_follows_class_and_board() {
    let plan = |board: &str, class: u8| {
        let mut body = body_of(class, "Science", "X", 80, 4, &["mcq", "very-short", "short", "long"]);
        body["board"] = json!(board);
        Plan::of(&read(&body))
    };
    let choices = |plan: &Plan| plan.slots().filter(|slot| slot.choice).count();
    assert_eq!(choices(&plan("CBSE", 8)), 0);
    // 7 very short, 8 short, 5 long: a third of each, rounded.
    assert_eq!(choices(&plan("CBSE", 10)), 2 + 3 + 2);
    assert_eq!(choices(&plan("Karnataka Board", 10)), 7);
    assert_eq!(choices(&plan("Cambridge", 10)), 0);
    let icse = plan("ICSE", 10);
    assert_eq!(choices(&icse), 0);
    let last = &icse.sections[3];
    assert_eq!((last.attempt, last.parts[0].count(), last.marks()), (Some(5), 7, 25));
    assert_eq!(icse.sections.iter().map(|section| section.marks()).sum::<u32>(), 80);
}
