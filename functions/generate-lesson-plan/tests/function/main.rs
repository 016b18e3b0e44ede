//! The function as a client sees it, with a wallet and a network of the tests' own.

#[path = "../../../_shared/tests/support/mod.rs"]
mod support;

mod bank;
mod credits;
mod documents;
mod fakes;
mod model;
mod office;
