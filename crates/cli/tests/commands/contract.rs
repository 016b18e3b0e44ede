#[test]
fn stack_the_rows_of_the_contract_name_the_tests_that_hold_them() {
    let crates = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    banyan_testkit::contract::check_names(&crates, "cli");
}
