//! Load on `/realtime/v1` of a running stack, as `scripts/bench realtime` measures it.
//!
//! ```text
//! realtime_bench rows <API URL> <publishable key> <pid> <database URL> <seconds> <row>...
//! realtime_bench bare
//! ```
//! `rows` prints a line for each row. CPU and memory are those of the process of the stack, so a
//! generator on the same cores takes nothing from a figure but time. `bare` is what fan-out is
//! compared with: it sends what a socket sends to all sockets, and does nothing else.

#![expect(clippy::print_stdout, reason = "figures are printed")]

/// A fan-out with the same library and nothing else.
mod bare;

/// Rows of changes and policies.
mod database;

/// What a process has used.
mod process;

/// How long messages took.
mod histogram;

/// Rows of sockets and broadcasts.
mod rows;

/// Sockets of clients.
mod sockets;

use std::{error::Error, time::Duration};

use crate::{process::Process, rows::Bench, sockets::Target};

type Failure = Box<dyn Error + Send + Sync>;

#[tokio::main]
async fn main() -> Result<(), Failure> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match &arguments[..] {
        ["bare"] => bare::serve().await,
        ["rows", url, key, pid, database, seconds, rows @ ..] => {
            let bench = Bench {
                target: Target::of_stack(url, key)?,
                server: Process(pid.parse()?),
                time: Duration::from_secs(seconds.parse()?),
            };
            for row in rows {
                Box::pin(bench.row(row, database)).await?;
            }
            Ok(())
        }
        _ => Err("usage: see the first lines of main.rs".into()),
    }
}
