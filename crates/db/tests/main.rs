//! What the door to PostgreSQL promises, against a real server.

mod run_as;
