#[test]
fn every_row_of_the_contract_has_a_test_or_a_reason() {
    let crates = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    banyan_testkit::contract::check(&crates, "auth", std::path::Path::new(env!("CARGO_TARGET_TMPDIR")));
}
