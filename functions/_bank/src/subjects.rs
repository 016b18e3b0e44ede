//! The kind of lesson of a subject, and the course of its periods (SPECIFICATION.md DOM-2.2,
//! DOM-2.3).

/// A family of subjects whose lessons run alike.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Family {
    /// Mathematics.
    Mathematics,
    /// Physics, chemistry, biology, environmental studies.
    Science,
    /// History, geography, civics, economics.
    Social,
    /// Any language.
    Language,
    /// Art, craft, music.
    Arts,
    /// Physical education.
    PhysicalEducation,
    /// Computers.
    Computer,
    /// Anything else.
    General,
}

impl Family {
    /// The family of a subject as typed.
    pub fn of(subject: &str) -> Self {
        let subject = subject.to_lowercase();
        let any = |words: &[&str]| words.iter().any(|word| subject.contains(word));
        if any(&["computer", "information tech", "coding", "artificial intell", "कंप्यूटर", "संगणक"])
        {
            Self::Computer
        } else if any(&["physical education", "sports", "yoga", "health and phys", "शारीरिक"]) {
            Self::PhysicalEducation
        } else if any(&[
            "social",
            "history",
            "geography",
            "civics",
            "economics",
            "political",
            "सामाजिक",
            "इतिहास",
            "भूगोल",
            "नागरिक",
        ]) {
            Self::Social
        } else if any(&["math", "गणित", "algebra", "geometry", "ગણિત", "గణిత", "ಗಣಿತ"])
        {
            Self::Mathematics
        } else if any(&[
            "science",
            "physics",
            "chemistry",
            "biology",
            "environment",
            "evs",
            "विज्ञान",
            "વિજ્ઞાન",
            "విజ్ఞాన",
            "ವಿಜ್ಞಾನ",
        ]) {
            Self::Science
        } else if any(&["art", "craft", "music", "dance", "drawing", "कला", "संगीत"]) {
            Self::Arts
        } else if banyan_functions::writing_system::Language::of_subject(&subject).is_some()
            || any(&["language", "urdu", "punjabi", "tamil", "bengali", "malayalam", "french", "german"])
        {
            Self::Language
        } else {
            Self::General
        }
    }

    /// The key of its frames in the language files.
    pub fn key(self) -> &'static str {
        match self {
            Self::Mathematics => "mathematics",
            Self::Science => "science",
            Self::Social => "social",
            Self::Language => "language",
            Self::Arts => "arts",
            Self::PhysicalEducation => "physicalEducation",
            Self::Computer => "computer",
            Self::General => "general",
        }
    }

    /// Minutes of each phase in a period of 40.
    pub fn phase_minutes(self) -> &'static [u32] {
        match self {
            Self::Language => &[5, 6, 9, 8, 8, 4],
            Self::Arts => &[8, 20, 7, 5],
            Self::PhysicalEducation => &[6, 12, 14, 5, 3],
            Self::Mathematics | Self::Science | Self::Social | Self::Computer | Self::General => {
                &[5, 10, 12, 8, 5]
            }
        }
    }
}

/// How the steps of a lesson are named on a board's own plans.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Convention {
    /// Engage, explore, explain, elaborate, evaluate; neutral, and what CBSE and many states
    /// expect.
    FiveE,
    /// Introduction, presentation and so on: CISCE, and the Hindi-medium state boards.
    Herbartian,
}

impl Convention {
    /// The convention of a board as typed.
    pub fn of(board: &str) -> Self {
        const HERBARTIAN: [&str; 9] = [
            "icse",
            "isc",
            "cisce",
            "uttar pradesh",
            "up board",
            "bihar",
            "madhya pradesh",
            "rajasthan",
            "chhattisgarh",
        ];
        let board = board.to_lowercase();
        let words: Vec<&str> = board.split(|c: char| !c.is_alphanumeric()).collect();
        let named =
            |name: &&str| if name.contains(' ') { board.contains(*name) } else { words.contains(name) };
        if HERBARTIAN.iter().any(named) { Self::Herbartian } else { Self::FiveE }
    }
}

/// The age band of a class (SPECIFICATION.md DOM-2.4): 0 for Classes 1-2, then 3-5, 6-8, 9-10,
/// 11-12.
pub fn band(class: u8) -> usize {
    match class {
        0..=2 => 0,
        3..=5 => 1,
        6..=8 => 2,
        9..=10 => 3,
        _ => 4,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_seventeen_subjects_of_the_form_have_their_families() {
        use Family::{Arts, Computer, Language, Mathematics, PhysicalEducation, Science, Social};
        let table = [
            ("Mathematics", Mathematics),
            ("Science", Science),
            ("Physics", Science),
            ("Chemistry", Science),
            ("Biology", Science),
            ("English", Language),
            ("Hindi", Language),
            ("Social Studies", Social),
            ("History", Social),
            ("Geography", Social),
            ("Civics", Social),
            ("Economics", Social),
            ("Computer Science", Computer),
            ("Physical Education", PhysicalEducation),
            ("Art & Craft", Arts),
            ("Music", Arts),
            ("Sanskrit", Language),
            ("Social Science", Social),
            ("गणित", Mathematics),
        ];
        for (subject, family) in table {
            assert_eq!(Family::of(subject), family, "{subject}");
        }
    }

    #[test]
    fn phases_fill_forty_minutes() {
        for family in [Family::Language, Family::Arts, Family::PhysicalEducation, Family::Science] {
            assert_eq!(family.phase_minutes().iter().sum::<u32>(), 40);
        }
    }

    #[test]
    fn boards_have_their_conventions() {
        for board in ["ICSE", "ICSE/ISC – Council", "Bihar Board", "UP Board"] {
            assert_eq!(Convention::of(board), Convention::Herbartian, "{board}");
        }
        for board in ["CBSE", "NCERT", "State Board", "Karnataka Board", "Some discipline board"] {
            assert_eq!(Convention::of(board), Convention::FiveE, "{board}");
        }
    }
}
