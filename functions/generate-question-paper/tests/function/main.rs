//! The function as a client sees it, with a wallet and a network of the tests' own.

#[path = "../../../_shared/tests/support/mod.rs"]
mod support;

#[path = "../../../_shared/tests/support/paid.rs"]
mod paid;

#[path = "../../../_shared/tests/support/deductions.rs"]
mod deductions;

#[path = "../../../_shared/tests/support/files.rs"]
mod files;

#[path = "../../../_shared/tests/support/typed.rs"]
mod typed;

#[path = "../../../_shared/tests/support/models.rs"]
mod models;

#[path = "../../../_shared/tests/support/office.rs"]
mod office_reader;

#[path = "../../../_shared/tests/support/samples.rs"]
mod samples_of;

#[path = "../../../_shared/tests/support/set.rs"]
mod set;

#[path = "../../../_bank/tests/support/chapters.rs"]
mod chapters;

mod audit;
mod bank;
mod credits;
mod documents;
mod fakes;
mod keys;
mod model;
mod office;
mod plans;
mod samples;
mod table;
