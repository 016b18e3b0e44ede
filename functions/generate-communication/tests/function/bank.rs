//! The built-in generator over types, tones, purposes, readers and languages.

use serde_json::json;

use crate::fakes::{MEDIA, TONES, TYPED, body, body_in, message, text};

/// One of each kind of purpose.
const PURPOSES: [&str; 15] = [
    "PTM of Term II",
    "Reminder of fees",
    "Diwali holidays",
    "Half-yearly examination",
    "Sports Day 2027",
    "Annual Day 2027",
    "Educational excursion",
    "Vaccination camp",
    "Winter uniform",
    "Declaration of result",
    "Committee meeting",
    "Cultural evening",
    "Cleanliness drive",
    "Closed due to heavy rain",
    "New library timings",
];

// rows: V19
#[tokio::test]
async fn every_type_tone_and_purpose_keeps_the_facts_and_the_length() {
    for medium in MEDIA {
        for tone in TONES {
            for purpose in PURPOSES {
                let answer = message(&body(medium, tone, purpose)).await;
                let text = text(&answer);
                let letter = text.split('✂').next().expect("a text");
                for fact in [
                    purpose,
                    "15-01-2027 (Friday)",
                    "10:00\u{A0}a.m. to 12:30\u{A0}p.m.",
                    "School hall",
                    "Asha Rao",
                    "Class Teacher",
                    "Saraswati Vidya Mandir",
                    "Parents of Class VIII",
                ] {
                    assert_eq!(letter.matches(fact).count(), 1, "{medium} {tone}: {fact} in\n{text}");
                }
                let words = letter.split_whitespace().count();
                let band = match medium {
                    "whatsapp" => 50..=120,
                    "ptm" => 120..=220,
                    _ => 110..=250,
                };
                assert!(band.contains(&words), "{medium} {tone} {purpose}: {words} words\n{text}");
                if medium == "whatsapp" {
                    assert!(text.chars().count() <= 900 && text.trim_end().lines().count() <= 12, "{text}");
                }
            }
        }
    }
}

#[tokio::test]
async fn tones_have_their_marks() {
    for medium in MEDIA {
        let of = async |tone| {
            let answer = message(&body(medium, tone, "Annual Day")).await;
            text(&answer).to_owned()
        };
        let (formal, semi, friendly) = (of("formal").await, of("semi-formal").await, of("friendly").await);
        assert!(formal.contains("Respected Parents/Guardians,") && !formal.contains('!'), "{formal}");
        assert!(semi.contains("Dear Parents/Guardians,") && !semi.contains('!') && semi.contains("happy"));
        assert!(friendly.contains("Dear Parents,") && friendly.contains('!'), "{friendly}");
        let signs = |text: &str| text.chars().filter(|c| ('\u{1F000}'..='\u{1FAFF}').contains(c)).count();
        let expected = if medium == "whatsapp" { [0, 1, 2] } else { [0, 0, 0] };
        assert_eq!([signs(&formal), signs(&semi), signs(&friendly)], expected, "{medium}");
    }
}

// rows: D19
#[tokio::test]
async fn every_language_comes_out_in_its_own_words_with_the_weekday() {
    let weekdays = ["Friday", "शुक्रवार", "शुक्रवार", "શુક્રવાર", "శుక్రవారం", "ಶುಕ್ರವಾರ"];
    let greetings = [
        "Respected Parents",
        "आदरणीय अभिभावकगण",
        "मा. पालक",
        "માનનીય વાલીશ્રી",
        "గౌరవనీయులైన తల్లిదండ్రులకు",
        "ಗೌರವಾನ್ವಿತ ಪೋಷಕರೇ",
    ];
    for ((code, typed), (weekday, greeting)) in TYPED.into_iter().zip(weekdays.into_iter().zip(greetings)) {
        for medium in MEDIA {
            let answer = message(&body_in(medium, "formal", typed)).await;
            let text = text(&answer);
            assert_eq!(answer["meta"]["language"], code);
            assert!(text.contains(&format!("15-01-2027 ({weekday})")), "{text}");
            assert!(text.contains(greeting), "{text}");
            if code != "en" {
                let latin = text.chars().filter(char::is_ascii_alphabetic).count();
                // Of our own only the circular's number has Latin letters.
                assert!(latin <= 3, "{code} {medium}: {text}");
            }
        }
    }
}

#[tokio::test]
async fn a_circular_for_pupils_is_a_short_boxed_notice() {
    for tone in TONES {
        let mut request = body("formal", tone, "Annual Day");
        request["targetAudience"] = json!("Students of Class IX");
        let answer = message(&request).await;
        let text = text(&answer);
        assert!(text.contains("NOTICE") && !text.contains("CIRCULAR") && !text.contains('✂'), "{text}");
        let words = text.split_whitespace().count();
        assert!((50..=90).contains(&words), "{words}: {text}");
    }
}

#[tokio::test]
async fn a_slip_is_there_where_a_parent_has_to_answer() {
    let slip = async |medium, tone, purpose: &str| {
        text(&message(&body(medium, tone, purpose)).await).split_once('✂').map(|(_, slip)| slip.to_owned())
    };
    let consent = slip("formal", "friendly", "Educational excursion").await.expect("a slip");
    assert!(consent.contains("CONSENT SLIP") && consent.contains("“Educational excursion”"), "{consent}");
    assert!(slip("ptm", "formal", "PTM").await.expect("a slip").contains("ACKNOWLEDGEMENT"));
    assert_eq!(slip("ptm", "friendly", "PTM").await, None);
    assert_eq!(slip("formal", "formal", "Diwali holidays").await, None);
}

/// Words for colleagues in each language, and what only parents are told.
const COLLEAGUES: [(&str, &str, &str, &[&str]); 6] = [
    ("en", "Christmas holiday", "Teachers", &["the class teacher", "ward", "children", "work given"]),
    ("hi", "शीतकालीन अवकाश", "सभी शिक्षक", &["परिवार के साथ", "दिया गया का", "पाल्य", "बच्च"]),
    ("mr", "हिवाळी सुट्टी", "सर्व शिक्षक आणि कर्मचारी", &["दिलेला अभ्यास", "पाल्य", "मुला"]),
    ("gu", "શિયાળુ રજા", "સર્વે શિક્ષકો", &["આપેલું કાર્ય", "પાલ્ય", "બાળક"]),
    ("te", "సెలవు", "ఉపాధ్యాయులు", &["తరగతి ఉపాధ్యాయులను", "పిల్లల", "తల్లిదండ్రుల"]),
    ("kn", "ರಜೆ", "ಶಿಕ್ಷಕರು", &["ತರಗತಿ ಶಿಕ್ಷಕರನ್ನು", "ಮಕ್ಕಳಿ", "ಪೋಷಕ"]),
];

#[tokio::test]
async fn colleagues_are_written_to_as_colleagues() {
    for (at, (language, purpose, audience, parents_only)) in COLLEAGUES.into_iter().enumerate() {
        for medium in MEDIA {
            for tone in TONES {
                let details = TYPED[at].1.1;
                let answer = message(&body_in(medium, tone, (purpose, details, audience))).await;
                let text = text(&answer).to_lowercase();
                for words in parents_only {
                    assert!(!text.contains(words), "{language} {medium} {tone}: {words} in\n{text}");
                }
            }
        }
    }
}

#[tokio::test]
async fn a_signature_that_thanks_is_not_thanked_before() {
    let mut request = body("formal", "formal", "New library timings");
    request["signature"] = json!("Thanks,\nAsha Rao");
    let text = text(&message(&request).await).to_lowercase();
    assert!(text.contains("thanks,") && !text.contains("thanking you"), "{text}");
}

#[tokio::test]
async fn a_reference_number_is_in_the_language_of_the_letter() {
    for (_, typed) in &TYPED[1..] {
        let answer = message(&body_in("formal", "formal", *typed)).await;
        let number = answer["data"]["refNo"].as_str().expect("a number").to_owned();
        assert!(!number.contains("CIR") && number.contains("/2026-27/"), "{number}");
    }
}
