//! Passwords that are known to have leaked, asked for by k-anonymity: only five hex digits of the
//! SHA-1 leave, and the service answers with all that begin so (CONTRACT.md PW6).

use std::time::Duration;

use banyan_config::Auth;
use bytes::Bytes;
use http::{Request, header};
use http_body_util::Full;
use sha1::{Digest, Sha1};

use crate::{outbound::Outbound, wire::error::PasswordError};

/// Longest wait for the service.
const WAIT: Duration = Duration::from_secs(5);
/// Largest answer; real ones have about 80 KB.
const LARGEST: usize = 512 * 1024;
/// Digits of the hash that are told.
const PREFIX_LENGTH: usize = 5;

/// The service and what to do when it cannot be asked.
pub(super) struct LeakedPasswords {
    url: String,
    fail_closed: bool,
    outbound: Outbound,
}

impl LeakedPasswords {
    /// None when the look-up is off.
    pub(super) fn new(settings: &Auth) -> Option<Self> {
        let leaked = settings.passwords.leaked.as_ref()?;
        Some(Self { url: leaked.url.clone(), fail_closed: leaked.fail_closed, outbound: Outbound::new() })
    }

    /// Whether a password is known.
    ///
    /// # Errors
    /// [`PasswordError::LeakCheck`] when the service cannot be asked and the project wants to be
    /// sure; otherwise the password passes and the log says so.
    pub(super) async fn holds(&self, password: &str) -> Result<bool, PasswordError> {
        let hash = hex::encode_upper(Sha1::digest(password.as_bytes()));
        match self.ask(&hash[..PREFIX_LENGTH]).await {
            Ok(list) => Ok(lists(&list, &hash[PREFIX_LENGTH..])),
            Err(problem) if self.fail_closed => Err(PasswordError::LeakCheck(problem)),
            Err(problem) => {
                tracing::warn!(
                    error = problem,
                    "leaked passwords could not be asked for; the password passes"
                );
                Ok(false)
            }
        }
    }

    async fn ask(&self, beginning: &str) -> Result<String, String> {
        let request = Request::get(format!("{}{beginning}", self.url))
            .header(header::USER_AGENT, "banyan-auth")
            // The service pads its answer, so that its length does not tell which beginning was
            // asked for.
            .header("add-padding", "true")
            .body(Full::<Bytes>::default())
            .map_err(|error| error.to_string())?;
        let reply = self.outbound.send(request, WAIT, LARGEST).await.map_err(|error| error.to_string())?;
        if !reply.status.is_success() {
            return Err(format!("the service answered {}", reply.status));
        }
        String::from_utf8(reply.body.to_vec()).map_err(|_| "the answer is no text".to_owned())
    }
}

/// Whether a list of `<rest of the hash>:<times seen>` holds a hash; padding has been seen no
/// times.
fn lists(list: &str, rest: &str) -> bool {
    list.lines().filter_map(|line| line.trim().split_once(':')).any(|(found, times)| {
        found.eq_ignore_ascii_case(rest) && times.trim().parse::<u64>().is_ok_and(|times| times > 0)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    // rows: PW6
    #[test]
    fn padding_counts_for_nothing() {
        let list = "003D68EB55068C33ACE09247EE4C639306B:3\r\n1E4C9B93F3F0682250B6CF8331B7EE68FD8:0\r\n";
        assert!(lists(list, "003d68eb55068c33ace09247ee4c639306b"));
        assert!(!lists(list, "1E4C9B93F3F0682250B6CF8331B7EE68FD8"));
        assert!(!lists(list, "F"));
    }
}
