//! The request body for one call in one mode.

use serde_json::{Value, json};

use super::client::Call;
use super::config::Provider;
use super::dialect::{Dialect, JsonMode};

/// Builds the body; `LLM_EXTRA_BODY` comes last and wins.
pub(super) fn request_body(provider: &Provider, dialect: Dialect, call: &Call) -> Value {
    let mut body = json!({
        "model": provider.model,
        "stream": true,
        "messages": [
            { "role": "system", "content": system_message(dialect.mode, call) },
            { "role": "user", "content": call.user.to_string() },
        ],
    });
    let tokens = if dialect.completion_tokens { "max_completion_tokens" } else { "max_tokens" };
    body[tokens] = json!(dialect.tokens(call.max_tokens));
    if dialect.temperature {
        body["temperature"] = json!(call.temperature);
    }
    if dialect.stream_usage {
        body["stream_options"] = json!({ "include_usage": true });
    }
    if dialect.seed {
        // Servers take signed 32-bit seeds at least.
        body["seed"] = json!(call.seed & 0x7fff_ffff);
    }
    add_format(&mut body, dialect.mode, call);
    for (name, value) in &provider.extra {
        body[name] = value.clone();
    }
    body
}

/// If the server does not enforce the schema, the prompt states it. The static part comes first, so
/// that providers can cache it.
fn system_message(mode: JsonMode, call: &Call) -> String {
    match mode {
        JsonMode::Schema | JsonMode::Tool => call.system.clone(),
        JsonMode::Object | JsonMode::Prompt => format!(
            "{}\n\nReply with one JSON object and nothing else. It must match this JSON Schema:\n{}",
            call.system, call.schema
        ),
    }
}

fn add_format(body: &mut Value, mode: JsonMode, call: &Call) {
    match mode {
        JsonMode::Schema => {
            body["response_format"] = json!({
                "type": "json_schema",
                "json_schema": { "name": call.name, "strict": true, "schema": call.schema },
            });
        }
        JsonMode::Object => body["response_format"] = json!({ "type": "json_object" }),
        JsonMode::Tool => {
            body["tools"] = json!([{ "type": "function", "function": {
                "name": call.name, "description": "Hands in the finished object.", "parameters": call.schema,
            }}]);
            body["tool_choice"] = json!({ "type": "function", "function": { "name": call.name } });
        }
        JsonMode::Prompt => {}
    }
}
