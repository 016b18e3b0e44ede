use banyan_bank::catalogue;
use banyan_bank::packs;
use banyan_functions::checks::Finding;

use crate::content::{Body, Content, Source};
use crate::plan::Plan;
use crate::request::PaperRequest;

/// The words by which a text is known to be about a chapter: those of its title, of its sub-topics
/// and of its terms.
#[derive(Debug)]
pub(crate) struct Vocabulary(Vec<String>);

impl Vocabulary {
    /// Facts about the chapter in the request and the bank.
    pub(crate) fn of(request: &PaperRequest) -> Self {
        let mut words = catalogue::words(&request.chapter);
        words.extend(request.typed_chapter.iter().flat_map(|chapter| catalogue::words(chapter)));
        words.retain(|word| !word.is_ascii() || word.len() > 2);
        let pack = packs::find(request.language, request.class, &request.subject, &request.chapter);
        if let Some(pack) = pack {
            let terms = pack.terms.iter().map(|term| term.term.as_str());
            let names = pack.subtopics.iter().map(|subtopic| subtopic.title.as_str()).chain(terms);
            words.extend(names.flat_map(catalogue::words).filter(|word| word.chars().count() > 3));
        }
        Self(words)
    }

    /// Whether a text has one of the words, or another form of one: `gravity` for “Gravitation”.
    pub(crate) fn is_in(&self, text: &str) -> bool {
        let said = catalogue::words(text);
        self.0.is_empty() || said.iter().any(|word| self.0.iter().any(|known| are_forms_of_one(word, known)))
    }
}

/// Whether two words begin with the same letters: with all of the shorter, or two thirds of it and
/// at least five.
fn are_forms_of_one(one: &str, other: &str) -> bool {
    let shorter = one.chars().count().min(other.chars().count());
    let same = one.chars().zip(other.chars()).take_while(|(a, b)| a == b).count();
    let least = if one.is_ascii() { 3 } else { 2 };
    (same == shorter && shorter >= least) || one == other || (same >= 5 && same * 3 >= shorter * 2)
}

/// A question of a model with the number of its slot and the sub-topic that it names.
pub(crate) struct Written<'a> {
    /// The number of its slot.
    pub(crate) no: u32,
    /// The sub-topic as the model names it.
    pub(crate) subtopic: &'a str,
    /// The question.
    pub(crate) body: &'a Body,
}

/// The places of those questions whose group, all of one type in one section, is not about the
/// chapter: none has a word of it, nor a sub-topic that a question with such a word has.
pub(crate) fn off_topic(words: &Vocabulary, plan: &Plan, written: &[Written<'_>]) -> Vec<usize> {
    let has_word = |written: &&Written<'_>| written.body.all_texts().any(|text| words.is_in(text));
    let known: Vec<&str> = written
        .iter()
        .filter(has_word)
        .map(|written| written.subtopic)
        .filter(|name| !name.is_empty())
        .collect();
    let is_about = |written: &&Written<'_>| has_word(written) || known.contains(&written.subtopic);
    let mut off = Vec::new();
    for part in plan.sections.iter().flat_map(|section| &section.parts) {
        let of_part = |at: &usize| part.slots.iter().any(|slot| slot.no == written[*at].no);
        let group: Vec<usize> = (0..written.len()).filter(of_part).collect();
        if !group.iter().any(|at| is_about(&&written[*at])) {
            off.extend(group);
        }
    }
    off
}

/// V11: every group of questions that a model wrote is about the chapter.
pub(super) fn findings(request: &PaperRequest, plan: &Plan, content: &Content) -> Vec<Finding> {
    let by_model = content.questions.iter().flat_map(|question| {
        let written = question.bodies().filter(|body| body.source == Source::Model);
        written.map(|body| Written { no: question.slot.no, subtopic: content.title(body.subtopic), body })
    });
    let written: Vec<Written<'_>> = by_model.collect();
    let off = off_topic(&Vocabulary::of(request), plan, &written);
    let problem = |at: usize| {
        format!(
            "question {} and those like it must be about the chapter “{}”",
            written[at].no, request.chapter
        )
    };
    off.first().map(|at| Finding::new("V11", problem(*at))).into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    // rows: V11
    #[test]
    fn words_of_one_stem_are_forms_of_one() {
        for (one, other) in
            [("gravity", "gravitation"), ("electric", "electricity"), ("पदों", "पद"), ("map", "maps")]
        {
            assert!(are_forms_of_one(one, other), "{one} {other}");
        }
        for (one, other) in [("election", "electricity"), ("in", "india"), ("plant", "planet")] {
            assert!(!are_forms_of_one(one, other), "{one} {other}");
        }
    }
}
