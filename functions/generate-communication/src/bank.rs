//! The built-in generator (K4): sentences by purpose, readers and tone.

use crate::audience::Audience;
use crate::content::Content;
use crate::purpose::Purpose;
use crate::request::{CommunicationRequest, Medium};
use crate::words::Words;

/// Fills every slot from the bank.
pub fn fill(request: &CommunicationRequest, words: &Words) -> Content {
    let purpose = Purpose::of(request);
    let readers = Audience::of(&request.audience);
    let sentences = words.sentences(purpose, readers);
    let letter = request.medium != Medium::Whatsapp;
    let support = if letter { words.support(readers, request.tone).to_owned() } else { String::new() };
    let agenda = if request.medium == Medium::Ptm { words.agenda.clone() } else { Vec::new() };
    Content {
        opening: sentences.opening(request.tone).to_owned(),
        request: sentences.request(request.tone).to_owned(),
        support,
        agenda,
    }
}
