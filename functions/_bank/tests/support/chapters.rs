//! The chapters that the bank has a pack of, as teachers type them.

use banyan_bank::catalogue::{self, Chapter};
use banyan_bank::packs::{self, Pack};
use banyan_functions::writing_system::{Language, ScriptCount};

/// Every pack of every language with its chapter's title as teachers of that language type it.
pub(crate) fn every_pack_as_typed() -> Vec<(Pack, String)> {
    let typed = |language| packs::all(language).into_iter().map(move |pack| (title(language, &pack), pack));
    Language::ALL.into_iter().flat_map(typed).map(|(title, pack)| (pack, title)).collect()
}

/// The title of a pack's chapter in a language, which may be that of a former edition.
fn title(language: Language, pack: &Pack) -> String {
    let books = catalogue::books();
    let of_subject = books.iter().filter(|book| (book.class, &book.subject) == (pack.class, &pack.subject));
    let about =
        |chapter: &&Chapter| chapter.title == pack.chapter || chapter.now.as_ref() == Some(&pack.chapter);
    let mut names =
        of_subject.flat_map(|book| &book.chapters).filter(about).flat_map(|chapter| chapter.names());
    let spoken = names.find(|name| ScriptCount::of(name).share(language.script()) > 0.5);
    // Another language's name would be answered from that language's pack, and this one would never
    // be tested.
    spoken.expect("the chapter of every pack has a name in its language").clone()
}
