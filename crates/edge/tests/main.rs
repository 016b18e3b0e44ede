//! The function host, driven over HTTP with components built from `guests/`.

mod access;
mod life;
mod limits;
mod loading;
mod outbound;
mod passage;
mod schedules;
mod support;
