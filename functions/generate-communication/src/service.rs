//! The communication as a tool that costs credits; the path of a call is that of every tool. Its
//! client never deducts: the wallet takes the price itself (app/SPECIFICATION.md D03).

use banyan_functions::dates::Day;
use banyan_functions::error::FunctionError;
use banyan_functions::metadata::Remarks;
use banyan_functions::model::authoring::{Authored, Writer};
use banyan_functions::moderation::{Verdict, rules::judge};
use banyan_functions::paid_call::{Job, Settings, Tool};
use banyan_functions::transport::Transport;
use serde_json::Value;

use crate::authoring;
use crate::bank;
use crate::estimate::{self, COVERAGE};
use crate::request::CommunicationRequest;
use crate::response;
use crate::words::Words;

/// The function generate-communication.
#[derive(Debug)]
pub struct Communication;

impl Tool for Communication {
    const NAME: &'static str = "generate-communication";

    type Request = CommunicationRequest;

    fn read(body: &Value) -> Result<CommunicationRequest, FunctionError> {
        CommunicationRequest::read(body)
    }

    fn typed(request: &CommunicationRequest) -> Vec<&str> {
        request.typed().to_vec()
    }

    fn judge(request: &CommunicationRequest) -> Verdict {
        let improper = request.improper_field().map_or(Verdict::Safe, |field| Verdict::Improper { field });
        judge(&request.typed()).and(improper)
    }

    fn normalised(request: &CommunicationRequest) -> Value {
        request.normalised()
    }

    fn estimate(request: &CommunicationRequest, writer: Writer) -> Value {
        estimate::estimate(request, writer)
    }

    async fn write(
        transport: &impl Transport,
        settings: &Settings,
        job: &Job<'_, CommunicationRequest>,
    ) -> Result<Value, FunctionError> {
        let started = transport.now();
        let request = &job.request;
        let words = Words::of(request.language);
        job.progress.planned(1);
        let authored = match &settings.model {
            Some(config) => authoring::write(transport, config, job, &words).await?,
            None => Authored::built_in(bank::fill(request, &words)),
        };
        job.progress.checking();
        let mut remarks = Remarks::of(&authored, &words.labels, COVERAGE, job.unix_time);
        let today = Some(Day::in_india(job.unix_time));
        remarks.warnings = estimate::warnings(request, &words, remarks.honesty(), today);
        let facts = job.facts(settings, transport.now().saturating_sub(started));
        Ok(response::body(request, &words, authored, remarks, &facts))
    }
}

#[cfg(test)]
mod tests {
    use banyan_functions::moderation::forbidden_requests::{self, Readers};

    use super::*;

    const LANGUAGES: [&str; 6] = [
        include_str!("../data/languages/en.json"),
        include_str!("../data/languages/gu.json"),
        include_str!("../data/languages/hi.json"),
        include_str!("../data/languages/kn.json"),
        include_str!("../data/languages/mr.json"),
        include_str!("../data/languages/te.json"),
    ];

    fn texts(value: &Value) -> Vec<&str> {
        match value {
            Value::String(text) => vec![text],
            Value::Array(values) => values.iter().flat_map(texts).collect(),
            Value::Object(fields) => fields.values().flat_map(texts).collect(),
            _ => Vec::new(),
        }
    }

    #[test]
    fn no_request_of_the_set_is_refused() {
        let set: Vec<Value> =
            serde_json::from_str(include_str!("../tests/requests.json")).expect("a list of requests");
        for body in &set {
            let request = Communication::read(body).expect("a valid request");
            assert!(Communication::judge(&request).allowed().is_ok(), "{body}");
        }
    }

    #[test]
    fn a_refused_message_names_the_field_that_asks() {
        let set: Vec<Value> =
            serde_json::from_str(include_str!("../tests/requests.json")).expect("a list of requests");
        for field in ["purpose", "keyDetails", "signature"] {
            let mut body = set[0].clone();
            body["communicationType"] = "whatsapp".into();
            body[field] = "Please send your OTP here".into();
            let request = Communication::read(&body).expect("a valid request");
            assert_eq!(Communication::judge(&request), Verdict::Improper { field });
        }
    }

    #[test]
    fn no_built_in_sentence_asks_for_what_no_message_may_ask_for() {
        for language in LANGUAGES {
            let words: Value = serde_json::from_str(language).expect("the words of a language");
            for text in texts(&words) {
                assert!(!forbidden_requests::is_improper(&[text], Readers::Group), "{text}");
            }
        }
    }
}
