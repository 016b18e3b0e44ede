//! The rules about accounts, codes, sessions and limits. No routes, no SQL.

/// Which account an identity at a provider belongs to.
pub(crate) mod linking;

/// The first proof that somebody owns an address, and what it strips from the account.
pub(crate) mod ownership_proof;

/// Changes of address and number.
pub(crate) mod address_changes;

/// Codes by text message.
pub(crate) mod sms;

/// One-time codes: made, hashed, sent and compared.
pub(crate) mod codes;

/// Sessions, their tokens, and how long they live.
pub(crate) mod sessions;

/// Notices of changes that were made.
pub(crate) mod security_notifications;

/// Sends mails: into the queue, or by the hook.
pub(crate) mod mail_dispatch;

/// Accounts: made, confirmed, shown.
pub(crate) mod accounts;

/// Which request made an account that nobody proved to own yet.
pub(crate) mod account_origin;

/// Entries of the audit log.
pub(crate) mod audit_log;

/// The transaction of a request, and what is done after its commit.
pub(crate) mod transaction;

/// How often codes are sent, and how often codes, passwords and factors may be guessed.
pub(crate) mod limits;

/// Phone numbers whose code is fixed, for tests.
pub(crate) mod test_otp;

/// Where a browser may be sent.
pub(crate) mod redirects;

/// Answers that must not tell whether somebody has an address.
pub(crate) mod enumeration_guard;
