//! A file in a real word processor: LibreOffice without a window.

use std::path::{Path, PathBuf};
use std::process::Command;

/// Converts the file to `format` in its own folder; nothing where LibreOffice is missing.
fn convert(file: &Path, format: &str) -> Option<PathBuf> {
    let folder = file.parent().expect("a file in a folder");
    let profile = format!("-env:UserInstallation=file://{}", folder.join("profile").display());
    let status = Command::new("soffice")
        .args([&profile, "--headless", "--convert-to", format, "--outdir"])
        .arg(folder)
        .arg(file)
        .output()
        .ok()?;
    let converted = file.with_extension(format.split(':').next().expect("a format"));
    assert!(converted.exists(), "LibreOffice: {}", String::from_utf8_lossy(&status.stderr));
    Some(converted)
}

/// Asserts that the office reads `text`, spaces aside; false where there is no LibreOffice.
pub(crate) fn office_reads(bytes: &[u8], name: &str, text: &str) -> bool {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = folder.path().join(name);
    std::fs::write(&file, bytes).expect("the file is written");
    let Some(converted) = convert(&file, "txt:Text (encoded):UTF8") else {
        return false;
    };
    let converted = std::fs::read_to_string(converted).expect("UTF-8");
    let words = |text: &str| {
        text.trim_start_matches('\u{FEFF}').split_whitespace().map(str::to_owned).collect::<Vec<_>>()
    };
    let (office, ours) = (words(&converted), words(text));
    let first = office.iter().zip(&ours).position(|(one, other)| one != other);
    assert_eq!(
        first.map(|at| (&office[at..(at + 5).min(office.len())], &ours[at..(at + 5).min(ours.len())])),
        None
    );
    assert_eq!(office.len(), ours.len());
    true
}
