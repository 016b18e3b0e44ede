//! The printed page: `ta/1` to blocks, pupils' pages first, the teacher's page last
//! (SPECIFICATION.md DOM-6).

use banyan_bank::packs::BLANK;
use banyan_functions::document::{Block, Document, Run};
use banyan_functions::seed::SeededRng;
use banyan_functions::writing_system::Language;

use crate::aids::{Aid, Aids, discussed, has_example};
use crate::content::{Activity, AidText, Card, Guide, Item, Rubric, Slide};
use crate::kind::Kind;
use crate::words::{GameFrame, Words};

/// Height of a card, in twentieths of a point: eight on a page.
const CARD: u16 = 1_560;

/// Height of a row that pupils write in.
const ROW: u16 = 600;

/// Height of a box to draw in.
const DRAWING: u16 = 2_800;

/// Letters that a pupil writes in a line, and in a blank beside a question.
const LINE: usize = 60;
const SHORT: usize = 14;

/// Room for an answer.
enum Room {
    None,
    Blank,
    Lines(usize),
    Drawing,
}

const STARS: [&str; 3] = ["★", "★★", "★★★"];

/// Lays the aids out. `product` is the product's name for the footer, `seed` shuffles cards.
pub fn lay_out(aids: &Aids, words: &Words, language: Language, product: &str, seed: u64) -> Document {
    let mut page = Page { words, blocks: Vec::new(), seed };
    page.head(aids);
    for aid in &aids.aids {
        page.aid(aid);
    }
    page.teachers_page(aids);
    Document {
        title: aids.head.title.clone(),
        language,
        footer: words.common.footer(product, &aids.head.label),
        page_label: words.common.page.clone(),
        generator: product.to_owned(),
        blocks: page.blocks,
    }
}

struct Page<'a> {
    words: &'a Words,
    blocks: Vec<Block>,
    seed: u64,
}

impl Page<'_> {
    fn head(&mut self, aids: &Aids) {
        self.blocks.push(Block::heading(1, aids.head.title.clone()));
        self.blocks.push(Block::centred(vec![Run::italic(aids.head.label.clone())]));
        let about = &aids.about;
        let class = about.class.to_string();
        let cell = |name: &str, value: &str| self.labelled(name, value);
        let rows = vec![
            vec![cell("board", &about.board), cell("class", &class)],
            vec![cell("subject", &about.subject), cell("chapter", &about.chapter)],
        ];
        self.table(vec![1, 1], false, 0, rows);
        if !aids.objectives.is_empty() {
            self.line("objectives", "");
            aids.objectives.iter().for_each(|line| self.bullet(line));
        }
        if aids.aids.len() >= 3 {
            let names: Vec<&str> = aids.aids.iter().map(|aid| aid.title.as_str()).collect();
            self.line("contents", &names.join(", "));
        }
    }

    fn aid(&mut self, aid: &Aid) {
        self.blocks.push(Block::heading(2, aid.title.clone()));
        if aid.kind.is_pupils_sheet() {
            self.kept(Run::plain(self.words.heading("pupil")));
        }
        let lead = self.words.lead(aid.kind);
        if !lead.is_empty() {
            self.kept(Run::italic(lead));
        }
        match &aid.blocks[0] {
            AidText::Sheet(sheet) => self.sheet(aid, &sheet.items),
            AidText::Cards(cards) if aid.kind == Kind::Games => self.game(&cards.cards),
            AidText::Cards(cards) => self.flashcards(&cards.cards),
            AidText::Activities(all) => {
                all.activities.iter().for_each(|activity| self.activity(activity, aid));
            }
            AidText::Slides(slides) => {
                slides.slides.iter().enumerate().for_each(|(at, slide)| self.slide(at, slide));
            }
            AidText::Guide(guide) => self.guide(guide),
            AidText::Rubric(rubric) => self.rubric(rubric),
        }
    }

    /// Questions by level: with lines on a worksheet, with a blank on a practice sheet, in rounds
    /// in a quiz.
    fn sheet(&mut self, aid: &Aid, items: &[Item]) {
        let example = has_example(aid.kind, &aid.blocks[0], self.words);
        if let (true, Some(item)) = (example, items.first()) {
            let question = self.labelled("example", &item.text);
            let mut lines = vec![question];
            if !item.working.is_empty() {
                lines.push(self.labelled("working", &item.working));
            }
            lines.push(self.labelled("answer", &item.answer));
            self.blocks.push(Block::Boxed { lines });
        }
        let (mut at, mut no) = (0, 0);
        for (level, count) in aid.levels.iter().enumerate().filter(|(_, count)| **count > 0) {
            let skipped = usize::from(example && at == 0);
            if skipped < *count {
                self.level(aid.kind, level);
            }
            for item in items.iter().skip(at + skipped).take(count - skipped) {
                no += 1;
                self.item(aid.kind, level, no, item);
            }
            at += count;
        }
    }

    fn level(&mut self, kind: Kind, level: usize) {
        if kind != Kind::Quiz {
            self.blocks.push(Block::heading(3, STARS[level]));
            return;
        }
        let (n, points) = ((level + 1).to_string(), (level + 1).to_string());
        let seconds = (20 + 15 * level).to_string();
        self.blocks.push(Block::heading(3, self.words.heading_with("round", &[("n", &n)])));
        let timing = self.words.heading_with("timing", &[("seconds", &seconds), ("points", &points)]);
        self.blocks.push(Block::Paragraph {
            runs: vec![Run::italic(timing)],
            align: banyan_functions::document::Align::Left,
            kept: true,
        });
    }

    fn item(&mut self, kind: Kind, level: usize, no: usize, item: &Item) {
        let room = if kind == Kind::Quiz { Room::None } else { self.room(kind, level, item) };
        let marks = match (kind, &room) {
            (Kind::PracticeSheets, Room::Blank) => "____________\u{A0}☐",
            (Kind::PracticeSheets, _) => "☐",
            _ => "",
        };
        self.blocks.push(Block::Question {
            marker: format!("{no}."),
            runs: vec![Run::plain(item.text.clone())],
            marks: marks.to_owned(),
            depth: 0,
            kept: matches!(room, Room::Lines(_) | Room::Drawing),
        });
        match room {
            Room::Lines(count) => self.blocks.push(Block::Lines { count, kept: false }),
            Room::Drawing => self.table(vec![1], false, DRAWING, vec![vec![Vec::new()]]),
            Room::None | Room::Blank => {}
        }
    }

    /// The room for an answer: none for what is said aloud or where the sentence has a blank of its
    /// own, a box for a drawing, a line for every so many letters, and on a practice sheet a short
    /// blank for a word or a number.
    fn room(&self, kind: Kind, level: usize, item: &Item) -> Room {
        let open = item.answer.contains('✎') || item.answer.starts_with(&self.words.open.checked);
        let (sheet, letters) = (kind == Kind::Worksheets, item.answer.chars().count());
        if item.drawn {
            Room::Drawing
        } else if item.aloud {
            Room::None
        } else if item.text.contains('✎') {
            Room::Lines(1)
        } else if open {
            Room::Lines(3)
        } else if item.text.contains(BLANK) {
            Room::None
        } else if sheet {
            Room::Lines(lines_of(level, item))
        } else if letters <= SHORT {
            Room::Blank
        } else {
            Room::Lines(letters.div_ceil(LINE).min(3))
        }
    }

    /// Front and back side by side, to be folded.
    fn flashcards(&mut self, cards: &[Card]) {
        let row =
            |card: &Card| vec![vec![Run::bold(card.front.clone())], vec![Run::plain(card.back.clone())]];
        self.table(vec![1, 1], false, CARD, cards.iter().map(row).collect());
    }

    /// Pairs to find, or a chain; which one, the seed says.
    fn game(&mut self, cards: &[Card]) {
        let mut rng = SeededRng::new(self.seed, "game");
        let chain = rng.below(2) == 1;
        let frame: &GameFrame = if chain { &self.words.dominoes } else { &self.words.memory };
        self.blocks.push(Block::heading(3, frame.title.clone()));
        self.line("players", &self.words.heading_with("groupsOf", &[("n", "4")]));
        self.line("time", &self.words.heading_with("minutes", &[("n", "20")]));
        self.line("materials", &frame.materials.join("; "));
        self.line("rules", "");
        self.numbered(&frame.rules);
        self.line("scoring", &frame.scoring);
        self.line("cards", "");
        if chain {
            self.dominoes(cards, &mut rng);
        } else {
            self.pairs(cards, &mut rng);
        }
    }

    fn pairs(&mut self, cards: &[Card], rng: &mut SeededRng) {
        let mut sides: Vec<&str> = cards.iter().flat_map(|card| [card.front.as_str(), &card.back]).collect();
        rng.shuffle(&mut sides);
        let cell = |side: &&str| vec![Run::plain((*side).to_owned())];
        let rows = sides.chunks(4).map(|row| row.iter().map(cell).collect::<Vec<_>>());
        let rows = rows.map(|mut row| {
            row.resize(4, Vec::new());
            row
        });
        self.table(vec![1, 1, 1, 1], false, CARD / 2, rows.collect());
    }

    /// Each domino has the answer of the one before it and a question of its own.
    fn dominoes(&mut self, cards: &[Card], rng: &mut SeededRng) {
        let before = cards.iter().cycle().skip(cards.len().saturating_sub(1));
        let mut rows: Vec<Vec<Vec<Run>>> = before
            .zip(cards)
            .map(|(before, card)| {
                vec![vec![Run::plain(before.back.clone())], vec![Run::bold(card.front.clone())]]
            })
            .collect();
        rng.shuffle(&mut rows);
        self.table(vec![1, 1], false, CARD / 2, rows);
    }

    fn activity(&mut self, activity: &Activity, aid: &Aid) {
        self.blocks.push(Block::heading(3, activity.title.clone()));
        self.line("aim", &activity.aim);
        if !activity.materials.is_empty() {
            self.line("materials", &activity.materials.join("; "));
        }
        self.line("time", &self.words.heading_with("minutes", &[("n", "30")]));
        self.line("groups", &self.words.heading_with("groupsOf", &[("n", "5")]));
        self.line("steps", "");
        self.numbered(&activity.steps);
        if !activity.safety.is_empty() {
            let lines = activity.safety.iter().map(|text| self.labelled("safety", text)).collect();
            self.blocks.push(Block::Boxed { lines });
        }
        self.line("observe", "");
        let head: Vec<Vec<Run>> =
            activity.columns.iter().map(|name| vec![Run::plain(name.clone())]).collect();
        let columns = head.len().max(1);
        let empty = vec![Vec::new(); columns];
        let rows = std::iter::once(head).chain(std::iter::repeat_n(empty, aid.rows)).collect();
        self.table(vec![1; columns], true, ROW, rows);
        self.line("discuss", "");
        for (no, question) in (1..).zip(&activity.discuss) {
            let has_lines = aid.lines > 0;
            self.blocks.push(Block::Question {
                marker: format!("{no}."),
                runs: vec![Run::plain(question.q.clone())],
                marks: String::new(),
                depth: 0,
                kept: has_lines,
            });
            self.blocks.extend(has_lines.then_some(Block::Lines { count: aid.lines, kept: false }));
        }
    }

    fn slide(&mut self, at: usize, slide: &Slide) {
        let n = (at + 1).to_string();
        self.blocks.push(Block::heading(3, self.words.heading_with("slide", &[("n", &n)])));
        let mut lines = vec![vec![Run::bold(slide.title.clone())]];
        lines.extend(slide.bullets.iter().map(|bullet| vec![Run::plain(format!("• {bullet}"))]));
        if !slide.note.is_empty() {
            lines.push(self.labelled("say", &slide.note));
        }
        if !slide.drawing.is_empty() {
            lines.push(self.labelled("draw", &slide.drawing));
        }
        self.blocks.push(Block::Boxed { lines });
    }

    fn guide(&mut self, guide: &Guide) {
        self.line("terms", "");
        for term in &guide.terms {
            let runs = vec![Run::bold(term.term.clone()), Run::plain(format!(" – {}", term.meaning))];
            self.blocks.push(Block::bullet(runs));
        }
        self.line("concepts", "");
        guide.concepts.iter().for_each(|text| self.bullet(text));
        if !guide.examples.is_empty() {
            self.line("examples", "");
        }
        for example in &guide.examples {
            let lines = vec![self.labelled("question", &example.q), self.labelled("answer", &example.a)];
            self.blocks.push(Block::Boxed { lines });
            self.blocks.push(plain(""));
        }
        if !guide.remember.is_empty() {
            self.line("remember", "");
            guide.remember.iter().for_each(|text| self.bullet(text));
        }
        self.line("errors", "");
        let cell = |text: &str| vec![Run::plain(text.to_owned())];
        let head = ["wrong", "right"].map(|name| cell(self.words.heading(name))).to_vec();
        let rows = guide.errors.iter().map(|error| vec![cell(&error.wrong), cell(&error.right)]);
        self.table(vec![1, 1], true, 0, std::iter::once(head).chain(rows).collect());
        self.line("practice", "");
        let questions: Vec<String> = guide.practice.iter().map(|qa| qa.q.clone()).collect();
        self.numbered(&questions);
    }

    /// Marks from 4 to 1; they add up to the total below.
    fn rubric(&mut self, rubric: &Rubric) {
        let words = self.words;
        let cell = |text: String| vec![Run::plain(text)];
        let marks = |n: usize| match n {
            1 => words.heading("oneMark").to_owned(),
            _ => words.heading_with("marksOf", &[("n", &n.to_string())]),
        };
        let level = |(at, name): (usize, &String)| cell(format!("{name} ({})", marks(4 - at)));
        let head = std::iter::once(cell(words.heading("criterion").to_owned()));
        let head: Vec<Vec<Run>> = head.chain(words.rubric.levels.iter().enumerate().map(level)).collect();
        let row = |criterion: &crate::content::Criterion| {
            let name = std::iter::once(vec![Run::bold(criterion.name.clone())]);
            name.chain(criterion.levels.iter().map(|text| cell(text.clone()))).collect::<Vec<_>>()
        };
        let rows = std::iter::once(head).chain(rubric.criteria.iter().map(row)).collect();
        self.table(vec![5, 4, 4, 4, 4], true, 0, rows);
        let total = format!("______ / {}", marks(rubric.criteria.len() * 4));
        self.line("total", &total);
        self.line("howTo", &words.rubric.how_to);
    }

    /// Answers and notes; nothing of it stands on a pupil's page.
    fn teachers_page(&mut self, aids: &Aids) {
        let answered: Vec<&Aid> = aids.aids.iter().filter(|aid| !aid.key.is_empty()).collect();
        if answered.is_empty() && aids.head.notes.is_empty() {
            return;
        }
        self.blocks.push(Block::PageBreak);
        self.blocks.push(Block::centred_heading(2, self.words.heading("teacherPart")));
        if !aids.head.notes.is_empty() {
            let lines = aids.head.notes.iter().map(|note| self.labelled("note", note)).collect();
            self.blocks.push(Block::Boxed { lines });
        }
        for aid in answered {
            self.blocks.push(Block::heading(3, aid.title.clone()));
            match (aid.kind, &aid.blocks[0]) {
                // Short answers share lines.
                (Kind::PracticeSheets | Kind::Quiz, _) => {
                    let answers: Vec<String> =
                        (1..).zip(&aid.key).map(|(no, answer)| format!("{no}.\u{A0}{answer}")).collect();
                    for some in answers.chunks(10) {
                        self.blocks.push(plain(&some.join("   ")));
                    }
                }
                (_, AidText::Activities(all)) => {
                    all.activities.iter().for_each(|activity| self.answers_of(activity));
                }
                _ => self.numbered(&aid.key),
            }
        }
    }

    /// The expected results, and the questions of an activity under their numbers.
    fn answers_of(&mut self, activity: &Activity) {
        self.kept(Run::bold(activity.title.clone()));
        self.blocks.push(plain(&activity.expected));
        self.numbered(&discussed(activity));
    }

    /// A line that stays on the page of what follows.
    fn kept(&mut self, run: Run) {
        let align = banyan_functions::document::Align::Left;
        self.blocks.push(Block::Paragraph { runs: vec![run], align, kept: true });
    }

    fn numbered(&mut self, texts: &[String]) {
        let items = (1..).zip(texts).map(|(no, text)| Block::numbered(no, vec![Run::plain(text.clone())]));
        self.blocks.extend(items);
    }

    fn bullet(&mut self, text: &str) {
        self.blocks.push(Block::bullet(vec![Run::plain(text)]));
    }

    /// `Label: text` with the label in bold; a label alone stays with what follows.
    fn line(&mut self, name: &str, text: &str) {
        let runs = self.labelled(name, text);
        let align = banyan_functions::document::Align::Left;
        self.blocks.push(Block::Paragraph { runs, align, kept: text.is_empty() });
    }

    fn labelled(&self, name: &str, text: &str) -> Vec<Run> {
        vec![Run::bold(format!("{}: ", self.words.heading(name))), Run::plain(text)]
    }

    fn table(&mut self, widths: Vec<u16>, header: bool, row_height: u16, rows: Vec<Vec<Vec<Run>>>) {
        self.blocks.push(Block::Table { widths, header, together: false, row_height, rows });
    }
}

/// Lines for an answer on a worksheet: one for every so many letters or for every step, two where a
/// sum or a reason is asked for. More would leave half of the page empty (SPECIFICATION.md DOM-6:
/// 10 to 12 items).
fn lines_of(level: usize, item: &Item) -> usize {
    let least = if level == 2 || item.check.is_some() { 2 } else { 1 };
    let steps = item.working.split("; ").count();
    least.max(steps.min(3)).max(item.answer.chars().count().div_ceil(LINE)).min(4)
}

fn plain(text: &str) -> Block {
    Block::paragraph(vec![Run::plain(text)])
}
