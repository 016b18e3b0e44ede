//! Files in a real word processor: LibreOffice without a window.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A document as it is handed out.
pub(crate) struct Printed {
    /// The file's name; its extension is what an office program is shown.
    pub(crate) filename: String,
    /// The file.
    pub(crate) file: Vec<u8>,
    /// The same as plain text.
    pub(crate) text: String,
}

/// Asserts that the office reads each document as its text, spaces aside. Says so where there is no
/// LibreOffice.
pub(crate) fn assert_office_reads(documents: &[Printed]) {
    let Some(texts) = converted(documents, "txt:Text (encoded):UTF8") else { return };
    for (document, text) in documents.iter().zip(texts) {
        let text = String::from_utf8(text).expect("UTF-8");
        same_words(&text, &document.text, &document.filename);
    }
}

/// The files converted to another format, in one go.
pub(crate) fn converted(documents: &[Printed], format: &str) -> Option<Vec<Vec<u8>>> {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let mut files = Vec::new();
    for (at, document) in documents.iter().enumerate() {
        let extension = Path::new(&document.filename).extension().expect("a file has an extension");
        let file = folder.path().join(at.to_string()).with_extension(extension);
        std::fs::write(&file, &document.file).expect("the file is written");
        files.push(file);
    }
    if convert(folder.path(), &files, format).is_none() {
        // Said past the test's own output, which is kept back when it passes.
        let _ = writeln!(std::io::stderr(), "skipped: soffice (LibreOffice) is not installed");
        return None;
    }
    let extension = format.split(':').next().unwrap_or_default();
    let read = |file: PathBuf| std::fs::read(file.with_extension(extension)).expect("LibreOffice wrote it");
    Some(files.into_iter().map(read).collect())
}

fn convert(folder: &Path, files: &[PathBuf], format: &str) -> Option<()> {
    let profile = format!("-env:UserInstallation=file://{}", folder.join("profile").display());
    let output = Command::new("soffice")
        .args([&profile, "--headless", "--convert-to", format, "--outdir"])
        .arg(folder)
        .args(files)
        .output()
        .ok()?;
    assert!(output.status.success(), "LibreOffice: {}", String::from_utf8_lossy(&output.stderr));
    Some(())
}

fn same_words(converted: &str, text: &str, name: &str) {
    let words = |text: &str| {
        text.trim_start_matches('\u{FEFF}').split_whitespace().map(str::to_owned).collect::<Vec<_>>()
    };
    let (office, ours) = (words(converted), words(text));
    let first = office.iter().zip(&ours).position(|(one, other)| one != other);
    assert_eq!(
        first.map(|at| (&office[at..(at + 5).min(office.len())], &ours[at..(at + 5).min(ours.len())])),
        None,
        "{name}"
    );
    assert_eq!(office.len(), ours.len(), "{name}");
}
