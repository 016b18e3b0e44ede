//! Checks a message once: recipients, sizes, and that no text can break out of a header.

use lettre::{Address, message::header::ContentType};
use sha2::{Digest, Sha256};
use time::OffsetDateTime;

use crate::MailError;

/// Most recipients of one message.
pub const MAX_RECIPIENTS: usize = 50;
/// Longest subject in bytes: one header line (RFC 5322 2.1.1).
pub const MAX_SUBJECT: usize = 998;
/// Largest text or HTML body in bytes.
pub const MAX_BODY: usize = 1024 * 1024;
/// Most attachments of one message.
pub const MAX_ATTACHMENTS: usize = 10;
/// Largest sum of the attachments in bytes (product decision D18).
pub const MAX_ATTACHED: usize = 10 * 1024 * 1024;
/// Most headers that an author adds.
pub const MAX_HEADERS: usize = 20;
/// Headers that the queue writes itself.
const OURS: [&str; 13] = [
    "from",
    "sender",
    "to",
    "cc",
    "bcc",
    "subject",
    "date",
    "message-id",
    "mime-version",
    "return-path",
    "received",
    "auto-submitted",
    "dkim-signature",
];
const MAX_ADDRESS: usize = 254;
const MAX_FILENAME: usize = 255;
const MAX_KEY: usize = 255;

/// A message as its author wrote it, not checked yet.
#[derive(Debug, Clone, Default)]
pub struct Draft {
    /// Bare addresses.
    pub to: Vec<String>,
    /// One line.
    pub subject: String,
    /// Plain text; either this or `html` must be there.
    pub text: Option<String>,
    /// HTML.
    pub html: Option<String>,
    /// Headers besides those that make a mail, each with its value.
    pub headers: Vec<(String, String)>,
    /// Files.
    pub attachments: Vec<Attachment>,
    /// A second message under one key is the first one again.
    pub idempotency_key: Option<String>,
    /// After this time the message is worth nothing and is not sent any more.
    pub expires_at: Option<OffsetDateTime>,
}

/// A file of a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Attachment {
    /// Name shown to the reader.
    pub filename: String,
    /// Media type.
    pub content_type: String,
    /// Its bytes.
    pub content: Vec<u8>,
}

/// A message that can be sent: addresses are addresses, no header holds a control character, sizes
/// are within limits.
#[derive(Clone)]
pub struct Message(Draft);

/// A message to one reader, without files and key (see [`Message::single`]).
#[derive(Clone)]
pub struct SingleMessage<'a> {
    /// The reader's address.
    pub to: &'a str,
    /// One line.
    pub subject: &'a str,
    /// Plain text.
    pub text: Option<&'a str>,
    /// HTML.
    pub html: Option<&'a str>,
    /// Pairs of name and value.
    pub headers: serde_json::Value,
    /// Identifies the content of the message.
    pub fingerprint: [u8; 32],
    /// After this time it is not sent any more.
    pub expires_at: Option<OffsetDateTime>,
}

/// Shows how much there is, never what: a mail may hold a sign-in code.
impl std::fmt::Debug for SingleMessage<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SingleMessage").finish_non_exhaustive()
    }
}

/// Shows how much there is, never what: a mail may hold a sign-in code.
impl std::fmt::Debug for Message {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Message")
            .field("recipients", &self.0.to.len())
            .field("attachments", &self.0.attachments.len())
            .finish_non_exhaustive()
    }
}

impl Message {
    /// Checks a draft.
    ///
    /// # Errors
    /// [`MailError::Invalid`] with the first field that is wrong; 400 `validation_failed` on the
    /// wire.
    pub fn check(draft: Draft) -> Result<Self, MailError> {
        check_recipients(&draft.to)?;
        check_line("subject", &draft.subject, MAX_SUBJECT)?;
        check_headers(&draft.headers)?;
        check_bodies(&draft)?;
        check_attachments(&draft.attachments)?;
        if let Some(key) = &draft.idempotency_key {
            check_line("idempotency_key", key, MAX_KEY)?;
        }
        Ok(Self(draft))
    }

    /// Returns the arguments of `mail.enqueue`, for callers that run it in a statement of their
    /// own. None unless the message has one recipient, no files and no key.
    #[must_use]
    pub fn single(&self) -> Option<SingleMessage<'_>> {
        let Draft { to, subject, text, html, headers, attachments, idempotency_key, expires_at } = &self.0;
        let [to] = to.as_slice() else { return None };
        (attachments.is_empty() && idempotency_key.is_none()).then(|| SingleMessage {
            to,
            subject,
            text: text.as_deref(),
            html: html.as_deref(),
            headers: serde_json::json!(headers),
            fingerprint: self.fingerprint(),
            expires_at: *expires_at,
        })
    }

    pub(crate) fn draft(&self) -> &Draft {
        &self.0
    }

    /// SHA-256 of everything that is sent; parts are prefixed with their length, so that none runs
    /// into the next.
    pub(crate) fn fingerprint(&self) -> [u8; 32] {
        let mut hash = Sha256::new();
        let mut part = |bytes: &[u8]| {
            hash.update((bytes.len() as u64).to_be_bytes());
            hash.update(bytes);
        };
        part(&(self.0.to.len() as u64).to_be_bytes());
        self.0.to.iter().for_each(|address| part(address.as_bytes()));
        part(self.0.subject.as_bytes());
        for body in [&self.0.text, &self.0.html] {
            part(&[u8::from(body.is_some())]);
            part(body.as_deref().unwrap_or_default().as_bytes());
        }
        // Only when there are any, so that what was queued before keeps its fingerprint.
        for (name, value) in &self.0.headers {
            part(name.as_bytes());
            part(value.as_bytes());
        }
        for file in &self.0.attachments {
            part(file.filename.as_bytes());
            part(file.content_type.as_bytes());
            part(&file.content);
        }
        hash.finalize().into()
    }
}

fn check_recipients(to: &[String]) -> Result<(), MailError> {
    if to.is_empty() || to.len() > MAX_RECIPIENTS {
        return Err(MailError::invalid("to", format!("must name 1 to {MAX_RECIPIENTS} addresses")));
    }
    let bad = |address: &&String| {
        address.len() > MAX_ADDRESS
            || address.chars().any(char::is_control)
            || address.parse::<Address>().is_err()
    };
    match to.iter().find(bad) {
        None => Ok(()),
        Some(_) => Err(MailError::invalid("to", "holds something that is no e-mail address")),
    }
}

/// A value that becomes part of a header: not empty, not long, no control character, so it cannot
/// end its line.
fn check_line(field: &'static str, value: &str, longest: usize) -> Result<(), MailError> {
    if value.trim().is_empty() || value.len() > longest {
        return Err(MailError::invalid(field, format!("must have 1 to {longest} bytes")));
    }
    if value.chars().any(char::is_control) {
        return Err(MailError::invalid(field, "must be one line without control characters"));
    }
    Ok(())
}

/// Added headers must not change the mail: sender, recipients and encoding stay ours.
fn check_headers(headers: &[(String, String)]) -> Result<(), MailError> {
    if headers.len() > MAX_HEADERS {
        return Err(MailError::invalid("headers", format!("must be at most {MAX_HEADERS}")));
    }
    for (name, value) in headers {
        check_line("headers", value, MAX_SUBJECT)?;
        let lower = name.to_ascii_lowercase();
        let fits = !name.is_empty()
            && name.len() <= 76
            && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-')
            && !lower.starts_with("content-")
            && !OURS.contains(&lower.as_str());
        if !fits {
            return Err(MailError::invalid("headers", "holds a name that cannot be added"));
        }
    }
    Ok(())
}

fn check_bodies(draft: &Draft) -> Result<(), MailError> {
    if draft.text.is_none() && draft.html.is_none() {
        return Err(MailError::invalid("text", "text or html must be given"));
    }
    for (field, body) in [("text", &draft.text), ("html", &draft.html)] {
        let Some(body) = body else { continue };
        if body.len() > MAX_BODY {
            return Err(MailError::invalid(field, format!("must have at most {MAX_BODY} bytes")));
        }
        if body.contains('\0') {
            return Err(MailError::invalid(field, "must not hold a NUL character"));
        }
    }
    Ok(())
}

fn check_attachments(files: &[Attachment]) -> Result<(), MailError> {
    if files.len() > MAX_ATTACHMENTS {
        return Err(MailError::invalid("attachments", format!("must be at most {MAX_ATTACHMENTS}")));
    }
    if files.iter().map(|file| file.content.len()).sum::<usize>() > MAX_ATTACHED {
        return Err(MailError::invalid("attachments", format!("must have at most {MAX_ATTACHED} bytes")));
    }
    for file in files {
        check_line("attachments.filename", &file.filename, MAX_FILENAME)?;
        check_line("attachments.content_type", &file.content_type, MAX_FILENAME)?;
        ContentType::parse(&file.content_type)
            .map_err(|_| MailError::invalid("attachments.content_type", "is no media type"))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn draft() -> Draft {
        Draft {
            to: vec!["asha@example.com".into()],
            subject: "Hello".into(),
            text: Some("x".into()),
            ..Draft::default()
        }
    }

    fn refused(change: impl FnOnce(&mut Draft)) -> &'static str {
        let mut draft = draft();
        change(&mut draft);
        match Message::check(draft) {
            Err(MailError::Invalid { field, .. }) => field,
            other => panic!("not refused: {other:?}"),
        }
    }

    #[test]
    fn a_plain_message_is_accepted() {
        assert!(Message::check(draft()).is_ok());
    }

    #[test]
    fn header_injection_is_refused() {
        assert_eq!(refused(|d| d.subject = "x\r\nBcc: all@example.com".into()), "subject");
        assert_eq!(refused(|d| d.to = vec!["a@example.com\r\nBcc: b@example.com".into()]), "to");
        assert_eq!(refused(|d| d.to = vec!["a@example.com, b@example.com".into()]), "to");
        let file = |filename: &str, content_type: &str| Attachment {
            filename: filename.into(),
            content_type: content_type.into(),
            content: vec![],
        };
        assert_eq!(refused(|d| d.attachments = vec![file("a\nb", "text/plain")]), "attachments.filename");
        assert_eq!(
            refused(|d| d.attachments = vec![file("a", "text/plain\r\nX: y")]),
            "attachments.content_type"
        );
    }

    // rows: auth/M40
    #[test]
    fn added_headers_cannot_become_another_mail() {
        let with = |name: &str, value: &str| {
            let mut draft = draft();
            draft.headers = vec![(name.into(), value.into())];
            Message::check(draft).is_ok()
        };
        assert!(with("X-Priority", "1"));
        for (name, value) in [
            ("Bcc", "x@example.com"),
            ("FROM", "x@example.com"),
            ("Content-Type", "text/plain"),
            ("X-A", "1\r\nBcc: x@example.com"),
            ("X-A\r\nBcc", "x@example.com"),
            ("X A", "1"),
            ("", "1"),
        ] {
            assert!(!with(name, value), "{name:?}: {value:?}");
        }
    }

    #[test]
    fn sizes_and_counts_are_limited() {
        assert_eq!(refused(|d| d.to.clear()), "to");
        assert_eq!(refused(|d| d.to = vec!["a@example.com".into(); MAX_RECIPIENTS + 1]), "to");
        assert_eq!(refused(|d| d.subject = "x".repeat(MAX_SUBJECT + 1)), "subject");
        assert_eq!(refused(|d| d.text = Some("x".repeat(MAX_BODY + 1))), "text");
        assert_eq!(refused(|d| d.text = None), "text");
        let big = Attachment {
            filename: "a.rtf".into(),
            content_type: "application/rtf".into(),
            content: vec![0; MAX_ATTACHED + 1],
        };
        assert_eq!(refused(|d| d.attachments = vec![big]), "attachments");
    }

    #[test]
    fn the_fingerprint_tells_messages_apart() {
        let of = |change: fn(&mut Draft)| {
            let mut draft = draft();
            change(&mut draft);
            Message::check(draft).unwrap().fingerprint()
        };
        let plain = of(|_| {});
        assert_eq!(plain, of(|d| d.idempotency_key = Some("k".into())), "the key is no content");
        assert_ne!(plain, of(|d| d.text = Some("y".into())));
        assert_ne!(of(|d| d.html = Some("x".into())), of(|d| d.text = Some("xx".into())));
    }
}
