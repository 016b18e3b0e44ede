//! The file in a real word processor.

use crate::fakes::{body, plan, rtf};
use crate::office_reader::office_reads;

#[tokio::test]
async fn libreoffice_reads_the_same_text_as_the_preview() {
    let mut documents = Vec::new();
    for request in [
        body(10, "Science", "Electricity", 3),
        body(10, "Science", "विद्युत", 2),
        body(8, "Telugu", "X", 1),
        body(8, "Kannada", "X", 1),
        body(8, "Gujarati", "X", 1),
    ] {
        let answer = plan(&request).await;
        documents.push((rtf(&answer), answer["lessonPlan"].as_str().expect("a text").to_owned()));
    }
    if !office_reads(&documents, "rtf") {
        eprintln!("skipped: soffice (LibreOffice) is not installed");
    }
}
