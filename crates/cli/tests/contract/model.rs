//! Documents that a language model writes, or does not: how far they are is told, and what is not
//! delivered is not paid.

use std::{
    io::{Read, Write},
    net::{TcpListener, TcpStream},
    thread::sleep,
    time::Duration,
};

use serde_json::{Value, json};

use crate::{
    NamedTrial,
    stack::{Generator, Stack},
    supabase_js,
};

/// Name and body of each trial.
pub(crate) const TRIALS: &[NamedTrial] =
    &[("model::d09_d10_is_told_as_it_goes_and_costs_nothing_when_it_fails", |_| is_told_and_costs_nothing())];

/// Runs on a stack of its own, whose model does what the request names.
fn is_told_and_costs_nothing() -> anyhow::Result<()> {
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let address = format!("http://{}/v1", listener.local_addr()?);
    std::thread::spawn(move || {
        for connection in listener.incoming().flatten() {
            // A caller that leaves is part of the tests.
            std::thread::spawn(move || drop(answer(connection)));
        }
    });
    let stack = Stack::start("model", Generator::Model(&address));
    let outcome = supabase_js::run(&stack, "model.test.mjs");
    stack.stop();
    outcome
}

/// What a good model writes in a lesson plan.
const LESSON: &str = include_str!("../../../../functions/generate-lesson-plan/tests/written.json");

/// How long a good model thinks before it writes: long enough to be seen.
const THOUGHT: Duration = Duration::from_millis(600);

/// Longer than any budget of these tests.
const FOREVER: Duration = Duration::from_secs(120);

fn answer(mut connection: TcpStream) -> std::io::Result<()> {
    const STREAM: &[u8] = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n";
    let asked = read(&mut connection)?;
    if asked["judge"].is_array() {
        connection.write_all(STREAM)?;
        let harmless = json!({ "level": "safe", "category": "none", "score": 1 }).to_string();
        return connection.write_all((event(&harmless) + ENDING).as_bytes());
    }
    let wants = |word: &str| asked.to_string().contains(word);
    if let Some((_, status)) =
        [("answers 500", 500), ("answers 429", 429)].into_iter().find(|(word, _)| wants(word))
    {
        let head = format!("HTTP/1.1 {status} X\r\ncontent-length: 0\r\nconnection: close\r\n\r\n");
        return connection.write_all(head.as_bytes());
    }
    connection.write_all(STREAM)?;
    if wants("breaks off") {
        return connection.write_all(event("{\"items\":[{\"text\":\"a sentence that").as_bytes());
    }
    if wants("stalls") {
        connection.write_all(event("{\"items\":").as_bytes())?;
        sleep(FOREVER);
        return Ok(());
    }
    if wants("tells stories") {
        return connection.write_all((event("Once upon a time.") + ENDING).as_bytes());
    }
    sleep(if wants("takes its time") { FOREVER / 60 } else { THOUGHT });
    let part = if asked["plan"]["period"].is_object() { "period" } else { "frame" };
    let written = serde_json::from_str::<Value>(LESSON)?[part].to_string();
    connection.write_all((event(&written) + ENDING).as_bytes())
}

const ENDING: &str = "data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n";

fn event(text: &str) -> String {
    format!("data: {}\n\n", json!({ "choices": [{ "delta": { "content": text } }] }))
}

/// What a tool asks for: the data of its message.
fn read(connection: &mut TcpStream) -> std::io::Result<Value> {
    let mut bytes = Vec::new();
    let mut piece = [0; 16 << 10];
    loop {
        let count = connection.read(&mut piece)?;
        bytes.extend_from_slice(&piece[..count]);
        let text = String::from_utf8_lossy(&bytes);
        // The body is one object, whatever frames it.
        let body = text.find('{').zip(text.rfind('}')).and_then(|(from, to)| text.get(from..=to));
        if let Some(body) = body.and_then(|body| serde_json::from_str::<Value>(body).ok()) {
            let user = body["messages"][1]["content"].as_str().unwrap_or_default();
            return Ok(serde_json::from_str(user)?);
        }
        if count == 0 {
            return Err(std::io::ErrorKind::UnexpectedEof.into());
        }
    }
}
