//! Which names a function may have (CONTRACT.md F02).

/// Bytes of the longest name. A file name of the function, with its extensions, has room for it.
const MAX_BYTES: usize = 128;

/// Whether a function may have this name: `^[A-Za-z][A-Za-z0-9_-]*$`, of at most 128 bytes.
#[must_use]
pub fn is_function_name(name: &str) -> bool {
    name.len() <= MAX_BYTES
        && name.starts_with(|first: char| first.is_ascii_alphabetic())
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-')
}

#[cfg(test)]
mod tests {
    use super::is_function_name;

    // rows: F02
    #[test]
    fn names_follow_the_pattern() {
        for good in ["hello", "a", "Send-mail_2"] {
            assert!(is_function_name(good), "{good}");
        }
        assert!(is_function_name(&"a".repeat(128)) && !is_function_name(&"a".repeat(129)));
        for bad in ["", "_shared", "1st", "a.b", "a/b", "ä", "-a"] {
            assert!(!is_function_name(bad), "{bad}");
        }
    }
}
