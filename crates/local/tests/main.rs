//! What a developer's machine can do to PostgreSQL and to the inbox, tried for real.

mod inbox;
mod postgres;
