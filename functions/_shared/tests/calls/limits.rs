//! The same numbers in the places that must agree on them.

use banyan_functions::paid_call::WHOLE;

#[test]
fn the_time_of_a_call_is_the_one_that_the_host_gives_its_function() {
    let policies = include_str!("../../../../supabase/banyan.toml");
    let seconds = format!("wall_clock = \"{}s\"", WHOLE.as_secs());
    let tools: Vec<&str> =
        policies.split("[functions.").filter(|section| section.starts_with("generate-")).collect();
    assert_eq!(tools.len(), 4);
    for tool in tools {
        assert!(tool.lines().any(|line| line == seconds), "{seconds} is not in {tool}");
    }
}
