//! The slots filled by a model: one call. The reply is parsed, cleaned and checked, repaired by
//! asking again, and replaced by built-in sentences when that does not help (SPECIFICATION.md
//! GEN-3.2, GEN-7).

use banyan_functions::error::FunctionError;
use banyan_functions::log;
use banyan_functions::model::authoring::{Authored, Tally, or_stand_in, room, shown};
use banyan_functions::model::slot::fill_slot;
use banyan_functions::model::{Call, ModelClient, ModelConfig, ModelError};
use banyan_functions::paid_call::Job;
use banyan_functions::transport::{Deadline, Transport};
use banyan_functions::words::fill;
use serde_json::json;

use crate::bank;
use crate::checks;
use crate::content::Content;
use crate::request::{CommunicationRequest, Medium};
use crate::words::Words;

/// Raised whenever the prompt changes, for the log.
const PROMPT_VERSION: &str = "co-1";

/// Fills every slot by the model.
///
/// # Errors
/// `generator_timeout` when the budget is used up, `generator_failed` when no provider answers;
/// with `ALLOW_TEMPLATE_FALLBACK` the built-in generator stands in for both.
pub async fn write(
    transport: &impl Transport,
    config: &ModelConfig,
    job: &Job<'_, CommunicationRequest>,
    words: &Words,
) -> Result<Authored<Content>, FunctionError> {
    let request = &job.request;
    let client = job.client(transport, config);
    let deadline = Deadline::after(transport, config.budget);
    let spare = || bank::fill(request, words);
    let written = ask(&client, deadline, request, job.seed, spare()).await;
    job.progress.section();
    Ok(or_stand_in(config, written)?.unwrap_or_else(|| Authored::built_in(spare())))
}

async fn ask<T: Transport>(
    client: &ModelClient<'_, T>,
    deadline: Deadline,
    request: &CommunicationRequest,
    seed: u64,
    spare: Content,
) -> Result<Authored<Content>, ModelError> {
    log::info("writing with a model", &json!({ "prompt.version": PROMPT_VERSION }));
    let check = |text: &Content| checks::content(text, request);
    let filled = fill_slot(client, call(request, seed), deadline, check).await;
    let filled = filled.map_err(|unfilled| unfilled.error)?;
    let mut tally = Tally::default();
    let content = tally.take(filled, spare);
    Ok(tally.authored(content))
}

fn call(request: &CommunicationRequest, seed: u64) -> Call {
    let group = request.medium == Medium::Whatsapp;
    let agenda = if request.medium == Medium::Ptm { "3 to 5 points" } else { "none" };
    let slots = json!({ "words": if group { "25 to 55" } else { "45 to 110" }, "agenda": agenda });
    Call {
        name: "communication",
        system: fill(include_str!("../prompts/message.md"), &[("language", request.language.name())]),
        user: shown(request.normalised(), "", request.language, &slots, None),
        schema: serde_json::from_str(include_str!("../prompts/message.schema.json"))
            .expect("the schema is read in a test"),
        temperature: 0.7,
        max_tokens: room(request.language, 700),
        seed,
    }
}

#[cfg(test)]
mod tests {
    use banyan_functions::model::authoring::schema_fault;
    use banyan_functions::words::places;

    #[test]
    fn the_schema_is_strict_and_of_the_common_subset() {
        let schema = serde_json::from_str(include_str!("../prompts/message.schema.json")).unwrap();
        assert_eq!(schema_fault(&schema), None);
    }

    #[test]
    fn the_prompt_holds_no_text_of_a_request() {
        assert_eq!(places(include_str!("../prompts/message.md")), ["language"]);
    }
}
