//! The MIME type of a file that is uploaded: by its first bytes, and for text by its name.

use std::{
    fs::File,
    io::{self, Read as _},
    path::Path,
};

/// First bytes that are looked at.
const HEAD: u64 = 512;
const TEXT: &str = "text/plain; charset=utf-8";

/// Kinds of text, by the ending of the name.
const KINDS_OF_TEXT: [(&str, &str); 11] = [
    ("css", "text/css; charset=utf-8"),
    ("csv", "text/csv; charset=utf-8"),
    ("htm", "text/html; charset=utf-8"),
    ("html", "text/html; charset=utf-8"),
    ("js", "text/javascript; charset=utf-8"),
    ("json", "application/json"),
    ("md", "text/markdown; charset=utf-8"),
    ("mjs", "text/javascript; charset=utf-8"),
    ("svg", "image/svg+xml"),
    ("txt", TEXT),
    ("xml", "text/xml; charset=utf-8"),
];

/// The type of a file.
pub(crate) fn of_file(path: &Path) -> io::Result<String> {
    let mut head = Vec::new();
    File::open(path)?.take(HEAD).read_to_end(&mut head)?;
    let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
    Ok(of(&head, &ending.to_ascii_lowercase()).to_owned())
}

fn of(head: &[u8], ending: &str) -> &'static str {
    let of_text = || KINDS_OF_TEXT.iter().find(|(known, _)| *known == ending).map_or(TEXT, |(_, kind)| kind);
    match infer::get(head) {
        Some(kind) if !kind.mime_type().starts_with("text/") => kind.mime_type(),
        _ if is_text(head) => of_text(),
        Some(kind) => kind.mime_type(),
        None => "application/octet-stream",
    }
}

/// Whether bytes are text; its last character may be cut.
fn is_text(head: &[u8]) -> bool {
    let whole = match std::str::from_utf8(head) {
        Ok(text) => text,
        Err(error) if error.error_len().is_none() => {
            std::str::from_utf8(&head[..error.valid_up_to()]).unwrap_or_default()
        }
        Err(_) => return false,
    };
    !whole.chars().any(|c| c.is_control() && !c.is_whitespace() && c != '\u{1b}')
}

#[cfg(test)]
mod tests {
    use super::*;

    // rows: CLI-STORAGE-CP
    #[test]
    fn the_first_bytes_tell_the_type_and_of_text_the_name() {
        for (head, ending, expected) in [
            (&b"\x89PNG\r\n\x1a\n...."[..], "txt", "image/png"),
            (b"%PDF-1.7\n", "", "application/pdf"),
            (b"hello", "", TEXT),
            (b"{\"a\": 1}", "json", "application/json"),
            (b"a { }", "css", "text/css; charset=utf-8"),
            ("अ".as_bytes(), "md", "text/markdown; charset=utf-8"),
            (&"अ".as_bytes()[..2], "txt", TEXT),
            (b"\0\x01\x02", "bin", "application/octet-stream"),
            (b"", "", TEXT),
        ] {
            assert_eq!(of(head, ending), expected, "{ending}");
        }
    }
}
