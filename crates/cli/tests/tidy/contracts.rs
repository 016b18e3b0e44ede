//! Every row of a contract page has a test or a reason, and what is cited is a row.

use std::path::Path;

use crate::root;

#[test]
fn every_row_of_a_contract_has_a_test_or_a_reason() {
    banyan_testkit::contract::check(&root(), Path::new(env!("CARGO_TARGET_TMPDIR")));
}

#[test]
fn names_of_tests_are_sentences_without_row_ids() {
    banyan_testkit::contract::check_names(&root());
}

#[test]
fn what_comments_cite_is_a_row_of_a_page() {
    banyan_testkit::contract::check_citations(&root());
}
