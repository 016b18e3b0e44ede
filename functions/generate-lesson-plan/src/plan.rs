//! The plan: everything with a number in it, decided before a word is written (SPECIFICATION.md
//! GEN-0, the one idea). A model or the bank only fills text into it.

use banyan_bank::subjects::{Convention, Family, band};
use banyan_functions::writing_system::Language;

use crate::request::LessonRequest;

/// Minutes of a period; the commonest length in Indian schools (SPECIFICATION.md DOM-1.11).
pub const PERIOD_MINUTES: u32 = 40;

/// The purpose of a period (SPECIFICATION.md DOM-2.2).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// The only period: the chapter's core.
    Overview,
    /// The first of several.
    Introduction,
    /// One in the middle.
    Development,
    /// The last of several: practice, revision, test.
    Practice,
}

/// One period.
#[derive(Debug, Clone, PartialEq)]
pub struct PeriodPlan {
    /// From 1.
    pub no: u8,
    /// The purpose.
    pub role: Role,
    /// Whether this is the development period with the activity or experiment.
    pub activity: bool,
    /// Minutes by phase; their sum is [`PERIOD_MINUTES`].
    pub minutes: Vec<u32>,
}

/// The plan of a document.
#[derive(Debug, Clone, PartialEq)]
pub struct Plan {
    /// The kind of lesson.
    pub family: Family,
    /// How its steps are named.
    pub convention: Convention,
    /// The age band, see [`band`].
    pub band: usize,
    /// The document's language.
    pub language: Language,
    /// The periods, as many as were asked for.
    pub periods: Vec<PeriodPlan>,
}

impl Plan {
    /// Plans a request.
    pub fn of(request: &LessonRequest) -> Self {
        let family = Family::of(&request.subject);
        let count = request.periods;
        let period = |no: u8| PeriodPlan {
            no,
            role: role(no, count),
            activity: count == 5 && no == 3,
            minutes: scaled(family.phase_minutes(), PERIOD_MINUTES),
        };
        Self {
            family,
            convention: Convention::of(&request.board),
            band: band(request.class),
            language: request.language,
            periods: (1..=count).map(period).collect(),
        }
    }

    /// Periods that teach something new: all but a last one for practice.
    pub fn teaching_periods(&self) -> usize {
        self.periods.iter().filter(|period| period.role != Role::Practice).count()
    }
}

fn role(no: u8, count: u8) -> Role {
    match (no, count) {
        (1, 1) => Role::Overview,
        (no, count) if no == count => Role::Practice,
        (1, _) => Role::Introduction,
        _ => Role::Development,
    }
}

/// Scales minutes to another period length by largest remainder, so that the sum is exact (V18).
pub fn scaled(minutes: &[u32], length: u32) -> Vec<u32> {
    let whole: u32 = minutes.iter().sum::<u32>().max(1);
    let mut scaled: Vec<u32> = minutes.iter().map(|part| part * length / whole).collect();
    let mut order: Vec<usize> = (0..minutes.len()).collect();
    order.sort_by_key(|at| std::cmp::Reverse(minutes[*at] * length % whole));
    let missing = length - scaled.iter().sum::<u32>();
    for at in order.into_iter().cycle().take(missing as usize) {
        scaled[at] += 1;
    }
    scaled
}

/// Cuts `count` sub-topics into `groups` neighbouring groups of like size, in order, every one used
/// once.
pub fn spread(count: usize, groups: usize) -> Vec<std::ops::Range<usize>> {
    let groups = groups.max(1);
    (0..groups).map(|group| count * group / groups..count * (group + 1) / groups).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn plan(periods: u8, subject: &str) -> Plan {
        let body = json!({ "board": "CBSE", "class": 8, "subject": subject, "periods": periods, "chapter": "X",
                           "bookName": "B", "publisher": "P" });
        Plan::of(&LessonRequest::read(&body).unwrap())
    }

    // rows: V18
    #[test]
    fn minutes_add_up_for_every_period_length() {
        for length in 30..=90 {
            for family in [Family::Science, Family::Language, Family::Arts, Family::PhysicalEducation] {
                let minutes = scaled(family.phase_minutes(), length);
                assert_eq!(minutes.iter().sum::<u32>(), length);
                assert!(minutes.iter().all(|part| *part > 0));
            }
        }
        assert_eq!(scaled(Family::Science.phase_minutes(), 35), [4, 9, 11, 7, 4]);
    }

    #[test]
    fn periods_have_the_roles_of_the_domain_page() {
        use Role::{Development, Introduction, Overview, Practice};
        let roles = |n| plan(n, "Science").periods.iter().map(|p| p.role).collect::<Vec<_>>();
        assert_eq!(roles(1), [Overview]);
        assert_eq!(roles(2), [Introduction, Practice]);
        assert_eq!(roles(3), [Introduction, Development, Practice]);
        assert_eq!(roles(5), [Introduction, Development, Development, Development, Practice]);
        assert_eq!(plan(5, "Science").periods.iter().filter(|p| p.activity).count(), 1);
    }

    #[test]
    fn every_sub_topic_is_taught_once_in_order() {
        for count in 4..=9 {
            for groups in 1..=4 {
                let all: Vec<usize> = spread(count, groups).into_iter().flatten().collect();
                assert_eq!(all, (0..count).collect::<Vec<_>>());
                assert!(spread(count, groups).iter().all(|group| !group.is_empty()));
            }
        }
    }
}
