//! The file in a real word processor: LibreOffice without a window.

use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::fakes::{body, plan, rtf};

/// Converts the document to `format` in a folder of its own; nothing where LibreOffice is missing.
fn convert(folder: &Path, format: &str) -> Option<std::path::PathBuf> {
    let profile = format!("-env:UserInstallation=file://{}", folder.join("profile").display());
    let status = Command::new("soffice")
        .args([&profile, "--headless", "--convert-to", format, "--outdir"])
        .arg(folder)
        .arg(folder.join("plan.rtf"))
        .output()
        .ok()?;
    let extension = format.split(':').next().expect("a format");
    let file = folder.join(format!("plan.{extension}"));
    assert!(file.exists(), "LibreOffice: {}", String::from_utf8_lossy(&status.stderr));
    Some(file)
}

/// Compares the office's text with ours; false where there is no LibreOffice.
async fn office_text_equals(request: &Value) -> bool {
    let answer = plan(request).await;
    let folder = tempfile::tempdir().expect("a temporary folder");
    std::fs::write(folder.path().join("plan.rtf"), rtf(&answer)).expect("the file is written");
    let Some(file) = convert(folder.path(), "txt:Text (encoded):UTF8") else {
        return false;
    };
    let converted = std::fs::read_to_string(file).expect("UTF-8");
    let words = |text: &str| {
        text.trim_start_matches('\u{FEFF}').split_whitespace().map(str::to_owned).collect::<Vec<_>>()
    };
    let (office, ours) = (words(&converted), words(answer["lessonPlan"].as_str().expect("a text")));
    let first = office.iter().zip(&ours).position(|(one, other)| one != other);
    assert_eq!(
        first.map(|at| (&office[at..(at + 5).min(office.len())], &ours[at..(at + 5).min(ours.len())])),
        None
    );
    assert_eq!(office.len(), ours.len());
    true
}

#[tokio::test]
async fn libreoffice_reads_the_same_text_as_the_preview() {
    for request in [
        body(10, "Science", "Electricity", 3),
        body(10, "Science", "विद्युत", 2),
        body(8, "Telugu", "X", 1),
        body(8, "Kannada", "X", 1),
        body(8, "Gujarati", "X", 1),
    ] {
        if !office_text_equals(&request).await {
            eprintln!("skipped: soffice (LibreOffice) is not installed");
            return;
        }
    }
}
