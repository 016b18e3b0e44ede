//! How long the texts of an aid may be (V22): about twice what the bank needs at most. That the
//! aids together fill the pages that were asked for is seen to in [`crate::fit`].

use banyan_functions::checks::Finding;
use banyan_functions::checks::length::Room;

use crate::content::{Activities, AidText, Guide};

/// Texts of an aid about that chapter that are too long.
pub(super) fn aid(text: &AidText, chapter: &str) -> Vec<Finding> {
    let room = Room::about(chapter);
    let room =
        match text {
            AidText::Sheet(sheet) => {
                room.each("items", 400, sheet.items.iter().flat_map(|i| [&i.text, &i.answer]))
            }
            AidText::Cards(cards) => room
                .each("front", 280, cards.cards.iter().map(|card| &card.front))
                .each("back", 200, cards.cards.iter().map(|card| &card.back)),
            AidText::Activities(all) => activities(room, all),
            AidText::Slides(slides) => room
                .each("title and drawing", 240, slides.slides.iter().flat_map(|s| [&s.title, &s.drawing]))
                .each("note", 800, slides.slides.iter().map(|slide| &slide.note)),
            AidText::Guide(all) => guide(room, all),
            AidText::Rubric(rubric) => room
                .each("name", 200, rubric.criteria.iter().map(|row| &row.name))
                .each("levels", 200, rubric.criteria.iter().flat_map(|row| &row.levels)),
        };
    room.findings()
}

fn activities(room: Room, all: &Activities) -> Room {
    all.activities.iter().fold(room, |room, activity| {
        room.each("title and aim", 260, [&activity.title, &activity.aim])
            .each("materials", 120, &activity.materials)
            .entries("materials", 12, activity.materials.len())
            .each("steps", 500, &activity.steps)
            .entries("steps", 10, activity.steps.len())
            .each("columns", 60, &activity.columns)
            .each("discuss", 400, activity.discuss.iter().flat_map(|qa| [&qa.q, &qa.a]))
            .entries("discuss", 6, activity.discuss.len())
            .each("safety", 240, &activity.safety)
            .entries("safety", 6, activity.safety.len())
            .each("expected", 500, [&activity.expected])
    })
}

fn guide(room: Room, guide: &Guide) -> Room {
    room.each("terms", 200, guide.terms.iter().flat_map(|term| [&term.term, &term.meaning]))
        .entries("terms", 24, guide.terms.len())
        .each("concepts", 240, &guide.concepts)
        .entries("concepts", 60, guide.concepts.len())
        .each("examples", 600, guide.examples.iter().flat_map(|qa| [&qa.q, &qa.a]))
        .entries("examples", 10, guide.examples.len())
        .each("remember", 240, &guide.remember)
        .entries("remember", 12, guide.remember.len())
        .each("practice", 400, guide.practice.iter().flat_map(|qa| [&qa.q, &qa.a]))
        .each("errors", 300, guide.errors.iter().flat_map(|error| [&error.wrong, &error.right]))
        .entries("errors", 10, guide.errors.len())
}
