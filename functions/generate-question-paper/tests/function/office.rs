//! The checked-in set of requests through the whole function, and every file in a real word processor.

use generate_question_paper::checks;
use generate_question_paper::plan::Plan;
use serde_json::Value;

use crate::fakes::{paper, read, rtf, text};
use crate::office_reader::office_reads;

/// Requests across boards, classes, subjects, languages and extremes.
fn requests() -> Vec<Value> {
    serde_json::from_str(include_str!("../requests.json")).expect("a list of requests")
}

#[tokio::test]
async fn every_request_of_the_set_gives_a_paper_that_libreoffice_reads_as_the_preview() {
    let requests = requests();
    assert!(requests.len() >= 60, "{}", requests.len());
    let mut documents = Vec::new();
    for request in &requests {
        let answer = paper(request).await;
        let asked = read(request);
        assert_eq!(checks::numbers(&asked, &Plan::of(&asked)), [], "{request}");
        assert_eq!(answer["data"]["totalMarks"], asked.marks, "{request}");
        documents.push((rtf(&answer), text(&answer).to_owned()));
    }
    // The name that the client is given ends in .doc; office programs look at the content.
    if !office_reads(&documents, "doc") {
        eprintln!("skipped: soffice (LibreOffice) is not installed");
    }
}
