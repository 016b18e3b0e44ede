//! Connections of our own, spoken to in PostgreSQL's protocol.
