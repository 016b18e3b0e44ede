//! Feeds requests to the first three stages of the REST service (parse, plan, render) and holds
//! what comes out against the promises of CONTRACT.md U15, V01 and V09: no panic, no overflow of
//! the stack, no SQL that PostgreSQL cannot parse, nothing of the request outside parameters and
//! quoted identifiers.
//!
//! `scripts/fuzz` runs it. An input is a request as people write it down, see `seeds/requests/`.
#![no_main]

/// From bytes to a request.
mod input;

/// What generated SQL may be made of.
mod tokens;

/// The school of the service's own tests, and PostgreSQL's opinion of a text.
mod school;

use banyan_rest::{plan, request, sql};
use libfuzzer_sys::{Corpus, fuzz_target};

use crate::school::School;

// PostgreSQL starts before the clock of the first input does.
fuzz_target!(init: { School::get(); }, |bytes: &[u8]| -> Corpus {
    let Some((parts, body)) = input::request(bytes) else { return Corpus::Reject };
    let school = School::get();
    let snapshot = &school.snapshot;
    let Ok(request) = request::parse(&parts, body, &snapshot.settings) else { return Corpus::Keep };
    let Ok(plan) = plan::resolve(&request.shape, &snapshot.catalog, &snapshot.settings) else {
        return Corpus::Keep;
    };
    let rendered = sql::render(&plan, &snapshot.settings);
    for template in [&rendered.main, &rendered.estimate].into_iter().flatten() {
        let statement = template.statement(&request.values, &request.body);
        assert_eq!(statement.text, template.text, "the text does not depend on values");
        if let Err(fault) = school.vocabulary.check(&template.text, statement.params.len()) {
            panic!("{fault}\n{}", template.text);
        }
        if let Err(refusal) = school.parses(&template.text) {
            panic!("PostgreSQL cannot parse this: {refusal}\n{}", template.text);
        }
    }
    Corpus::Keep
});
