//! Errors that no request can bring about at will.

use std::{io, time::Duration};

use banyan_db::DatabaseError;
use http::header;
use serde_json::Value;

use super::*;

fn run(source: RunError) -> Error {
    Error::Run { source: Box::new(source), anonymous: true }
}

fn refused_login() -> DatabaseError {
    DatabaseError {
        code: "28P01".to_owned(),
        message: "password authentication failed for user \"authenticator\"".to_owned(),
        ..DatabaseError::default()
    }
}

// rows: PGRST000 PGRST001 PGRST002 PGRST003 PGRSTX00
#[test]
fn a_missing_database_is_not_the_clients_fault() {
    for (error, status, code, message) in [
        (
            run(RunError::Login(Box::new(refused_login()))),
            503,
            "PGRST000",
            "Database connection error. Retrying the connection.",
        ),
        (
            run(RunError::Unreachable(io::Error::from(io::ErrorKind::ConnectionRefused).into())),
            503,
            "PGRST000",
            "Database connection error. Retrying the connection.",
        ),
        (
            run(io::Error::from(io::ErrorKind::ConnectionReset).into()),
            503,
            "PGRST001",
            "Database client error. Retrying the connection.",
        ),
        (Error::NoSchema, 503, "PGRST002", "Could not query the database for the schema cache. Retrying."),
        (
            run(RunError::PoolTimeout(Duration::from_secs(10))),
            504,
            "PGRST003",
            "Timed out acquiring connection from connection pool.",
        ),
        (
            run(RunError::Protocol("internal words".to_owned())),
            500,
            "PGRSTX00",
            "The database returned an unexpected result",
        ),
        (Error::Result("internal words"), 500, "PGRSTX00", "The database returned an unexpected result"),
    ] {
        let wire = error.wire();
        assert_eq!(
            (wire.status.as_u16(), wire.code.as_str(), wire.message.as_str()),
            (status, code, message)
        );
        assert_eq!((&wire.details, &wire.hint), (&Value::Null, &Value::Null), "{code} keeps to itself");
    }
}

// rows: PGRST127
#[test]
fn what_is_not_done_says_so() {
    let wire = Error::NotImplemented("why").wire();
    assert_eq!((wire.status.as_u16(), wire.code.as_str()), (400, "PGRST127"));
    assert_eq!((wire.message.as_str(), &wire.details), ("Feature not implemented", &Value::from("why")));
}

// rows: PGRST300 PGRST301 PGRST302 PGRST303
#[test]
fn refused_tokens_are_401_with_a_challenge() {
    let ours = Error::Token(TokenError::NoSecret).wire();
    assert_eq!((ours.status.as_u16(), ours.code.as_str()), (500, "PGRST300"));
    assert_eq!((ours.message.as_str(), ours.headers.len()), ("Server lacks JWT secret", 0));
    for (error, code, challenge) in [
        (
            TokenError::Signature,
            "PGRST301",
            "Bearer error=\"invalid_token\", error_description=\"JWT cryptographic operation failed\"",
        ),
        (TokenError::NoApiKey, "PGRST302", "Bearer"),
        (
            TokenError::Expired,
            "PGRST303",
            "Bearer error=\"invalid_token\", error_description=\"JWT expired\"",
        ),
    ] {
        let wire = Error::Token(error).wire();
        assert_eq!((wire.status.as_u16(), wire.code.as_str()), (401, code));
        let shown = wire.headers.iter().find(|(name, _)| name == header::WWW_AUTHENTICATE);
        assert_eq!(shown.and_then(|(_, value)| value.to_str().ok()), Some(challenge));
    }
}
