//! `banyan serve rest`: the data API by itself, in front of any PostgreSQL
//! (rest/CONTRACT.md config db-uri).

use std::path::Path;

use banyan_config::{
    Environment,
    postgrest::{Layers, LogLevel},
};
use banyan_identity::Clock;
use banyan_server::{
    logs,
    standalone::{self, Output, RunningStandalone},
};
use tokio::signal::unix::{Signal, SignalKind, signal};

use crate::{arguments::Global, output};

pub(crate) async fn run(global: &Global, config: Option<&Path>) -> anyhow::Result<()> {
    let environment = Environment::of_process();
    let layers = Layers::read(config, &environment)?;
    let level = layers.check(&[])?.log_level;
    let default =
        if global.debug || level == LogLevel::Debug { "debug,hyper=info,h2=info,sqlx=info" } else { "info" };
    let _logging = logs::start(logs::Format::Text, environment.get("RUST_LOG").unwrap_or(default))?;
    let mut signals = Signals::listen()?;
    let lines = Output { access: output::raw, queries: |line| output::note(line) };
    let running = tokio::select! {
        started = standalone::start(layers, Clock::system(), lines) => started?,
        () = end(&mut signals.terminate, &mut signals.interrupt) => return Ok(()),
    };
    let outcome = follow(&running, &mut signals).await;
    running.stop().await;
    outcome
}

/// Reloads as signals ask, until one asks for the end or something makes it senseless to go on.
async fn follow(running: &RunningStandalone, signals: &mut Signals) -> anyhow::Result<()> {
    loop {
        tokio::select! {
            () = end(&mut signals.terminate, &mut signals.interrupt) => {
                tracing::info!("Received termination unix signal");
                return Ok(());
            }
            reason = running.failed() => anyhow::bail!(reason),
            _ = signals.schema.recv() => running.reload_schema(),
            _ = signals.configuration.recv() => running.reload_configuration(),
        }
    }
}

/// SIGTERM and Ctrl-C end, SIGUSR1 and SIGUSR2 reload (rest/CONTRACT.md L04, B08).
struct Signals {
    terminate: Signal,
    interrupt: Signal,
    schema: Signal,
    configuration: Signal,
}

impl Signals {
    fn listen() -> anyhow::Result<Self> {
        Ok(Self {
            terminate: signal(SignalKind::terminate())?,
            interrupt: signal(SignalKind::interrupt())?,
            schema: signal(SignalKind::user_defined1())?,
            configuration: signal(SignalKind::user_defined2())?,
        })
    }
}

/// The next signal that asks for the end.
async fn end(terminate: &mut Signal, interrupt: &mut Signal) {
    tokio::select! {
        _ = terminate.recv() => {}
        _ = interrupt.recv() => {}
    }
}
