//! The model client against a server that streams, fails, stalls and sends nonsense.

#[path = "../support/mod.rs"]
mod support;

use std::time::Duration;

use banyan_functions::env::Env;
use banyan_functions::model::config::Limits;
use banyan_functions::model::{Call, JsonMode, ModelClient, ModelConfig, ModelError, Reply};
use banyan_functions::transport::Deadline;
use serde_json::json;
use support::{Answer, FakeModel, Tcp};
use tokio::{io::AsyncWriteExt as _, net::TcpListener};

fn config(server: &FakeModel) -> ModelConfig {
    let env =
        Env::from([("LLM_BASE_URL", server.base.as_str()), ("LLM_API_KEY", "k"), ("LLM_MODEL", "small")]);
    quick(ModelConfig::from_env(&env).expect("a provider"))
}

fn quick(mut config: ModelConfig) -> ModelConfig {
    config.limits = Limits {
        call: Duration::from_millis(900),
        first_byte: Duration::from_millis(300),
        between_chunks: Duration::from_millis(200),
        back_off: Duration::from_millis(10),
        concurrency: 4,
    };
    config
}

fn call() -> Call {
    Call {
        name: "thing",
        system: "You write things.".to_owned(),
        user: json!({ "request": "x" }),
        schema: json!({ "type": "object", "properties": {}, "required": [], "additionalProperties": false }),
        temperature: 0.7,
        max_tokens: 100,
        seed: 5,
    }
}

async fn ask(config: &ModelConfig) -> Result<Reply, ModelError> {
    let transport = Tcp::new();
    let client = ModelClient::new(&transport, config);
    client.ask(&call(), Deadline::after(&transport, Duration::from_secs(5))).await
}

fn good() -> Answer {
    Answer::Stream("{\"title\":\"पाठ 1\"}".to_owned())
}

#[tokio::test]
async fn a_streamed_reply_arrives_whole_with_its_usage() {
    let server = FakeModel::start(|_, _| good()).await;
    let reply = ask(&config(&server)).await.unwrap();
    assert_eq!(reply.text, "{\"title\":\"पाठ 1\"}");
    assert_eq!((reply.usage.input, reply.usage.output), (100, 50));
    let body = &server.requests()[0];
    assert_eq!((&body["model"], &body["stream"], &body["seed"]), (&json!("small"), &json!(true), &json!(5)));
    assert_eq!(body["response_format"]["type"], "json_schema");
    assert_eq!(body["messages"][1]["content"], "{\"request\":\"x\"}");
}

#[tokio::test]
async fn a_server_without_schemas_is_asked_in_weaker_modes_and_remembered() {
    let server = FakeModel::start(|_, body| {
        if body["response_format"].is_null() && body["tools"].is_null() {
            return good();
        }
        Answer::Status(
            400,
            &[],
            "{\"error\":{\"message\":\"response_format and tools are not supported\"}}".to_owned(),
        )
    })
    .await;
    let config = config(&server);
    let transport = Tcp::new();
    let client = ModelClient::new(&transport, &config);
    let deadline = Deadline::after(&transport, Duration::from_secs(5));
    client.ask(&call(), deadline).await.unwrap();
    assert_eq!((server.requests().len(), client.mode()), (4, Some(JsonMode::Prompt)));
    client.ask(&call(), deadline).await.unwrap();
    assert_eq!(server.requests().len(), 5, "the second call knows");
    let system = server.requests()[4]["messages"][0]["content"].to_string();
    assert!(system.contains("JSON Schema"));
}

#[tokio::test]
async fn the_arguments_of_a_call_of_a_tool_are_the_reply() {
    let server = FakeModel::start(|_, body| {
        assert_eq!(body["tool_choice"]["function"]["name"], "thing");
        Answer::Tool("{\"title\":\"पाठ 1\"}".to_owned())
    })
    .await;
    let env = Env::from([("LLM_BASE_URL", server.base.as_str()), ("LLM_JSON_MODE", "tool")]);
    let config = quick(ModelConfig::from_env(&env).expect("a provider"));
    assert_eq!(ask(&config).await.unwrap().text, "{\"title\":\"पाठ 1\"}");
}

#[tokio::test]
async fn an_error_inside_a_stream_is_tried_again() {
    let overloaded = || Answer::Raw("data: {\"error\":{\"message\":\"overloaded\"}}\n\n".to_owned());
    let server = FakeModel::start(move |n, _| if n == 0 { overloaded() } else { good() }).await;
    assert_eq!(ask(&config(&server)).await.unwrap().text, "{\"title\":\"पाठ 1\"}");
    assert_eq!(server.requests().len(), 2);
}

#[tokio::test]
async fn a_refused_parameter_is_left_out() {
    let server = FakeModel::start(|_, body| {
        if body["max_tokens"].is_null() && body["temperature"].is_null() {
            good()
        } else if body["max_tokens"].is_null() {
            Answer::Status(400, &[], "Unsupported value: temperature".to_owned())
        } else {
            Answer::Status(400, &[], "Use max_completion_tokens instead of max_tokens".to_owned())
        }
    })
    .await;
    ask(&config(&server)).await.unwrap();
    assert_eq!(server.requests()[2]["max_completion_tokens"], 100);
}

#[tokio::test]
async fn transient_failures_are_tried_again_and_others_are_not() {
    let server = FakeModel::start(|n, _| match n {
        0 => Answer::Status(503, &[], "busy".to_owned()),
        1 => Answer::Status(429, &[("retry-after", "0")], "slow down".to_owned()),
        _ => good(),
    })
    .await;
    ask(&config(&server)).await.unwrap();
    assert_eq!(server.requests().len(), 3);
    let locked = FakeModel::start(|_, _| Answer::Status(401, &[], "no key".to_owned())).await;
    assert!(
        matches!(ask(&config(&locked)).await, Err(ModelError::Rejected(reason)) if reason.ends_with("401"))
    );
    assert_eq!(locked.requests().len(), 1);
}

#[tokio::test]
async fn a_server_that_asks_for_more_patience_than_there_is_is_left() {
    let server = FakeModel::start(|_, _| Answer::Status(429, &[("retry-after", "60")], String::new())).await;
    assert!(matches!(ask(&config(&server)).await, Err(ModelError::Unavailable(_))));
    assert_eq!(server.requests().len(), 1);
}

#[tokio::test]
async fn a_broken_or_stalled_stream_is_tried_again() {
    for broken in [
        || Answer::Cut("{\"title\":\"a long enough text to be cut in the middle\"}".to_owned()),
        || Answer::Stall("{\"title\":".to_owned()),
        || Answer::Silence,
        || Answer::Stream(String::new()),
    ] {
        let server = FakeModel::start(move |n, _| if n == 0 { broken() } else { good() }).await;
        let reply = ask(&config(&server)).await.unwrap();
        // An empty text is a reply for the caller to judge; everything else took a second try.
        assert!(reply.text.is_empty() || server.requests().len() == 2);
    }
}

/// Tokens of the call's own text, by the estimate.
const ASKED: u64 = 5 + 4;

#[tokio::test]
async fn what_was_asked_counts_as_spent_though_no_reply_came_and_a_refusal_costs_nothing() {
    let cut = || Answer::Cut("{\"title\":\"a long enough text to be cut in the middle\"}".to_owned());
    for (first, spent) in [
        (cut as fn() -> Answer, ASKED + 150),
        (|| Answer::Stall("{\"title\":".to_owned()), ASKED + 150),
        (|| Answer::Status(503, &[], String::new()), 150),
    ] {
        let server = FakeModel::start(move |n, _| if n == 0 { first() } else { good() }).await;
        let config = config(&server);
        ask(&config.clone()).await.unwrap();
        assert_eq!((config.spent.take(), config.spent.take()), (spent, 0));
    }
}

#[tokio::test]
async fn a_server_that_only_stalls_ends_with_an_error_not_a_hang() {
    let server = FakeModel::start(|_, _| Answer::Stall("{".to_owned())).await;
    let started = std::time::Instant::now();
    assert!(matches!(ask(&config(&server)).await, Err(ModelError::Unavailable(_))));
    assert_eq!(server.requests().len(), 3);
    assert!(started.elapsed() < Duration::from_secs(4));
}

#[tokio::test]
async fn the_budget_of_the_request_ends_every_call() {
    let server = FakeModel::start(|_, _| Answer::Silence).await;
    let config = config(&server);
    let transport = Tcp::new();
    let client = ModelClient::new(&transport, &config);
    let started = std::time::Instant::now();
    let result = client.ask(&call(), Deadline::after(&transport, Duration::from_millis(250))).await;
    assert_eq!(result, Err(ModelError::Deadline));
    assert!(started.elapsed() < Duration::from_millis(800));
}

#[tokio::test]
async fn the_second_provider_stands_in_for_the_first() {
    let (first, second) = (
        FakeModel::start(|_, _| Answer::Status(500, &[], String::new())).await,
        FakeModel::start(|_, _| good()).await,
    );
    let env = Env::from([
        ("LLM_BASE_URL", first.base.as_str()),
        ("LLM_FALLBACK_BASE_URL", second.base.as_str()),
        ("LLM_FALLBACK_MODEL", "other"),
    ]);
    let config = quick(ModelConfig::from_env(&env).expect("providers"));
    assert_eq!(ask(&config).await.unwrap().model, "other");
    assert_eq!((first.requests().len(), second.requests().len()), (3, 1));
}

#[tokio::test]
async fn a_provider_that_failed_five_times_rests() {
    let server = FakeModel::start(|_, _| Answer::Status(500, &[], String::new())).await;
    let config = config(&server);
    let transport = Tcp::new();
    let client = ModelClient::new(&transport, &config);
    for _ in 0..4 {
        let deadline = Deadline::after(&transport, Duration::from_secs(5));
        assert!(client.ask(&call(), deadline).await.is_err());
    }
    assert_eq!(server.requests().len(), 5);
}

#[tokio::test]
async fn a_port_without_a_server_is_an_error() {
    let env = Env::from([("LLM_BASE_URL", "http://127.0.0.1:1/v1")]);
    let config = quick(ModelConfig::from_env(&env).expect("a provider"));
    assert!(matches!(ask(&config).await, Err(ModelError::Unavailable(_))));
}

/// The events of a server that says as much of its own with every token as the usual one does.
fn wordy(text: &str) -> Answer {
    let event = |piece: char| {
        let event = json!({ "id": "chatcmpl-B9MHDbslfkBeAs8l4bebGdFOJ6PeG", "object": "chat.completion.chunk",
            "created": 1_741_570_283, "model": "small-2024-08-06", "service_tier": "default",
            "system_fingerprint": "fp_50cad350e4", "usage": null,
            "choices": [{ "index": 0, "delta": { "content": piece.to_string() }, "logprobs": null, "finish_reason": null }] });
        format!("data: {event}\n\n")
    };
    let events: String = text.chars().map(event).collect();
    Answer::Raw(
        events + "data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n",
    )
}

#[tokio::test]
async fn a_reply_is_as_long_as_its_text_whatever_the_server_says_of_its_own() {
    let long = format!("{{\"title\":\"{}\"}}", "पाठ ".repeat(2500));
    let text = long.clone();
    let server = FakeModel::start(move |_, _| wordy(&text)).await;
    let mut config = config(&server);
    config.limits.call = Duration::from_secs(5);
    assert_eq!(ask(&config).await.unwrap().text, long);
    let endless = FakeModel::start(|_, _| Answer::Stream("x".repeat(600 * 1024))).await;
    let mut config = self::config(&endless);
    config.limits.call = Duration::from_secs(5);
    assert!(matches!(ask(&config).await, Err(ModelError::Rejected(reason)) if reason.contains("too long")));
}

#[tokio::test]
async fn a_server_with_less_room_is_asked_for_less() {
    let server = FakeModel::start(|_, body| match body["max_tokens"].as_u64() {
        Some(..=4096) => good(),
        _ => Answer::Status(400, &[], "max_tokens is too large: this model supports at most 4096".to_owned()),
    })
    .await;
    let config = config(&server);
    let transport = Tcp::new();
    let client = ModelClient::new(&transport, &config);
    let call = Call { max_tokens: 9000, ..call() };
    client.ask(&call, Deadline::after(&transport, Duration::from_secs(5))).await.unwrap();
    let asked: Vec<u64> = server.requests().iter().filter_map(|body| body["max_tokens"].as_u64()).collect();
    assert_eq!(asked, [9000, 4500, 2250]);
}

#[tokio::test]
async fn a_provider_that_says_nothing_leaves_the_second_one_its_time() {
    let (first, second) =
        (FakeModel::start(|_, _| Answer::Silence).await, FakeModel::start(|_, _| good()).await);
    let env = Env::from([
        ("LLM_BASE_URL", first.base.as_str()),
        ("LLM_FALLBACK_BASE_URL", second.base.as_str()),
        ("LLM_MODEL", "small"),
        ("LLM_FALLBACK_MODEL", "small"),
    ]);
    let config = ModelConfig::from_env(&env).expect("providers");
    let transport = Tcp::new();
    let client = ModelClient::new(&transport, &config);
    let reply = client.ask(&call(), Deadline::after(&transport, Duration::from_secs(1))).await;
    assert_eq!(reply.expect("the second answers").text, "{\"title\":\"पाठ 1\"}");
    assert_eq!((first.requests().len(), second.requests().len()), (1, 1));
}

#[tokio::test]
async fn a_reply_that_is_complete_is_taken_though_the_server_does_not_end_it() {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
    let base = format!("http://{}/v1", listener.local_addr().expect("bound"));
    let held = tokio::spawn(async move {
        let (mut stream, _) = listener.accept().await.expect("a call");
        let head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ncontent-length: 9999\r\n\r\n";
        let event = "data: {\"choices\":[{\"delta\":{\"content\":\"{}\"},\"finish_reason\":\"stop\"}]}\n\n";
        stream.write_all(format!("{head}{event}").as_bytes()).await.expect("heard");
        std::future::pending::<()>().await
    });
    let env = Env::from([("LLM_BASE_URL", base.as_str()), ("LLM_MODEL", "small")]);
    let mut config = quick(ModelConfig::from_env(&env).expect("a provider"));
    config.limits.call = Duration::from_secs(5);
    assert_eq!(ask(&config).await.unwrap().text, "{}");
    held.abort();
}
