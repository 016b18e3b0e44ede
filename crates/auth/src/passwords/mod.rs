//! Passwords: whether one is good enough, how it is stored, and whether it is the right one
//! (CONTRACT.md PW2 to PW9).
//!
//! New hashes are argon2id. Hashes that a project brings along (bcrypt, argon2, Firebase's scrypt)
//! are verified as they are and replaced at the next successful sign-in (PW3). All of it runs on
//! threads of its own, outside of any connection, so that a burst of sign-ins cannot starve other
//! requests (PW8).

/// The threads that hash.
mod threads;

/// Forms of stored hashes.
mod formats;

/// Firebase's variant of scrypt.
mod firebase;

/// Rules that a new password has to meet.
mod rules;

/// Passwords that are known to have leaked.
mod leaked;

/// How long refused sign-ins take.
mod refusal_times;

use banyan_config::Auth;
use tokio::time::{Duration, Instant};

use crate::wire::error::{AuthError, PasswordError, Weakness};
use leaked::LeakedPasswords;
use refusal_times::RefusalTimes;
use rules::Rules;
use threads::Threads;

/// Longest password in bytes (CONTRACT.md PW2).
pub(crate) const LONGEST: usize = 72;
/// The least time that a refused sign-in, or an answer that must not tell whether an address is
/// known, takes. Above the time of the usual forms of hash, so that neither the form nor the
/// absence of one shows (CONTRACT.md PW9, C12); of sign-ins that are slower still,
/// [`Passwords::refuse_after_equal_time`] knows.
const MIN_TIME: Duration = Duration::from_millis(300);

/// Longest wait of a sign-in for what is only a warning.
const MAX_WAIT: Duration = Duration::from_millis(500);

/// What checks, hashes and verifies.
pub(crate) struct Passwords {
    enabled: bool,
    threads: Threads,
    rules: Rules,
    leaked: Option<LeakedPasswords>,
    refusal_times: RefusalTimes,
}

/// What a stored hash says about a password.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Verdict {
    pub(crate) right: bool,
    /// Whether the stored form should be replaced by a new hash of the same password.
    pub(crate) outdated: bool,
    /// How long it was before there was a thread for it, whatever is stored.
    pub(crate) waited: Duration,
}

impl Passwords {
    pub(crate) fn new(settings: &Auth) -> Self {
        Self {
            enabled: settings.passwords.enabled,
            threads: Threads::start(),
            rules: Rules::new(settings),
            leaked: LeakedPasswords::new(settings),
            refusal_times: RefusalTimes::new(),
        }
    }

    /// Whether the project has passwords; what admins set and what is stored stays as it is.
    ///
    /// # Errors
    /// 422 `password_provider_disabled`.
    pub(crate) fn check_enabled(&self) -> Result<(), PasswordError> {
        if self.enabled { Ok(()) } else { Err(PasswordError::Off) }
    }

    /// Refuses a password that a new account must not have. All reasons are named, not only the
    /// first (CONTRACT.md PW7).
    ///
    /// # Errors
    /// 422 `weak_password`; 400 `validation_failed` when it is too long; 500 when leaked passwords
    /// cannot be asked for and the project wants to be sure.
    pub(crate) async fn check(&self, password: &str) -> Result<(), AuthError> {
        if password.len() > LONGEST {
            return Err(PasswordError::TooLong(LONGEST).into());
        }
        match self.weakness(password).await? {
            Some(weakness) => Err(PasswordError::Weak(weakness).into()),
            None => Ok(()),
        }
    }

    /// What is wrong with a password.
    ///
    /// # Errors
    /// As [`Passwords::check`] when leaked passwords cannot be asked for.
    async fn weakness(&self, password: &str) -> Result<Option<Weakness>, AuthError> {
        let leaked = match &self.leaked {
            Some(leaked) => leaked.holds(password).await?,
            None => false,
        };
        Ok(self.weakness_of(password, leaked))
    }

    /// As far as it is known at once what is wrong with a password that somebody signs in with
    /// (CONTRACT.md O32): whoever keeps the leaked ones has [`MAX_WAIT`] to say.
    pub(crate) async fn weakness_in_time(&self, password: &str) -> Option<Weakness> {
        let leaked = match &self.leaked {
            Some(leaked) => tokio::time::timeout(MAX_WAIT, leaked.holds(password)).await,
            None => Ok(Ok(false)),
        };
        let leaked = leaked.unwrap_or(Ok(false)).unwrap_or_else(|error| {
            tracing::warn!(%error, "the strength of a password could not be checked at sign-in");
            false
        });
        self.weakness_of(password, leaked)
    }

    fn weakness_of(&self, password: &str, leaked: bool) -> Option<Weakness> {
        let mut found = self.rules.judge(password);
        if leaked {
            found.push((
                "pwned",
                "Password is known to be weak and easy to guess, please choose a different one.".to_owned(),
            ));
        }
        let (reasons, messages): (Vec<_>, Vec<String>) = found.into_iter().unzip();
        (!reasons.is_empty()).then(|| Weakness { message: messages.join(" "), reasons })
    }

    /// Hashes a password for storing, with a salt that was drawn for it.
    ///
    /// # Errors
    /// [`PasswordError::Busy`] (429) when too many wait already.
    pub(crate) async fn hash(&self, password: &str, salt: [u8; 16]) -> Result<String, AuthError> {
        let password = password.to_owned();
        Ok(self.threads.run(move || formats::hash(&password, &salt)).await?.0)
    }

    /// Compares a password with a stored hash; without one the same work is done for nothing
    /// (CONTRACT.md PW9).
    ///
    /// # Errors
    /// As [`Passwords::hash`].
    pub(crate) async fn verify(&self, stored: Option<&str>, password: &str) -> Result<Verdict, AuthError> {
        let (stored, password) = (stored.map(str::to_owned), password.to_owned());
        let (verdict, waited) =
            self.threads.run(move || formats::verify(stored.as_deref(), &password)).await?;
        Ok(Verdict { waited, ..verdict })
    }
}

impl Passwords {
    /// Waits before a refused sign-in is answered, until it took as long as the slowest of late at
    /// an account: a hash brought along, or a hook, may take longer than [`MIN_TIME`] (CONTRACT.md
    /// PW9). The wait for a thread is none of it: `began` is later by so much.
    pub(crate) async fn refuse_after_equal_time(&self, began: Instant, judged: bool) {
        let now = Instant::now();
        if judged {
            self.refusal_times.note(now - began, now);
        }
        tokio::time::sleep_until(began + self.refusal_times.slowest(now).max(MIN_TIME)).await;
    }
}

/// Whether a hash that an admin brings along has a form that can be verified later
/// (CONTRACT.md PW3).
///
/// # Errors
/// 400 `validation_failed`.
pub(crate) fn check_hash(hash: &str) -> Result<(), AuthError> {
    if formats::is_known(hash) { Ok(()) } else { Err(PasswordError::HashUnknown.into()) }
}

/// The hash of a password that nobody knows, for accounts whose owner signs in by code until
/// choosing one. It needs no work: what is drawn cannot be guessed.
pub(crate) fn unknowable_hash(drawn: &[u8; 48], salt: &[u8; 16]) -> String {
    formats::hash_of_random(drawn, salt)
}

/// Hashes a password as it is stored, on the thread of the caller: for tools that measure or write
/// seeds.
#[must_use]
pub fn hash_of_password(password: &str, salt: &[u8; 16]) -> String {
    formats::hash(password, salt)
}

/// Whether a password has this hash: what a sign-in does on a hashing thread, here on that of the
/// caller.
#[must_use]
pub fn is_password_of(stored: &str, password: &str) -> bool {
    formats::verify(Some(stored), password).right
}

/// How many threads hash: half of the machine's cores.
#[must_use]
pub fn hashing_threads() -> usize {
    threads::count()
}

/// Waits until the least time since `began` is over, so that how long an answer took tells nothing
/// (CONTRACT.md PW9).
pub(crate) async fn wait_for_equal_time(began: Instant) {
    tokio::time::sleep_until(began + MIN_TIME).await;
}
