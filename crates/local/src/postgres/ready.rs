use std::{path::Path, time::Duration};

use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::UnixStream,
    time::{Instant, sleep, timeout},
};

use super::{SUPERUSER, layout::Layout, process::Process};
use crate::LocalError;

/// Longest wait; replaying much WAL after a crash takes its time.
const LIMIT: Duration = Duration::from_secs(120);

/// Waits until a startup packet is answered with `R`, asking every 2 ms (CONTRACT.md LOC-READY).
pub(super) async fn wait(process: &mut Process, layout: &Layout, port: u16) -> Result<(), LocalError> {
    let socket = layout.socket.join(format!(".s.PGSQL.{port}"));
    let end = Instant::now() + LIMIT;
    loop {
        if answers(&socket).await {
            return Ok(());
        }
        let reason = if process.has_ended() {
            "its process ended".to_owned()
        } else if Instant::now() >= end {
            process.stop(Duration::from_secs(20)).await?;
            format!("no answer within {} s", LIMIT.as_secs())
        } else {
            sleep(Duration::from_millis(2)).await;
            continue;
        };
        return Err(LocalError::NotReady { reason, log: layout.log.clone(), tail: tail(&layout.log, 12) });
    }
}

async fn answers(socket: &Path) -> bool {
    let ask = async {
        let mut stream = UnixStream::connect(socket).await?;
        stream.write_all(&startup_packet()).await?;
        stream.read_u8().await
    };
    matches!(timeout(Duration::from_secs(2), ask).await, Ok(Ok(b'R')))
}

/// Length, protocol 3.0, and whom we would be.
fn startup_packet() -> Vec<u8> {
    let names = format!("user\0{SUPERUSER}\0database\0postgres\0\0");
    let length = u32::try_from(names.len() + 8).expect("the packet is short");
    [&length.to_be_bytes()[..], &196_608_u32.to_be_bytes(), names.as_bytes()].concat()
}

/// The last `lines` of a text file.
pub(super) fn tail(path: &Path, lines: usize) -> String {
    let text = std::fs::read(path).unwrap_or_default();
    last_lines(&String::from_utf8_lossy(&text), lines)
}

pub(super) fn last_lines(text: &str, lines: usize) -> String {
    let all: Vec<&str> = text.trim_end().lines().collect();
    all[all.len().saturating_sub(lines)..].join("\n")
}
