//! Every kind, both formats and all languages in a real word processor.

use banyan_functions::script::Language;
use serde_json::json;

use crate::fakes::{KINDS, aids, body, file, text};
use crate::office_reader::office_reads;

#[tokio::test]
async fn every_document_is_read_by_libreoffice_as_the_preview() {
    for format in ["docx", "rtf"] {
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
        let mut documents = Vec::new();
        for request in &mut requests {
            request["preferredFormat"] = json!(format);
            let answer = aids(request).await;
            documents.push((file(&answer), text(&answer).to_owned()));
        }
        if !office_reads(&documents, format) {
            eprintln!("skipped: soffice (LibreOffice) is not installed");
        }
    }
}
