//! The checked-in set of requests, and every kind in both formats and all languages, in a real word
//! processor.

use banyan_functions::writing_system::Language;
use generate_teaching_aids::TeachingAids;
use serde_json::{Value, json};

use crate::fakes::{KINDS, body};
use crate::office_reader::{Printed, assert_office_reads, converted};
use crate::set::{all_printed, requests};

async fn aids_of(requests: &[Value]) -> Vec<Printed> {
    let aids = all_printed::<TeachingAids>(requests, ("documentContent", "teachingAids")).await;
    aids.into_iter().map(|(_, aids)| aids).collect()
}

/// Pages of each document as the office sets it; nothing where there is no LibreOffice.
fn office_pages(documents: &[Printed]) -> Option<Vec<usize>> {
    let count = |pdf: Vec<u8>| {
        let text = String::from_utf8_lossy(&pdf).into_owned();
        text.matches("/Type/Page/").count() + text.matches("/Type /Page\n").count()
    };
    Some(converted(documents, "pdf")?.into_iter().map(count).collect())
}

#[tokio::test]
async fn every_document_is_read_by_libreoffice_as_the_preview() {
    let mut requests: Vec<_> = KINDS
        .into_iter()
        .flat_map(|kind| {
            [
                body(10, "Science", "Electricity", &[kind], 2),
                body(7, "History", "A {x} <b> & \\par", &[kind], 1),
            ]
        })
        .collect();
    requests.extend(Language::ALL.into_iter().map(|language| body(8, language.name(), "X", &KINDS, 5)));
    requests.push(body(10, "Mathematics", "द्विघात समीकरण", &KINDS, 6));
    for format in ["docx", "rtf"] {
        requests.iter_mut().for_each(|request| request["preferredFormat"] = json!(format));
        assert_office_reads(&aids_of(&requests).await);
    }
}

// rows: V22
#[tokio::test]
async fn every_request_of_the_set_is_read_by_libreoffice_and_has_the_pages_asked_for() {
    let requests = requests(include_str!("../requests.json"));
    assert!(requests.len() >= 25, "{}", requests.len());
    let aids = aids_of(&requests).await;
    assert_office_reads(&aids);
    let Some(pages) = office_pages(&aids) else { return };
    let asked = |request: &Value| {
        let pages = request["numberOfPages"].as_u64().expect("pages");
        usize::try_from(pages).expect("a few")
    };
    let wrong: Vec<String> = requests
        .iter()
        .zip(pages)
        .filter(|(request, pages)| asked(request).abs_diff(*pages) > 1)
        .map(|(request, pages)| format!("{pages} for {request}"))
        .collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}
