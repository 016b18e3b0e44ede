//! The slots that a model or the built-in sentences fill: text around the facts, without dates,
//! times, sums and names.

use serde::{Deserialize, Serialize};

/// All slots of a communication.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Content {
    /// The announcement, in one or two sentences.
    pub opening: String,
    /// The request to the readers.
    pub request: String,
    /// A courteous last sentence of a letter; empty in a message.
    pub support: String,
    /// Agenda of a meeting; empty elsewhere.
    pub agenda: Vec<String>,
}

impl Content {
    /// Every text.
    pub fn texts(&self) -> Vec<&str> {
        let sentences = [self.opening.as_str(), &self.request, &self.support];
        sentences.into_iter().chain(self.agenda.iter().map(String::as_str)).collect()
    }
}
