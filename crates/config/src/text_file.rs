//! Text files as editors write them.

use std::{io, path::Path};

/// Reads a text. A byte order mark at its head, as some editors write it, is no part of it.
pub(crate) fn read(path: &Path) -> io::Result<String> {
    let mut text = std::fs::read_to_string(path)?;
    if text.starts_with(BYTE_ORDER_MARK) {
        text.drain(..BYTE_ORDER_MARK.len_utf8());
    }
    Ok(text)
}

const BYTE_ORDER_MARK: char = '\u{feff}';

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_byte_order_mark_is_no_part_of_a_text() {
        let file = tempfile::NamedTempFile::new().expect("a file");
        for (bytes, text) in [("\u{feff}a\u{feff}b", "a\u{feff}b"), ("ab", "ab"), ("\u{feff}", ""), ("", "")]
        {
            std::fs::write(file.path(), bytes).expect("written");
            assert_eq!(read(file.path()).expect("read"), text);
        }
    }
}
