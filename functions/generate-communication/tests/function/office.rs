//! Every type, tone and language in a real word processor.

use crate::fakes::{MEDIA, TONES, TYPED, body, body_in, message, rtf, text};
use crate::office_reader::office_reads;

#[tokio::test]
async fn every_document_is_read_by_libreoffice_as_the_text_to_paste() {
    let mut documents = Vec::new();
    for medium in MEDIA {
        for tone in TONES {
            let purposes = ["Educational excursion", "Fees", "Students' library {x}"];
            let mut requests: Vec<_> =
                purposes.into_iter().map(|purpose| body(medium, tone, purpose)).collect();
            requests.extend(TYPED.into_iter().map(|(_, typed)| body_in(medium, tone, typed)));
            for request in &requests {
                let answer = message(request).await;
                documents.push((rtf(&answer), text(&answer).to_owned()));
            }
        }
    }
    if !office_reads(&documents, "rtf") {
        eprintln!("skipped: soffice (LibreOffice) is not installed");
    }
}
