//! The load generator of `scripts/bench auth`, and the hash of passwords by itself.
//!
//! ```text
//! auth_bench hash SECONDS
//! auth_bench load ADDRESS MODE CONNECTIONS SECONDS RATE <lines >answers
//! ```
//! A line is method, path, bearer token and body, separated by tabs. Each connection has its share
//! of them and goes on with the next as soon as an answer came or, with a rate (requests a second
//! of all connections), when the next one is due. Modes: `again` begins anew after the last line;
//! `once` uses each line at most once; `refresh` begins anew, with the refresh token that came last
//! in the place of the one before. It prints one line of JSON; in mode `refresh` the lines as they
//! are then, after it.

use std::{
    io::{BufWriter, Read, Write},
    time::{Duration, Instant},
};

use serde_json::{Value, json};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
    task::JoinSet,
};

type Failure = Box<dyn std::error::Error + Send + Sync>;

fn main() -> Result<(), Failure> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match arguments[..] {
        ["hash", seconds] => hash(seconds.parse()?),
        ["load", address, mode, connections, seconds, rate] => {
            let plan = Plan {
                mode: Mode::of(mode)?,
                seconds: seconds.parse()?,
                pause: pause(rate.parse()?, connections.parse()?),
            };
            tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(load(
                address.to_owned(),
                connections.parse()?,
                plan,
            ))
        }
        _ => Err("usage: auth_bench hash SECONDS | load ADDRESS MODE CONNECTIONS SECONDS RATE".into()),
    }
}

/// Compares a password with its hash on as many threads as the service has for that.
fn hash(seconds: f64) -> Result<(), Failure> {
    let password = "correct horse battery";
    let stored = banyan_auth::hash_of_password(password, b"salt of a bench.");
    let end = Instant::now() + Duration::from_secs_f64(seconds);
    let compare = || {
        let mut count = 0_u64;
        while Instant::now() < end {
            assert!(banyan_auth::is_password_of(&stored, password), "it is the right one");
            count += 1;
        }
        count
    };
    let threads = banyan_auth::hashing_threads();
    let count: u64 = std::thread::scope(|scope| {
        let running: Vec<_> = (0..threads).map(|_| scope.spawn(compare)).collect();
        running.into_iter().map(|thread| thread.join().expect("it does not panic")).sum()
    });
    print(&json!({ "threads": threads, "rate": count as f64 / seconds }))
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mode {
    Again,
    Once,
    Refresh,
}

impl Mode {
    fn of(name: &str) -> Result<Self, Failure> {
        match name {
            "again" => Ok(Self::Again),
            "once" => Ok(Self::Once),
            "refresh" => Ok(Self::Refresh),
            _ => Err("a mode is again, once or refresh".into()),
        }
    }
}

#[derive(Debug, Clone, Copy)]
struct Plan {
    mode: Mode,
    seconds: f64,
    /// Time between two requests of one connection; none: at once.
    pause: Option<Duration>,
}

fn pause(rate: f64, connections: f64) -> Option<Duration> {
    (rate > 0.0).then(|| Duration::from_secs_f64(connections / rate))
}

/// One request, again and again.
struct Line {
    method: String,
    path: String,
    token: String,
    body: String,
}

impl Line {
    fn of(text: &str) -> Result<Self, Failure> {
        let mut parts = text.split('\t').map(str::to_owned);
        let mut part = || parts.next().ok_or("a line has four parts");
        Ok(Self { method: part()?, path: part()?, token: part()?, body: part()? })
    }

    fn request(&self) -> String {
        let Self { method, path, token, body } = self;
        let bearer =
            if token.is_empty() { String::new() } else { format!("authorization: Bearer {token}\r\n") };
        format!(
            "{method} {path} HTTP/1.1\r\nhost: localhost\r\n{bearer}content-type: application/json\r\n\
             content-length: {}\r\n\r\n{body}",
            body.len()
        )
    }

    /// Takes the refresh token of an answer along.
    fn go_on(&mut self, answer: &[u8]) -> Result<(), Failure> {
        let answer: Value = serde_json::from_slice(answer)?;
        self.body = json!({ "refresh_token": answer["refresh_token"] }).to_string();
        Ok(())
    }
}

/// What one connection saw.
#[derive(Default)]
struct Seen {
    /// Microseconds each.
    lengths: Vec<u64>,
    refused: u64,
    refusal: Option<String>,
    finished_at: Option<Instant>,
    lines: Vec<Line>,
}

async fn load(address: String, connections: usize, plan: Plan) -> Result<(), Failure> {
    let mut text = String::new();
    std::io::stdin().read_to_string(&mut text)?;
    let mut shares: Vec<Vec<Line>> = (0..connections).map(|_| Vec::new()).collect();
    for (number, line) in text.lines().enumerate() {
        shares[number % connections].push(Line::of(line)?);
    }
    let began = Instant::now() + Duration::from_millis(100);
    let mut running = JoinSet::new();
    for (number, share) in shares.into_iter().enumerate() {
        let first =
            plan.pause.map_or(Duration::ZERO, |pause| pause.mul_f64(number as f64 / connections as f64));
        running.spawn(connection(address.clone(), share, plan, began + first));
    }
    let mut all = Seen::default();
    while let Some(seen) = running.join_next().await {
        let seen = seen??;
        all.lengths.extend(seen.lengths);
        all.refused += seen.refused;
        all.refusal = all.refusal.or(seen.refusal);
        all.finished_at = all.finished_at.max(seen.finished_at);
        all.lines.extend(seen.lines);
    }
    tell(&mut all, plan, began)
}

fn tell(all: &mut Seen, plan: Plan, began: Instant) -> Result<(), Failure> {
    all.lengths.sort_unstable();
    let at =
        |share: usize| all.lengths.get(all.lengths.len() * share / 100).map_or(0.0, |us| *us as f64 / 1e3);
    let took = all.finished_at.map_or(0.0, |at| at.duration_since(began).as_secs_f64());
    print(&json!({
        "requests": all.lengths.len(), "seconds": took, "p50": at(50), "p99": at(99),
        "refused": all.refused, "refusal": all.refusal,
    }))?;
    let mut out = BufWriter::new(std::io::stdout().lock());
    for Line { method, path, token, body } in all.lines.iter().filter(|_| plan.mode == Mode::Refresh) {
        writeln!(out, "{method}\t{path}\t{token}\t{body}")?;
    }
    Ok(out.flush()?)
}

fn print(value: &Value) -> Result<(), Failure> {
    Ok(writeln!(std::io::stdout(), "{value}")?)
}

async fn connection(
    address: String,
    mut lines: Vec<Line>,
    plan: Plan,
    began: Instant,
) -> Result<Seen, Failure> {
    let mut stream = TcpStream::connect(address).await?;
    stream.set_nodelay(true)?;
    let (mut seen, mut inbox) = (Seen::default(), Vec::with_capacity(1 << 14));
    let (mut due, end) = (began, began + Duration::from_secs_f64(plan.seconds));
    let mut next = 0;
    while due < end && !lines.is_empty() && (plan.mode != Mode::Once || next < lines.len()) {
        tokio::time::sleep_until(due.into()).await;
        let place = next % lines.len();
        let line = &mut lines[place];
        let sent = Instant::now();
        stream.write_all(line.request().as_bytes()).await?;
        let (status, body) = answer(&mut stream, &mut inbox).await?;
        let landed = Instant::now();
        seen.lengths.push(u64::try_from(landed.duration_since(sent).as_micros())?);
        seen.finished_at = Some(landed);
        if status != 200 {
            seen.refused += 1;
            seen.refusal.get_or_insert_with(|| format!("{status} {}", String::from_utf8_lossy(&body)));
        } else if plan.mode == Mode::Refresh {
            line.go_on(&body)?;
        }
        next += 1;
        due = plan.pause.map_or(landed, |pause| due + pause);
    }
    seen.lines = lines;
    Ok(seen)
}

/// Reads one answer: its status and body. Whatever the server sends, it says how long it is.
async fn answer(stream: &mut TcpStream, inbox: &mut Vec<u8>) -> Result<(u16, Vec<u8>), Failure> {
    loop {
        if let Some(end) = inbox.windows(4).position(|four| four == b"\r\n\r\n") {
            let head = std::str::from_utf8(&inbox[..end])?;
            let status = head.get(9..12).ok_or("an answer has a status")?.parse()?;
            let length = head
                .lines()
                .filter_map(|line| line.split_once(':'))
                .find(|(name, _)| name.eq_ignore_ascii_case("content-length"))
                .ok_or("an answer has a length")?;
            let length: usize = length.1.trim().parse()?;
            while inbox.len() < end + 4 + length {
                read(stream, inbox).await?;
            }
            let body = inbox[end + 4..end + 4 + length].to_vec();
            inbox.drain(..end + 4 + length);
            return Ok((status, body));
        }
        read(stream, inbox).await?;
    }
}

async fn read(stream: &mut TcpStream, inbox: &mut Vec<u8>) -> Result<(), Failure> {
    if stream.read_buf(inbox).await? == 0 {
        return Err("the server closed the connection".into());
    }
    Ok(())
}
