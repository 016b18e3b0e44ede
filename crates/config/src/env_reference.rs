/// Returns the name in `env(NAME)`. Once references are resolved, only unset variables are left.
pub(crate) fn variable(text: &str) -> Option<&str> {
    text.strip_prefix("env(").and_then(|rest| rest.strip_suffix(')'))
}

/// Says that a variable has no value, and where to set it.
pub(crate) fn unset(name: &str) -> String {
    format!("environment variable {name} is not set, or empty: {name}=… in supabase/.env.local sets it")
}
