//! The structured document `co/1`: facts and text together, from which text and file are made
//! (SPECIFICATION.md GEN-6).

use banyan_functions::dates::Day;
use banyan_functions::metadata::{Head, Remarks};
use serde::Serialize;

use crate::audience::Audience;
use crate::content::Content;
use crate::day_row::with_day;
use crate::details::KeyDetails;
use crate::purpose::Purpose;
use crate::request::{CommunicationRequest, Medium, Tone};
use crate::rows::Row;
use crate::words::Words;

/// Kind of the document, and form of its data.
pub const FORM: (&str, &str) = ("communication", "co/1");

/// A communication.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Message {
    /// The head of every structured document.
    #[serde(flatten)]
    pub head: Head,
    /// How it reaches its readers.
    #[serde(rename = "type")]
    pub medium: Medium,
    /// Its tone.
    pub tone: Tone,
    /// The readers, as typed.
    pub audience: String,
    /// Their kind.
    #[serde(skip)]
    pub readers: Audience,
    /// The subject.
    #[serde(skip)]
    pub purpose: Purpose,
    /// As typed; empty when unknown.
    pub school: String,
    /// Today in India, DD-MM-YYYY.
    pub date: String,
    /// DD-MM-YYYY.
    pub event_date: String,
    /// Its day of the week, computed.
    pub weekday: String,
    /// With a blank for the number, since the school owns the series; empty where there is none.
    pub ref_no: String,
    /// The purpose as typed.
    pub subject: String,
    /// The greeting.
    pub salutation: String,
    /// The paragraphs in order.
    pub body: Vec<String>,
    /// How many of them stand before the details.
    #[serde(skip)]
    pub before_details: usize,
    /// The facts, the day of the event among them.
    pub details: Vec<Row>,
    /// Agenda of a meeting.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub agenda: Vec<String>,
    /// The words before the signature; empty where the sender typed them.
    pub closing: String,
    /// The lines of the signature.
    pub signature: Vec<String>,
    /// The text to paste.
    pub plain_text: String,
}

/// Puts facts and text together; [`Message::plain_text`] is left for the layout.
pub fn assemble(
    request: &CommunicationRequest,
    words: &Words,
    content: Content,
    remarks: Remarks,
) -> Message {
    let (tone, readers, purpose) = (request.tone, Audience::of(&request.audience), Purpose::of(request));
    let facts = KeyDetails::of(request, words.heading("ward")).facts;
    let (body, before_details) = body(request, words, &content, readers);
    let (closing, signature) = signature(request, words);
    let date = remarks.created_on.clone();
    Message {
        medium: request.medium,
        tone,
        audience: request.audience.clone(),
        readers,
        purpose,
        school: request.school.clone(),
        event_date: request.event.to_string(),
        weekday: words.weekdays[request.event.weekday()].clone(),
        ref_no: ref_no(request, words, &date),
        subject: request.purpose.clone(),
        salutation: words.greeting(readers, tone).to_owned(),
        body,
        before_details,
        details: with_day(request, words, purpose, facts),
        agenda: content.agenda,
        closing,
        signature,
        plain_text: String::new(),
        date,
        head: Head::new(FORM, request.purpose.clone(), request.language, remarks),
    }
}

/// The paragraphs, and how many of them stand before the details.
fn body(
    request: &CommunicationRequest,
    words: &Words,
    content: &Content,
    readers: Audience,
) -> (Vec<String>, usize) {
    let tone = request.tone;
    let notice = request.medium == Medium::Formal && readers == Audience::Students;
    if request.medium == Medium::Whatsapp || notice {
        return (vec![content.opening.clone(), content.request.clone()], 1);
    }
    let mut body = vec![content.opening.clone(), words.intro(tone).to_owned(), content.request.clone()];
    // Colleagues do not ask the class teacher for another time.
    if request.medium == Medium::Ptm && readers != Audience::Teachers {
        body.push(words.reschedule.clone());
    }
    body.push(words.contact(readers, tone).to_owned());
    body.push(content.support.clone());
    body.retain(|paragraph| !paragraph.is_empty());
    (body, 2)
}

/// The closing, and the lines below it. Lines that the typed signature already has are left out.
fn signature(request: &CommunicationRequest, words: &Words) -> (String, Vec<String>) {
    let closing = match request.signature.is_empty() {
        true => words.closing(request.tone).to_owned(),
        false => String::new(),
    };
    let typed = request.signature.to_lowercase();
    let unsaid = [&request.sender_name, &request.sender_role]
        .into_iter()
        .filter(|line| !typed.contains(&line.to_lowercase()))
        .cloned();
    let lines = request.signature.lines().map(str::to_owned).filter(|line| !line.is_empty());
    (closing, lines.chain(unsaid).collect())
}

/// `SVM/CIR/2026-27/____`, with the word for a circular in the language.
fn ref_no(request: &CommunicationRequest, words: &Words, date: &str) -> String {
    if request.medium != Medium::Formal {
        return String::new();
    }
    let names =
        request.school.split_whitespace().filter(|word| word.starts_with(|c: char| c.is_ascii_uppercase()));
    let initials: String = names.filter_map(|word| word.chars().next()).take(6).collect();
    let initials = if initials.is_empty() { "____".to_owned() } else { initials };
    let year = Day::parse(date).map(Day::school_year).unwrap_or_default();
    format!("{initials}/{}/{year}/____", words.heading("refCode"))
}
