//! A mail as text and parts, in the field names of Mailpit's API (CONTRACT.md LOC-INBOX-MESSAGE).

use mail_parser::{Address, Message, MessageParser, MessagePart, MimeHeaders, PartType};
use serde::Serialize;
use time::{OffsetDateTime, format_description::well_known::Rfc3339};

/// Characters of a mail shown in a list.
const SNIPPET: usize = 200;

/// A name with an address.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "PascalCase")]
pub(super) struct Mailbox {
    pub(super) name: String,
    pub(super) address: String,
}

/// The fields of a mail that a list shows.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "PascalCase")]
pub(super) struct Summary {
    #[serde(rename = "ID")]
    pub(super) id: String,
    #[serde(rename = "MessageID")]
    pub(super) message_id: String,
    pub(super) read: bool,
    pub(super) from: Mailbox,
    pub(super) to: Vec<Mailbox>,
    pub(super) cc: Vec<Mailbox>,
    pub(super) bcc: Vec<Mailbox>,
    pub(super) reply_to: Vec<Mailbox>,
    pub(super) subject: String,
    /// When it arrived, RFC 3339.
    pub(super) created: String,
    pub(super) username: String,
    pub(super) tags: Vec<String>,
    pub(super) size: usize,
    pub(super) attachments: usize,
    pub(super) snippet: String,
    /// The one-time code in it, for the page.
    #[serde(skip)]
    pub(super) code: Option<String>,
}

/// A part that is a file.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "PascalCase")]
pub(super) struct Attachment {
    #[serde(rename = "PartID")]
    pub(super) part_id: String,
    pub(super) file_name: String,
    pub(super) content_type: String,
    #[serde(rename = "ContentID")]
    pub(super) content_id: String,
    pub(super) size: usize,
}

/// The whole mail.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "PascalCase")]
pub(super) struct Mail {
    #[serde(rename = "ID")]
    pub(super) id: String,
    #[serde(rename = "MessageID")]
    pub(super) message_id: String,
    pub(super) from: Mailbox,
    pub(super) to: Vec<Mailbox>,
    pub(super) cc: Vec<Mailbox>,
    pub(super) bcc: Vec<Mailbox>,
    pub(super) reply_to: Vec<Mailbox>,
    pub(super) return_path: String,
    pub(super) subject: String,
    pub(super) date: String,
    pub(super) tags: Vec<String>,
    pub(super) username: String,
    pub(super) text: String,
    #[serde(rename = "HTML")]
    pub(super) html: String,
    pub(super) size: usize,
    pub(super) inline: Vec<Attachment>,
    pub(super) attachments: Vec<Attachment>,
}

/// One part, to be sent as it is.
#[derive(Debug)]
pub(super) struct Part {
    pub(super) content_type: String,
    pub(super) file_name: String,
    pub(super) content: Vec<u8>,
}

/// Reads the list entry of a mail that arrived at `created` with this envelope.
pub(super) fn summarize(id: &str, raw: &[u8], recipients: &[String], created: OffsetDateTime) -> Summary {
    let message = parse(raw);
    let text = text_of(&message);
    let subject = message.subject().unwrap_or_default().to_owned();
    Summary {
        id: id.to_owned(),
        message_id: message.message_id().unwrap_or_default().to_owned(),
        read: false,
        from: mailboxes(message.from()).into_iter().next().unwrap_or_default(),
        to: mailboxes(message.to()),
        cc: mailboxes(message.cc()),
        bcc: hidden_recipients(&message, recipients),
        reply_to: mailboxes(message.reply_to()),
        created: created.format(&Rfc3339).unwrap_or_default(),
        username: String::new(),
        tags: Vec::new(),
        size: raw.len(),
        attachments: files(&message).1.len(),
        snippet: text.split_whitespace().collect::<Vec<_>>().join(" ").chars().take(SNIPPET).collect(),
        code: one_time_code(&subject).or_else(|| one_time_code(&text)),
        subject,
    }
}

/// Reads the whole mail.
pub(super) fn read(summary: &Summary, return_path: &str, raw: &[u8]) -> Mail {
    let message = parse(raw);
    let (inline, attachments) = files(&message);
    Mail {
        id: summary.id.clone(),
        message_id: summary.message_id.clone(),
        from: summary.from.clone(),
        to: summary.to.clone(),
        cc: summary.cc.clone(),
        bcc: summary.bcc.clone(),
        reply_to: summary.reply_to.clone(),
        return_path: return_path.to_owned(),
        subject: summary.subject.clone(),
        date: message.date().map_or_else(|| summary.created.clone(), mail_parser::DateTime::to_rfc3339),
        tags: Vec::new(),
        username: String::new(),
        text: text_of(&message),
        html: html_of(&message),
        size: raw.len(),
        inline,
        attachments,
    }
}

/// The headers as written, each name with its values.
pub(super) fn headers(raw: &[u8]) -> serde_json::Map<String, serde_json::Value> {
    let mut headers = serde_json::Map::new();
    for (name, value) in parse(raw).headers_raw() {
        let values = headers.entry(name).or_insert_with(|| serde_json::Value::Array(Vec::new()));
        if let serde_json::Value::Array(values) = values {
            values.push(value.trim().into());
        }
    }
    headers
}

/// The part with the number that `PartID` gave.
pub(super) fn part(raw: &[u8], part_id: &str) -> Option<Part> {
    let message = parse(raw);
    let part = message.part(part_id.parse().ok()?)?;
    if matches!(part.body, PartType::Multipart(_)) {
        return None;
    }
    Some(Part {
        content_type: content_type(part),
        file_name: part.attachment_name().unwrap_or_default().to_owned(),
        content: part.contents().to_vec(),
    })
}

fn parse(raw: &[u8]) -> Message<'_> {
    MessageParser::default().parse(raw).unwrap_or_default()
}

fn text_of(message: &Message<'_>) -> String {
    message.body_text(0).map(|text| text.replace("\r\n", "\n")).unwrap_or_default()
}

/// The HTML part; a mail of plain text has none.
fn html_of(message: &Message<'_>) -> String {
    message
        .html_bodies()
        .find_map(|part| match &part.body {
            PartType::Html(html) => Some(html.to_string()),
            _ => None,
        })
        .unwrap_or_default()
}

/// Files shown inside the text, and files beside it.
fn files(message: &Message<'_>) -> (Vec<Attachment>, Vec<Attachment>) {
    let mut split = (Vec::new(), Vec::new());
    for number in &message.attachments {
        let Some(part) = message.part(*number) else { continue };
        let attachment = Attachment {
            part_id: number.to_string(),
            file_name: part.attachment_name().unwrap_or_default().to_owned(),
            content_type: content_type(part),
            content_id: part.content_id().unwrap_or_default().to_owned(),
            size: part.contents().len(),
        };
        let inline = matches!(part.body, PartType::InlineBinary(_));
        if inline { &mut split.0 } else { &mut split.1 }.push(attachment);
    }
    split
}

fn content_type(part: &MessagePart<'_>) -> String {
    part.content_type().map_or_else(
        || "application/octet-stream".to_owned(),
        |kind| format!("{}/{}", kind.ctype(), kind.subtype().unwrap_or("octet-stream")),
    )
}

fn mailboxes(address: Option<&Address<'_>>) -> Vec<Mailbox> {
    address
        .into_iter()
        .flat_map(Address::iter)
        .map(|one| Mailbox {
            name: one.name().unwrap_or_default().to_owned(),
            address: one.address().unwrap_or_default().to_owned(),
        })
        .collect()
}

/// Recipients of the envelope that no header names.
fn hidden_recipients(message: &Message<'_>, recipients: &[String]) -> Vec<Mailbox> {
    let named: Vec<Mailbox> =
        [message.to(), message.cc(), message.bcc()].into_iter().flat_map(mailboxes).collect();
    let mut hidden = mailboxes(message.bcc());
    hidden.extend(
        recipients
            .iter()
            .filter(|to| !named.iter().any(|known| known.address.eq_ignore_ascii_case(to)))
            .map(|to| Mailbox { name: String::new(), address: to.clone() }),
    );
    hidden
}

/// The first run of 6 to 10 digits that stands alone: not inside a word, a number with separators,
/// or an address.
fn one_time_code(text: &str) -> Option<String> {
    text.split_whitespace()
        .map(|word| {
            word.trim_matches(|c: char| matches!(c, '.' | ',' | ':' | ';' | '!' | '(' | ')' | '"' | '*'))
        })
        .find(|word| (6..=10).contains(&word.len()) && word.bytes().all(|byte| byte.is_ascii_digit()))
        .map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    const MIXED: &[u8] = b"From: \"Shikshak Saathi\" <a@b.c>\r\nTo: Asha <asha@x.y>\r\nSubject: =?utf-8?q?=E0=A4=A8?=\r\n\
        Message-ID: <1@b.c>\r\nDate: Sat, 21 Nov 2026 10:00:00 +0530\r\nMIME-Version: 1.0\r\n\
        Content-Type: multipart/mixed; boundary=m\r\n\r\n\
        --m\r\nContent-Type: multipart/alternative; boundary=a\r\n\r\n\
        --a\r\nContent-Type: text/plain; charset=utf-8\r\n\r\nYour code: 204816.\r\n\
        --a\r\nContent-Type: text/html; charset=utf-8\r\n\r\n<p>Your code: <b>204816</b></p>\r\n--a--\r\n\
        --m\r\nContent-Type: application/rtf; name=plan.rtf\r\nContent-Disposition: attachment; filename=plan.rtf\r\n\
        Content-Transfer-Encoding: base64\r\n\r\naGVsbG8=\r\n--m--\r\n";

    fn summary(raw: &[u8]) -> Summary {
        summarize("x", raw, &["asha@x.y".to_owned(), "hidden@x.y".to_owned()], OffsetDateTime::UNIX_EPOCH)
    }

    #[test]
    fn a_mail_with_an_attachment_is_read_in_all_its_parts() {
        let summary = summary(MIXED);
        assert_eq!(summary.from, Mailbox { name: "Shikshak Saathi".into(), address: "a@b.c".into() });
        assert_eq!((summary.subject.as_str(), summary.attachments), ("न", 1));
        assert_eq!(summary.code.as_deref(), Some("204816"));
        assert_eq!(summary.bcc[0].address, "hidden@x.y");
        assert_eq!(summary.created, "1970-01-01T00:00:00Z");
        let mail = read(&summary, "a@b.c", MIXED);
        assert_eq!(mail.text.trim(), "Your code: 204816.");
        assert!(mail.html.contains("<b>204816</b>"));
        assert_eq!(mail.date, "2026-11-21T10:00:00+05:30");
        let file = part(MIXED, &mail.attachments[0].part_id).expect("a part");
        assert_eq!((file.content.as_slice(), file.file_name.as_str()), (&b"hello"[..], "plan.rtf"));
        assert_eq!(headers(MIXED)["Message-ID"], serde_json::json!(["<1@b.c>"]));
    }

    #[test]
    fn bytes_that_are_no_mail_still_give_a_summary() {
        let summary = summary(b"\xff\xfe not a mail");
        assert_eq!(summary.from, Mailbox::default());
        assert!(part(b"\xff", "99").is_none() && part(b"\xff", "-1").is_none());
    }

    #[test]
    fn a_code_stands_alone() {
        for (text, code) in [
            ("Your code is 123456", Some("123456")),
            ("code: 123456.", Some("123456")),
            ("https://x.y/?token=123456", None),
            ("call 98765-43210 or 12345", None),
            ("01234567890", None),
        ] {
            assert_eq!(one_time_code(text).as_deref(), code, "{text}");
        }
    }
}
