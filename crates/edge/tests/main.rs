//! The function host, driven over HTTP with components built from `guests/`.
#![expect(
    clippy::unwrap_used,
    reason = "a helper that fails fails its test; clippy exempts test functions alone"
)]

mod access;
mod life;
mod limits;
mod loading;
mod outbound;
mod passage;
mod schedules;
mod support;
