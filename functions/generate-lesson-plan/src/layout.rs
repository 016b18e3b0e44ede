//! The printed page: `lp/1` to blocks, in the order of SPECIFICATION.md DOM-2.1 (L1 to L13), or in
//! that of a sample.

use banyan_bank::parts::Qa;
use banyan_functions::document::{Align, Block, Document, Run};
use banyan_functions::words::fill;
use banyan_functions::writing_system::Language;

use crate::lesson::{Lesson, Period, Phase};
use crate::order::Part;
use crate::words::Words;

const BLANK: &str = "____________________";

/// Lays a lesson out. `product` is the product's name for the footer.
pub fn lay_out(lesson: &Lesson, words: &Words, language: Language, product: &str) -> Document {
    let mut page = Page { words, blocks: Vec::new() };
    page.blocks.push(Block::heading(1, lesson.head.title.clone()));
    page.blocks.push(Block::centred(vec![Run::italic(lesson.head.label.clone())]));
    page.header(lesson);
    if !lesson.head.notes.is_empty() {
        page.notes(lesson);
    }
    match lesson.order.as_slice() {
        [] => Part::ALL.into_iter().for_each(|part| page.part(part, None, lesson)),
        order => order.iter().for_each(|placed| page.part(placed.part, placed.title.as_deref(), lesson)),
    }
    page.closing();
    Document {
        title: lesson.head.title.clone(),
        language,
        footer: words.common.footer(product, &lesson.head.label),
        page_label: words.common.page.clone(),
        generator: product.to_owned(),
        blocks: page.blocks,
    }
}

struct Page<'a> {
    words: &'a Words,
    blocks: Vec<Block>,
}

impl Page<'_> {
    /// A part under its heading, which is `title` or our own.
    fn part(&mut self, part: Part, title: Option<&str>, lesson: &Lesson) {
        if part == Part::Safety && lesson.safety.is_empty() {
            return;
        }
        self.blocks.push(Block::heading(2, title.unwrap_or(self.words.heading(part.heading()))));
        match part {
            Part::Outcomes => self.outcomes(lesson),
            Part::PriorKnowledge => self.prior_knowledge(lesson),
            Part::KeyTerms => self.key_terms(lesson),
            Part::Resources => lesson.resources.iter().for_each(|text| self.bullet(text)),
            Part::Periods => lesson.periods.iter().for_each(|period| self.period(period)),
            Part::Misconceptions => self.misconceptions(lesson),
            Part::Differentiation => self.differentiation(lesson),
            Part::Assessment => self.assessment(lesson),
            Part::Links => self.links(lesson),
            Part::Remedial => self.remedial(lesson),
            Part::Safety => lesson.safety.iter().for_each(|text| self.bullet(text)),
        }
    }

    fn bullet(&mut self, text: &str) {
        self.blocks.push(Block::bullet(vec![Run::plain(text)]));
    }

    /// `Label: text` with the label in bold.
    fn labelled(&self, name: &str, text: &str) -> Vec<Run> {
        vec![Run::bold(format!("{}: ", self.words.heading(name))), Run::plain(text)]
    }

    /// A question with its answer.
    fn qa(&self, qa: &Qa) -> Vec<Run> {
        let answer = format!(" {}: ", self.words.heading("answer"));
        vec![Run::plain(qa.q.clone()), Run::italic(answer), Run::italic(qa.a.clone())]
    }

    fn table(&mut self, widths: &[u16], header: &[&str], rows: impl Iterator<Item = Vec<Vec<Run>>>) {
        let head = header.iter().map(|name| vec![Run::plain(self.words.heading(name))]).collect();
        let rows = std::iter::once(head).chain(rows).collect();
        self.blocks.push(Block::Table {
            widths: widths.to_vec(),
            header: true,
            together: false,
            row_height: 0,
            rows,
        });
    }

    /// L1.
    fn header(&mut self, lesson: &Lesson) {
        let cell = |name: &str, value: &str| self.labelled(name, value);
        let rows = vec![
            vec![cell("school", BLANK), cell("teacher", BLANK)],
            vec![cell("board", &lesson.about.board), cell("subject", &lesson.about.subject)],
            vec![cell("class", &lesson.about.class.to_string()), cell("section", "__________")],
            vec![cell("book", &lesson.about.book), cell("publisher", &lesson.about.publisher)],
            vec![cell("chapter", &lesson.about.chapter), cell("periods", &lesson.periods.len().to_string())],
            vec![cell("minutesPerPeriod", &lesson.period_minutes.to_string()), {
                let mut dates = cell("datesFrom", "__________  ");
                dates.extend(cell("datesTo", "__________"));
                dates
            }],
        ];
        self.blocks.push(Block::Table {
            widths: vec![1, 1],
            header: false,
            together: false,
            row_height: 0,
            rows,
        });
    }

    fn notes(&mut self, lesson: &Lesson) {
        let lines = lesson.head.notes.iter().map(|note| self.labelled("note", note)).collect();
        self.blocks.push(Block::Boxed { lines });
    }

    /// L2.
    fn outcomes(&mut self, lesson: &Lesson) {
        for outcome in &lesson.outcomes {
            let level = self.words.bloom.get(outcome.bloom as usize).cloned().unwrap_or_default();
            self.blocks.push(Block::Item {
                marker: format!("{}.", outcome.id),
                runs: vec![Run::plain(outcome.text.clone()), Run::italic(format!(" ({level})"))],
            });
        }
    }

    /// L3.
    fn prior_knowledge(&mut self, lesson: &Lesson) {
        lesson.prior_knowledge.iter().for_each(|item| self.bullet(&item.text));
        self.blocks.push(Block::heading(3, self.words.heading("diagnostic")));
        for (no, qa) in (1..).zip(&lesson.diagnostic) {
            self.blocks.push(Block::numbered(no, self.qa(qa)));
        }
    }

    /// L4.
    fn key_terms(&mut self, lesson: &Lesson) {
        for term in &lesson.key_terms {
            let runs = vec![Run::bold(term.term.clone()), Run::plain(format!(" – {}", term.meaning))];
            self.blocks.push(Block::bullet(runs));
        }
    }

    /// L6.
    fn period(&mut self, period: &Period) {
        let no = period.no.to_string();
        let places = [("no", no.as_str()), ("subtopic", period.subtopic.as_str())];
        self.blocks.push(Block::heading(3, fill(self.words.heading("period"), &places)));
        let outcomes = self.labelled("outcomesOfPeriod", &period.outcome_ids.join(", "));
        // A period's name stays with its steps.
        self.blocks.push(Block::Paragraph { runs: outcomes, align: Align::Left, kept: true });
        let rows: Vec<Vec<Vec<Run>>> = period.phases.iter().map(|phase| self.phase_row(phase)).collect();
        self.table(&[17, 45, 38], &["phase", "teacherMoves", "pupilMoves"], rows.into_iter());
        let questions: Vec<(&str, &Qa)> = period
            .phases
            .iter()
            .flat_map(|phase| phase.text.questions.iter().map(|qa| (phase.name.as_str(), qa)))
            .collect();
        if !questions.is_empty() {
            self.blocks.push(Block::paragraph(vec![Run::bold(self.words.heading("questions"))]));
        }
        for (name, qa) in questions {
            let mut runs = vec![Run::bold(format!("{name}: "))];
            runs.extend(self.qa(qa));
            self.blocks.push(Block::bullet(runs));
        }
        let board: Vec<&str> = period
            .phases
            .iter()
            .map(|phase| phase.text.board.as_str())
            .filter(|text| !text.is_empty())
            .collect();
        if !board.is_empty() {
            self.blocks.push(Block::paragraph(self.labelled("boardWork", &board.join(" | "))));
        }
        let mut check = vec![Run::bold(format!("{}: ", self.words.heading("check")))];
        check.extend(self.qa(&period.check));
        self.blocks.push(Block::paragraph(check));
        self.blocks.push(Block::paragraph(self.labelled("homework", &period.homework)));
    }

    fn phase_row(&self, phase: &Phase) -> Vec<Vec<Run>> {
        let minutes = fill(self.words.heading("minutes"), &[("minutes", &phase.minutes.to_string())]);
        vec![
            vec![Run::bold(phase.name.clone()), Run::plain(format!(" ({minutes})"))],
            vec![Run::plain(phase.text.teacher.clone())],
            vec![Run::plain(phase.text.pupils.clone())],
        ]
    }

    /// L7.
    fn misconceptions(&mut self, lesson: &Lesson) {
        self.table(
            &[1, 1],
            &["wrong", "right"],
            lesson.misconceptions.iter().map(|m| pair(&m.wrong, &m.right)),
        );
    }

    /// L8.
    fn differentiation(&mut self, lesson: &Lesson) {
        let tasks = &lesson.differentiation;
        let learners = [
            ("support", &tasks.support),
            ("core", &tasks.core),
            ("extension", &tasks.extension),
            ("inclusive", &tasks.inclusive),
        ];
        let words = self.words;
        let rows = learners.into_iter().map(|(name, task)| pair(words.heading(name), task));
        self.table(&[3, 7], &["learners", "task"], rows);
    }

    /// L9.
    fn assessment(&mut self, lesson: &Lesson) {
        let rows = lesson.assessment.iter().map(|item| {
            let marks = format!("[{}]", item.marks);
            [&item.outcome_id, &item.q, &item.a, &marks].map(|text| vec![Run::plain(text.clone())]).to_vec()
        });
        self.table(&[13, 38, 36, 13], &["outcome", "question", "expectedAnswer", "marks"], rows);
    }

    /// L11.
    fn links(&mut self, lesson: &Lesson) {
        for link in &lesson.links {
            let runs = vec![Run::bold(format!("{}: ", link.kind)), Run::plain(link.text.clone())];
            self.blocks.push(Block::bullet(runs));
        }
    }

    /// L12.
    fn remedial(&mut self, lesson: &Lesson) {
        self.blocks.push(Block::paragraph(self.labelled("remedial", &lesson.remedial)));
        self.blocks.push(Block::paragraph(self.labelled("enrichment", &lesson.enrichment)));
    }

    /// L13.
    fn closing(&mut self) {
        for (name, kept) in [("reflection", false), ("remarks", true)] {
            self.blocks.push(Block::heading(3, self.words.heading(name)));
            // Remarks and their signature are on one page.
            self.blocks.push(Block::Lines { count: 2, kept });
        }
        self.blocks.push(Block::paragraph(self.labelled("signature", BLANK)));
    }
}

/// A row of two cells.
fn pair(one: &str, other: &str) -> Vec<Vec<Run>> {
    vec![vec![Run::plain(one)], vec![Run::plain(other)]]
}

#[cfg(test)]
mod tests {
    use banyan_functions::sanitise::visible_length;
    use banyan_functions::words::first_clause;

    use super::*;

    #[test]
    fn the_footer_of_every_language_and_label_is_one_short_clause() {
        for language in Language::ALL {
            let labels = Words::of(language).labels;
            for label in [&labels.bank, &labels.partly, &labels.frame, &labels.model] {
                let clause = first_clause(label);
                assert!((4..=90).contains(&visible_length(clause)), "{language:?}: {clause}");
                assert!(label.starts_with(clause) && !clause.contains('✎'), "{language:?}: {clause}");
            }
        }
    }
}
