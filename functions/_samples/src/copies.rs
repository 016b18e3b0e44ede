//! Whether a text repeats a sample. A sample is an example and no source (SPECIFICATION.md
//! GEN-5.3.6).

use std::collections::BTreeSet;

use crate::text::SampleText;

/// Words in a row that are a copy. Headings and usual phrases are shorter.
const RUN: usize = 8;

/// The runs of words of a sample.
#[derive(Debug, Default)]
pub struct Copies {
    runs: BTreeSet<Vec<String>>,
}

impl Copies {
    /// The runs of a sample; without one nothing is a copy.
    pub fn of(sample: Option<&SampleText>) -> Self {
        let lines = sample.map(|sample| sample.lines.as_slice()).unwrap_or_default();
        Self { runs: lines.iter().flat_map(|line| runs(&line.text)).collect() }
    }

    /// Returns whether eight words of the sample stand in the text in a row.
    pub fn hold(&self, text: &str) -> bool {
        !self.runs.is_empty() && runs(text).any(|run| self.runs.contains(&run))
    }
}

fn runs(text: &str) -> impl Iterator<Item = Vec<String>> {
    let words = text.split(|c: char| c.is_whitespace() || c.is_ascii_punctuation());
    let words: Vec<String> = words.filter(|word| !word.is_empty()).map(str::to_lowercase).collect();
    let last = (words.len() + 1).saturating_sub(RUN);
    (0..last).map(move |at| words[at..at + RUN].to_vec())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::{Line, SampleKind};

    // rows: GEN-5.3.6
    #[test]
    fn eight_words_in_a_row_are_a_copy() {
        let line = "Ask the pupils why a pencil in a glass of water looks bent.";
        let lines = vec![Line { text: line.to_owned(), heading: None, is_numbered: false }];
        let sample = SampleText { kind: SampleKind::Docx, pages: 1, lines, is_cut: false };
        let copies = Copies::of(Some(&sample));
        assert!(copies.hold("First, ask THE pupils why a pencil in a bowl floats."));
        assert!(!copies.hold("Ask the pupils why a pencil floats in a glass of water."));
        assert!(!Copies::of(None).hold(line) && !copies.hold(""));
    }
}
