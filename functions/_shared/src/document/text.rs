//! Plain text, ready to be shown on a screen.

use super::{Block, Document, RULED_LINE, Run};
use crate::spacing::bound;

/// Writes the document as plain text; lines end with `\n`, cells are parted by tabs.
pub fn write(document: &Document) -> String {
    let mut out = String::new();
    for block in &document.blocks {
        write_block(&mut out, block);
    }
    out.trim_end().to_owned() + "\n"
}

fn write_block(out: &mut String, block: &Block) {
    match block {
        Block::Heading { level, runs, .. } => {
            if *level < 3 && !out.is_empty() {
                out.push('\n');
            }
            push_line(out, &text_of(runs));
        }
        Block::Paragraph { runs, .. } => push_line(out, &text_of(runs)),
        // If nothing stands at the left edge, no separation is needed.
        Block::Ends { left, right } => {
            push_line(out, format!("{}\t{}", text_of(left), text_of(right)).trim_matches('\t'));
        }
        Block::Question { marker, runs, marks, .. } => {
            push_line(out, format!("{marker} {} {marks}", text_of(runs)).trim());
        }
        Block::Options { columns, options } => {
            for row in options.chunks((*columns).max(1)) {
                push_line(out, &row.iter().map(|option| text_of(option)).collect::<Vec<_>>().join("\t"));
            }
        }
        Block::Item { marker, runs } => push_line(out, &format!("{marker} {}", text_of(runs))),
        Block::Table { rows, .. } => {
            for row in rows {
                push_line(out, &row.iter().map(|cell| text_of(cell)).collect::<Vec<_>>().join("\t"));
            }
        }
        Block::Boxed { lines } => lines.iter().for_each(|line| push_line(out, &text_of(line))),
        Block::Lines { count, .. } => (0..*count).for_each(|_| push_line(out, RULED_LINE)),
        Block::PageBreak => out.push('\n'),
    }
}

fn push_line(out: &mut String, line: &str) {
    out.push_str(line);
    out.push('\n');
}

fn text_of(runs: &[Run]) -> String {
    runs.iter().map(|run| bound(&run.text)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::writing_system::Language;

    #[test]
    fn every_block_has_its_text() {
        let cell = |text: &str| vec![Run::plain(text)];
        let document = Document {
            title: "T".to_owned(),
            language: Language::English,
            footer: "F".to_owned(),
            page_label: String::new(),
            generator: String::new(),
            blocks: vec![
                Block::heading(1, "Title"),
                Block::centred(vec![Run::bold("a "), Run::plain("b")]),
                Block::heading(2, "Part"),
                Block::numbered(1, cell("item")),
                Block::Table {
                    widths: vec![1, 1],
                    header: true,
                    together: false,
                    row_height: 0,
                    rows: vec![vec![cell("x"), cell("y")]],
                },
                Block::Ends { left: cell("l"), right: cell("r") },
                Block::Ends { left: vec![], right: cell("r") },
                Block::Ends { left: cell("l"), right: vec![] },
                Block::Question {
                    marker: "7.".to_owned(),
                    runs: cell("why"),
                    marks: "[2]".to_owned(),
                    depth: 0,
                    kept: true,
                },
                Block::Options { columns: 2, options: vec![cell("(a) p"), cell("(b) q"), cell("(c) r")] },
                Block::Boxed { lines: vec![cell("note")] },
            ],
        };
        assert_eq!(
            write(&document),
            "Title\na b\n\nPart\n1. item\nx\ty\nl\tr\nr\nl\n7. why [2]\n(a) p\t(b) q\n(c) r\nnote\n"
        );
    }
}
