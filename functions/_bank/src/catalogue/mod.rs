//! The catalogue: NCERT books, with the chapter titles of Mathematics and Science in Classes 6
//! to 10 (SPECIFICATION.md DOM-9). Titles are facts; nothing of the books' text is here. Of the
//! books of other subjects only the names are listed.

use std::sync::OnceLock;

use serde::Deserialize;

use crate::data::{self, deflated};

/// Titles in the one spelling that their many spellings share.
mod spelling;

pub use spelling::folded;

/// A book and its chapters.
#[derive(Debug, Clone, Deserialize)]
pub struct Book {
    /// 1 to 12.
    pub class: u8,
    /// Its subject.
    pub subject: String,
    /// The book's name.
    pub book: String,
    /// Its chapters.
    pub chapters: Vec<Chapter>,
}

/// A chapter.
#[derive(Debug, Clone, Deserialize)]
pub struct Chapter {
    /// Its title.
    pub title: String,
    /// Its number, where the list is in the book's order.
    #[serde(default)]
    pub no: Option<u8>,
    /// Its title in the Hindi edition, where it is known.
    #[serde(default)]
    pub hindi: Option<String>,
    /// Titles under which it stands in former editions and in books of other boards.
    #[serde(default)]
    pub also: Vec<String>,
    /// For a chapter of a former edition: the chapter that treats its matter now.
    #[serde(default)]
    pub now: Option<String>,
}

impl Chapter {
    /// Every title that it is known by.
    pub fn names(&self) -> impl Iterator<Item = &String> {
        std::iter::once(&self.title).chain(&self.hindi).chain(&self.also)
    }
}

/// Finds a title that a teacher typed in the catalogue.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    /// The class whose book has it.
    pub class: u8,
    /// `Mathematics` or `Science`.
    pub subject: String,
    /// The title as printed in the English edition.
    pub title: String,
    /// For a chapter of a former edition: the chapter that treats its matter now.
    pub now: Option<String>,
}

/// All books, read once.
pub fn books() -> &'static [Book] {
    static BOOKS: OnceLock<Vec<Book>> = OnceLock::new();
    BOOKS.get_or_init(|| data::read(deflated!("catalogue.json")))
}

/// Finds a chapter by its title in any language, in this class first, then in the others.
pub fn find(title: &str, class: u8, subject: &str) -> Option<Entry> {
    let wanted = readings(title);
    let mut hits: Vec<Entry> = Vec::new();
    for book in books().iter().filter(|book| teaches(&book.subject, subject)) {
        for chapter in &book.chapters {
            let is_wanted = |known: &String| {
                let known = words(known);
                wanted.iter().any(|wanted| same(wanted, &known))
            };
            if chapter.names().any(is_wanted) {
                let (class, subject) = (book.class, book.subject.clone());
                hits.push(Entry { class, subject, title: chapter.title.clone(), now: chapter.now.clone() });
            }
        }
    }
    hits.sort_by_key(|entry| entry.class != class);
    hits.into_iter().next()
}

/// The class whose book has a chapter, when it is another one than asked for.
pub fn other_class(title: &str, class: u8, subject: &str) -> Option<u8> {
    find(title, class, subject).map(|entry| entry.class).filter(|found| *found != class)
}

/// Whether a subject as typed is taught from the books of `subject`.
fn teaches(book_subject: &str, typed: &str) -> bool {
    use crate::subjects::Family;
    match Family::of(typed) {
        Family::Mathematics => book_subject == "Mathematics",
        Family::Science => book_subject == "Science",
        _ => false,
    }
}

/// The words of a title, and where it stands there in two scripts, as in `Electricity (विद्युत)`,
/// those of each.
fn readings(title: &str) -> Vec<Vec<String>> {
    let all = words(title);
    let (latin, indian): (Vec<String>, Vec<String>) = all.iter().cloned().partition(|word| word.is_ascii());
    if latin.is_empty() || indian.is_empty() { vec![all] } else { vec![all, latin, indian] }
}

/// The words of a title that tell it from others, in the one spelling of [`folded`].
pub fn words(title: &str) -> Vec<String> {
    const FILLERS: [&str; 33] = [
        "chapter",
        "lesson",
        "unit",
        "the",
        "a",
        "an",
        "and",
        "of",
        "in",
        "its",
        "their",
        "to",
        "us",
        "some",
        "how",
        "do",
        "एवं",
        "और",
        "तथा",
        "व",
        "आणि",
        "अने",
        "मरियु",
        "मत्तु",
        "के",
        "का",
        "की",
        "अध्याय",
        "पाठ",
        "प्रकरण",
        "एकम",
        "इकाई",
        "धडा",
    ];
    let title = folded(title).replace('’', "'");
    let parts = title.split(|c: char| {
        c.is_whitespace() || (c.is_ascii_punctuation() && c != '\'') || "–—…‘’“”।".contains(c)
    });
    parts
        .filter(|word| !word.is_empty() && !FILLERS.contains(word) && !word.chars().all(char::is_numeric))
        .map(singular)
        .collect()
}

/// A word without the ending of the plural or the genitive: equation, quantity, Heron.
fn singular(word: &str) -> String {
    let word = word.strip_suffix("'s").unwrap_or(word).trim_end_matches('\'');
    match word.strip_suffix("ies").filter(|stem| stem.len() > 2) {
        Some(stem) => format!("{stem}y"),
        None => word.strip_suffix('s').filter(|stem| stem.len() > 3).unwrap_or(word).to_owned(),
    }
}

/// Returns whether two titles are the same apart from fillers, number and small slips.
pub fn same(wanted: &[String], known: &[String]) -> bool {
    if wanted.is_empty() || known.is_empty() {
        return false;
    }
    let shared = known.iter().filter(|word| wanted.iter().any(|other| alike(word, other))).count();
    let all = wanted.len() + known.len() - shared;
    // Seven parts in ten: one word of a long title may differ, none of a short one.
    shared * 10 >= all * 7
}

/// Equal, or one slip of the pen apart in a long word. Nobody slips in the first letter, which
/// makes a word its contrary: अपूर्णांक is a fraction, पूर्णांक an integer.
fn alike(one: &str, other: &str) -> bool {
    one == other || (one.chars().count() > 5 && distance_at_most_one(one, other))
}

fn distance_at_most_one(one: &str, other: &str) -> bool {
    let (one, other): (Vec<char>, Vec<char>) = (one.chars().collect(), other.chars().collect());
    let (short, long) = if one.len() <= other.len() { (one, other) } else { (other, one) };
    let start = short.iter().zip(&long).take_while(|(a, b)| a == b).count();
    if start == 0 {
        return false;
    }
    match long.len() - short.len() {
        0 => short[start..].iter().skip(1).eq(long[start..].iter().skip(1)),
        1 => short[start..].iter().eq(long[start + 1..].iter()),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_catalogue_has_the_chapters_of_classes_six_to_ten() {
        let books = books();
        for class in 6..=10 {
            for subject in ["Mathematics", "Science"] {
                assert!(books.iter().any(|book| book.class == class && book.subject == subject));
            }
        }
        assert!(books.iter().map(|book| book.chapters.len()).sum::<usize>() > 140);
        for book in books {
            assert!(
                book.chapters.iter().all(|chapter| !chapter.title.contains(';') && chapter.title.len() > 3)
            );
        }
    }

    #[test]
    fn a_title_is_found_in_the_forms_teachers_type_it() {
        let table = [
            ("Electricity", 10, "Science", "Electricity"),
            ("Chapter 11: Electricity", 10, "Physics", "Electricity"),
            ("electricty", 10, "Science", "Electricity"),
            ("Quadratic equation", 10, "Maths", "Quadratic Equations"),
            ("4. Quadratic Equations", 10, "Mathematics", "Quadratic Equations"),
            ("Light - Reflection & Refraction", 10, "Science", "Light – Reflection and Refraction"),
            ("द्विघात समीकरण", 10, "गणित", "Quadratic Equations"),
            ("विद्युत", 10, "Science", "Electricity"),
            ("विद्युत्", 10, "विज्ञान", "Electricity"),
            ("अध्याय ११: विद्युत", 10, "Science", "Electricity"),
            ("Electricity (विद्युत)", 10, "Science", "Electricity"),
            ("વિદ્યુત", 10, "વિજ્ઞાન", "Electricity"),
            ("દ્વિઘાત સમીકરણ", 10, "ગણિત", "Quadratic Equations"),
            ("वास्तविक संख्याएं", 10, "गणित", "Real Numbers"),
            ("समान्तर श्रेढ़ियाँ", 10, "गणित", "Arithmetic Progressions"),
            ("समांतर श्रेढियां", 10, "गणित", "Arithmetic Progressions"),
            ("वृत्तों से सम्बन्धित क्षेत्रफल", 10, "गणित", "Areas Related to Circles"),
            ("विद्युत धारा के चुम्बकीय प्रभाव", 10, "विज्ञान", "Magnetic Effects of Electric Current"),
            ("प्रकाश: परावर्तन एवं अपवर्तन", 10, "विज्ञान", "Light – Reflection and Refraction"),
            ("बल तथा गति के नियम", 9, "विज्ञान", "Force and Laws of Motion"),
            ("Squares and Square Roots", 8, "Maths", "A Square and a Cube"),
            ("Integers", 7, "Mathematics", "Operations with Integers"),
            ("Heat", 7, "Science", "Heat Transfer in Nature"),
            ("अपूर्णांक", 6, "गणित", "Fractions"),
            ("અપૂર્ણાંક", 6, "ગણિત", "Fractions"),
            ("पूर्णांक", 7, "गणित", "Operations with Integers"),
        ];
        for (typed, class, subject, title) in table {
            assert_eq!(
                find(typed, class, subject).map(|e| (e.title, e.class)),
                Some((title.to_owned(), class)),
                "{typed}"
            );
        }
    }

    #[test]
    fn every_name_of_a_chapter_leads_to_it_whatever_its_spelling() {
        for book in books().iter().filter(|book| ["Mathematics", "Science"].contains(&book.subject.as_str()))
        {
            for chapter in &book.chapters {
                for name in chapter.names() {
                    for typed in [name.clone(), name.to_uppercase(), spelt_otherwise(name)] {
                        let entry = find(&typed, book.class, &book.subject).expect("every name is known");
                        assert_eq!(entry.class, book.class, "{typed}");
                        // Two editions may have a chapter of one name.
                        assert!(
                            same(&words(&entry.title), &words(&chapter.title)) || named(&entry, name),
                            "{typed}"
                        );
                    }
                }
            }
        }
    }

    /// The same name without nukta, with a nasal for an anusvara and an anusvara for a
    /// chandrabindu.
    fn spelt_otherwise(name: &str) -> String {
        let plain = name.replace('\u{093C}', "").replace('ँ', "ं");
        plain.replace("ंब", "म्ब").replace("ंत", "न्त").replace("ंध", "न्ध")
    }

    /// Whether the chapter that was found has this name, too.
    fn named(entry: &Entry, name: &str) -> bool {
        let books = books();
        let mut chapters =
            books.iter().filter(|book| book.class == entry.class).flat_map(|book| &book.chapters);
        chapters.any(|chapter| chapter.title == entry.title && chapter.names().any(|other| other == name))
    }

    #[test]
    fn a_chapter_of_another_subject_or_only_alike_is_not_found() {
        for (typed, subject) in [
            ("Electricity bills", "Science"),
            ("Electricity", "History"),
            ("Number", "Mathematics"),
            ("123", "Science"),
            ("विद्युत का बिल", "Science"),
            ("हमारा विद्यालय", "Science"),
            ("अवास्तविक संख्याएँ", "Mathematics"),
        ] {
            assert_eq!(find(typed, 10, subject), None, "{typed}");
        }
    }

    #[test]
    fn a_chapter_of_a_former_edition_names_the_one_of_today() {
        let books = books();
        let entry = find("Force and Laws of Motion", 9, "Science").expect("in the older book");
        assert_eq!(entry.now.as_deref(), Some("How Forces Affect Motion"));
        for book in books {
            for now in book.chapters.iter().filter_map(|chapter| chapter.now.as_deref()) {
                let same = |other: &&Book| (other.class, &other.subject) == (book.class, &book.subject);
                let listed = books.iter().filter(same).any(|b| b.chapters.iter().any(|c| c.title == now));
                assert!(listed, "{now}");
            }
        }
    }

    #[test]
    fn a_chapter_of_another_class_says_so() {
        assert_eq!(other_class("Fractions", 10, "Mathematics"), Some(6));
        assert_eq!(other_class("Fractions", 6, "Mathematics"), None);
    }
}
