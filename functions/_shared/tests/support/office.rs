//! Files in a real word processor: LibreOffice without a window.

use std::path::{Path, PathBuf};
use std::process::Command;

/// Converts the files to plain text in their own folder, in one go; nothing where LibreOffice is missing.
fn convert(folder: &Path, files: &[PathBuf]) -> Option<()> {
    let profile = format!("-env:UserInstallation=file://{}", folder.join("profile").display());
    let status = Command::new("soffice")
        .args([&profile, "--headless", "--convert-to", "txt:Text (encoded):UTF8", "--outdir"])
        .arg(folder)
        .args(files)
        .output()
        .ok()?;
    for file in files {
        let converted = file.with_extension("txt");
        assert!(converted.exists(), "LibreOffice: {}", String::from_utf8_lossy(&status.stderr));
    }
    Some(())
}

/// Asserts that the office reads each document as its text, spaces aside; false where there is no LibreOffice.
/// The files are named with `extension`, as they are when they are downloaded.
pub(crate) fn office_reads(documents: &[(Vec<u8>, String)], extension: &str) -> bool {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let name = |at: usize| folder.path().join(format!("{at}.{extension}"));
    for (at, (bytes, _)) in documents.iter().enumerate() {
        std::fs::write(name(at), bytes).expect("the file is written");
    }
    let files: Vec<PathBuf> = (0..documents.len()).map(name).collect();
    if convert(folder.path(), &files).is_none() {
        return false;
    }
    for (file, (_, text)) in files.iter().zip(documents) {
        let converted = std::fs::read_to_string(file.with_extension("txt")).expect("UTF-8");
        same_words(&converted, text);
    }
    true
}

fn same_words(converted: &str, text: &str) {
    let words = |text: &str| {
        text.trim_start_matches('\u{FEFF}').split_whitespace().map(str::to_owned).collect::<Vec<_>>()
    };
    let (office, ours) = (words(converted), words(text));
    let first = office.iter().zip(&ours).position(|(one, other)| one != other);
    assert_eq!(
        first.map(|at| (&office[at..(at + 5).min(office.len())], &ours[at..(at + 5).min(ours.len())])),
        None
    );
    assert_eq!(office.len(), ours.len());
}
