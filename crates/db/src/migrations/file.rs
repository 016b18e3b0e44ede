//! The text of a file.

use std::{
    io::{self, Read as _},
    path::Path,
};

use flate2::read::MultiGzDecoder;

use crate::MigrationError;

/// Most bytes of a seed once it is unpacked; all of them are in memory at a time.
const LARGEST_UNPACKED: u64 = 2 << 30;

/// Reads a file of SQL, which is UTF-8. A byte order mark at its head is no part of it.
///
/// # Errors
/// [`MigrationError::Read`] when it cannot be read, for packed SQL, or with the line of what is no
/// UTF-8.
pub fn read_sql(path: &Path) -> Result<String, MigrationError> {
    if is_packed(&path.to_string_lossy()) {
        return Err(unreadable(path, io::Error::other(PACKED)));
    }
    text(path, std::fs::read(path).map_err(|source| unreadable(path, source))?)
}

/// Reads the bytes of a seed file; `.sql.gz` is unpacked.
pub(super) fn read_seed(path: &Path) -> Result<Vec<u8>, MigrationError> {
    if !is_packed(&path.to_string_lossy()) {
        return std::fs::read(path).map_err(|source| unreadable(path, source));
    }
    let file = std::fs::File::open(path).map_err(|source| unreadable(path, source))?;
    let mut bytes = Vec::new();
    let mut unpacked = MultiGzDecoder::new(io::BufReader::new(file)).take(LARGEST_UNPACKED + 1);
    unpacked.read_to_end(&mut bytes).map_err(|source| unreadable(path, unpackable(source)))?;
    match bytes.len() as u64 > LARGEST_UNPACKED {
        true => Err(unreadable(
            path,
            io::Error::other(format!("it unpacks to more than {LARGEST_UNPACKED} bytes")),
        )),
        false => Ok(bytes),
    }
}

/// Says what is wrong with packed bytes; other errors are the file's.
fn unpackable(error: io::Error) -> io::Error {
    use io::ErrorKind::{InvalidData, InvalidInput, UnexpectedEof};
    match error.kind() {
        kind @ (InvalidData | InvalidInput | UnexpectedEof) => {
            io::Error::new(kind, format!("is no gzip, or is cut short ({error})"))
        }
        _ => error,
    }
}

/// What is said of packed SQL where it is not read.
pub(super) const PACKED: &str = "packed SQL is read in seeds only";

/// Whether a name is that of packed SQL.
pub(super) fn is_packed(name: &str) -> bool {
    name.to_ascii_lowercase().ends_with(".sql.gz")
}

/// The text of a file's bytes.
pub(super) fn text(path: &Path, bytes: Vec<u8>) -> Result<String, MigrationError> {
    let mut text = String::from_utf8(bytes).map_err(|error| {
        let valid = error.utf8_error().valid_up_to();
        let line = 1 + error.as_bytes()[..valid].iter().filter(|byte| **byte == b'\n').count();
        unreadable(path, io::Error::new(io::ErrorKind::InvalidData, format!("line {line} is no UTF-8")))
    })?;
    if text.starts_with('\u{feff}') {
        text.drain(..'\u{feff}'.len_utf8());
    }
    Ok(text)
}

fn unreadable(path: &Path, source: io::Error) -> MigrationError {
    MigrationError::Read { path: path.to_owned(), source }
}

#[cfg(test)]
mod tests {
    use super::*;

    // rows: cli/CLI-DB-QUERY
    #[test]
    fn packed_sql_is_told_apart_from_text_that_is_no_utf_8() {
        let refused = read_sql(Path::new("none/dump.sql.gz")).expect_err("packed").to_string();
        assert_eq!(refused, "none/dump.sql.gz: packed SQL is read in seeds only");
    }
}
