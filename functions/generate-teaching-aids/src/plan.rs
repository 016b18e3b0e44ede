//! The plan: which aids, how much room each has, how many items, how many of each level. A model or
//! the bank only fills text into it.

use crate::kind::Kind;
use crate::request::{AidsRequest, Hardness};

/// The most empty rows of a table: no experiment of a class has more tries.
const MOST_ROWS: usize = 8;

/// One aid.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AidPlan {
    /// What it is.
    pub kind: Kind,
    /// Its room, in half pages; at least one.
    pub half_pages: u8,
    /// How many items, cards, slides, activities or criteria.
    pub count: usize,
    /// Items of each level, ★ to ★★★; all of a kind without levels stand in the first.
    pub levels: [usize; 3],
    /// Empty rows of each table that pupils write in.
    pub rows: usize,
    /// Lines below each question to talk about, where an activity has more room than its table
    /// takes.
    pub lines: usize,
}

/// The plan of a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plan {
    /// As many as were asked for, in the order of printing.
    pub aids: Vec<AidPlan>,
    /// The aids need more room than the pages that were asked for.
    pub crowded: bool,
}

impl Plan {
    /// Plans a request with the usual number of items for its pages.
    pub fn of(request: &AidsRequest) -> Self {
        Self::with(request, 100)
    }

    /// Plans a request: the pages are dealt over the aids in halves, what is left over goes to the
    /// first ones. A part is kept for the head and for the teacher's answers. The room in each half
    /// is filled to so many percent.
    pub fn with(request: &AidsRequest, percent: usize) -> Self {
        let count = u8::try_from(request.kinds.len()).unwrap_or(1).max(1);
        let halves = request.pages * 2;
        let halves = halves - 1 - halves / 8;
        let (each, rest) = (halves / count, halves % count);
        let aid = |(at, kind): (u8, &Kind)| {
            let half_pages = (each + u8::from(at < rest)).max(1);
            let (count, levels) = items(*kind, half_pages, percent, request.hardness);
            let activities = interactive(half_pages, percent);
            let room = (usize::from(half_pages) * percent * 15 / 200 / activities).clamp(3, 40) - 1;
            let rows = room.min(MOST_ROWS);
            // An activity has about three questions.
            let lines = (room - rows) / 3;
            AidPlan { kind: *kind, half_pages, count, levels, rows, lines }
        };
        Self { aids: (0..).zip(&request.kinds).map(aid).collect(), crowded: count > request.pages * 2 }
    }
}

/// How many items fill the room (SPECIFICATION.md DOM-6), and how many of each level.
fn items(kind: Kind, half_pages: u8, percent: usize, hardness: Hardness) -> (usize, [usize; 3]) {
    let of = |each: usize| (each * usize::from(half_pages) * percent / 100).max(1);
    let count = match kind {
        Kind::Worksheets => of(6).max(6),
        Kind::PracticeSheets => of(13),
        Kind::InteractiveActivities => interactive(half_pages, percent),
        Kind::Games => of(6).max(8),
        Kind::Flashcards => of(4).max(8),
        Kind::Quiz => of(12).max(10),
        Kind::Presentation => of(3).max(8),
        Kind::StudyGuides => of(8),
        Kind::Rubrics => 5,
    };
    (count, levels(kind, count, hardness))
}

fn interactive(half_pages: u8, percent: usize) -> usize {
    (usize::from(half_pages) * percent).div_ceil(300).clamp(1, 4)
}

fn levels(kind: Kind, count: usize, hardness: Hardness) -> [usize; 3] {
    if !matches!(kind, Kind::Worksheets | Kind::PracticeSheets | Kind::Quiz) {
        return [count, 0, 0];
    }
    let percent = match hardness {
        Hardness::Easy => [60, 30, 10],
        Hardness::Medium => [30, 50, 20],
        Hardness::Hard => [15, 40, 45],
        Hardness::Mixed => [34, 33, 33],
    };
    // No level is left out, and the worked example takes one of the first.
    let least = if kind == Kind::Worksheets { 2 } else { 1 };
    let (first, last) = ((count * percent[0] / 100).max(least), (count * percent[2] / 100).max(1));
    [first, count.saturating_sub(first + last), last]
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    // rows: V18
    #[test]
    fn room_is_dealt_over_the_aids_and_levels_add_up() {
        for pages in 1..=10_u8 {
            for count in 1..=9 {
                let kinds: Vec<&str> = Kind::ALL.iter().take(count).map(|kind| kind.id()).collect();
                let body = json!({ "board": "CBSE", "grade": 8, "subject": "Science", "aidTypes": kinds,
                                   "chapterName": "X", "difficultyLevel": "hard", "numberOfPages": pages });
                let request = AidsRequest::read(&body).unwrap();
                let plan = Plan::of(&request);
                assert_eq!(plan.aids.len(), count);
                let halves: usize = plan.aids.iter().map(|aid| usize::from(aid.half_pages)).sum();
                assert!(halves <= usize::from(pages * 2).max(count), "{pages} {count}: {halves}");
                assert_eq!(plan.crowded, count > usize::from(pages) * 2);
                for aid in &plan.aids {
                    assert!(aid.half_pages > 0 && aid.count > 0);
                    assert_eq!(aid.levels.iter().sum::<usize>(), aid.count, "{aid:?}");
                }
                let sum = |percent| -> usize {
                    Plan::with(&request, percent).aids.iter().map(|aid| aid.count).sum()
                };
                assert!(sum(50) <= sum(100) && sum(100) <= sum(170), "{pages} {count}");
            }
        }
    }
}
