//! What the teacher sees when the language model fails: a plain sentence, and the credits back.

use std::{
    io::{Read, Write},
    net::{TcpListener, TcpStream},
};

use crate::{
    NamedTrial,
    stack::{Generator, Stack},
    supabase_js,
};

/// Name and body of each trial.
pub(crate) const TRIALS: &[NamedTrial] =
    &[("failing_model::gives_the_credits_back", |_| gives_the_credits_back())];

/// Runs on a stack of its own, whose model answers every call with 500.
fn gives_the_credits_back() -> anyhow::Result<()> {
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let address = format!("http://{}/v1", listener.local_addr()?);
    std::thread::spawn(move || listener.incoming().flatten().for_each(refuse));
    let stack = Stack::start("failing-model", Generator::Model(&address));
    let outcome = supabase_js::run(&stack, "failing-model.test.mjs");
    stack.stop();
    outcome
}

fn refuse(mut connection: TcpStream) {
    let mut head = [0; 4096];
    // Whatever was asked and however the caller leaves, the answer is the same.
    let _ = connection.read(&mut head);
    let _ = connection
        .write_all(b"HTTP/1.1 500 Internal Server Error\r\ncontent-length: 0\r\nconnection: close\r\n\r\n");
}
