//! The features that a server supports. A refusal that names a feature moves one step down. The
//! step is remembered for the provider, so only the first call has to find out.

/// How the reply is made to be one JSON object, strongest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum JsonMode {
    /// `response_format: json_schema`, strict.
    Schema,
    /// `response_format: json_object`, the schema in the prompt.
    Object,
    /// One forced tool call whose arguments are the object.
    Tool,
    /// The prompt alone.
    Prompt,
}

impl JsonMode {
    /// Reads the words of `LLM_JSON_MODE`; `auto` and unknown words give nothing.
    pub fn parse(word: &str) -> Option<Self> {
        match word.to_ascii_lowercase().as_str() {
            "schema" => Some(Self::Schema),
            "object" => Some(Self::Object),
            "tool" => Some(Self::Tool),
            "prompt" => Some(Self::Prompt),
            _ => None,
        }
    }

    fn weaker(self) -> Option<Self> {
        match self {
            Self::Schema => Some(Self::Object),
            Self::Object => Some(Self::Tool),
            Self::Tool => Some(Self::Prompt),
            Self::Prompt => None,
        }
    }
}

/// A reply that may have no more tokens than this is of no use.
const FEWEST_TOKENS: u32 = 500;

/// The form of request that a provider accepts, as far as it is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Dialect {
    pub(super) mode: JsonMode,
    pub(super) temperature: bool,
    pub(super) completion_tokens: bool,
    /// The most tokens that a reply is allowed, where the server takes fewer than it was asked for.
    pub(super) most_tokens: Option<u32>,
    pub(super) stream_usage: bool,
    pub(super) seed: bool,
}

impl Dialect {
    pub(super) fn new(mode: JsonMode) -> Self {
        Self {
            mode,
            temperature: true,
            completion_tokens: false,
            most_tokens: None,
            stream_usage: true,
            seed: true,
        }
    }

    /// Tokens that a reply is allowed where this many are asked for.
    pub(super) fn tokens(self, asked: u32) -> u32 {
        self.most_tokens.map_or(asked, |most| most.min(asked))
    }

    /// The next thing to try after a 400 with this error text, for a call that asked for so many
    /// tokens; `None` when the refusal names nothing that could be left out.
    pub(super) fn adapted(self, refusal: &str, adaptive: bool, asked: u32) -> Option<Self> {
        let text = refusal.to_ascii_lowercase();
        let names = |words: &[&str]| words.iter().any(|word| text.contains(word));
        if self.stream_usage && names(&["stream_options", "include_usage"]) {
            return Some(Self { stream_usage: false, ..self });
        }
        if names(&["max_completion_tokens", "max_tokens", "completion tokens", "output tokens"]) {
            let half = self.tokens(asked) / 2;
            let are_too_many = names(&[
                "too large",
                "too many",
                "too high",
                "at most",
                "maximum",
                "exceed",
                "less than",
                "<=",
            ]);
            if !self.completion_tokens && !are_too_many {
                return Some(Self { completion_tokens: true, ..self });
            }
            if half >= FEWEST_TOKENS {
                return Some(Self { most_tokens: Some(half), ..self });
            }
        }
        if self.temperature && names(&["temperature"]) {
            return Some(Self { temperature: false, ..self });
        }
        if self.seed && names(&["'seed'", "\"seed\"", "`seed`", "seed is not"]) {
            return Some(Self { seed: false, ..self });
        }
        let format = names(&["response_format", "schema", "tool", "json_validate_failed", "validate json"]);
        match self.mode.weaker() {
            Some(mode) if adaptive && format => Some(Self { mode, ..self }),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refused_format_steps_down_one_mode_at_a_time() {
        let mut dialect = Dialect::new(JsonMode::Schema);
        let mut modes = vec![];
        while let Some(next) = dialect.adapted("response_format is not supported", true, 100) {
            modes.push(next.mode);
            dialect = next;
        }
        assert_eq!(modes, [JsonMode::Object, JsonMode::Tool, JsonMode::Prompt]);
    }

    #[test]
    fn a_refused_parameter_is_left_out_and_the_mode_stays() {
        let dialect = Dialect::new(JsonMode::Schema);
        let tokens =
            dialect.adapted("Use 'max_completion_tokens' instead of 'max_tokens'", true, 100).unwrap();
        assert!(tokens.completion_tokens && tokens.mode == JsonMode::Schema);
        assert!(!tokens.adapted("temperature must be 1", true, 100).unwrap().temperature);
    }

    #[test]
    fn a_fixed_mode_or_an_unrelated_refusal_is_not_adapted() {
        let dialect = Dialect::new(JsonMode::Schema);
        assert_eq!(dialect.adapted("response_format is not supported", false, 100), None);
        assert_eq!(dialect.adapted("content policy", true, 100), None);
    }

    #[test]
    fn a_server_with_less_room_is_asked_for_less_until_it_takes_it() {
        let refusal = "max_tokens is too large: 23400. This model supports at most 4096 completion tokens";
        let mut dialect = Dialect::new(JsonMode::Schema);
        let mut asked = vec![dialect.tokens(23_400)];
        while let Some(next) = dialect.adapted(refusal, true, 23_400).filter(|_| asked.last() > Some(&4096)) {
            dialect = next;
            asked.push(dialect.tokens(23_400));
        }
        assert_eq!((asked, dialect.completion_tokens), (vec![23_400, 11_700, 5850, 2925], false));
        assert_eq!(dialect.tokens(800), 800);
        assert_eq!(dialect.adapted(refusal, true, 800), None, "less is of no use");
    }
}
