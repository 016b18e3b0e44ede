//! Errors in redirects (CONTRACT.md E9): what the query and the fragment say of an error.

use super::{AuthError, Wire};

/// What brought the browser here. It decides the parameter `error`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Followed {
    /// The link of a mail (CONTRACT.md V8).
    Link,
    /// The return from a provider (CONTRACT.md G10).
    Provider,
}

/// An error as parameters: `error` where there is a word for it, `error_code`,
/// `error_description`.
pub(crate) fn error_pairs(error: &AuthError, followed: Followed) -> Vec<(&'static str, String)> {
    let wire = error.wire();
    let name = name(&wire, followed).map(|name| ("error", name.to_owned()));
    let code = ("error_code", wire.code.to_owned());
    name.into_iter().chain([code, ("error_description", wire.message)]).collect()
}

/// The word of OAuth for an error.
fn name(wire: &Wire, followed: Followed) -> Option<&'static str> {
    use Followed::{Link, Provider};
    let denied = ["signup_disabled", "user_banned", "provider_email_needs_verification"];
    match (wire.status.as_u16(), followed) {
        (_, Provider) if denied.contains(&wire.code) => Some("access_denied"),
        (400, _) => Some("invalid_request"),
        (401, _) => Some("unauthorized_client"),
        (403, _) => Some("access_denied"),
        (503, _) => Some("temporarily_unavailable"),
        (500, _) | (_, Provider) => Some("server_error"),
        (_, Link) => None,
    }
}

/// Parameters with the empty `sb` by which clients recognise a fragment of ours.
pub(crate) fn marked(mut pairs: Vec<(&'static str, String)>) -> Vec<(&'static str, String)> {
    pairs.push(("sb", String::new()));
    pairs
}

#[cfg(test)]
mod tests {
    use super::*;

    // rows: E9 G10 V8
    #[test]
    fn a_link_leaves_out_what_has_no_word_and_a_provider_denies_access() {
        let of = |error: &AuthError, followed| error_pairs(error, followed)[0].clone();
        let pair = |name, value: &str| (name, value.to_owned());
        let banned = AuthError::RefreshBanned;
        assert_eq!(of(&banned, Followed::Link), pair("error", "invalid_request"));
        assert_eq!(of(&banned, Followed::Provider), pair("error", "access_denied"));
        let no_word = AuthError::EmailExists;
        assert_eq!(of(&no_word, Followed::Link), pair("error_code", "email_exists"));
        assert_eq!(of(&no_word, Followed::Provider), pair("error", "server_error"));
        for followed in [Followed::Link, Followed::Provider] {
            assert_eq!(of(&AuthError::Panicked, followed), pair("error", "server_error"));
            assert_eq!(of(&AuthError::CodeRefused, followed), pair("error", "access_denied"));
        }
    }
}
