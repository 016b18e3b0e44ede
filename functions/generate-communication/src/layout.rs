//! The printed page: `co/1` to blocks (SPECIFICATION.md DOM-7.2), and the message for a group as it
//! is pasted (DOM-7.1).

use banyan_functions::document::{Align, Block, Document, Run, text};
use banyan_functions::writing_system::Language;

use crate::audience::Audience;
use crate::checks::is_emoji;
use crate::message::Message;
use crate::purpose::Purpose;
use crate::request::{Medium, Tone};
use crate::rows::Row;
use crate::words::Words;

const BLANK: &str = "______________________________";

/// The cut along which a slip is torn off.
const CUT: &str =
    "✂ - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - - -";

/// Lays a communication out and gives it its text to paste, which is the text of the document.
pub fn lay_out(message: &mut Message, words: &Words, language: Language, product: &str) -> Document {
    let page = Page { words, message };
    let blocks = match message.medium {
        Medium::Whatsapp => page.group_message(),
        Medium::Formal if message.readers == Audience::Students => page.notice(),
        Medium::Formal | Medium::Ptm => page.letter(),
    };
    let document = Document {
        title: message.subject.clone(),
        language,
        footer: words.common.footer(product, &message.head.label),
        page_label: words.common.page.clone(),
        generator: product.to_owned(),
        blocks,
    };
    message.plain_text = text::write(&document);
    document
}

struct Page<'a> {
    words: &'a Words,
    message: &'a Message,
}

impl Page<'_> {
    /// Lines as they are pasted, with the signs of the messenger: the file shows the same, so that
    /// copying from it works.
    fn group_message(&self) -> Vec<Block> {
        let message = self.message;
        let mut lines = vec![self.title_line()];
        lines.push(format!("{}: {}", self.words.heading("for"), message.audience));
        let (before, after) = message.body.split_at(message.before_details);
        lines.push(message.salutation.clone());
        lines.extend(before.iter().cloned());
        lines.extend(message.details.iter().map(|detail| format!("- {}", one_line(detail))));
        lines.extend(after.iter().cloned());
        if let Some(last) = lines.last_mut().filter(|_| message.tone == Tone::Friendly) {
            last.push_str(" 😊");
        }
        lines.extend((!message.closing.is_empty()).then(|| message.closing.clone()));
        lines.extend(message.signature.iter().cloned());
        lines.extend((!message.school.is_empty()).then(|| message.school.clone()));
        lines.into_iter().map(|line| Block::paragraph(vec![Run::plain(line)])).collect()
    }

    /// A title with a star inside cannot be set in bold; a formal message has no sign.
    fn title_line(&self) -> String {
        let subject = &self.message.subject;
        let title = if subject.contains('*') { subject.clone() } else { format!("*{subject}*") };
        let plain = self.message.tone == Tone::Formal || subject.chars().any(is_emoji);
        if plain { title } else { format!("{title} {}", self.message.purpose.emoji()) }
    }

    /// A circular, or an invitation to a meeting.
    fn letter(&self) -> Vec<Block> {
        let (message, words) = (self.message, self.words);
        let mut blocks = vec![self.school(), self.reference()];
        if message.medium == Medium::Formal {
            blocks.push(Block::centred_heading(2, words.heading("circular")));
        }
        blocks.push(labelled(words.heading("to"), &message.audience, false));
        blocks.push(labelled(words.heading("subject"), &message.subject, true));
        blocks.push(plain(&message.salutation));
        let (before, after) = message.body.split_at(message.before_details);
        blocks.extend(before.iter().map(|paragraph| plain(paragraph)));
        blocks.extend(self.details());
        if !message.agenda.is_empty() {
            blocks.push(Block::heading(3, words.heading("agenda")));
            let points = (1..).zip(&message.agenda);
            blocks.extend(points.map(|(no, point)| Block::numbered(no, vec![Run::plain(point.clone())])));
        }
        blocks.extend(after.iter().map(|paragraph| plain(paragraph)));
        let thanked = message.closing.is_empty()
            && message.signature.first().is_some_and(|line| words.thanks_already(line));
        if !thanked {
            blocks.push(kept(words.thanks(message.tone)));
        }
        blocks.extend(self.signature());
        blocks.extend(self.copies());
        blocks.extend(self.slip());
        blocks
    }

    /// A notice for pupils, in a box.
    fn notice(&self) -> Vec<Block> {
        let (message, words) = (self.message, self.words);
        let mut lines = vec![
            vec![Run::bold(self.school_line())],
            vec![Run::bold(words.heading("notice"))],
            vec![Run::plain(format!("{}: {}", words.heading("date"), message.date))],
            vec![Run::bold(message.subject.clone())],
            vec![Run::plain(format!("{}: {}", words.heading("for"), message.audience))],
        ];
        let (before, after) = message.body.split_at(message.before_details);
        let paragraphs =
            |texts: &[String]| texts.iter().map(|text| vec![Run::plain(text.clone())]).collect::<Vec<_>>();
        lines.extend(paragraphs(before));
        lines
            .extend(message.details.iter().map(|detail| vec![Run::plain(format!("• {}", one_line(detail)))]));
        lines.extend(paragraphs(after));
        lines.extend((!message.closing.is_empty()).then(|| vec![Run::plain(message.closing.clone())]));
        lines.extend(message.signature.iter().map(|line| vec![Run::bold(line.clone())]));
        vec![Block::Boxed { lines }]
    }

    fn school_line(&self) -> String {
        let school = &self.message.school;
        if school.is_empty() { BLANK.to_owned() } else { school.clone() }
    }

    fn school(&self) -> Block {
        let runs = vec![Run::plain(self.school_line())];
        Block::Heading { level: 1, runs, align: Align::Centre }
    }

    fn reference(&self) -> Block {
        let date = vec![Run::plain(format!("{}: {}", self.words.heading("date"), self.message.date))];
        let left = match self.message.ref_no.as_str() {
            "" => Vec::new(),
            number => vec![Run::plain(format!("{}: {number}", self.words.heading("refNo")))],
        };
        Block::Ends { left, right: date }
    }

    /// Facts with a label in a table, the others in a list, in their order.
    fn details(&self) -> Vec<Block> {
        let (mut blocks, mut rows) = (Vec::new(), Vec::new());
        let table = |rows: &mut Vec<Vec<Vec<Run>>>| Block::Table {
            widths: vec![3, 7],
            header: false,
            together: true,
            row_height: 0,
            rows: std::mem::take(rows),
        };
        for detail in &self.message.details {
            if detail.label.is_empty() {
                if !rows.is_empty() {
                    blocks.push(table(&mut rows));
                }
                blocks.push(Block::bullet(vec![Run::plain(detail.value.clone())]));
            } else {
                rows.push(vec![
                    vec![Run::bold(format!("{}:", detail.label))],
                    vec![Run::plain(detail.value.clone())],
                ]);
            }
        }
        if !rows.is_empty() {
            blocks.push(table(&mut rows));
        }
        blocks
    }

    fn signature(&self) -> Vec<Block> {
        let message = self.message;
        let mut blocks = Vec::new();
        if !message.closing.is_empty() {
            blocks.push(kept(&message.closing));
        }
        // Room to sign by hand.
        blocks.push(kept(""));
        let last = message.signature.len().saturating_sub(1);
        for (at, line) in message.signature.iter().enumerate() {
            let runs = vec![Run::bold(line.clone())];
            blocks.push(Block::Paragraph { runs, align: Align::Left, kept: at < last });
        }
        blocks
    }

    /// Of a circular in the formal tone.
    fn copies(&self) -> Option<Block> {
        let message = self.message;
        let circular = message.medium == Medium::Formal && message.tone == Tone::Formal;
        let copies: Vec<String> =
            (1..).zip(&self.words.copies).map(|(no, name)| format!("{no}. {name}")).collect();
        circular.then(|| labelled(self.words.heading("copyTo"), &copies.join("  "), false))
    }

    /// To be torn off and sent back, where a parent has to agree or to answer.
    fn slip(&self) -> Vec<Block> {
        let message = self.message;
        let (title, text) = match message {
            _ if message.readers != Audience::Parents => return Vec::new(),
            _ if message.purpose.needs_consent() => ("consentTitle", "consent"),
            _ if message.purpose == Purpose::Ptm && message.tone == Tone::Formal => ("replyTitle", "reply"),
            _ => return Vec::new(),
        };
        let words = self.words;
        let text = banyan_functions::words::fill(words.heading(text), &[("purpose", &message.subject)]);
        vec![
            kept(CUT),
            Block::centred_heading(3, words.heading(title)),
            kept(&text),
            kept(words.heading("pupil")),
            plain(words.heading("parent")),
        ]
    }
}

fn one_line(detail: &Row) -> String {
    match detail.label.as_str() {
        "" => detail.value.clone(),
        label => format!("{label}: {}", detail.value),
    }
}

fn labelled(label: &str, value: &str, bold: bool) -> Block {
    Block::paragraph(vec![
        Run::bold(format!("{label}: ")),
        Run { text: value.to_owned(), bold, italic: false },
    ])
}

fn plain(text: &str) -> Block {
    Block::paragraph(vec![Run::plain(text)])
}

fn kept(text: &str) -> Block {
    Block::Paragraph { runs: vec![Run::plain(text)], align: Align::Left, kept: true }
}
