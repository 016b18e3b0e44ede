//! Published patterns that are kept to when a request matches one exactly (SPECIFICATION.md
//! DOM-3.3).

use super::QuestionType::{self, Long, Mcq, Short, VeryShort};
use super::conventions::Style;
use crate::request::PaperRequest;

/// A part of a pattern: section from 0, type, count, marks each, questions with a choice, marks of
/// the parts of each question.
pub(super) type PatternPart = (usize, QuestionType, u32, u32, u32, &'static [u32]);

/// CBSE, Class 10, Mathematics, 80 marks in 3 hours. The last section holds situations with parts.
const CBSE_MATHEMATICS: [PatternPart; 5] = [
    (0, Mcq, 20, 1, 0, &[]),
    (1, VeryShort, 5, 2, 2, &[]),
    (2, Short, 6, 3, 2, &[]),
    (3, Long, 4, 5, 2, &[]),
    (4, Long, 3, 4, 0, &[1, 1, 2]),
];

/// The pattern of a request, where one is known.
pub(super) fn known(request: &PaperRequest) -> Option<&'static [PatternPart]> {
    use banyan_bank::subjects::Family;
    let numbers = (request.class, request.marks, request.half_hours, request.sections);
    let matches = Style::of(&request.board) == Style::Cbse
        && Family::of(&request.subject) == Family::Mathematics
        && numbers == (10, 80, 6, 5)
        && request.types == [Mcq, VeryShort, Short, Long];
    matches.then_some(&CBSE_MATHEMATICS)
}
