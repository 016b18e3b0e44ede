#[test]
fn every_row_of_the_contract_has_a_test_or_a_reason() {
    let crates = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let scratch = std::path::Path::new(env!("CARGO_TARGET_TMPDIR"));
    banyan_testkit::contract::check_area(&crates, "edge", "functions", scratch);
}
