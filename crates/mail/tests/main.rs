//! The queue against a real PostgreSQL and a mail server that misbehaves on demand.

#[cfg(test)]
mod fake_server;
#[cfg(test)]
mod support;

#[cfg(test)]
mod endpoint;
#[cfg(test)]
mod sending;
