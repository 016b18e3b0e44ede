//! The built-in generator: a chapter pack where there is one, an honest frame where there is none.
//! It never makes up chapter content from a title (SPECIFICATION.md GEN-11).

/// Frames that are true for any chapter.
mod frames;

/// Lessons for sub-topics that a pack knows by their facts.
mod from_facts;

/// A document from a pack.
mod composition;

use banyan_bank::packs;
use banyan_functions::writing_system::{Language, StandIn};

use crate::content::Content;
use crate::plan::Plan;
use crate::request::LessonRequest;
use crate::words::Words;

/// The request as the bank answers it best: a chapter that it knows in English only comes in
/// English rather than as a frame in the language of the request.
pub fn answerable(request: &LessonRequest) -> LessonRequest {
    let asked = request.language;
    match packs::only_in_english(asked, request.class, &request.subject, &request.chapter) {
        Some(chapter) => LessonRequest {
            chapter,
            language: Language::English,
            stand_in: Some(StandIn::Chapter(asked)),
            typed_chapter: Some(request.chapter.clone()),
            ..request.clone()
        },
        None => request.clone(),
    }
}

/// Fills every slot of the plan; the same seed gives the same text.
pub fn fill(request: &LessonRequest, plan: &Plan, words: &Words, seed: u64) -> Content {
    match packs::find(request.language, request.class, &request.subject, &request.chapter) {
        Some(pack) => composition::compose(&pack, request, plan, words, seed),
        None => frames::frame(request, plan, words, seed),
    }
}
