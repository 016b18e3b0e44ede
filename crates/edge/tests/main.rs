//! The function host, driven over HTTP with components built from `guests/`.
#![expect(
    clippy::unwrap_used,
    reason = "a helper that fails fails its test; clippy exempts test functions alone"
)]

mod access;
mod attacks;
mod http_mapping;
mod lifecycle;
mod limits;
mod loading;
mod management;
mod outbound;
mod reuse;
mod schedules;
mod sdk_handler;
mod support;
