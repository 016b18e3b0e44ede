//! Server-sent events, put together to one reply.

use serde::Deserialize;

use super::client::Usage;

/// A reply as it grows.
#[derive(Debug, Default)]
pub(super) struct Gathering {
    buffer: Vec<u8>,
    content: String,
    arguments: String,
    refusal: String,
    finish_reason: Option<String>,
    usage: Option<Usage>,
    done: bool,
    error: Option<String>,
}

/// A finished reply.
#[derive(Debug, PartialEq)]
pub(super) struct Gathered {
    pub(super) text: String,
    pub(super) finish_reason: String,
    pub(super) usage: Option<Usage>,
}

/// Why a stream gave no reply.
#[derive(Debug, PartialEq)]
pub(super) enum StreamFault {
    /// It ended before it said so.
    Cut,
    /// The model declined.
    Refused,
    /// The server reported an error inside the stream.
    Server(String),
}

#[derive(Deserialize)]
struct Event {
    #[serde(default)]
    choices: Vec<Choice>,
    #[serde(default)]
    usage: Option<WireUsage>,
    #[serde(default)]
    error: Option<serde_json::Value>,
}

#[derive(Deserialize)]
struct Choice {
    #[serde(default, alias = "message")]
    delta: Option<Delta>,
    #[serde(default)]
    finish_reason: Option<String>,
}

#[derive(Deserialize)]
struct Delta {
    #[serde(default)]
    content: Option<String>,
    #[serde(default)]
    refusal: Option<String>,
    #[serde(default)]
    tool_calls: Option<Vec<ToolCall>>,
}

#[derive(Deserialize)]
struct ToolCall {
    #[serde(default)]
    function: Option<ToolFunction>,
}

#[derive(Deserialize)]
struct ToolFunction {
    #[serde(default)]
    arguments: Option<String>,
}

#[derive(Deserialize)]
struct WireUsage {
    #[serde(default)]
    prompt_tokens: u64,
    #[serde(default)]
    completion_tokens: u64,
}

impl Gathering {
    /// Takes in the next bytes, which may end anywhere, even inside a character.
    pub(super) fn push(&mut self, bytes: &[u8]) {
        let end = bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
        let (whole, begun) = bytes.split_at(end);
        self.buffer.extend_from_slice(whole);
        if !whole.is_empty() {
            let lines = std::mem::take(&mut self.buffer);
            lines.split(|byte| *byte == b'\n').for_each(|line| self.line(&String::from_utf8_lossy(line)));
        }
        self.buffer.extend_from_slice(begun);
    }

    /// Returns whether the model has finished. Later events only describe the reply, and may be
    /// missing.
    pub(super) fn is_complete(&self) -> bool {
        self.is_done() || self.finish_reason.is_some()
    }

    /// Bytes of text so far.
    pub(super) fn written(&self) -> usize {
        self.content.len() + self.arguments.len() + self.refusal.len()
    }

    /// Returns whether the server said that it has finished.
    pub(super) fn is_done(&self) -> bool {
        self.done || self.error.is_some()
    }

    /// Ends the stream. A server that ignored `stream` sent one plain JSON body instead of events.
    pub(super) fn finish(mut self) -> Result<Gathered, StreamFault> {
        let rest = String::from_utf8_lossy(&std::mem::take(&mut self.buffer)).into_owned();
        self.line(&rest);
        if let Some(error) = self.error {
            return Err(StreamFault::Server(error));
        }
        let text = if self.arguments.is_empty() { self.content } else { self.arguments };
        if text.is_empty() && !self.refusal.is_empty() {
            return Err(StreamFault::Refused);
        }
        match self.finish_reason {
            Some(reason) if reason == "content_filter" => Err(StreamFault::Refused),
            Some(finish_reason) => Ok(Gathered { text, finish_reason, usage: self.usage }),
            None if self.done => Ok(Gathered { text, finish_reason: "stop".to_owned(), usage: self.usage }),
            None => Err(StreamFault::Cut),
        }
    }

    fn line(&mut self, line: &str) {
        let line = line.trim();
        let data = match line.strip_prefix("data:") {
            Some(data) => data.trim(),
            None if line.starts_with('{') => line,
            None => return,
        };
        if data == "[DONE]" {
            self.done = true;
        } else if let Ok(event) = serde_json::from_str::<Event>(data) {
            self.event(event);
        }
    }

    fn event(&mut self, event: Event) {
        if let Some(error) = event.error {
            self.error = Some(error.to_string());
        }
        if let Some(usage) = event.usage {
            self.usage = Some(Usage { input: usage.prompt_tokens, output: usage.completion_tokens });
        }
        for choice in event.choices.into_iter().take(1) {
            self.finish_reason = choice.finish_reason.or(self.finish_reason.take());
            let Some(delta) = choice.delta else { continue };
            self.content.push_str(delta.content.as_deref().unwrap_or_default());
            self.refusal.push_str(delta.refusal.as_deref().unwrap_or_default());
            for call in delta.tool_calls.into_iter().flatten() {
                let arguments = call.function.and_then(|function| function.arguments);
                self.arguments.push_str(arguments.as_deref().unwrap_or_default());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn gather(bytes: &[u8], step: usize) -> Result<Gathered, StreamFault> {
        let mut gathering = Gathering::default();
        for chunk in bytes.chunks(step) {
            gathering.push(chunk);
        }
        gathering.finish()
    }

    const STREAM: &str = concat!(
        ": keep-alive\n\n",
        "data: {\"choices\":[{\"delta\":{\"role\":\"assistant\",\"content\":\"{\\\"a\\\":\"}}]}\r\n\r\n",
        "data: {\"choices\":[{\"delta\":{\"content\":\"\\\"पाठ\\\"}\"},\"finish_reason\":null}]}\n\n",
        "data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n",
        "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":7,\"completion_tokens\":3}}\n\n",
        "data: [DONE]\n\n"
    );

    #[test]
    fn a_stream_gives_the_same_reply_however_it_is_cut_into_chunks() {
        for step in [1, 2, 3, 7, 64, 4096] {
            let gathered = gather(STREAM.as_bytes(), step).unwrap();
            assert_eq!(gathered.text, "{\"a\":\"पाठ\"}", "step {step}");
            assert_eq!(gathered.usage, Some(Usage { input: 7, output: 3 }));
        }
    }

    #[test]
    fn a_stream_that_just_ends_is_cut() {
        let half = &STREAM.as_bytes()[..STREAM.find("data: {\"choices\":[{\"delta\":{},").unwrap()];
        assert_eq!(gather(half, 64), Err(StreamFault::Cut));
    }

    #[test]
    fn tool_arguments_refusals_errors_and_plain_bodies_are_read() {
        let tool = "data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"function\":{\"arguments\":\"{}\"}}]},\
                    \"finish_reason\":\"tool_calls\"}]}\n";
        assert_eq!(gather(tool.as_bytes(), 9).unwrap().text, "{}");
        let refusal = "data: {\"choices\":[{\"delta\":{\"refusal\":\"no\"},\"finish_reason\":\"stop\"}]}\n";
        assert_eq!(gather(refusal.as_bytes(), 9), Err(StreamFault::Refused));
        let error = "data: {\"error\":{\"message\":\"overloaded\"}}\n";
        assert!(matches!(gather(error.as_bytes(), 9), Err(StreamFault::Server(_))));
        let plain = "{\"choices\":[{\"message\":{\"content\":\"{}\"},\"finish_reason\":\"stop\"}]}";
        assert_eq!(gather(plain.as_bytes(), 9).unwrap().text, "{}");
    }
}
