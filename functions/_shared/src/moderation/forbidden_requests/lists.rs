//! The words that the rules look for.

use std::sync::LazyLock;

use serde::Deserialize;

use crate::moderation::confusables::folded;

/// The lists of `data/asked-for-words.json`. Entries match whole words; one that ends with a star
/// matches all words that begin so.
#[derive(Deserialize)]
pub(super) struct Lists<'a> {
    /// Secrets: nobody may have them, whichever way.
    #[serde(borrow)]
    pub(super) secrets: Vec<&'a str>,
    /// Numbers of identity and bank.
    #[serde(borrow)]
    pub(super) numbers: Vec<&'a str>,
    /// English words that ask. What they ask for may stand on both sides, what forbids it before
    /// them.
    #[serde(borrow)]
    pub(super) asking: Vec<&'a str>,
    /// Verbs whose object only stands behind them.
    #[serde(borrow)]
    pub(super) asking_ahead: Vec<&'a str>,
    /// Words that report about a thing; they do not ask for it.
    #[serde(borrow)]
    pub(super) about: Vec<&'a str>,
    /// Right behind a secret: it is the subject, and not asked for.
    #[serde(borrow)]
    pub(super) subject: Vec<&'a str>,
    /// Words that ask for an answer in writing, wherever one is.
    #[serde(borrow)]
    pub(super) answering: Vec<&'a str>,
    /// Words of the other languages that ask; one that forbids stands close by in the same clause.
    #[serde(borrow)]
    pub(super) asking_elsewhere: Vec<&'a str>,
    /// Words that forbid what they stand right before, in English.
    #[serde(borrow)]
    pub(super) forbidding: Vec<&'a str>,
    /// Between a word that forbids and what is asked, these say that it is asked all the same.
    #[serde(borrow)]
    pub(super) asked_all_the_same: Vec<&'a str>,
    /// Whoever is spoken of before the word that asks is somebody else, or asks for nothing.
    #[serde(borrow)]
    pub(super) not_the_reader: Vec<&'a str>,
    /// Words of the other languages that forbid.
    #[serde(borrow)]
    pub(super) forbidding_elsewhere: Vec<&'a str>,
    /// Words such as "do not forget": they ask for the action.
    #[serde(borrow)]
    pub(super) not_to_forget: Vec<&'a str>,
    /// Words for handing over by hand, on paper or in person.
    #[serde(borrow)]
    pub(super) by_hand: Vec<&'a str>,
    /// Words right behind an account that something is paid into.
    #[serde(borrow)]
    pub(super) into: Vec<&'a str>,
    /// Words right before one.
    #[serde(borrow)]
    pub(super) paid_to: Vec<&'a str>,
    /// How an account that something is paid into ends.
    #[serde(borrow)]
    pub(super) into_it: Vec<&'a str>,
    /// Words between those and the account.
    #[serde(borrow)]
    pub(super) of_the_account: Vec<&'a str>,
    /// Caste and faith.
    #[serde(borrow)]
    pub(super) caste: Vec<&'a str>,
    /// Words for the health of a child.
    #[serde(borrow)]
    pub(super) health: Vec<&'a str>,
    /// Words that ask about one child.
    #[serde(borrow)]
    pub(super) one_child: Vec<&'a str>,
    /// Violence that is announced.
    #[serde(borrow)]
    pub(super) threats: Vec<&'a str>,
    /// It does not happen, or it happens to a team.
    #[serde(borrow)]
    pub(super) no_threat: Vec<&'a str>,
    /// The same in the other languages, right beside it.
    #[serde(borrow)]
    pub(super) no_threat_elsewhere: Vec<&'a str>,
    /// These announce violence by what they deny.
    #[serde(borrow)]
    pub(super) denied_safety: Vec<&'a str>,
    /// Words that announce a list of requested items.
    #[serde(borrow)]
    pub(super) list: Vec<&'a str>,
    /// Things that have a number.
    #[serde(borrow)]
    pub(super) numbered: Vec<&'a str>,
    /// Words before the name of a child.
    #[serde(borrow)]
    pub(super) titles: Vec<&'a str>,
    /// Words that begin with a capital letter, or follow a title, and are no names.
    #[serde(borrow)]
    pub(super) no_names: Vec<&'a str>,
    /// Words that report about a secret or a number: whether it came, or when.
    #[serde(borrow)]
    pub(super) news: Vec<&'a str>,
    /// Before "to" and an account: a fee goes there. In Hindi, "to" begins a clause.
    #[serde(borrow)]
    pub(super) paying: Vec<&'a str>,
    /// Words that ask for what is typed into a form.
    #[serde(borrow)]
    pub(super) entering: Vec<&'a str>,
    /// Words of the other languages that follow at once what is wanted.
    #[serde(borrow)]
    pub(super) wanting: Vec<&'a str>,
    /// Whose it is that is wanted, or who wants it.
    #[serde(borrow)]
    pub(super) yours_or_ours: Vec<&'a str>,
    /// Words between a subject and what it does.
    #[serde(borrow)]
    pub(super) modals: Vec<&'a str>,
    /// The readers of the message.
    #[serde(borrow)]
    pub(super) readers: Vec<&'a str>,
    /// Subjects that are no readers.
    #[serde(borrow)]
    pub(super) others_of_the_school: Vec<&'a str>,
    /// Before "not": what is so, and not what may be done.
    #[serde(borrow)]
    pub(super) of_a_state: Vec<&'a str>,
    /// Before "not": what may not be done.
    #[serde(borrow)]
    pub(super) before_a_ban: Vec<&'a str>,
    /// Verbs of "we" that ask the reader, as in "we request".
    #[serde(borrow)]
    pub(super) requesting: Vec<&'a str>,
    /// Words of the other languages that begin a new clause.
    #[serde(borrow)]
    pub(super) linking: Vec<&'a str>,
    /// Behind a word that denies: otherwise.
    #[serde(borrow)]
    pub(super) then_elsewhere: Vec<&'a str>,
    /// Things that a secret lends a word.
    #[serde(borrow)]
    pub(super) no_secret: Vec<&'a str>,
    /// Between what has a number and the number itself.
    #[serde(borrow)]
    pub(super) of_a_number: Vec<&'a str>,
    /// Right behind an English word that asks: its object follows.
    #[serde(borrow)]
    pub(super) own_object: Vec<&'a str>,
    /// Such an object is what was named before.
    #[serde(borrow)]
    pub(super) named_before: Vec<&'a str>,
    /// Illnesses.
    #[serde(borrow)]
    pub(super) illnesses: Vec<&'a str>,
    /// Documents about an illness.
    #[serde(borrow)]
    pub(super) papers: Vec<&'a str>,
    /// Violence against a person, in the passive.
    #[serde(borrow)]
    pub(super) beaten: Vec<&'a str>,
    /// Words for violence against a person, in the active voice.
    #[serde(borrow)]
    pub(super) beating: Vec<&'a str>,
    /// Words that announce an action.
    #[serde(borrow)]
    pub(super) announcing: Vec<&'a str>,
    /// Persons.
    #[serde(borrow)]
    pub(super) persons: Vec<&'a str>,
    /// Things that are beaten.
    #[serde(borrow)]
    pub(super) beaten_things: Vec<&'a str>,
    /// In a game one side beats the other.
    #[serde(borrow)]
    pub(super) games: Vec<&'a str>,
    /// Actions on a thing, in the passive.
    #[serde(borrow)]
    pub(super) passives: Vec<&'a str>,
    /// Before a passive: the reader is to do it.
    #[serde(borrow)]
    pub(super) bidding: Vec<&'a str>,
    /// Before "to" and a passive: the same.
    #[serde(borrow)]
    pub(super) bidding_to: Vec<&'a str>,
    /// Words that urge, also without a verb.
    #[serde(borrow)]
    pub(super) urging: Vec<&'a str>,
    /// Words that may stand in a demand without a verb.
    #[serde(borrow)]
    pub(super) bare: Vec<&'a str>,
    /// Words that ask to type something in.
    #[serde(borrow)]
    pub(super) putting: Vec<&'a str>,
    /// Places where a person's own password belongs.
    #[serde(borrow)]
    pub(super) own_places: Vec<&'a str>,
    /// Places where it does not.
    #[serde(borrow)]
    pub(super) other_places: Vec<&'a str>,
    /// Behind a ban: it ends, and somebody asks.
    #[serde(borrow)]
    pub(super) turning: Vec<&'a str>,
    /// Words that join verbs under one ban.
    #[serde(borrow)]
    pub(super) or_words: Vec<&'a str>,
    /// Words of the other languages that deny the verb behind them.
    #[serde(borrow)]
    pub(super) before_verbs: Vec<&'a str>,
    /// Before such a word: it reaches further.
    #[serde(borrow)]
    pub(super) standing_before: Vec<&'a str>,
    /// Words that may part a verb from what denies it.
    #[serde(borrow)]
    pub(super) particles: Vec<&'a str>,
    /// Orders that ask for nothing.
    #[serde(borrow)]
    pub(super) other_orders: Vec<&'a str>,
    /// Verbs that tell how things are.
    #[serde(borrow)]
    pub(super) other_states: Vec<&'a str>,
    /// A code of some kind.
    #[serde(borrow)]
    pub(super) codes: Vec<&'a str>,
    /// Words that mark a code as sent for its reader only.
    #[serde(borrow)]
    pub(super) arrived: Vec<&'a str>,
    /// Nouns for anybody's child, which are no names.
    #[serde(borrow)]
    pub(super) general_nouns: Vec<&'a str>,
    /// Endings of whom something befell.
    #[serde(borrow)]
    pub(super) dative: Vec<&'a str>,
    /// That it is so, in the other languages.
    #[serde(borrow)]
    pub(super) being: Vec<&'a str>,
    /// Behind a word that asks: what is to be told, and not the thing itself.
    #[serde(borrow)]
    pub(super) complementizers: Vec<&'a str>,
    /// Questions of caste and faith.
    #[serde(borrow)]
    pub(super) caste_questions: Vec<&'a str>,
    /// The reader, asked a question.
    #[serde(borrow)]
    pub(super) addressed: Vec<&'a str>,
    /// Endings of verbs that forbid.
    #[serde(borrow)]
    pub(super) forbidding_endings: Vec<&'a str>,
    /// Behind the stem of a verb: it asks to do it.
    #[serde(borrow)]
    pub(super) helpers: Vec<&'a str>,
    /// Verbs that ask, by their stems; those of one language share its endings.
    #[serde(borrow)]
    pub(super) verbs: Vec<Verbs<'a>>,
    /// Before a word that denies: it is a question.
    #[serde(borrow)]
    pub(super) or_not: Vec<&'a str>,
    /// How the word for a card begins.
    #[serde(borrow)]
    pub(super) cards: Vec<&'a str>,
    /// Before what something is paid with.
    #[serde(borrow)]
    pub(super) means_before: Vec<&'a str>,
    /// Behind it, in the other languages.
    #[serde(borrow)]
    pub(super) means_behind: Vec<&'a str>,
    /// They begin a sentence as names do.
    #[serde(borrow)]
    pub(super) pronouns: Vec<&'a str>,
    /// Words that stand for what a sentence before this one names.
    #[serde(borrow)]
    pub(super) standing_for: Vec<&'a str>,
    /// The same, where no noun follows.
    #[serde(borrow)]
    pub(super) standing_alone: Vec<&'a str>,
    /// Words that may follow an object that is no noun.
    #[serde(borrow)]
    pub(super) behind_an_object: Vec<&'a str>,
    /// Things that a school asks for every day; "it" may stand for each.
    #[serde(borrow)]
    pub(super) other_things: Vec<&'a str>,
    /// Children; "them" may stand for these.
    #[serde(borrow)]
    pub(super) children: Vec<&'a str>,
    /// Verbs that a ban may be on and that have nothing to do with what is asked.
    #[serde(borrow)]
    pub(super) no_harm_to_do: Vec<&'a str>,
    /// Words by which a warning quotes what others may write.
    #[serde(borrow)]
    pub(super) quoting: Vec<&'a str>,
    /// Words that warn.
    #[serde(borrow)]
    pub(super) warning: Vec<&'a str>,
    /// Things that are passed on to other readers.
    #[serde(borrow)]
    pub(super) messages: Vec<&'a str>,
    /// Verbs that tell what happened, by their beginnings.
    #[serde(borrow)]
    pub(super) reporting: Vec<&'a str>,
    /// Words that join two orders.
    #[serde(borrow)]
    pub(super) and_words: Vec<&'a str>,
    /// Verbs that a word which forbids parts from the one that helps them.
    #[serde(borrow)]
    pub(super) parted_verbs: Vec<&'a str>,
    /// Behind these, "them" are people.
    #[serde(borrow)]
    pub(super) telling_somebody: Vec<&'a str>,
    /// Pronouns that are another word elsewhere in a sentence.
    #[serde(borrow)]
    pub(super) standing_first: Vec<&'a str>,
    /// People who get a warning.
    #[serde(borrow)]
    pub(super) other_readers: Vec<&'a str>,
    /// Words that forbid the verb right before them.
    #[serde(borrow)]
    pub(super) behind_verbs: Vec<&'a str>,
    /// Phrases that contain a word that asks, and ask for nothing.
    #[serde(borrow)]
    pub(super) no_asking: Vec<&'a str>,
    /// Castes, as lists of schools have them.
    #[serde(borrow)]
    pub(super) castes: Vec<&'a str>,
    /// Words for benefits of a caste, or with such letters, that are nobody's name.
    #[serde(borrow)]
    pub(super) for_a_caste: Vec<&'a str>,
    /// Between a name and a caste: the one is of the other.
    #[serde(borrow)]
    pub(super) belonging: Vec<&'a str>,
    /// How a caste ends, or what follows it, that somebody is of.
    #[serde(borrow)]
    pub(super) of_a_caste: Vec<&'a str>,
    /// A list of names.
    #[serde(borrow)]
    pub(super) lists_of_names: Vec<&'a str>,
    /// Behind an illness: somebody has it.
    #[serde(borrow)]
    pub(super) of_the_ill: Vec<&'a str>,
    /// Before an illness: the same.
    #[serde(borrow)]
    pub(super) falling_ill: Vec<&'a str>,
    /// Right before an illness: somebody has it.
    #[serde(borrow)]
    pub(super) having: Vec<&'a str>,
    /// Between a verb and an illness: nobody has it.
    #[serde(borrow)]
    pub(super) no_state: Vec<&'a str>,
    /// Actions on children and on things.
    #[serde(borrow)]
    pub(super) locking: Vec<&'a str>,
    /// Words that identify a person.
    #[serde(borrow)]
    pub(super) named_in_a_list: Vec<&'a str>,
    /// Places where all readers see an answer.
    #[serde(borrow)]
    pub(super) in_sight: Vec<&'a str>,
    /// Questions of who it is.
    #[serde(borrow)]
    pub(super) asking_who: Vec<&'a str>,
    /// An illness, asked of the reader.
    #[serde(borrow)]
    pub(super) illness_of_yours: Vec<&'a str>,
}

/// Verbs of a language, as they are inflected when they ask.
#[derive(Deserialize)]
pub(super) struct Verbs<'a> {
    /// The last word of a stem is what is inflected.
    #[serde(borrow)]
    pub(super) stems: Vec<&'a str>,
    #[serde(borrow)]
    pub(super) endings: Vec<&'a str>,
}

/// Folded as texts are, so that both have the same letters.
static TEXT: LazyLock<String> = LazyLock::new(|| folded(include_str!("../../../data/asked-for-words.json")));

pub(super) static LISTS: LazyLock<Lists<'static>> =
    LazyLock::new(|| serde_json::from_str(&TEXT).expect("the lists are read in a test"));
