//! The subject of a communication, found in the words of its purpose. It chooses the sentences of
//! the bank.

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

/// Words of each purpose, as [`names`] reads them; the first purpose that has one is taken. They
/// are such as leave no doubt: sentences of a purpose say what nobody typed, that the school is
/// closed or that fees are due.
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
    (Purpose::Fees, &["fee", "fees", "शुल्क", "फीस", "फ़ीस", "फी ", "ફી "]),
    (
        Purpose::Closure,
        &[
            "heavy rain*",
            "due to rain*",
            "rain holiday",
            "heatwave",
            "heat wave",
            "cyclone",
            "flood*",
            "cold wave",
            "school closure",
            "closure of school",
            "भारी वर्षा",
            "भारी बारिश",
            "वर्षा के कारण",
            "बारिश के कारण",
            "लू के कारण",
            "शीतलहर",
            "मुसळधार पाऊस",
            "पावसामुळे",
            "अतिवृष्टी",
            "ભારે વરસાદ",
            "વરસાદને કારણે",
        ],
    ),
    (
        Purpose::Holiday,
        &[
            "holiday*",
            "vacation*",
            "school closed",
            "अवकाश",
            "छुट्टी",
            "छुट्टियाँ",
            "सुट्टी",
            "सुट्ट्या",
            "રજા",
            "વેકેશન",
        ],
    ),
    (Purpose::Result, &["result", "results", "report card*", "परीक्षाफल", "परिणाम", "निकाल", "પરિણામ"]),
    (
        Purpose::Exam,
        &[
            "exam*",
            "date sheet",
            "datesheet",
            "unit test*",
            "class test*",
            "periodic test*",
            "monthly test*",
            "weekly test*",
            "test schedule",
            "test timetable",
            "परीक्षा",
            "परीक्षे",
            "પરીક્ષા",
        ],
    ),
    (
        Purpose::SportsDay,
        &[
            "sports day",
            "sports meet",
            "athletic*",
            "annual sports",
            "खेल दिवस",
            "खेलकूद",
            "क्रीडा",
            "રમતોત્સવ",
            "રમત ગમત",
            "રમત-ગમત",
        ],
    ),
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
            "વાર્ષિક દિન",
        ],
    ),
    (
        Purpose::Excursion,
        &["excursion*", "trip", "picnic", "field visit", "tour", "भ्रमण", "पिकनिक", "सहल", "પ્રવાસ", "પર્યટન"],
    ),
    (
        Purpose::Vaccination,
        &[
            "vaccin*",
            "immunis*",
            "immuniz*",
            "health check*",
            "health camp",
            "medical camp",
            "टीका",
            "स्वास्थ्य जाँच",
            "स्वास्थ्य जांच",
            "स्वास्थ्य परीक्षण",
            "स्वास्थ्य शिविर",
            "लसीकरण",
            "आरोग्य तपासणी",
            "आरोग्य शिबिर",
            "રસીકરણ",
            "આરોગ્ય તપાસ",
        ],
    ),
    (Purpose::Uniform, &["uniform", "uniforms", "dress code", "गणवेश", "वर्दी", "यूनिफ़ॉर्म", "ગણવેશ", "યુનિફોર્મ"]),
    (Purpose::Culture, &["cultural*", "सांस्कृतिक", "સાંસ્કૃતિક"]),
    (Purpose::Cleanliness, &["clean*", "swachh*", "स्वच्छ", "સ્વચ્છ"]),
    (Purpose::Meeting, &["meeting", "meetings", "बैठक", "सभा", "બેઠક", "મીટિંગ"]),
];

/// Words that make something else of what stands beside them: holiday homework is no holiday, and a
/// sports quiz no sports day.
const OF_SOMETHING_ELSE: &[&str] = &[
    "drill",
    "week",
    "workshop",
    "project*",
    "homework",
    "home work",
    "harvesting",
    "exhibition",
    "competition*",
    "quiz",
    "concession",
    "scholarship*",
    "route",
    "farewell",
    "awareness",
    "training",
    "eye test*",
    "सप्ताह",
    "कार्यशाला",
    "परियोजना",
    "गृहकार्य",
    "प्रदर्शनी",
    "प्रतियोगिता",
    "जागरूकता",
    "छात्रवृत्ति",
    "कार्यशाळा",
    "प्रकल्प",
    "गृहपाठ",
    "प्रदर्शन",
    "स्पर्धा",
    "शिष्यवृत्ती",
    "સપ્તાહ",
    "વર્કશોપ",
    "પ્રોજેક્ટ",
    "ગૃહકાર્ય",
    "પ્રદર્શન",
    "સ્પર્ધા",
    "શિષ્યવૃત્તિ",
];

impl Purpose {
    /// The purpose of a request; an invitation to a meeting of parents is always that.
    pub fn of(request: &CommunicationRequest) -> Self {
        if request.medium == Medium::Ptm {
            return Self::Ptm;
        }
        let text = format!("{} ", request.purpose.to_lowercase());
        let any = |words: &[&str]| words.iter().any(|word| names(&text, word));
        if any(OF_SOMETHING_ELSE) {
            return Self::General;
        }
        WORDS.into_iter().find(|(_, words)| any(words)).map_or(Self::General, |(purpose, _)| purpose)
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

    /// Returns whether the day is a last date.
    pub fn is_deadline(self) -> bool {
        self == Self::Fees
    }

    /// Returns whether readers have to be somewhere at a time of the day.
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

    /// Returns whether a parent has to agree in writing.
    pub fn needs_consent(self) -> bool {
        matches!(self, Self::Excursion | Self::Vaccination)
    }
}

/// Whether a text has a word: a Latin one as it is, or as a beginning where it ends with `*`; an
/// Indian one as a beginning, since endings are written to it.
fn names(text: &str, word: &str) -> bool {
    let stem = word.trim_end_matches('*');
    if stem.len() < word.len() || !stem.is_ascii() {
        return has_word(text, stem);
    }
    text.match_indices(stem).any(|(at, _)| {
        let (before, after) = (text[..at].chars().next_back(), text[at + stem.len()..].chars().next());
        before.is_none_or(|c| !c.is_alphanumeric()) && after.is_none_or(|c| !c.is_alphanumeric())
    })
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
            ("Rain holiday tomorrow", Purpose::Closure),
            ("Heatwave: change of timings", Purpose::Closure),
            ("भारी वर्षा के कारण अवकाश", Purpose::Closure),
            ("Fees reminder", Purpose::Fees),
            ("शुल्क जमा करने की सूचना", Purpose::Fees),
            ("फी भरण्याची सूचना", Purpose::Fees),
            ("Unit test II", Purpose::Exam),
            ("वार्षिक परीक्षेचे वेळापत्रक", Purpose::Exam),
            // Texts that only sound like a purpose.
            ("Road safety week", Purpose::General),
            ("Fire safety drill", Purpose::General),
            ("Rainwater harvesting project", Purpose::General),
            ("Online safety workshop for parents", Purpose::General),
            ("Change of bus route for safety of children", Purpose::General),
            ("सड़क सुरक्षा सप्ताह", Purpose::General),
            ("Holiday homework submission", Purpose::General),
            ("Eye test camp", Purpose::General),
            ("Fee concession form for sports students", Purpose::General),
            ("Feedback form", Purpose::General),
            ("Farewell to our music teacher", Purpose::General),
            ("Teachers' Day celebration", Purpose::General),
            ("Republic Day celebration and flag hoisting", Purpose::General),
            ("Cricket tournament", Purpose::General),
            ("Sports quiz", Purpose::General),
            ("Contest of stories", Purpose::General),
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
