//! What a communication is about, found in the words of its purpose; the sentences of the bank go by it.

use crate::request::{CommunicationRequest, Medium};

/// A purpose with sentences of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Purpose {
    /// A meeting of parents and teachers.
    Ptm,
    /// Fees.
    Fees,
    /// Closed for rain, heat or safety.
    Closure,
    /// A holiday or vacation.
    Holiday,
    /// An examination.
    Exam,
    /// The result of one.
    Result,
    /// Sports day.
    SportsDay,
    /// Annual day.
    AnnualDay,
    /// A trip.
    Excursion,
    /// A vaccination or health camp.
    Vaccination,
    /// The uniform.
    Uniform,
    /// A cultural programme.
    Culture,
    /// A cleanliness drive.
    Cleanliness,
    /// Any other meeting.
    Meeting,
    /// Anything else.
    General,
}

/// Words of each purpose; the first purpose that has one is taken.
const WORDS: [(Purpose, &[&str]); 14] = [
    (
        Purpose::Ptm,
        &[
            "ptm",
            "parent-teacher",
            "parent teacher",
            "parents-teachers",
            "अभिभावक-शिक्षक",
            "अभिभावक शिक्षक",
            "पालक-शिक्षक",
            "पालक शिक्षक",
            "पालक सभा",
            "વાલી-શિક્ષક",
            "વાલી શિક્ષક",
            "વાલી મીટિંગ",
            "తల్లిదండ్రుల",
            "ಪೋಷಕರ",
        ],
    ),
    (Purpose::Fees, &["fee", "fees", "payment of", "शुल्क", "फीस", "फ़ीस", "फी", "ફી"]),
    (
        Purpose::Closure,
        &[
            "rain",
            "heatwave",
            "heat wave",
            "cyclone",
            "flood",
            "cold wave",
            "safety",
            "closure",
            "वर्षा",
            "बारिश",
            "लू",
            "सुरक्षा",
            "पाऊस",
            "अतिवृष्टी",
            "सुरक्षितता",
            "વરસાદ",
            "સલામતી",
        ],
    ),
    (
        Purpose::Holiday,
        &["holiday", "vacation", "school closed", "अवकाश", "छुट्टी", "छुट्टियाँ", "सुट्टी", "सुट्ट्या", "રજા", "વેકેશન"],
    ),
    (Purpose::Result, &["result", "report card", "परीक्षाफल", "परिणाम", "निकाल", "પરિણામ"]),
    (Purpose::Exam, &["exam", "test", "date sheet", "datesheet", "परीक्षा", "પરીક્ષા"]),
    (Purpose::SportsDay, &["sports", "athletic", "खेल", "क्रीडा", "રમત", "ખેલ"]),
    (
        Purpose::AnnualDay,
        &[
            "annual day",
            "annual function",
            "annual celebration",
            "वार्षिकोत्सव",
            "वार्षिक उत्सव",
            "स्नेहसंमेलन",
            "વાર્ષિકોત્સવ",
            "વાર્ષિક",
        ],
    ),
    (
        Purpose::Excursion,
        &["excursion", "trip", "picnic", "field visit", "tour", "भ्रमण", "पिकनिक", "सहल", "પ્રવાસ", "પર્યટન"],
    ),
    (
        Purpose::Vaccination,
        &[
            "vaccin",
            "immunis",
            "immuniz",
            "health check",
            "health camp",
            "medical camp",
            "टीका",
            "स्वास्थ्य",
            "लसीकरण",
            "आरोग्य",
            "રસીકરણ",
            "આરોગ્ય",
        ],
    ),
    (Purpose::Uniform, &["uniform", "dress code", "गणवेश", "वर्दी", "यूनिफ़ॉर्म", "ગણવેશ", "યુનિફોર્મ"]),
    (
        Purpose::Culture,
        &[
            "cultural",
            "culture",
            "festival",
            "celebration",
            "dance",
            "music",
            "सांस्कृतिक",
            "उत्सव",
            "સાંસ્કૃતિક",
            "ઉત્સવ",
        ],
    ),
    (Purpose::Cleanliness, &["clean", "swachh", "स्वच्छ", "સ્વચ્છ"]),
    (Purpose::Meeting, &["meeting", "बैठक", "सभा", "બેઠક", "મીટિંગ"]),
];

impl Purpose {
    /// The purpose of a request; an invitation to a meeting of parents is always that.
    pub fn of(request: &CommunicationRequest) -> Self {
        if request.medium == Medium::Ptm {
            return Self::Ptm;
        }
        let text = request.purpose.to_lowercase();
        let found = WORDS.into_iter().find(|(_, words)| words.iter().any(|word| has_word(&text, word)));
        found.map_or(Self::General, |(purpose, _)| purpose)
    }

    /// The name of its sentences in the language files.
    pub fn key(self) -> &'static str {
        match self {
            Self::Ptm => "ptm",
            Self::Fees => "fees",
            Self::Closure => "closure",
            Self::Holiday => "holiday",
            Self::Exam => "exam",
            Self::Result => "result",
            Self::SportsDay => "sportsDay",
            Self::AnnualDay => "annualDay",
            Self::Excursion => "excursion",
            Self::Vaccination => "vaccination",
            Self::Uniform => "uniform",
            Self::Culture => "culture",
            Self::Cleanliness => "cleanliness",
            Self::Meeting => "meeting",
            Self::General => "general",
        }
    }

    /// The sign at the head of a message.
    pub fn emoji(self) -> &'static str {
        match self {
            Self::Ptm | Self::Meeting => "🤝",
            Self::SportsDay => "🏅",
            Self::AnnualDay | Self::Culture => "🎉",
            Self::Excursion => "🚌",
            Self::Exam | Self::Result | Self::Uniform => "📘",
            Self::Holiday => "🌼",
            Self::Vaccination => "🩺",
            Self::Cleanliness => "🌱",
            Self::Fees | Self::Closure | Self::General => "📢",
        }
    }

    /// Whether the day is the last one for something.
    pub fn is_deadline(self) -> bool {
        self == Self::Fees
    }

    /// Whether readers have to be somewhere at a time of the day.
    pub fn has_time(self) -> bool {
        matches!(
            self,
            Self::Ptm
                | Self::Exam
                | Self::SportsDay
                | Self::AnnualDay
                | Self::Excursion
                | Self::Vaccination
                | Self::Culture
                | Self::Meeting
        )
    }

    /// Whether a parent has to agree in writing.
    pub fn needs_consent(self) -> bool {
        matches!(self, Self::Excursion | Self::Vaccination)
    }
}

/// A word that begins where a word of the text begins.
pub(crate) fn has_word(text: &str, word: &str) -> bool {
    text.match_indices(word).any(|(at, _)| {
        let before = text[..at].chars().next_back();
        before.is_none_or(|c| !c.is_alphanumeric())
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_purpose_is_found_in_its_words() {
        let table = [
            ("PTM for Class 8", Purpose::Ptm),
            ("Reminder: Term II fees", Purpose::Fees),
            ("Diwali holidays", Purpose::Holiday),
            ("School closed due to heavy rain", Purpose::Closure),
            ("Half-yearly examination date sheet", Purpose::Exam),
            ("Declaration of annual exam result", Purpose::Result),
            ("Annual Sports Day", Purpose::SportsDay),
            ("Annual Day 2027", Purpose::AnnualDay),
            ("Educational trip to the planetarium", Purpose::Excursion),
            ("Vaccination camp", Purpose::Vaccination),
            ("Winter uniform", Purpose::Uniform),
            ("Cultural evening", Purpose::Culture),
            ("Swachhata drive", Purpose::Cleanliness),
            ("Staff meeting", Purpose::Meeting),
            ("New library timings", Purpose::General),
            ("The latest news", Purpose::General),
            ("शैक्षिक भ्रमण", Purpose::Excursion),
            ("वार्षिक स्नेहसंमेलन", Purpose::AnnualDay),
            ("વાલી મીટિંગ", Purpose::Ptm),
        ];
        for (purpose, expected) in table {
            let body = json!({ "communicationType": "formal", "senderRole": "Principal", "senderName": "A",
                               "targetAudience": "Parents", "eventDate": "2027-01-15", "purpose": purpose,
                               "keyDetails": "x" });
            let request = CommunicationRequest::read(&body).unwrap();
            assert_eq!(Purpose::of(&request), expected, "{purpose}");
        }
    }
}
