//! What a server turned out to support. A refusal that names a feature moves one step down; the step is
//! remembered for the provider, so that only the first call pays for finding out.

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

/// The form of request that a provider accepts, as far as it is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Dialect {
    pub(super) mode: JsonMode,
    pub(super) temperature: bool,
    pub(super) completion_tokens: bool,
    pub(super) stream_usage: bool,
    pub(super) seed: bool,
}

impl Dialect {
    pub(super) fn new(mode: JsonMode) -> Self {
        Self { mode, temperature: true, completion_tokens: false, stream_usage: true, seed: true }
    }

    /// The next thing to try after a 400 with this error text; `None` when the refusal names nothing
    /// that could be left out.
    pub(super) fn adapted(self, refusal: &str, adaptive: bool) -> Option<Self> {
        let text = refusal.to_ascii_lowercase();
        let names = |words: &[&str]| words.iter().any(|word| text.contains(word));
        if self.stream_usage && names(&["stream_options", "include_usage"]) {
            return Some(Self { stream_usage: false, ..self });
        }
        if !self.completion_tokens && names(&["max_completion_tokens", "max_tokens"]) {
            return Some(Self { completion_tokens: true, ..self });
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
        while let Some(next) = dialect.adapted("response_format is not supported", true) {
            modes.push(next.mode);
            dialect = next;
        }
        assert_eq!(modes, [JsonMode::Object, JsonMode::Tool, JsonMode::Prompt]);
    }

    #[test]
    fn a_refused_parameter_is_left_out_and_the_mode_stays() {
        let dialect = Dialect::new(JsonMode::Schema);
        let tokens = dialect.adapted("Use 'max_completion_tokens' instead of 'max_tokens'", true).unwrap();
        assert!(tokens.completion_tokens && tokens.mode == JsonMode::Schema);
        assert!(!tokens.adapted("temperature must be 1", true).unwrap().temperature);
    }

    #[test]
    fn a_fixed_mode_or_an_unrelated_refusal_is_not_adapted() {
        let dialect = Dialect::new(JsonMode::Schema);
        assert_eq!(dialect.adapted("response_format is not supported", false), None);
        assert_eq!(dialect.adapted("content policy", true), None);
    }
}
