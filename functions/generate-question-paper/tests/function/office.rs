//! The file in a real word processor.

use crate::fakes::{ALL_TYPES, body_of, paper, rtf, text};
use crate::office_reader::office_reads;

#[tokio::test]
async fn libreoffice_reads_the_same_text_as_the_preview() {
    for request in [
        body_of(10, "Science", "Electricity", 100, 4, &ALL_TYPES),
        body_of(10, "Mathematics", "द्विघात समीकरण", 50, 3, &ALL_TYPES),
        body_of(8, "Telugu", "X", 25, 2, &ALL_TYPES),
        body_of(8, "Kannada", "X", 25, 2, &ALL_TYPES),
        body_of(8, "Gujarati", "X", 25, 2, &ALL_TYPES),
    ] {
        let answer = paper(&request).await;
        if !office_reads(&rtf(&answer), "question-paper.rtf", text(&answer)) {
            eprintln!("skipped: soffice (LibreOffice) is not installed");
            return;
        }
    }
}
