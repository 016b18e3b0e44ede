//! Text that has room on its page (V22).

use super::Finding;
use crate::sanitise::visible_length;

/// Looks at the texts of one slot, which may be so long each. Characters are counted as a reader
/// counts them; a chapter's title comes on top, since a text may name it and a teacher's own may be
/// long.
#[derive(Debug)]
pub struct Room {
    title: usize,
    findings: Vec<Finding>,
}

impl Room {
    /// The room of texts about a chapter.
    pub fn about(title: &str) -> Self {
        Self { title: visible_length(title), findings: Vec::new() }
    }

    /// Each of the texts has at most so many characters.
    #[must_use]
    pub fn each<'a>(
        mut self,
        name: &str,
        most: usize,
        texts: impl IntoIterator<Item = impl AsRef<str> + 'a>,
    ) -> Self {
        let too_long = |text: &str| visible_length(text) > most + self.title;
        if texts.into_iter().any(|text| too_long(text.as_ref())) {
            let problem = format!("{name}: far too long; at most {most} characters each");
            self.findings.push(Finding::new("V22", problem));
        }
        self
    }

    /// A list has at most so many entries.
    #[must_use]
    pub fn entries(mut self, name: &str, most: usize, count: usize) -> Self {
        if count > most {
            self.findings.push(Finding::new("V22", format!("{name}: at most {most} entries, not {count}")));
        }
        self
    }

    /// All the texts together have at most so many characters.
    #[must_use]
    pub fn together(mut self, most: usize, texts: &[&str]) -> Self {
        let length: usize = texts.iter().map(|text| visible_length(text)).sum();
        if length > most + self.title * texts.len() {
            let problem = format!("far too long as a whole: at most {most} characters, not {length}");
            self.findings.push(Finding::new("V22", problem));
        }
        self
    }

    /// Texts that are too long.
    pub fn findings(self) -> Vec<Finding> {
        self.findings
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // rows: V22
    #[test]
    fn what_is_longer_than_its_room_is_named_and_blocks() {
        let findings = Room::about("").each("homework", 5, ["12345", "123456"]).findings();
        assert_eq!(findings, [Finding::new("V22", "homework: far too long; at most 5 characters each")]);
        assert!(findings.iter().all(Finding::blocks));
        let findings = Room::about("").entries("safety", 2, 3).together(4, &["12", "345"]).findings();
        assert_eq!(findings.len(), 2, "{findings:?}");
        let room = Room::about("").each("homework", 5, ["12345"]).entries("safety", 2, 2);
        assert_eq!(room.together(5, &["12", "345"]).findings(), []);
    }

    // rows: V22
    #[test]
    fn characters_are_counted_as_a_reader_counts_them_and_a_title_comes_on_top() {
        assert_eq!(Room::about("").each("term", 2, ["विद्युत्"]).findings().len(), 1);
        assert_eq!(Room::about("").each("term", 4, ["कोशिका"]).findings(), []);
        assert_eq!(Room::about("A long title").each("term", 4, ["of a long title"]).findings(), []);
    }
}
