use std::{
    future::ready,
    process::Stdio,
    sync::{Arc, atomic::Ordering},
    time::{Duration, Instant},
};

use futures_util::{SinkExt, StreamExt, stream::SplitSink};
use tokio::{
    io::{AsyncBufReadExt, BufReader},
    process::{Child, Command},
    task::JoinSet,
};
use tokio_websockets::Message;

use crate::{
    Failure, database,
    process::Process,
    sockets::{Received, Socket, Target, message},
};

/// Sockets of the row `idle`.
const IDLE: usize = 15_000;
/// Sockets of the row `fan-out`.
const FAN_OUT: usize = 1_000;
/// Broadcasts that are on their way at a time.
const AT_A_TIME: u64 = 16;
/// Broadcasts of the row `latency`.
const PINGS: u64 = 2_000;

/// What rows work with.
pub(crate) struct Bench {
    pub(crate) target: Target,
    pub(crate) server: Process,
    pub(crate) time: Duration,
}

impl Bench {
    /// Measures a row, and prints it.
    pub(crate) async fn row(&self, row: &str, database: &str) -> Result<(), Failure> {
        match row {
            "idle" => self.idle().await,
            "fan-out" => self.fan_outs().await,
            "latency" => self.latency().await,
            "joins" => database::joins(self, database).await,
            "changes" => database::changes(self, database).await,
            _ => Err(format!("no row is called {row}").into()),
        }
    }

    /// Memory of a socket that has joined a topic of its own class and is silent.
    async fn idle(&self) -> Result<(), Failure> {
        // What the first sockets need is not counted.
        let first = self.target.members(100, "first").await?;
        let (before, cpu, begin) = (self.server.memory()?, self.server.cpu()?, Instant::now());
        let mut sockets = Vec::new();
        for class in 0..IDLE / 50 {
            sockets.extend(self.target.members(50, &format!("class:{class}")).await?);
        }
        let (took, cpu) = (begin.elapsed().as_secs_f64(), self.server.cpu()? - cpu);
        let each = (self.server.memory()? - before) / sockets.len() as f64 / 1024.0;
        println!(
            "idle: {} sockets, {each:.1} KiB each; {:.0} sockets/s, {:.0} for a second of CPU",
            sockets.len(),
            sockets.len() as f64 / took,
            sockets.len() as f64 / cpu
        );
        drop((first, sockets));
        Ok(())
    }

    /// Delivered messages for a second of CPU, beside those of a bare fan-out.
    async fn fan_outs(&self) -> Result<(), Failure> {
        let ours = self.fan_out("ours", &self.target, self.server).await?;
        let (bare, target) = bare().await?;
        let process = Process(bare.id().ok_or("it has ended")?);
        let theirs = self.fan_out("bare", &target, process).await?;
        println!("fan-out: ours / bare = {:.2} by CPU", ours / theirs);
        drop(bare);
        Ok(())
    }

    async fn fan_out(&self, name: &str, target: &Target, server: Process) -> Result<f64, Failure> {
        let is_bare = !target.path.contains("realtime");
        let mut members = if is_bare {
            bare_sockets(target).await?
        } else {
            target.members(FAN_OUT + 1, "fan-out").await?
        };
        // The bare server sends to the sender too.
        let (sender, own) = members.remove(0).split();
        let (received, mut readers) = (Received::new(), JoinSet::new());
        readers.spawn(own.for_each(|_| ready(())));
        for member in members {
            readers.spawn(Arc::clone(&received).read(member));
        }
        let each = FAN_OUT as u64;
        let (cpu, begin) = (server.cpu()?, Instant::now());
        let delivered = self.send_for_a_while(sender, &received, each).await?;
        let (cpu, took) = (server.cpu()? - cpu, begin.elapsed().as_secs_f64());
        println!(
            "fan-out {name}: {:.0} messages/s delivered to {FAN_OUT} sockets, {:.0} for a second of CPU; p50 {:.2} ms, p99 {:.2} ms",
            delivered as f64 / took,
            delivered as f64 / cpu,
            received.took.at(0.5),
            received.took.at(0.99)
        );
        Ok(delivered as f64 / cpu)
    }

    /// Broadcasts with some on their way at a time. Returns how many messages arrived.
    async fn send_for_a_while(
        &self,
        mut sender: SplitSink<Socket, Message>,
        received: &Received,
        each: u64,
    ) -> Result<u64, Failure> {
        let (begin, mut sent) = (Instant::now(), 0);
        while begin.elapsed() < self.time {
            if sent < received.count.load(Ordering::Relaxed) / each + AT_A_TIME {
                sender.send(broadcast("fan-out", received.now())).await?;
                sent += 1;
            } else {
                tokio::time::sleep(Duration::from_micros(200)).await;
            }
        }
        while received.count.load(Ordering::Relaxed) < sent * each {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        Ok(received.count.load(Ordering::Relaxed))
    }

    /// From one socket to another, one message at a time.
    async fn latency(&self) -> Result<(), Failure> {
        let mut members = self.target.members(2, "latency").await?;
        let (receiver, mut sender) = (members.remove(1), members.remove(0));
        let received = Received::new();
        let reader = tokio::spawn(Arc::clone(&received).read(receiver));
        for sent in 1..=PINGS {
            sender.send(broadcast("latency", received.now())).await?;
            while received.count.load(Ordering::Relaxed) < sent {
                tokio::task::yield_now().await;
            }
        }
        reader.abort();
        println!(
            "latency: socket to socket p50 {:.2} ms, p99 {:.2} ms",
            received.took.at(0.5),
            received.took.at(0.99)
        );
        Ok(())
    }
}

/// A broadcast of 100 bytes, of version 2.
fn broadcast(topic: &str, at: u128) -> Message {
    let text = "x".repeat(60);
    let payload =
        format!(r#"{{"type":"broadcast","event":"e","payload":{{"at":{at:012},"text":"{text}"}}}}"#);
    message(0, topic, "broadcast", &payload)
}

/// The bare fan-out, as a process of its own that ends when it is dropped.
async fn bare() -> Result<(Child, Target), Failure> {
    let mut command = Command::new(std::env::current_exe()?);
    let mut child = command.arg("bare").stdout(Stdio::piped()).kill_on_drop(true).spawn()?;
    let output = child.stdout.take().ok_or("no output")?;
    let address = BufReader::new(output).lines().next_line().await?.ok_or("no address")?;
    Ok((child, Target { address: address.parse()?, path: "/?bare".to_owned() }))
}

async fn bare_sockets(target: &Target) -> Result<Vec<Socket>, Failure> {
    let mut sockets = Vec::new();
    for number in 0..=FAN_OUT {
        sockets.push(target.open(number).await?);
    }
    Ok(sockets)
}
