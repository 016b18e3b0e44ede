use std::collections::BTreeMap;

use super::*;

#[derive(serde::Deserialize)]
struct Table {
    refused: Vec<String>,
    passes: Vec<String>,
    /// Written after the lists, before anybody had seen how these sentences are judged.
    later: Later,
}

#[derive(serde::Deserialize)]
struct Later {
    refused: Vec<String>,
    passes: Vec<String>,
}

impl Table {
    fn refused(&self) -> Vec<&String> {
        self.refused.iter().chain(&self.later.refused).collect()
    }

    fn passes(&self) -> Vec<&String> {
        self.passes.iter().chain(&self.later.passes).collect()
    }
}

fn tables() -> BTreeMap<String, Table> {
    serde_json::from_str(include_str!("../../../data/asked-for.json")).expect("a table for each language")
}

fn goes_wrong(wanted: bool, readers: Readers, of: fn(&Table) -> Vec<&String>) -> Vec<String> {
    let mut wrong = Vec::new();
    for (language, table) in &tables() {
        let sentences = of(table);
        assert!(sentences.len() >= 18, "{language} has too few sentences");
        let lines = sentences.into_iter().filter(|line| is_improper(&[line], readers) != wanted);
        wrong.extend(lines.map(|line| format!("{language}: {line}")));
    }
    wrong
}

#[test]
fn what_no_message_may_ask_for_is_refused_in_every_language() {
    let wrong = goes_wrong(true, Readers::Group, Table::refused);
    assert!(wrong.is_empty(), "they pass:\n{}", wrong.join("\n"));
}

#[test]
fn what_a_school_writes_every_day_passes_in_every_language() {
    for readers in [Readers::Group, Readers::Letter] {
        let wrong = goes_wrong(false, readers, Table::passes);
        assert!(wrong.is_empty(), "they are refused ({readers:?}):\n{}", wrong.join("\n"));
    }
}

#[test]
fn every_language_of_a_message_has_its_table() {
    let tables = tables();
    for language in crate::writing_system::Language::ALL {
        assert!(tables.contains_key(language.code()), "{}", language.code());
    }
    assert!(tables.contains_key("hi-Latn"));
}

#[test]
fn a_list_that_is_asked_for_counts_line_by_line() {
    let texts =
        ["Please reply with the following details", "Name of the ward\nAadhaar number\nBank account number"];
    assert!(is_improper(&texts, Readers::Group));
    let texts = ["कृपया निम्न जानकारी भेजें", "विद्यार्थी का नाम\nबैंक खाता संख्या"];
    assert!(is_improper(&texts, Readers::Group));
    let texts = ["Please send the following things", "Water bottle\nHat\nNever carry an OTP or a password"];
    assert!(!is_improper(&texts, Readers::Group));
}

// rows: GEN-8
#[test]
fn a_line_that_asks_and_ends_with_a_colon_asks_for_the_lines_behind_it() {
    for list in
        ["- Water bottle\n- OTP", "1. Name\n2. Aadhaar no\n3. Bank a/c no", "1) Name\n2) PIN of the card"]
    {
        for opening in
            ["Send:", "Please send", "Kindly reply with :-", "कृपया भेजें:", "पाठवा:", "મોકલો:", "పంపండి:"]
        {
            assert!(is_improper(&[&format!("{opening}\n{list}")], Readers::Group), "{opening} {list}");
        }
        let brought = format!("Please bring:\n{list}");
        assert!(!is_improper(&[&brought], Readers::Group), "{brought}");
    }
}

// rows: GEN-8
#[test]
fn a_letter_may_ask_for_a_number_on_paper_and_for_no_secret() {
    let form = ["Please provide the Aadhaar number of your ward in the enclosed form."];
    assert!(!is_improper(&form, Readers::Letter));
    assert!(is_improper(&["Kindly share the OTP with the class teacher."], Readers::Letter));
    assert!(is_improper(&["Please reply to this number with your bank account number."], Readers::Letter));
}

#[test]
fn commas_behind_all_words_leave_a_secret_that_is_asked_for() {
    for text in ["Send, your, OTP", "OTP, share, karen", "ओटीपी, साझा, करें", "OTP, share, karein, now"]
    {
        assert!(is_improper(&[text], Readers::Group), "{text}");
    }
}

#[test]
fn a_text_without_a_full_stop_is_judged_to_its_end() {
    let asking = format!("{} Please send your OTP", "we met in the hall and ".repeat(150));
    assert!(is_improper(&[&asking], Readers::Group));
}

/// How many words are looked at while a text is judged.
fn steps(text: &str) -> usize {
    crate::moderation::rules::STEPS.set(0);
    assert!(!is_improper(&[text], Readers::Group), "{text}");
    crate::moderation::rules::STEPS.get()
}

#[test]
fn twice_the_text_is_judged_with_twice_the_work() {
    for part in ["જ ", "ન ", "न ", "na ", "a ", "send ", "never, or a send ", "never send भेजें ", "it. ", "ﷺ"]
    {
        let (once, twice) = (steps(&part.repeat(300)), steps(&part.repeat(600)));
        assert!(once > 0 && twice * 10 <= once * 22, "{part:?}: {once} and {twice} words");
    }
}

#[test]
fn a_letter_that_stands_for_a_sentence_costs_no_more_than_a_word() {
    let (long, plain) = (steps(&"ﷺ ".repeat(500)), steps(&"ab ".repeat(500)));
    assert!(long * 10 <= plain * 11, "{long} and {plain} words");
}

// rows: GEN-8
#[test]
fn a_group_is_not_told_the_illness_or_the_caste_of_a_child() {
    let told = [
        "Ravi Kumar of Class 6 is HIV positive",
        "Sita - SC, Ravi - OBC",
        "List by caste: Meena (OBC)",
        "रवि कुमार को एड्स है",
        "मीना अनुसूचित जातीची आहे",
    ];
    for text in told {
        assert!(is_improper(&[text], Readers::Group), "{text}");
        assert!(!is_improper(&[text], Readers::Letter), "{text}");
    }
    for text in
        ["Supreme Court (SC) visit", "HIV awareness lecture by Dr Ravi Kumar", "List of forms: SC, ST, OBC"]
    {
        assert!(!is_improper(&[text], Readers::Group), "{text}");
    }
}

// rows: GEN-8
#[test]
fn a_question_of_caste_or_illness_counts_with_the_call_to_answer_in_sight() {
    for asks in ["Which students are SC?", "Is anyone in class HIV positive?", "Whose child has epilepsy?"] {
        assert!(is_improper(&[&format!("{asks} Write the name here.")], Readers::Group), "{asks}");
        assert!(
            !is_improper(&[&format!("{asks} Tell the class teacher in person.")], Readers::Group),
            "{asks}"
        );
    }
}

// rows: GEN-8
#[test]
fn a_clause_about_the_reader_leaves_the_reader_as_the_one_who_is_asked() {
    let sent = "We have sent an OTP for admission.";
    for text in
        ["Parents who got it must share it.", "Parents who got it should reply to this message with it."]
    {
        assert!(is_improper(&[&format!("{sent} {text}")], Readers::Letter), "{text}");
    }
    assert!(!is_improper(&[sent, "Parents who share it lose money."], Readers::Letter));
}

// rows: GEN-8
#[test]
fn children_are_threatened_where_things_are_only_locked_away() {
    for (text, is_threat) in [
        ("बच्चे को कमरे में बंद कर देंगे", true),
        ("खिलौने कमरे में बंद कर देंगे", false),
        ("He will be thrown off the bus", true),
        ("Litter must not be thrown off the bus", false),
    ] {
        assert_eq!(is_improper(&[text], Readers::Letter), is_threat, "{text}");
    }
}
