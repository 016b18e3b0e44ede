//! The checked-in set of requests through the whole function, and every file in a real word
//! processor.

use banyan_functions::document::Format;
use generate_question_paper::plan::Plan;
use generate_question_paper::{QuestionPaper, checks};
use serde_json::json;

use crate::fakes::read;
use crate::office_reader::assert_office_reads;
use crate::set::{all_printed, requests};

#[tokio::test]
async fn every_request_of_the_set_gives_a_paper_that_libreoffice_reads_as_the_preview() {
    let mut requests = requests(include_str!("../requests.json"));
    assert!(requests.len() >= 60, "{}", requests.len());
    for request in requests.iter_mut().step_by(4) {
        request["preferredFormat"] = json!(Format::Docx);
    }
    let papers = all_printed::<QuestionPaper>(&requests, ("wordContent", "questionPaper")).await;
    for (request, (answer, _)) in requests.iter().zip(&papers) {
        let asked = read(request);
        assert_eq!(checks::numbers(&asked, &Plan::of(&asked)), [], "{request}");
        assert_eq!(answer["data"]["totalMarks"], asked.marks, "{request}");
    }
    assert_office_reads(&papers.into_iter().map(|(_, paper)| paper).collect::<Vec<_>>());
}
