//! The checked-in set of requests, and every medium, tone and language, in a real word processor.

use generate_communication::Communication;
use serde_json::Value;

use crate::fakes::{MEDIA, TONES, TYPED, body, body_in};
use crate::office_reader::assert_office_reads;
use crate::set::{all_printed, requests};

async fn assert_read(requests: &[Value]) {
    let fields = ("documentContent", "generatedCommunication");
    let letters = all_printed::<Communication>(requests, fields).await;
    assert_office_reads(&letters.into_iter().map(|(_, letter)| letter).collect::<Vec<_>>());
}

#[tokio::test]
async fn every_document_is_read_by_libreoffice_as_the_text_to_paste() {
    let mut requests = Vec::new();
    for medium in MEDIA {
        for tone in TONES {
            let purposes = ["Educational excursion", "Fees", "Students' library {x}"];
            requests.extend(purposes.into_iter().map(|purpose| body(medium, tone, purpose)));
            requests.extend(TYPED.into_iter().map(|(_, typed)| body_in(medium, tone, typed)));
        }
    }
    assert_read(&requests).await;
}

#[tokio::test]
async fn every_request_of_the_set_is_read_by_libreoffice_as_the_text_to_paste() {
    let requests = requests(include_str!("../requests.json"));
    assert!(requests.len() >= 20, "{}", requests.len());
    assert_read(&requests).await;
}
