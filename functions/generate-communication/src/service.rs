//! The communication as a tool that costs credits; the path of a call is that of every tool. Its client never
//! deducts: the wallet takes the price itself (decisions.md D03).

use banyan_functions::asked_for;
use banyan_functions::dates::Day;
use banyan_functions::error::FunctionError;
use banyan_functions::model::authoring::{Authored, Writer};
use banyan_functions::record::Remarks;
use banyan_functions::safety::{Verdict, judge};
use banyan_functions::service::{Job, Settings, Tool};
use banyan_functions::transport::Transport;
use serde_json::Value;

use crate::authoring;
use crate::bank;
use crate::forecast::{self, COVERAGE};
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
        let typed = request.typed();
        let improper = asked_for::is_improper(&typed, request.readers());
        judge(&typed).and(if improper { Verdict::Improper } else { Verdict::Safe })
    }

    fn normalised(request: &CommunicationRequest) -> Value {
        request.normalised()
    }

    fn forecast(request: &CommunicationRequest, writer: Writer) -> Value {
        forecast::forecast(request, writer)
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
        remarks.warnings = forecast::warnings(request, &words, remarks.honesty(), today);
        let facts = job.facts(settings, transport.now().saturating_sub(started));
        Ok(response::body(request, &words, authored, remarks, &facts))
    }
}
