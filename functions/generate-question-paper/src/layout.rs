//! The printed page: `qp/1` to blocks, in the order of SPECIFICATION.md DOM-3.1; the key begins on
//! a page of its own, so that no pupil's page shows an answer (V21).

use banyan_functions::document::{Block, Document, Run};
use banyan_functions::sanitise::visible_length;
use banyan_functions::writing_system::Language;
use banyan_functions::writing_system::ScriptCount;

use crate::blueprint::Blueprint;
use crate::paper::{Paper, PaperPart, PaperQuestion, PaperSection, letter};
use crate::plan::QuestionType;
use crate::words::Words;

const BLANK: &str = "____________________";

/// Lays a paper out. `product` is the product's name for the footer.
pub fn lay_out(paper: &Paper, words: &Words, language: Language, product: &str) -> Document {
    let mut page = Page { words, numbering: paper.numbering.as_ref(), blocks: Vec::new() };
    page.head(paper);
    paper.sections.iter().for_each(|section| page.section(section));
    page.blocks.push(Block::centred(vec![Run::bold(words.heading("end"))]));
    page.blocks.push(Block::PageBreak);
    page.key(paper);
    page.blueprint(&paper.blueprint);
    page.notes(paper);
    Document {
        title: paper.head.title.clone(),
        language,
        footer: words.common.footer(product, &paper.head.label),
        page_label: words.common.page.clone(),
        generator: product.to_owned(),
        blocks: page.blocks,
    }
}

struct Page<'a> {
    words: &'a Words,
    /// What stands before and behind the number of a question.
    numbering: Option<&'a [String; 2]>,
    blocks: Vec<Block>,
}

impl Page<'_> {
    fn labelled(&self, name: &str, text: &str) -> Vec<Run> {
        vec![Run::bold(format!("{}: ", self.words.heading(name))), Run::plain(text)]
    }

    fn head(&mut self, paper: &Paper) {
        self.blocks.push(Block::centred(self.labelled("school", &BLANK.repeat(2))));
        let title = match &paper.examination {
            Some(name) => format!("{name} {}", paper.session),
            None => self.words.heading_with("examination", &[("session", &paper.session)]),
        };
        self.blocks.push(Block::heading(1, title));
        self.blocks.push(Block::centred(vec![Run::italic(paper.head.label.clone())]));
        let ends = |left: Vec<Run>, right: Vec<Run>| Block::Ends { left, right };
        let class = self.labelled("class", &paper.about.class.to_string());
        self.blocks.push(ends(class, self.labelled("subject", &paper.about.subject)));
        let time = self.labelled("time", &self.words.time(paper.minutes));
        self.blocks.push(ends(time, self.labelled("maximum", &paper.total_marks.to_string())));
        let book = format!("{} ({})", paper.about.book, paper.about.publisher);
        let fields = [("board", &paper.about.board), ("chapter", &paper.about.chapter), ("book", &book)];
        let mut about: Vec<Run> = Vec::new();
        for (at, (name, text)) in fields.into_iter().enumerate() {
            if at > 0 {
                about.push(Run::plain("   "));
            }
            about.extend(self.labelled(name, text));
        }
        self.blocks.push(Block::paragraph(about));
        let blank = |name: &str| Run::plain(format!("{}: {BLANK}   ", self.words.heading(name)));
        self.blocks.push(Block::paragraph(["name", "roll", "division"].map(blank).to_vec()));
        self.blocks.push(Block::heading(3, format!("{}:", self.words.heading("instructions"))));
        for (no, line) in (1..).zip(&paper.instructions) {
            let marker = format!("({})", crate::bank::roman(no));
            let runs = vec![Run::plain(line.clone())];
            self.blocks.push(Block::Question { marker, runs, marks: String::new(), depth: 0, kept: false });
        }
    }

    fn section(&mut self, section: &PaperSection) {
        let title = self.name("section", section);
        self.blocks.push(Block::centred_heading(2, title));
        self.blocks.push(Block::caption(vec![Run::italic(section.line.clone())]));
        for (at, part) in section.parts.iter().enumerate() {
            if section.parts.len() > 1 {
                let no = crate::bank::roman(at + 1).to_uppercase();
                let places = [("no", no.as_str()), ("type", part.title.as_str())];
                let sum =
                    format!("({} × {} = {})", part.count, part.marks_each, part.count * part.marks_each);
                let title = format!("{} {sum}", self.words.heading_with("part", &places));
                self.blocks.push(Block::heading(3, title));
            }
            part.questions.iter().for_each(|question| self.question(question, part));
        }
    }

    /// The name that the sample gives a section, or ours.
    fn name(&self, heading: &str, section: &PaperSection) -> String {
        let ours = || self.words.heading_with(heading, &[("letter", &section.letter.to_string())]);
        section.name.clone().unwrap_or_else(ours)
    }

    fn question(&mut self, question: &PaperQuestion, part: &PaperPart) {
        self.asked(&self.number(question), question, part.kind, question.choice.is_some());
        if let Some(other) = &question.choice {
            self.blocks.push(Block::caption(vec![Run::bold(self.words.heading("or"))]));
            self.asked("", other, part.kind, false);
        }
    }

    fn number(&self, question: &PaperQuestion) -> String {
        match self.numbering {
            Some([before, behind]) => format!("{before}{}{behind}", question.no),
            None => format!("{}.", question.no),
        }
    }

    /// One question with everything that belongs to it; `kept` when an alternative follows.
    fn asked(&mut self, marker: &str, question: &PaperQuestion, kind: QuestionType, kept: bool) {
        let follows =
            !question.options.is_empty() || !question.pairs.is_empty() || !question.parts.is_empty();
        self.blocks.push(Block::Question {
            marker: marker.to_owned(),
            runs: vec![Run::plain(question.text.clone())],
            marks: format!("[{}]", question.marks),
            depth: 0,
            kept: follows || kept,
        });
        let last = question.parts.len();
        for (no, piece) in (1..).zip(&question.parts) {
            let marks = if piece.marks > 0 { format!("({})", piece.marks) } else { String::new() };
            let kept = no < last || kept || !question.options.is_empty();
            let runs = vec![Run::plain(piece.text.clone())];
            self.blocks.push(Block::Question { marker: piece.marker.clone(), runs, marks, depth: 1, kept });
        }
        if kind == QuestionType::Mcq {
            self.options(&question.options);
        }
        if kind == QuestionType::Match {
            self.columns(question);
        }
    }

    /// Four in a row, two by two or one below the other, by the longest.
    fn options(&mut self, options: &[String]) {
        let longest = options.iter().map(|option| width(option)).max().unwrap_or(0);
        let columns = match longest {
            0..=14 => 4,
            15..=34 => 2,
            _ => 1,
        };
        let option = |(at, text): (usize, &String)| vec![Run::plain(format!("({}) {text}", letter(at)))];
        let options = options.iter().enumerate().map(option).collect();
        self.blocks.push(Block::Options { columns, options });
    }

    fn columns(&mut self, question: &PaperQuestion) {
        let head = ["columnA", "columnB"].map(|name| vec![Run::plain(self.words.heading(name))]).to_vec();
        let row = |(at, pair): (usize, &crate::paper::PaperPair)| {
            let left = format!("{}. {}", at + 1, pair.left);
            let right = format!("({}) {}", letter(at), pair.right);
            vec![vec![Run::plain(left)], vec![Run::plain(right)]]
        };
        let rows = std::iter::once(head).chain(question.pairs.iter().enumerate().map(row)).collect();
        self.blocks.push(Block::Table {
            widths: vec![1, 1],
            header: true,
            together: true,
            row_height: 0,
            rows,
        });
    }

    fn key(&mut self, paper: &Paper) {
        self.blocks.push(Block::heading(1, self.words.heading("key")));
        self.blocks.push(Block::centred(vec![Run::italic(paper.head.title.clone())]));
        for section in &paper.sections {
            let title = self.name("sectionOfKey", section);
            self.blocks.push(Block::heading(2, title));
            for part in &section.parts {
                for question in &part.questions {
                    self.answer(&self.number(question), question, question.choice.is_some());
                    if let Some(other) = &question.choice {
                        self.blocks.push(Block::caption(vec![Run::bold(self.words.heading("or"))]));
                        self.answer("", other, false);
                    }
                }
            }
        }
        self.blocks.push(Block::paragraph(vec![Run::italic(self.words.heading("otherMethods"))]));
    }

    /// One line where there is one point, else the points with their marks; `kept` when an
    /// alternative follows.
    fn answer(&mut self, marker: &str, question: &PaperQuestion, kept: bool) {
        let points =
            || question.scheme.iter().map(|point| format!("{} [{}]", point.point, halves(point.marks)));
        let answer = match question.key {
            Some(key) => match question.scheme.first().filter(|point| point.point != question.answer) {
                Some(reason) => format!("({key}) {} – {}", question.answer, reason.point),
                None => format!("({key}) {}", question.answer),
            },
            None if question.scheme.len() > 1 && question.scheme.len() == question.parts.len() => {
                points().collect::<Vec<_>>().join(" ")
            }
            None => question.answer.clone(),
        };
        // Parts of one point each, or one point in all, need one line.
        let single = question.scheme.len() < 2 || question.scheme.len() == question.parts.len();
        self.blocks.push(Block::Question {
            marker: marker.to_owned(),
            runs: if single { vec![Run::plain(answer)] } else { vec![Run::bold(answer)] },
            marks: format!("[{}]", question.marks),
            depth: 0,
            kept: kept || !single,
        });
        if single {
            return;
        }
        let last = question.scheme.len();
        for (no, point) in (1..).zip(&question.scheme) {
            self.blocks.push(Block::Question {
                marker: "•".to_owned(),
                runs: vec![Run::plain(point.point.clone())],
                marks: halves(point.marks),
                depth: 1,
                kept: kept || no < last,
            });
        }
    }

    fn blueprint(&mut self, blueprint: &Blueprint) {
        self.blocks.push(Block::heading(2, self.words.heading("blueprint")));
        let kinds: Vec<QuestionType> = blueprint.by_type.keys().copied().collect();
        let cell = |text: String| vec![Run::plain(text)];
        let tally = |tally: Option<&crate::blueprint::Tally>| {
            cell(tally.map_or_else(|| "–".to_owned(), |tally| format!("{} ({})", tally.count, tally.marks)))
        };
        let head = [self.words.heading("subtopic")]
            .into_iter()
            .chain(kinds.iter().map(|kind| self.words.short_kind(*kind)))
            .chain([self.words.heading("total")])
            .map(|name| cell(name.to_owned()))
            .collect();
        let mut rows: Vec<Vec<Vec<Run>>> = vec![head];
        for row in &blueprint.by_subtopic {
            let mut cells = vec![cell(row.subtopic.clone())];
            cells.extend(kinds.iter().map(|kind| tally(row.types.get(kind))));
            cells.push(cell(row.marks.to_string()));
            rows.push(cells);
        }
        let mut total = vec![cell(self.words.heading("total").to_owned())];
        total.extend(kinds.iter().map(|kind| tally(blueprint.by_type.get(kind))));
        total.push(cell(blueprint.marks.to_string()));
        rows.push(total);
        let widths = [6].into_iter().chain(kinds.iter().map(|_| 3)).chain([3]).collect();
        self.blocks.push(Block::Table { widths, header: true, together: false, row_height: 0, rows });
        self.shares("level", &self.words.levels, blueprint.by_bloom);
        self.shares("difficulty", &self.words.difficulties, blueprint.by_difficulty);
    }

    /// `Level: Remember 12 (40 %) | Apply …`
    fn shares(&mut self, name: &str, names: &[String; 3], marks: [u32; 3]) {
        let whole = marks.iter().sum::<u32>();
        if whole == 0 {
            return;
        }
        let share = |(name, marks): (&String, u32)| {
            format!("{name}: {marks} ({} %)", (marks * 100 + whole / 2) / whole)
        };
        let shares: Vec<String> = names.iter().zip(marks).map(share).collect();
        self.blocks.push(Block::paragraph(self.labelled(name, &shares.join(" | "))));
    }

    fn notes(&mut self, paper: &Paper) {
        if paper.head.notes.is_empty() {
            return;
        }
        self.blocks.push(Block::heading(2, self.words.heading("notes")));
        for note in &paper.head.notes {
            self.blocks.push(Block::bullet(vec![Run::plain(note.clone())]));
        }
    }
}

/// Marks in halves as they are written: `½`, `1`, `2½`.
fn halves(marks: f64) -> String {
    let whole = marks.trunc();
    match (whole > 0.0, marks > whole) {
        (true, true) => format!("{whole}½"),
        (false, true) => "½".to_owned(),
        _ => format!("{whole}"),
    }
}

/// The length of an option in Latin letters: those of the Indian scripts are a quarter wider.
fn width(option: &str) -> usize {
    let letters = visible_length(option);
    if ScriptCount::of(option).ruling_indic().is_some() { letters * 5 / 4 } else { letters }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_are_written_as_in_a_marking_scheme() {
        assert_eq!([0.5, 1.0, 1.5, 5.0].map(halves), ["½", "1", "1½", "5"]);
    }
}
